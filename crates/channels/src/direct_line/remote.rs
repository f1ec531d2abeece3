//! The livestreams of one conversation that several nodes may write, as the readers on this node see them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::TimeDelta;
use tokio::time::Instant;

use super::frame::{Frame, frame};
use super::running::{Running, is_of_turn};
use crate::activity::{Activity, ActivityId, ActivitySet, StreamInfo};

/// The time for which the name of a stream that is over is kept: its pieces may come later than its message.
const KEPT: Duration = Duration::from_secs(60);

/// The streams of one conversation that are known at one time. Others are not shown.
const MOST: usize = 1000;

/// The streams of one conversation by their names.
#[derive(Debug, Default)]
pub(super) struct RemoteStreams(Mutex<BTreeMap<String, Remote>>);

#[derive(Debug)]
struct Remote {
    running: Arc<Running>,
    state: State,
    /// When something was heard of it, or when it was over.
    heard: Instant,
}

#[derive(Debug)]
enum State {
    /// Another node writes it; this piece was shown last, and has this number.
    Open(Frame, u32),
    /// It answers a turn, and this node writes it; the piece shown last has this number.
    Here(u32),
    /// Its message is recorded, and may not have been read here yet.
    Ended,
    /// Its message was read here, or it was withdrawn.
    Over,
}

/// The stream of which an activity is a part.
pub(super) fn stream_of(activity: &Activity) -> Option<&str> {
    activity.channel_data.as_ref()?.get("streamId")?.as_str()
}

/// The number of an activity in its stream; 0 without one.
pub(super) fn number_of(activity: &Activity) -> u32 {
    let number = activity.channel_data.as_ref().and_then(|data| data.get("streamSequence")?.as_u64());
    number.and_then(|number| u32::try_from(number).ok()).unwrap_or_default()
}

/// The name of the stream that this recorded activity ends.
pub(super) fn ended_by(activity: &Activity) -> Option<&str> {
    let kind = activity.channel_data.as_ref()?.get("streamType")?;
    stream_of(activity).filter(|_| kind == StreamInfo::Final.stream_type())
}

impl RemoteStreams {
    /// Takes a piece of another node. Returns `None` where it is not to be shown: the stream has ended, or a piece with this number or
    /// a higher one was shown, written by the node that has answered the turn since.
    pub(super) fn piece(
        &self,
        name: &str,
        first: &Frame,
        (frame, number): (&Frame, u32),
        now: Instant,
    ) -> Option<Arc<Running>> {
        let mut streams = self.streams();
        let open = || {
            let running = Arc::<Running>::default();
            running.begin_with(first);
            Remote { running, state: State::Open(frame.clone(), number), heard: now }
        };
        if !streams.contains_key(name) {
            if streams.len() >= MOST {
                return None;
            }
            let remote = open();
            let running = Arc::clone(&remote.running);
            streams.insert(name.to_owned(), remote);
            return Some(running);
        }
        let remote = streams.get_mut(name)?;
        match &mut remote.state {
            State::Open(_, shown) | State::Here(shown) if number <= *shown => None,
            State::Open(last, shown) => {
                (*last, *shown) = (frame.clone(), number);
                remote.heard = now;
                Some(Arc::clone(&remote.running))
            }
            State::Here(_) => {
                // Another node answers the turn since.
                *remote = open();
                Some(Arc::clone(&remote.running))
            }
            State::Ended => None,
            State::Over => {
                // Its name is kept for as long as pieces come.
                remote.heard = now;
                None
            }
        }
    }

    /// Notes the number of a piece that this node is about to show of its own stream, so that earlier pieces of other nodes are not
    /// shown behind it. Returns false where another node has shown a later piece of that stream, or has ended it: then this piece is
    /// not shown. Only the stream of a turn has several writers.
    pub(super) fn admit_own(&self, name: &str, running: &Arc<Running>, number: u32, now: Instant) -> bool {
        let mut streams = self.streams();
        if !is_of_turn(name) || (!streams.contains_key(name) && streams.len() >= MOST) {
            return true;
        }
        let unseen = || Remote { running: Arc::clone(running), state: State::Here(number), heard: now };
        let Some(remote) = streams.get_mut(name) else {
            streams.insert(name.to_owned(), unseen());
            return true;
        };
        match &remote.state {
            State::Open(_, shown) | State::Here(shown) if number <= *shown => false,
            State::Open(..) | State::Here(_) => {
                *remote = unseen();
                true
            }
            State::Ended | State::Over => false,
        }
    }

    /// Whether nothing more is to be seen of the stream.
    pub(super) fn is_over(&self, name: &str) -> bool {
        self.streams().get(name).is_some_and(|remote| matches!(remote.state, State::Over))
    }

    /// The stream is withdrawn by its writer: what was shown of it last. `None` where nobody has seen of it, or it has its message.
    pub(super) fn withdraw(&self, name: &str, now: Instant) -> Option<(Arc<Running>, Frame)> {
        let mut streams = self.streams();
        let remote = streams.get_mut(name)?;
        let last = match &remote.state {
            State::Open(last, _) => Some(last.clone()),
            State::Here(_) | State::Ended | State::Over => None,
        };
        remote.end(State::Over, now);
        Some((Arc::clone(&remote.running), last?))
    }

    /// The message that ends the stream is recorded.
    pub(super) fn ended(&self, name: &str, now: Instant) {
        if let Some(remote) = self.streams().get_mut(name)
            && let State::Open(..) = remote.state
        {
            remote.state = State::Ended;
            remote.heard = now;
        }
    }

    /// The message that ends the stream was read here: whatever comes of it from now on is late.
    pub(super) fn read_to_end(&self, name: &str, now: Instant) {
        let mut streams = self.streams();
        if !streams.contains_key(name) && streams.len() >= MOST {
            return;
        }
        let unseen = || Remote { running: Arc::default(), state: State::Over, heard: now };
        streams.entry(name.to_owned()).or_insert_with(unseen).end(State::Over, now);
    }

    /// The stream goes on.
    pub(super) fn is_alive(&self, name: &str, now: Instant) {
        if let Some(remote) = self.streams().get_mut(name) {
            remote.heard = now;
        }
    }

    /// Nothing can be heard just now, which is not the fault of the streams.
    pub(super) fn excuse(&self, now: Instant) {
        for remote in self.streams().values_mut().filter(|remote| matches!(remote.state, State::Open(..))) {
            remote.heard = now;
        }
    }

    /// The streams that nothing was heard of for so long, with what was shown of each last. They are over, but for those of turns,
    /// which go on when another node answers. Forgets those that have been over, or waited for another node, for long.
    pub(super) fn silent(&self, after: Duration, now: Instant) -> Vec<(String, Arc<Running>, Frame)> {
        let mut streams = self.streams();
        let mut silent = Vec::new();
        streams.retain(|name, remote| {
            let age = now.saturating_duration_since(remote.heard);
            match &remote.state {
                State::Open(..) if is_of_turn(name) => age < after.max(KEPT),
                State::Open(last, _) if age >= after => {
                    silent.push((name.clone(), Arc::clone(&remote.running), last.clone()));
                    remote.end(State::Over, now);
                    true
                }
                State::Open(..) => true,
                // The writer on this node holds the stream as well, and may be silent for long between two pieces.
                State::Here(_) => age < KEPT || Arc::strong_count(&remote.running) > 1,
                State::Ended | State::Over => age < KEPT,
            }
        });
        silent
    }

    fn streams(&self) -> MutexGuard<'_, BTreeMap<String, Remote>> {
        // No call above can panic half-way through a change, so what a poisoned lock guards is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Remote {
    fn end(&mut self, state: State, now: Instant) {
        self.running.end();
        self.state = state;
        self.heard = now;
    }
}

/// The activity that takes a stream back of which this was shown last, as its writer would have sent it.
pub(super) fn withdrawal(id: ActivityId, name: &str, last: &Frame) -> Option<Frame> {
    let set: ActivitySet = serde_json::from_str(last).ok()?;
    let last = set.activities.into_iter().next()?;
    let message = Activity::message("").with_stream_info(StreamInfo::Final);
    let message = message.with_stream_id(&ActivityId::from(name.to_owned()));
    let withdrawal = Activity {
        id: Some(id),
        timestamp: last.timestamp.map(|shown| shown + TimeDelta::milliseconds(1)),
        from: last.from.clone(),
        channel_id: last.channel_id.clone(),
        conversation: last.conversation.clone(),
        reply_to_id: last.reply_to_id.clone(),
        ..message
    };
    Some(frame(Arc::new(withdrawal), None))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use serde_json::{Value, json};

    use super::*;

    const SILENT: Duration = Duration::from_secs(15);

    fn frame(text: &str) -> Frame {
        json!({"activities": [{"type": "typing", "text": text, "timestamp": "2026-01-01T00:00:00Z", "replyToId": "c1|0",
            "from": {"id": "bot"}}]})
        .to_string()
        .into()
    }

    /// Each is newer than the one before.
    fn piece(streams: &RemoteStreams, now: Instant) -> Option<Arc<Running>> {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        streams.piece("s", &frame("a"), (&frame("ab"), NUMBER.fetch_add(1, Ordering::Relaxed)), now)
    }

    #[test]
    fn a_piece_behind_the_message_is_late_even_where_the_stream_was_never_seen() {
        let (streams, now) = (RemoteStreams::default(), Instant::now());
        let running = piece(&streams, now).expect("shown");
        assert_eq!(running.first(), Some(&frame("a")));
        streams.read_to_end("s", now);
        streams.read_to_end("unseen", now);
        assert!(running.is_over() && streams.is_over("s") && streams.is_over("unseen"));
        assert!(piece(&streams, now).is_none());
        assert!(streams.piece("unseen", &frame("a"), (&frame("a"), 1), now).is_none());
        assert!(streams.withdraw("s", now).is_none(), "what stays is not withdrawn");
        // The name is kept while pieces come, and forgotten some time after.
        let later = now + KEPT - Duration::from_secs(1);
        assert!(piece(&streams, later).is_none() && streams.silent(SILENT, later + KEPT / 2).is_empty());
        assert!(streams.is_over("s") && !streams.is_over("unseen"));
        streams.silent(SILENT, later + KEPT);
        assert!(!streams.is_over("s"));
    }

    #[test]
    fn a_stream_that_falls_silent_is_withdrawn_once() {
        let (streams, now) = (RemoteStreams::default(), Instant::now());
        let running = piece(&streams, now).expect("shown");
        streams.is_alive("s", now + SILENT / 2);
        assert!(streams.silent(SILENT, now + SILENT).is_empty() && !running.is_over());
        streams.excuse(now + SILENT);
        assert!(streams.silent(SILENT, now + 3 * SILENT / 2).is_empty(), "nothing could be heard");
        let silent = streams.silent(SILENT, now + 2 * SILENT);
        assert!(matches!(&*silent, [(name, _, last)] if name == "s" && *last == frame("ab")));
        assert!(running.is_over() && piece(&streams, now + 2 * SILENT).is_none());
        assert!(streams.silent(SILENT, now + 4 * SILENT).is_empty());
    }

    #[test]
    fn the_stream_of_a_turn_goes_on_after_any_silence() {
        let (streams, now) = (RemoteStreams::default(), Instant::now());
        let piece = |number, now| streams.piece("c1|t4.17", &frame("a"), (&frame("ab"), number), now);
        let running = piece(1, now).expect("shown");
        assert!(streams.silent(SILENT, now + SILENT).is_empty());
        // Readers who know its first piece are not sent that again.
        assert!(piece(2, now + 2 * SILENT).is_some_and(|same| Arc::ptr_eq(&same, &running) && !same.is_over()));
        assert!(streams.silent(SILENT, now + 2 * SILENT + KEPT).is_empty());
        assert!(piece(3, now + 2 * SILENT + KEPT).is_some_and(|other| !Arc::ptr_eq(&other, &running)));
    }

    /// A node that slept published its piece after another node had answered the turn for a while.
    #[test]
    fn a_piece_of_an_earlier_attempt_is_late() {
        let (streams, now) = (RemoteStreams::default(), Instant::now());
        let piece = |number| streams.piece("c1|t4.17", &frame("a"), (&frame("ab"), number), now).is_some();
        let shown: Vec<u32> = [1, 2, 2001, 3, 2001, 2002].into_iter().filter(|&number| piece(number)).collect();
        assert_eq!(shown, [1, 2, 2001, 2002]);
        let here = Arc::<Running>::default();
        assert!(!streams.admit_own("c1|t4.17", &here, 2002, now), "another node has shown as much");
        for name in ["c1|t4.17", "c1|t5.18"] {
            assert!(streams.admit_own(name, &here, 4001, now) && !streams.admit_own(name, &here, 4001, now));
        }
        assert!(streams.silent(SILENT, now + 2 * KEPT).is_empty());
        for name in ["c1|t4.17", "c1|t5.18"] {
            let piece = |number| streams.piece(name, &frame("a"), (&frame("ab"), number), now);
            assert!(piece(2003).is_none() && piece(6001).is_some_and(|running| !Arc::ptr_eq(&running, &here)));
        }
        streams.read_to_end("c1|t4.17", now);
        assert!(!streams.admit_own("c1|t4.17", &here, 8001, now) && streams.is_over("c1|t4.17"));
        assert!(streams.admit_own("c1|e1", &here, 1, now) && streams.admit_own("c1|e1", &here, 1, now));
    }

    #[test]
    fn a_stream_whose_message_is_recorded_is_not_withdrawn() {
        let (streams, now) = (RemoteStreams::default(), Instant::now());
        let running = piece(&streams, now).expect("shown");
        streams.ended("s", now);
        assert!(piece(&streams, now).is_none() && !running.is_over(), "what came before may still be shown");
        assert!(streams.silent(SILENT, now + 2 * SILENT).is_empty());
    }

    #[test]
    fn whoever_withdraws_a_stream_does_it_as_its_writer() {
        let id = || ActivityId::from("c1|e1".to_owned());
        let set: Value = serde_json::from_str(&withdrawal(id(), "s", &frame("ab")).expect("a frame")).expect("JSON");
        let last = &set["activities"][0];
        assert_eq!((&last["type"], &last["text"], &last["replyToId"]), (&json!("message"), &json!(""), &json!("c1|0")));
        assert_eq!(last["channelData"], json!({"streamType": "final", "streamId": "s"}));
        assert_eq!((&last["from"]["id"], &last["timestamp"]), (&json!("bot"), &json!("2026-01-01T00:00:00.001Z")));
        assert!(withdrawal(id(), "s", &Frame::from("{}")).is_none());
    }
}
