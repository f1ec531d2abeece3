//! Fan-out to the sockets of each conversation.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use tokio::sync::{Semaphore, broadcast};
use tokio::time::Instant;

use super::Feed;
use super::frame::{Frame, frame};
use super::frame_cache::{FrameCache, Frames};
use super::remote::{RemoteStreams, number_of, stream_of};
use super::room::{Place, Room, Shown};
use super::running::{Part, Running};
use crate::activity::{Activity, ActivityId, ConversationId, Watermark};
use crate::bus::{Announced, Bus, Message};
use crate::store::{ChangeListener, ConversationStore};

/// An activity that is not recorded, such as typing.
#[derive(Clone, Debug)]
pub struct Ephemeral {
    /// It is to be shown after this one.
    pub after: Option<Watermark>,
    /// The activity.
    pub activity: Arc<Activity>,
    /// The livestream that it is a part of.
    pub(super) part: Option<(Arc<Running>, Part)>,
}

impl Ephemeral {
    /// An activity to be shown after `after`.
    #[must_use]
    pub fn new(after: Option<Watermark>, activity: Arc<Activity>) -> Self {
        Self { after, activity, part: None }
    }

    /// Makes it a part of a livestream: a reader who has not seen the first activity of that sees it before this one,
    /// and nobody sees a piece of a stream that is over.
    #[must_use]
    pub fn of(self, stream: &Arc<Running>, part: Part) -> Self {
        Self { part: Some((Arc::clone(stream), part)), ..self }
    }
}

/// The conversation has the largest allowed number of open sockets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this conversation already has {limit} open streams (direct_line.max_sockets_per_conversation)")]
pub struct HubFull {
    /// How many are allowed.
    pub limit: usize,
}

/// The rooms of all conversations with readers.
#[derive(Debug)]
pub struct Hub {
    max_sockets: usize,
    max_ephemeral: usize,
    rooms: Mutex<Rooms>,
    /// The bus to readers on other nodes, where there are any.
    bus: OnceLock<Bus>,
}

#[derive(Debug, Default)]
struct Rooms {
    rooms: BTreeMap<ConversationId, Weak<Room>>,
    /// At so many rooms it is time to look which of them are still read in.
    look_at: usize,
}

/// The number of rooms that are not worth a look.
const FEW: usize = 64;

impl Hub {
    /// A hub with so many sockets for each conversation, and so many ephemeral activities waiting for each socket.
    #[must_use]
    pub fn new(max_sockets: usize, max_ephemeral: usize) -> Self {
        Self { max_sockets, max_ephemeral, rooms: Mutex::default(), bus: OnceLock::new() }
    }

    /// Shows readers on other nodes what is shown here. It begins with rooms that are opened later.
    pub fn connect(&self, bus: Bus) {
        // The first one stays.
        self.bus.set(bus).ok();
    }

    /// Shows an activity to everyone who reads now, and returns how many bytes that takes for each. A reader that has fallen too
    /// far behind misses the oldest.
    pub fn show(&self, id: &ConversationId, ephemeral: Ephemeral) -> usize {
        let (room, bus) = (self.find(id), self.bus.get());
        if room.is_none() && bus.is_none() && ephemeral.part.is_none() {
            return 0;
        }
        let Ephemeral { after, activity, part } = ephemeral;
        let stream = stream_of(&activity).map(str::to_owned);
        let number = number_of(&activity);
        let frame = frame(activity, None);
        let bytes = frame.len();
        if let Some((running, part)) = &part {
            running.begin_with(&frame);
            let remote = room.as_ref().and_then(|room| room.remote.as_ref());
            if let (Part::Piece, Some(remote), Some(stream)) = (part, remote, &stream)
                && !remote.admit_own(stream, running, number, Instant::now())
            {
                return 0;
            }
        }
        if let Some(bus) = bus {
            let reach = part.as_ref().map(|(running, _)| running.reach());
            bus.publish(id, message(&frame, number, after, stream, part.as_ref()), reach);
        }
        if let Some(room) = room {
            room.show(Shown { after: Place::Here(after), frame, part });
        }
        bytes
    }

    /// Tells other nodes over and over that a stream goes on, until the guard is dropped.
    pub(super) fn announce(&self, id: &ConversationId, stream: &ActivityId) -> Option<Announced> {
        Some(self.bus.get()?.announce(id, stream.as_str()))
    }

    /// Tells other nodes that the message with which a stream ends is recorded.
    pub(super) fn end(&self, id: &ConversationId, stream: &ActivityId) {
        if let Some(bus) = self.bus.get() {
            bus.publish(id, Message::End { stream: stream.as_str().to_owned() }, None);
        }
    }

    /// Whether anyone reads the conversation on this node now.
    #[must_use]
    pub fn is_read(&self, id: &ConversationId) -> bool {
        self.find(id).is_some_and(|room| room.ephemeral.receiver_count() > 0)
    }

    /// Whether anyone reads the conversation now, on whatever node.
    pub(super) async fn is_read_anywhere(&self, id: &ConversationId, stream: &Running) -> bool {
        if self.is_read(id) {
            return true;
        }
        match self.bus.get() {
            Some(bus) => bus.is_read(id, stream.reach()).await,
            None => false,
        }
    }

    pub(super) fn find(&self, id: &ConversationId) -> Option<Arc<Room>> {
        self.rooms().rooms.get(id).and_then(Weak::upgrade)
    }

    /// The rooms with readers.
    pub(super) fn occupied(&self) -> Vec<(ConversationId, Arc<Room>)> {
        let rooms = self.rooms();
        let rooms = rooms.rooms.iter();
        rooms.filter_map(|(id, room)| Some((id.clone(), room.upgrade()?))).collect()
    }

    /// A feed of what follows `after`.
    ///
    /// # Errors
    /// When too many feeds of the conversation are open.
    pub fn feed(
        &self,
        store: Arc<dyn ConversationStore>,
        listener: ChangeListener,
        id: ConversationId,
        after: Option<Watermark>,
    ) -> Result<Feed, HubFull> {
        let room = self.room(&id, &listener, after);
        let full = HubFull { limit: self.max_sockets };
        let seat = Arc::clone(&room.seats).try_acquire_owned().map_err(|_| full)?;
        let ephemeral = room.ephemeral.subscribe();
        Ok(Feed {
            store,
            listener,
            id,
            position: after,
            ahead: Frames::new(),
            caught_up: false,
            held: None,
            known: Vec::new(),
            ephemeral,
            room,
            _seat: seat,
        })
    }

    /// The room of a conversation. Whoever is the first there says where reading starts.
    fn room(&self, id: &ConversationId, listener: &ChangeListener, after: Option<Watermark>) -> Arc<Room> {
        let mut rooms = self.rooms();
        let found = rooms.rooms.get(id).and_then(Weak::upgrade);
        if let Some(room) = found.filter(|room| !room.cache.is_closed()) {
            return room;
        }
        if rooms.rooms.len() >= rooms.look_at {
            rooms.rooms.retain(|_, room| room.strong_count() > 0);
            rooms.look_at = (2 * rooms.rooms.len()).max(FEW);
        }
        let bus = self.bus.get();
        let remote = bus.map(|_| Arc::<RemoteStreams>::default());
        let room = Arc::new(Room {
            seats: Arc::new(Semaphore::new(self.max_sockets)),
            ephemeral: broadcast::Sender::new(self.max_ephemeral),
            cache: FrameCache::new(listener.clone(), after, remote.clone()),
            remote,
            _following: bus.map(|bus| bus.follow(id)),
        });
        rooms.rooms.insert(id.clone(), Arc::downgrade(&room));
        room
    }

    fn rooms(&self) -> MutexGuard<'_, Rooms> {
        // No call above can panic half-way through a change, so what a poisoned lock guards is whole.
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The message to other nodes.
fn message(
    frame: &Frame,
    number: u32,
    after: Option<Watermark>,
    stream: Option<String>,
    part: Option<&(Arc<Running>, Part)>,
) -> Message {
    let frame = frame.clone();
    match (part, stream) {
        (Some((running, Part::Piece)), Some(stream)) => {
            Message::Piece { stream, first: running.first().unwrap_or(&frame).clone(), frame, number, after }
        }
        (Some((_, Part::Withdrawal)), Some(stream)) => Message::Withdrawal { stream, after },
        (_, stream) => Message::Shown { frame, after, stream },
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::super::Frame;
    use super::*;
    use crate::clock::SystemClock;
    use crate::store::{Batch, ChangeNotifier, SqliteStore, StoreLimits};

    const SOCKETS: usize = 5;

    /// A conversation with so many feeds, each of which has taken part in everything so far.
    async fn conversation() -> (Arc<dyn ConversationStore>, Hub, ConversationId, Vec<Feed>) {
        let store: Arc<dyn ConversationStore> =
            Arc::new(SqliteStore::in_memory(StoreLimits::in_memory(), Arc::new(SystemClock)).await.expect("a store"));
        let (hub, id) = (Hub::new(SOCKETS, 8), "c1".parse::<ConversationId>().expect("an id"));
        store.create(&id, None).await.expect("created");
        let mut feeds = Vec::new();
        for _ in 0..SOCKETS {
            feeds.push(feed(&store, &hub, &id, None).await);
        }
        (store, hub, id, feeds)
    }

    async fn feed(
        store: &Arc<dyn ConversationStore>,
        hub: &Hub,
        id: &ConversationId,
        after: Option<Watermark>,
    ) -> Feed {
        let listener = store.subscribe(id).await.expect("a store").expect("known");
        hub.feed(Arc::clone(store), listener, id.clone(), after).expect("a seat")
    }

    async fn say(store: &Arc<dyn ConversationStore>, id: &ConversationId, text: &str) {
        store.append(id, Batch::new(vec![Activity::message(text)])).await.expect("a store").expect("known");
    }

    async fn next(feed: &mut Feed) -> Frame {
        feed.next().await.expect("a store").expect("known")
    }

    #[tokio::test]
    async fn an_activity_is_serialised_once_for_all_sockets() {
        let (store, hub, id, mut feeds) = conversation().await;
        for text in ["one", "two"] {
            say(&store, &id, text).await;
            let mut texts = Vec::new();
            for feed in &mut feeds {
                let frame = next(feed).await;
                assert!(frame.contains(&format!("\"text\":\"{text}\"")), "{frame}");
                texts.push(frame);
            }
            assert!(texts.iter().all(|frame| frame.as_ptr() == texts[0].as_ptr()), "the same bytes, not copies");
        }
        hub.show(&id, Ephemeral::new(None, Arc::new(Activity::message("typing"))));
        let mut texts = Vec::new();
        for feed in &mut feeds {
            texts.push(next(feed).await);
        }
        assert!(texts.iter().all(|frame| frame.as_ptr() == texts[0].as_ptr()), "the same bytes, not copies");
    }

    #[tokio::test]
    async fn whoever_lags_behind_gets_everything_in_order_from_the_store() {
        let (store, hub, id, mut feeds) = conversation().await;
        let mut lagging = feeds.pop().expect("a feed");
        for number in 0..300_u64 {
            say(&store, &id, &number.to_string()).await;
            next(&mut feeds[0]).await;
        }
        for number in 0..300 {
            assert!(next(&mut lagging).await.contains(&format!("\"watermark\":\"{number}\"")));
        }
        drop(lagging);
        let mut newcomer = feed(&store, &hub, &id, Some(Watermark::from_index(297))).await;
        for number in 298..300 {
            assert!(next(&mut newcomer).await.contains(&format!("\"watermark\":\"{number}\"")));
        }
    }

    /// Typing was shown behind the reply that it announced, when both had come before the reader looked.
    #[tokio::test]
    async fn what_is_ephemeral_stands_before_what_was_said_after_it() {
        let (store, hub, id, mut feeds) = conversation().await;
        say(&store, &id, "question").await;
        hub.show(&id, Ephemeral::new(Some(Watermark::from_index(0)), Arc::new(Activity::message("typing"))));
        say(&store, &id, "answer").await;
        for text in ["question", "typing", "answer"] {
            let frame = next(&mut feeds[0]).await;
            assert!(frame.contains(&format!("\"text\":\"{text}\"")), "{frame}");
        }
    }

    /// Readers lost what another node had recorded where its notification came behind a piece of an answer that follows it.
    #[tokio::test]
    async fn what_is_recorded_is_not_skipped_where_something_ephemeral_tells_of_it_first() {
        let (store, hub, id, feeds) = conversation().await;
        drop(feeds);
        let silent = ChangeNotifier::new(None);
        let mut feed = hub.feed(Arc::clone(&store), silent.listener(), id.clone(), None).expect("a seat");
        assert!(feed.next().now_or_never().is_none(), "it has read everything");
        say(&store, &id, "question").await;
        hub.show(&id, Ephemeral::new(Some(Watermark::from_index(0)), Arc::new(Activity::message("typing"))));
        for text in ["question", "typing"] {
            let frame = next(&mut feed).await;
            assert!(frame.contains(&format!("\"text\":\"{text}\"")), "{frame}");
        }
    }

    #[tokio::test]
    async fn only_rooms_that_are_read_in_take_memory() {
        let (store, hub, _, _feeds) = conversation().await;
        for number in 0..10 * FEW {
            let id = number.to_string().parse::<ConversationId>().expect("an id");
            store.create(&id, None).await.expect("created");
            drop(feed(&store, &hub, &id, None).await);
        }
        assert!(hub.rooms().rooms.len() <= FEW + 1);
    }

    #[tokio::test]
    async fn a_conversation_that_was_deleted_shows_nothing_to_readers_of_its_successor() {
        let (store, hub, id, mut feeds) = conversation().await;
        say(&store, &id, "old").await;
        next(&mut feeds[0]).await;
        assert!(store.delete(&id).await.expect("a store"));
        store.create(&id, None).await.expect("created");
        let mut newcomer = feed(&store, &hub, &id, None).await;
        say(&store, &id, "new").await;
        assert!(next(&mut newcomer).await.contains("\"text\":\"new\""));
    }
}
