//! The activities that one socket sends.

use std::sync::{Arc, Weak};

use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, broadcast};

use super::frame::Frame;
use super::frame_cache::Frames;
use super::room::{Place, Room, Shown};
use super::running::{Part, Running};
use crate::activity::{ConversationId, Watermark};
use crate::store::{ChangeListener, ConversationStore, StoreError};

/// The frames for one socket: all activities after its watermark, once and in order, and ephemeral activities in between.
#[derive(Debug)]
pub struct Feed {
    pub(super) store: Arc<dyn ConversationStore>,
    pub(super) listener: ChangeListener,
    pub(super) id: ConversationId,
    pub(super) position: Option<Watermark>,
    pub(super) ahead: Frames,
    pub(super) caught_up: bool,
    pub(super) held: Option<Arc<Shown>>,
    /// The livestreams of which this reader has seen the first activity.
    pub(super) known: Vec<Weak<Running>>,
    pub(super) ephemeral: broadcast::Receiver<Arc<Shown>>,
    pub(super) room: Arc<Room>,
    pub(super) _seat: OwnedSemaphorePermit,
}

impl Feed {
    /// The next frame; `None` when the conversation is gone. Can be cancelled without losing anything.
    ///
    /// # Errors
    /// When the store fails. The reader comes back with its watermark.
    pub async fn next(&mut self) -> Result<Option<Frame>, StoreError> {
        loop {
            if let Some(shown) = self.held.take_if(|held| held.after.watermark() <= self.position) {
                if let Some(frame) = self.show(shown) {
                    return Ok(Some(frame));
                }
                continue;
            }
            // The activities behind it may have been read from the store already.
            if self.held.is_none()
                && let Ok(shown) = self.ephemeral.try_recv()
            {
                self.hold(shown);
                continue;
            }
            if let Some((watermark, frame)) = self.ahead.pop_front() {
                self.position = Some(watermark);
                return Ok(Some(frame));
            }
            if !self.caught_up {
                self.listener.mark_seen();
                let alone = || self.room.has_one_reader();
                let found = self.room.cache.after(self.store.as_ref(), &self.id, self.position, alone).await?;
                let Some(frames) = found else {
                    return Ok(None);
                };
                let follows = self.held.as_ref().map(|held| held.after);
                if let Some(after) = follows.filter(|after| frames.is_empty() && after.watermark() > self.position) {
                    if self.is_behind().await? {
                        self.look_again();
                        continue;
                    }
                    // The history ends before the place it should follow; it will not get any nearer.
                    match after {
                        Place::Here(after) => self.position = after,
                        Place::Elsewhere(_) => self.held = None,
                    }
                }
                self.caught_up = frames.is_empty();
                self.ahead = frames;
                continue;
            }
            tokio::select! {
                // Ephemeral first: it says itself which of the recorded activities it follows.
                biased;
                received = self.ephemeral.recv() => match received {
                    Ok(shown) => self.hold(shown),
                    Err(RecvError::Lagged(_)) => {}
                    // The room lives as long as this feed does.
                    Err(RecvError::Closed) => return Ok(None),
                },
                changed = self.listener.changed() => match changed {
                    Ok(()) => self.caught_up = false,
                    Err(_) => return Ok(None),
                },
            }
        }
    }

    /// Whether the store has more than the cache knows of: something that another node has recorded, whose notification is on its way.
    async fn is_behind(&self) -> Result<bool, StoreError> {
        let page = self.store.read(&self.id, self.position, 1).await?;
        Ok(page.is_some_and(|page| !page.recorded.is_empty()))
    }

    /// Keeps it until what it follows was read.
    fn hold(&mut self, shown: Arc<Shown>) {
        self.caught_up &= shown.after.watermark() <= self.position;
        self.held = Some(shown);
    }

    /// The frame of something ephemeral, if it is still to be seen. Web Chat 4.18.1 draws a bubble for each chunk of a
    /// stream whose first activity it has missed: a reader that has joined since, or was too slow, sees that one first.
    fn show(&mut self, shown: Arc<Shown>) -> Option<Frame> {
        let Some((stream, part)) = &shown.part else { return Some(shown.frame.clone()) };
        let is_known = self.known.iter().any(|known| known.as_ptr() == Arc::as_ptr(stream));
        match part {
            // The end of the stream may have been read already.
            Part::Piece if stream.is_over() => None,
            Part::Piece if !is_known => {
                self.known.retain(|known| known.strong_count() > 0);
                self.known.push(Arc::downgrade(stream));
                let first = stream.first().unwrap_or(&shown.frame).clone();
                if first != shown.frame {
                    self.held = Some(shown);
                }
                Some(first)
            }
            Part::Piece => Some(shown.frame.clone()),
            Part::Withdrawal => is_known.then(|| shown.frame.clone()),
        }
    }

    /// Has the next call ask the store, whether the listener reported a change or not.
    pub fn look_again(&mut self) {
        self.caught_up = false;
        self.room.cache.look_again();
    }
}
