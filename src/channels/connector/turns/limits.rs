//! How much is taken in.

use std::time::Duration;

/// How much is taken in and remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnLimits {
    /// So many turns run at one time.
    pub at_once: usize,
    /// So many activities wait for their turn; beyond, the sender is asked to come again.
    pub waiting: usize,
    /// So many of them in one conversation, so that none takes all of the room.
    pub waiting_each: usize,
    /// The same in bytes, of all conversations.
    pub waiting_bytes: usize,
    /// So many activities are remembered, so that none is run twice.
    pub remembered: usize,
    /// For so long.
    pub remember_for: Duration,
    /// When the server ends, those who wait are told within this time.
    pub last_words: Duration,
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self {
            at_once: 64,
            waiting: 1_000,
            waiting_each: 250,
            waiting_bytes: 64 * 1024 * 1024,
            remembered: 100_000,
            remember_for: Duration::from_secs(600),
            last_words: Duration::from_secs(8),
        }
    }
}

impl TurnLimits {
    /// The same limits with room for so many who wait.
    #[must_use]
    pub fn with_waiting(self, waiting: usize) -> Self {
        Self { waiting, waiting_each: waiting.div_ceil(4), ..self }
    }
}
