//! The state that the sockets of one conversation share.

use std::sync::Arc;

use tokio::sync::{Semaphore, broadcast};

use super::frame_cache::{Frame, FrameCache};
use super::running::{Part, Running};
use crate::activity::Watermark;

/// The state that the readers of one conversation share.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) seats: Arc<Semaphore>,
    /// Pointers, because there is room for as many as may wait from the beginning.
    pub(super) ephemeral: broadcast::Sender<Arc<Shown>>,
    pub(super) cache: FrameCache,
}

/// An [`Ephemeral`](super::hub::Ephemeral) as all readers see it.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) after: Option<Watermark>,
    pub(super) frame: Frame,
    pub(super) part: Option<(Arc<Running>, Part)>,
}

impl Room {
    /// Whether nobody reads but the one who asks.
    pub(super) fn has_one_reader(&self) -> bool {
        self.ephemeral.receiver_count() <= 1
    }
}
