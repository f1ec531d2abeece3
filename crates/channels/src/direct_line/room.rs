//! The state that the sockets of one conversation share.

use std::sync::Arc;

use tokio::sync::{Semaphore, broadcast};

use super::frame::Frame;
use super::frame_cache::FrameCache;
use super::remote::RemoteStreams;
use super::running::{Part, Running};
use crate::activity::Watermark;
use crate::bus::Following;

/// The state that the readers of one conversation share.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) seats: Arc<Semaphore>,
    /// Pointers, because there is room for as many as may wait from the beginning.
    pub(super) ephemeral: broadcast::Sender<Arc<Shown>>,
    pub(super) cache: FrameCache,
    /// The streams that other nodes write, where they are heard.
    pub(super) remote: Option<Arc<RemoteStreams>>,
    pub(super) _following: Option<Following>,
}

/// An [`Ephemeral`](super::hub::Ephemeral) as all readers see it.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) after: Place,
    pub(super) frame: Frame,
    pub(super) part: Option<(Arc<Running>, Part)>,
}

/// The position after which something is to be shown, and its source.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// This node, which has asked the store.
    Here(Option<Watermark>),
    /// Another node, which is not to be believed where the store does not know of it.
    Elsewhere(Option<Watermark>),
}

impl Place {
    pub(super) fn watermark(self) -> Option<Watermark> {
        match self {
            Self::Here(after) | Self::Elsewhere(after) => after,
        }
    }
}

impl Room {
    /// Whether nobody reads but the one who asks.
    pub(super) fn has_one_reader(&self) -> bool {
        self.ephemeral.receiver_count() <= 1
    }

    /// Shows something to everyone who reads now.
    pub(super) fn show(&self, shown: Shown) {
        // Without a reader there is nobody to miss it.
        self.ephemeral.send(Arc::new(shown)).ok();
    }
}
