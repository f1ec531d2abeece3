//! What a Direct Line client reads.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Activity, Watermark};

/// Activities of one conversation, and how far they reach (`GET …/activities` and every frame of a stream).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ActivitySet {
    /// The activities, oldest first.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Object>))]
    pub activities: Vec<Arc<Activity>>,
    /// The last activity in the set. Absent for activities without a place in the history, such as typing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub watermark: Option<Watermark>,
}

impl ActivitySet {
    /// A set that reaches as far as `watermark`.
    #[must_use]
    pub fn new(activities: Vec<Arc<Activity>>, watermark: Option<Watermark>) -> Self {
        Self { activities, watermark }
    }
}
