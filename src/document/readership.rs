//! The readers of one conversation.

use chrono::{DateTime, Utc};

/// A conversation, as the addresses of its readers name it. One that was deleted and created again is another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readership {
    /// The id of the conversation, which has no line end.
    pub conversation: String,
    /// When it was created, in whole milliseconds.
    pub begun: DateTime<Utc>,
}
