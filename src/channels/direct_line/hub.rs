//! Fan-out to the sockets of each conversation.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};

use crate::activity::{Activity, ActivitySet, ConversationId, Watermark};
use crate::store::{ConversationStore, Doorbell, Recorded, StoreError};

/// How many activities a feed takes from the store at once.
const READ_AHEAD: usize = 64;

/// An activity without a place in the history.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Ephemeral {
    /// It is to be shown after this one.
    pub after: Option<Watermark>,
    /// The activity.
    pub activity: Arc<Activity>,
}

impl Ephemeral {
    /// An activity to be shown after `after`.
    #[must_use]
    pub fn new(after: Option<Watermark>, activity: Arc<Activity>) -> Self {
        Self { after, activity }
    }
}

/// The text of one frame: an `ActivitySet` with exactly one activity. Clients reorder the activities of larger sets.
pub type Frame = String;

/// As many sockets as are allowed are open on the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{limit} sockets are open on this conversation already")]
pub struct HubFull {
    /// How many are allowed.
    pub limit: usize,
}

/// Knows which conversations are being read.
#[derive(Debug)]
pub struct Hub {
    max_sockets: usize,
    max_ephemeral: usize,
    rooms: Mutex<BTreeMap<ConversationId, Weak<Room>>>,
}

#[derive(Debug)]
struct Room {
    seats: Arc<Semaphore>,
    ephemeral: broadcast::Sender<Ephemeral>,
}

impl Hub {
    /// A hub with so many sockets for each conversation, and so many ephemeral activities waiting for each socket.
    #[must_use]
    pub fn new(max_sockets: usize, max_ephemeral: usize) -> Self {
        Self { max_sockets, max_ephemeral, rooms: Mutex::default() }
    }

    /// Shows an activity to everyone who reads now. A reader that has fallen too far behind misses the oldest.
    pub fn show(&self, id: &ConversationId, ephemeral: Ephemeral) {
        let room = self.rooms.lock().unwrap_or_else(PoisonError::into_inner).get(id).and_then(Weak::upgrade);
        if let Some(room) = room {
            // Without a reader there is nobody to miss it.
            room.ephemeral.send(ephemeral).ok();
        }
    }

    /// A feed of what follows `after`.
    ///
    /// # Errors
    /// When too many feeds of the conversation are open.
    pub fn feed(
        &self,
        store: Arc<dyn ConversationStore>,
        doorbell: Doorbell,
        id: ConversationId,
        after: Option<Watermark>,
    ) -> Result<Feed, HubFull> {
        let room = self.room(&id);
        let full = HubFull { limit: self.max_sockets };
        let seat = Arc::clone(&room.seats).try_acquire_owned().map_err(|_| full)?;
        let ephemeral = room.ephemeral.subscribe();
        Ok(Feed {
            store,
            doorbell,
            id,
            position: after,
            ahead: VecDeque::new(),
            caught_up: false,
            held: None,
            ephemeral,
            _room: room,
            _seat: seat,
        })
    }

    fn room(&self, id: &ConversationId) -> Arc<Room> {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(room) = rooms.get(id).and_then(Weak::upgrade) {
            return room;
        }
        rooms.retain(|_, room| room.strong_count() > 0);
        let room = Arc::new(Room {
            seats: Arc::new(Semaphore::new(self.max_sockets)),
            ephemeral: broadcast::Sender::new(self.max_ephemeral),
        });
        rooms.insert(id.clone(), Arc::downgrade(&room));
        room
    }
}

/// What one socket has to show: everything after its watermark, in order and once, and what is ephemeral in between.
#[derive(Debug)]
pub struct Feed {
    store: Arc<dyn ConversationStore>,
    doorbell: Doorbell,
    id: ConversationId,
    position: Option<Watermark>,
    ahead: VecDeque<Recorded>,
    caught_up: bool,
    held: Option<Ephemeral>,
    ephemeral: broadcast::Receiver<Ephemeral>,
    _room: Arc<Room>,
    _seat: OwnedSemaphorePermit,
}

impl Feed {
    /// The next frame; `None` when the conversation is gone. Can be cancelled without losing anything.
    ///
    /// # Errors
    /// When the store fails. The reader comes back with its watermark.
    pub async fn next(&mut self) -> Result<Option<Frame>, StoreError> {
        loop {
            if let Some(ephemeral) = self.held.take_if(|held| held.after <= self.position) {
                return Ok(Some(frame(ephemeral.activity, None)));
            }
            if let Some(recorded) = self.ahead.pop_front() {
                self.position = Some(recorded.watermark);
                return Ok(Some(frame(recorded.activity, Some(recorded.watermark))));
            }
            if !self.caught_up {
                self.doorbell.hush();
                let Some(page) = self.store.read(&self.id, self.position, READ_AHEAD).await? else {
                    return Ok(None);
                };
                self.caught_up = page.recorded.is_empty();
                self.ahead.extend(page.recorded);
                if self.caught_up && self.held.is_some() {
                    // The history ends before the place it should follow; it will not get any nearer.
                    self.position = self.position.max(self.held.as_ref().and_then(|held| held.after));
                }
                continue;
            }
            tokio::select! {
                // Ephemeral first: it says itself which of the recorded activities it follows.
                biased;
                received = self.ephemeral.recv() => match received {
                    Ok(ephemeral) => {
                        self.caught_up = ephemeral.after <= self.position;
                        self.held = Some(ephemeral);
                    }
                    Err(RecvError::Lagged(_)) => {}
                    // The room lives as long as this feed does.
                    Err(RecvError::Closed) => return Ok(None),
                },
                rung = self.doorbell.rung() => match rung {
                    Ok(()) => self.caught_up = false,
                    Err(_) => return Ok(None),
                },
            }
        }
    }

    /// Has the next call ask the store, whether the doorbell rang or not.
    pub fn look_again(&mut self) {
        self.caught_up = false;
    }
}

fn frame(activity: Arc<Activity>, watermark: Option<Watermark>) -> Frame {
    let set = ActivitySet::new(vec![activity], watermark);
    serde_json::to_string(&set).expect("an activity has no map whose keys are not text")
}
