//! Caches frames: each activity is read and serialized once for all readers of a conversation.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use super::frame::{Frame, frame};
use super::remote::{RemoteStreams, ended_by};
use crate::activity::{ConversationId, Watermark};
use crate::store::{ChangeListener, ConversationStore, Page, StoreError};

/// How many activities are taken from the store at once, and how many frames are kept.
const READ_AHEAD: usize = 64;

/// The bytes of frames that are kept, but always the newest frame. A reader of older ones asks the store.
const MAX_BYTES: usize = 64 * 1024;

/// Frames in order, each with its watermark.
pub(super) type Frames = VecDeque<(Watermark, Frame)>;

/// The newest frames of one conversation. If a reader needs older frames, one reader loads them for all; the others wait.
#[derive(Debug)]
pub(super) struct FrameCache {
    state: Mutex<State>,
    /// Tells that a reader has read, or has given up.
    changed: Notify,
    /// The streams of other nodes, which end with what is read.
    remote: Option<Arc<RemoteStreams>>,
}

#[derive(Debug)]
struct State {
    /// Heard whenever a read begins.
    listener: ChangeListener,
    /// The frames follow this place without a gap.
    start: Option<Watermark>,
    frames: Frames,
    bytes: usize,
    /// The last read found nothing more, so nothing is missing as long as the conversation has not changed since it began.
    complete: bool,
    is_being_read: bool,
}

impl State {
    /// How far the frames reach.
    fn end(&self) -> Option<Watermark> {
        self.frames.back().map_or(self.start, |&(watermark, _)| Some(watermark))
    }

    fn start_at(&mut self, place: Option<Watermark>) {
        self.frames.clear();
        (self.start, self.bytes, self.complete) = (place, 0, false);
    }

    fn push(&mut self, watermark: Watermark, frame: Frame) {
        self.bytes += frame.len();
        self.frames.push_back((watermark, frame));
        while self.frames.len() > READ_AHEAD || (self.bytes > MAX_BYTES && self.frames.len() > 1) {
            let Some((watermark, frame)) = self.frames.pop_front() else { return };
            self.bytes -= frame.len();
            self.start = Some(watermark);
        }
    }
}

/// The next step of a reader after a look at the cache.
#[derive(Debug)]
enum Look<'s> {
    /// These are next.
    Take(Frames),
    /// There is nothing more.
    Nothing,
    /// The wanted frames were here once.
    TooLate,
    /// Another reader is reading.
    Wait,
    /// The reader is the one to read, for everyone.
    Read(Turn<'s>),
}

/// The right to read for everyone, which goes to somebody else when it is dropped.
#[derive(Debug)]
struct Turn<'s> {
    cache: &'s FrameCache,
    after: Option<Watermark>,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.cache.state().is_being_read = false;
        self.cache.changed.notify_waiters();
    }
}

impl Turn<'_> {
    /// Puts on the cache what was read, and gives it to the reader. Nobody else needs it where the reader is `alone`.
    fn finish(self, page: Page, alone: bool) -> Frames {
        if let Some(remote) = &self.cache.remote {
            for name in page.recorded.iter().filter_map(|recorded| ended_by(&recorded.activity)) {
                remote.read_to_end(name, Instant::now());
            }
        }
        let frames = rendered(page);
        let mut state = self.cache.state();
        state.complete = frames.is_empty();
        if alone && let Some(&(last, _)) = frames.back() {
            state.start_at(Some(last));
        } else {
            for (watermark, frame) in &frames {
                state.push(*watermark, frame.clone());
            }
        }
        drop(state);
        frames
    }
}

fn rendered(page: Page) -> Frames {
    let recorded = page.recorded.into_iter();
    recorded.map(|recorded| (recorded.watermark, frame(recorded.activity, Some(recorded.watermark)))).collect()
}

impl FrameCache {
    /// An empty cache for what follows `start`.
    pub(super) fn new(listener: ChangeListener, start: Option<Watermark>, remote: Option<Arc<RemoteStreams>>) -> Self {
        let frames = Frames::new();
        let state = State { listener, start, frames, bytes: 0, complete: false, is_being_read: false };
        Self { state: Mutex::new(state), changed: Notify::new(), remote }
    }

    /// The frames behind `position`: some of it, and nothing only when there is nothing. `None` when the conversation is
    /// gone. What is said before the call is found, and so is what is said later if the caller comes again when its own
    /// listener reports a change.
    pub(super) async fn after(
        &self,
        store: &dyn ConversationStore,
        id: &ConversationId,
        position: Option<Watermark>,
        alone: impl Fn() -> bool,
    ) -> Result<Option<Frames>, StoreError> {
        loop {
            // Before the look, so that no change is missed between the two.
            let mut changed = pin!(self.changed.notified());
            changed.as_mut().enable();
            match self.look(position) {
                Look::Take(frames) => return Ok(Some(frames)),
                Look::Nothing => return Ok(Some(Frames::new())),
                Look::TooLate => return Ok(store.read(id, position, READ_AHEAD).await?.map(rendered)),
                Look::Wait => changed.await,
                Look::Read(turn) => {
                    let page = store.read(id, turn.after, READ_AHEAD).await?;
                    return Ok(page.map(|page| turn.finish(page, alone())));
                }
            }
        }
    }

    /// Has the next reader ask the store, whether the listener reported a change or not.
    pub(super) fn look_again(&self) {
        self.state().complete = false;
    }

    /// Has the next reader ask the store, unless the conversation was read this far.
    pub(super) fn must_reach(&self, place: Option<Watermark>) {
        let mut state = self.state();
        if state.end() < place {
            state.complete = false;
        }
    }

    /// Whether the conversation that this belongs to is gone; there may be another one of the same name.
    pub(super) fn is_closed(&self) -> bool {
        self.state().listener.has_changed().is_err()
    }

    fn look(&self, position: Option<Watermark>) -> Look<'_> {
        let mut state = self.state();
        if position < state.start {
            return Look::TooLate;
        }
        if position < state.end() {
            let first = state.frames.partition_point(|&(watermark, _)| Some(watermark) <= position);
            return Look::Take(state.frames.range(first..).cloned().collect());
        }
        if state.is_being_read {
            return Look::Wait;
        }
        if position > state.end() {
            // The frames between are needed by readers of the history alone, who find them in the store.
            state.start_at(position);
        }
        // A change since the last read began, or a conversation that is gone since.
        if state.complete && state.listener.has_changed() == Ok(false) {
            return Look::Nothing;
        }
        state.complete = false;
        state.is_being_read = true;
        // Before the read, so that a change during the read is noticed after it.
        state.listener.mark_seen();
        Look::Read(Turn { cache: self, after: position })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No call above can panic half-way through a change, so what a poisoned lock guards is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::ChangeNotifier;

    fn place(index: u64) -> Option<Watermark> {
        Some(Watermark::from_index(index))
    }

    #[test]
    fn a_reader_that_goes_away_leaves_its_turn_to_another() {
        let notifier = ChangeNotifier::new(None);
        let cache = FrameCache::new(notifier.listener(), None, None);
        let Look::Read(turn) = cache.look(None) else { panic!("nothing was read yet") };
        assert!(matches!(cache.look(None), Look::Wait));
        drop(turn);
        assert!(matches!(cache.look(None), Look::Read(_)));
    }

    #[test]
    fn nothing_is_read_twice_unless_it_changed_or_somebody_asks_for_it() {
        let notifier = ChangeNotifier::new(None);
        let cache = FrameCache::new(notifier.listener(), place(6), None);
        let finish = || {
            let Look::Read(turn) = cache.look(place(6)) else { panic!("to be read") };
            turn.finish(Page::new(Vec::new(), place(6)), false)
        };
        assert_eq!(finish().len(), 0);
        assert!(matches!(cache.look(place(6)), Look::Nothing));
        notifier.notify(Watermark::from_index(7));
        assert_eq!(finish().len(), 0);
        assert!(matches!(cache.look(place(6)), Look::Nothing));
        cache.look_again();
        assert_eq!(finish().len(), 0);
        assert!(!cache.is_closed());
        drop(notifier);
        assert!(cache.is_closed());
    }

    #[test]
    fn a_change_during_a_read_makes_another_read() {
        let notifier = ChangeNotifier::new(None);
        let cache = FrameCache::new(notifier.listener(), None, None);
        let Look::Read(turn) = cache.look(None) else { panic!("nothing was read yet") };
        notifier.notify(Watermark::FIRST);
        turn.finish(Page::new(Vec::new(), None), false);
        assert!(matches!(cache.look(None), Look::Read(_)));
    }

    #[test]
    fn little_is_kept_and_always_the_newest() {
        let notifier = ChangeNotifier::new(None);
        let cache = FrameCache::new(notifier.listener(), None, None);
        let put = |range: std::ops::Range<u64>, frame: &Frame| {
            let mut state = cache.state();
            range.for_each(|index| state.push(Watermark::from_index(index), frame.clone()));
            (state.frames.len(), state.bytes, state.start)
        };
        let (short, long) = (Frame::from_static("short"), Frame::from("x".repeat(MAX_BYTES + 1)));
        assert_eq!(put(0..200, &short), (READ_AHEAD, READ_AHEAD * short.len(), place(199 - READ_AHEAD as u64)));
        assert!(matches!(cache.look(place(100)), Look::TooLate));
        assert!(matches!(cache.look(place(150)), Look::Take(frames) if frames.len() == 49));
        assert_eq!(put(200..201, &long), (1, long.len(), place(199)));
    }
}
