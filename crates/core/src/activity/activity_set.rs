//! The response format of Direct Line clients.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Activity, Watermark};

/// Activities of one conversation, with a watermark: the response of `GET …/activities`, and each frame of a stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ActivitySet {
    /// The activities, oldest first.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<Object>))]
    pub activities: Vec<Arc<Activity>>,
    /// The watermark of the last activity in the set. Absent for activities that are not recorded, such as typing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>))]
    pub watermark: Option<Watermark>,
}

impl ActivitySet {
    /// A set whose last activity has this watermark.
    #[must_use]
    pub fn new(activities: Vec<Arc<Activity>>, watermark: Option<Watermark>) -> Self {
        Self { activities, watermark }
    }
}
