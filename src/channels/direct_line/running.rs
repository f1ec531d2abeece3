//! A running livestream, as the sockets of a conversation see it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use super::frame::Frame;
use crate::bus::Reach;

/// A livestream: its first activity, and whether it continues. Its writer holds it as long as it is shown.
#[derive(Debug, Default)]
pub struct Running {
    first: OnceLock<Frame>,
    is_over: AtomicBool,
    /// Whether readers on other nodes see it.
    reach: Reach,
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
    /// What readers see first of the stream, unless there is something already.
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
