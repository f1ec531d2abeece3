//! A running livestream, as the sockets of a conversation see it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::frame::Frame;
use crate::activity::{ActivityId, ConversationId};
use crate::bus::Reach;
use crate::store::Turn;

/// A livestream: its first activity, and whether it continues. Its writer holds it as long as it is shown.
#[derive(Debug, Default)]
pub struct Running {
    first: OnceLock<Frame>,
    is_over: AtomicBool,
    /// Whether readers on other nodes see it.
    reach: Reach,
}

/// The name of the stream that answers a turn: the same one whoever answers it, so that readers see the next attempt in the
/// place of one that was broken off.
pub(super) fn stream_of_turn(id: &ConversationId, turn: &Turn) -> ActivityId {
    ActivityId::from(format!("{id}|t{}.{}", turn.place, turn.arrived.timestamp_millis()))
}

/// Whether a stream answers a turn. Somebody else goes on with it when its node dies.
pub(super) fn is_of_turn(stream: &str) -> bool {
    stream.rsplit_once('|').is_some_and(|(_, name)| name.starts_with('t'))
}

/// The role of an activity in its livestream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// An informative text or an update.
    Piece,
    /// The end of a stream of which nothing stays; for those who have seen of it.
    Withdrawal,
}

impl Running {
    /// Sets the first frame of the stream, unless there is one already.
    pub(super) fn begin_with(&self, frame: &Frame) {
        self.first.get_or_init(|| frame.clone());
    }

    pub(super) fn reach(&self) -> &Reach {
        &self.reach
    }

    pub(super) fn first(&self) -> Option<&Frame> {
        self.first.get()
    }

    /// The stream ends: its pieces that still wait for slow readers are not shown any more. To be called *before* the message
    /// that ends it is recorded, so that nobody sees a piece behind that.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Release);
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }
}
