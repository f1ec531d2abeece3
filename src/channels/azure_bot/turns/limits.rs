//! The size limits of the queue.

use std::time::Duration;

/// The limits of the queue and of its memory of past activities.
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

/// Which limit leaves no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::channels::azure_bot) enum Full {
    /// Too many wait.
    Waiting,
    /// Too many wait in this conversation.
    WaitingEach,
    /// Those who wait have too many bytes.
    WaitingBytes,
}

/// What waits has room for so many bytes at least.
const LEAST_BYTES: usize = 64 * 1024 * 1024;

/// So many bytes of it are for each that may wait. Most have far fewer.
const BYTES_EACH: usize = 64 * 1024;

impl Default for TurnLimits {
    fn default() -> Self {
        Self {
            at_once: 64,
            waiting: 1_000,
            waiting_each: 250,
            waiting_bytes: LEAST_BYTES,
            remembered: 100_000,
            remember_for: Duration::from_secs(600),
            last_words: Duration::from_secs(8),
        }
    }
}

impl TurnLimits {
    /// The same limits with room for so many who wait, in number and in bytes.
    #[must_use]
    pub fn with_waiting(self, waiting: usize) -> Self {
        let waiting_bytes = waiting.saturating_mul(BYTES_EACH).max(LEAST_BYTES);
        Self { waiting, waiting_each: waiting.div_ceil(4), waiting_bytes, ..self }
    }
}

impl Full {
    /// What an operator can do about it.
    pub(in crate::channels::azure_bot) fn mend(self) -> &'static str {
        match self {
            Self::Waiting => {
                "the queue for incoming activities is full: raise azure_bot.max_turns or azure_bot.max_waiting"
            }
            // Its turns come one after the other, however many there are at one time.
            Self::WaitingEach => {
                "the queue of one conversation, a quarter of azure_bot.max_waiting, is full: raise azure_bot.max_waiting"
            }
            Self::WaitingBytes => {
                "the waiting activities have too many bytes: raise azure_bot.max_turns, or set azure_bot.max_waiting above \
                 1024 (64 KiB for each)"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_may_wait_in_greater_numbers_has_more_bytes_as_well() {
        assert_eq!(TurnLimits::default().with_waiting(1_000), TurnLimits::default());
        let bytes = |waiting| TurnLimits::default().with_waiting(waiting).waiting_bytes;
        assert_eq!([bytes(1), bytes(1024), bytes(2048)], [LEAST_BYTES, LEAST_BYTES, 2 * LEAST_BYTES]);
    }

    // The log advised to set what does not change the limit that was reached.
    #[test]
    fn every_limit_has_a_mend_of_its_own() {
        let mends = [Full::Waiting, Full::WaitingEach, Full::WaitingBytes].map(Full::mend);
        assert!(mends.iter().all(|mend| mend.contains("azure_bot.max_waiting")));
        assert!(!mends[1].contains("max_turns"), "a conversation has one turn at a time");
        assert!(mends[2].contains("bytes") && mends[2].contains("1024"));
    }
}
