//! The options of streaming answers.

use std::time::Duration;

/// The options of streaming answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamingOptions {
    /// At most one update goes out in this time; what came in the meantime goes out with the next. Each holds all of the text so
    /// far, so that a shorter time costs every reader more.
    pub interval: Duration,
    /// The words behind an answer that broke off.
    pub incomplete: String,
    /// How many bytes of text an answer may have.
    pub max_bytes: usize,
}

impl Default for StreamingOptions {
    fn default() -> Self {
        Self {
            interval: Duration::from_millis(100),
            incomplete: "The answer above is incomplete: it broke off while it was being written.".to_owned(),
            max_bytes: 1024 * 1024,
        }
    }
}
