//! The size limits of the queue.

use crate::store::TurnRoom;

/// The limits of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnLimits {
    /// The number of turns that run at one time.
    pub at_once: usize,
    /// The number of activities that wait for their turn behind others; beyond, the sender is asked to come again.
    pub waiting: usize,
    /// The number of them in one conversation, so that none takes all of the room.
    pub waiting_each: usize,
}

/// The advice to an operator when too many wait.
pub(crate) const RAISE_ALL: &str =
    "the queue for incoming activities is full: raise azure_bot.max_turns or azure_bot.max_waiting";

/// The advice when too many wait in one conversation. Its turns come one after the other, however many there are at one time.
pub(crate) const RAISE_EACH: &str =
    "the queue of one conversation, a quarter of azure_bot.max_waiting, is full: raise azure_bot.max_waiting";

impl Default for TurnLimits {
    fn default() -> Self {
        Self { at_once: 64, waiting: 1_000, waiting_each: 250 }
    }
}

impl TurnLimits {
    /// Sets the number of activities that wait.
    #[must_use]
    pub fn with_waiting(self, waiting: usize) -> Self {
        Self { waiting, waiting_each: waiting.div_ceil(4), ..self }
    }

    /// The room for those who wait.
    pub(crate) fn room(self) -> TurnRoom {
        TurnRoom { in_queue: self.waiting_each, in_all: self.waiting }
    }
}
