//! The text of a frame of a socket.

use std::sync::Arc;

use bytestring::ByteString;

use crate::activity::{Activity, ActivitySet, Watermark};

/// The text of one frame: an `ActivitySet` with exactly one activity. Clients reorder the activities of larger sets.
/// Clones share the text.
pub type Frame = ByteString;

/// Serialises an activity, with its place in the history if it has one.
pub(super) fn frame(activity: Arc<Activity>, watermark: Option<Watermark>) -> Frame {
    let set = ActivitySet::new(vec![activity], watermark);
    serde_json::to_string(&set).expect("an activity has no map whose keys are not text").into()
}
