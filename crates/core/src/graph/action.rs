//! Actions that readers can take on a message.

use serde::Serialize;

/// A thumb up or down, which Web Chat draws beside the time. A click returns as an event `webchat:activity-status/feedback`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Action {
    #[serde(rename = "@type")]
    kind: &'static str,
    action_status: &'static str,
}

impl Action {
    /// Both thumbs.
    #[must_use]
    pub fn thumbs() -> Vec<Self> {
        ["LikeAction", "DislikeAction"].map(|kind| Self { kind, action_status: "PotentialActionStatus" }).into()
    }
}
