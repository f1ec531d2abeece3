//! The readers of one conversation, for whom download links are signed.

use chrono::{DateTime, Utc};

/// A conversation in the download links of its readers. A conversation that was deleted and created again counts as another
/// one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Readership {
    /// The id of the conversation, which has no line end.
    pub conversation: String,
    /// The time of creation, in whole milliseconds.
    pub begun: DateTime<Utc>,
}
