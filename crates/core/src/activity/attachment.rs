//! Cards and files.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One attachment (activity specification, section "Attachment"); passed through unchanged.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    /// The media type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// All other members, kept as received.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}
