//! The record of a run: what clients called and what readers were sent, held against what the store has in the end.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// The outcome of a post, as its client knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Recorded at this place.
    Acknowledged(u64),
    /// Refused with a status that says that nothing was recorded.
    Refused,
    /// No answer, or one that says that the outcome is unknown.
    Doubtful,
}

/// A post. No two have the same text.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) client: usize,
    pub(crate) conversation: String,
    pub(crate) text: String,
    /// Whether it is to be answered.
    pub(crate) asks: bool,
    pub(crate) outcome: Outcome,
}

/// The activities that a reader was sent over one connection.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) reader: usize,
    pub(crate) conversation: String,
    /// The watermark with which it has connected.
    pub(crate) after: Option<u64>,
    pub(crate) frames: Vec<Value>,
    /// How far the reader meant to get, where it has stayed until then; it has come back otherwise.
    pub(crate) until: Option<u64>,
}

/// The history of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    /// The calls; those of a client in their order.
    pub(crate) calls: Vec<Call>,
    /// The connections of readers; those of a reader in their order.
    pub(crate) readings: Vec<Reading>,
    /// The content of each conversation in the end.
    pub(crate) logs: BTreeMap<String, Vec<Value>>,
}

/// A promise that was not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// An acknowledged activity is missing, or at another place.
    Lost(String),
    /// An activity is there more than once.
    Doubled(String),
    /// An activity is there although it was refused.
    Refused(String),
    /// An activity is there although no client has posted it.
    Invented(String),
    /// An activity stands before an earlier one of its client.
    Disordered(String),
    /// The activity at this place has the name of another one.
    Misplaced(String, u64),
    /// The activity at this place is not later than the one before.
    Untimely(String, u64),
    /// A question without answer.
    Unanswered(String),
    /// A question with more than one answer.
    AnsweredTwice(String),
    /// A question with the answer to another one.
    AnsweredWrongly(String),
    /// A reader was not sent the activity at this place when it was its turn.
    NotRead(usize, u64),
    /// A reader was sent something that is not in the log.
    ReadWrongly(usize, u64),
    /// A reader has connected after a place that it had not reached.
    Skipped(usize, u64),
    /// A stream that did not end, or one that answers a turn and did not end with what answered it.
    Open(usize, String),
    /// Something came behind the end of a stream.
    BehindTheEnd(usize, String),
    /// The pieces of a stream are not in their order.
    Shuffled(usize, String),
}

fn text<'a>(activity: &'a Value, member: &str) -> &'a str {
    activity[member].as_str().unwrap_or_default()
}

/// Events have names, and messages have texts.
fn said(activity: &Value) -> &str {
    if text(activity, "type") == "event" { text(activity, "name") } else { text(activity, "text") }
}

/// The place that an id of a recorded activity names.
pub(crate) fn place_of(id: &str) -> Option<u64> {
    id.rsplit_once('|')?.1.parse().ok()
}

fn is_from_bot(activity: &Value) -> bool {
    text(&activity["from"], "role") == "bot"
}

/// The bot's words for what it does not answer.
pub(crate) const APOLOGY: &str = "sorry";

impl History {
    /// All promises that were not kept.
    pub(crate) fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (id, log) in &self.logs {
            log_faults(id, log, &mut faults);
            self.call_faults(id, log, &mut faults);
        }
        let readers: BTreeSet<usize> = self.readings.iter().map(|reading| reading.reader).collect();
        for reader in readers {
            self.reader_faults(reader, &mut faults);
        }
        faults
    }

    fn call_faults(&self, id: &str, log: &[Value], faults: &mut Vec<Fault>) {
        let calls: Vec<&Call> = self.calls.iter().filter(|call| call.conversation == id).collect();
        let mut reached: BTreeMap<usize, u64> = BTreeMap::new();
        for call in &calls {
            let places: Vec<u64> =
                (0..).zip(log).filter(|(_, found)| said(found) == call.text).map(|(at, _)| at).collect();
            let name = || call.text.clone();
            match (call.outcome, &places[..]) {
                (Outcome::Acknowledged(place), [found]) if place == *found => {}
                (Outcome::Acknowledged(_), [] | [_]) => faults.push(Fault::Lost(name())),
                (Outcome::Refused, [_, ..]) => faults.push(Fault::Refused(name())),
                (Outcome::Refused | Outcome::Doubtful, []) | (Outcome::Doubtful, [_]) => {}
                (Outcome::Acknowledged(_) | Outcome::Doubtful, [_, _, ..]) => faults.push(Fault::Doubled(name())),
            }
            let Some(place) = places.first() else { continue };
            let before = reached.entry(call.client).or_default();
            if place < before {
                faults.push(Fault::Disordered(name()));
            }
            // An unacknowledged post may still be on its way when its client goes on.
            if matches!(call.outcome, Outcome::Acknowledged(_)) {
                *before = *place.max(before);
            }
            if call.asks {
                answer_faults(&log[usize::try_from(*place).expect("small")], call, log, faults);
            }
        }
        let known: BTreeSet<&str> = calls.iter().map(|call| &*call.text).collect();
        for activity in log.iter().filter(|activity| !is_from_bot(activity)) {
            if !known.contains(said(activity)) {
                faults.push(Fault::Invented(said(activity).to_owned()));
            }
        }
    }

    fn reader_faults(&self, reader: usize, faults: &mut Vec<Fault>) {
        let mut next = 0;
        let mut streams = Streams::default();
        for reading in self.readings.iter().filter(|reading| reading.reader == reader) {
            let from = reading.after.map_or(0, |after| after + 1);
            if from != next {
                faults.push(Fault::Skipped(reader, from));
            }
            let empty = Vec::new();
            next = read(reading, self.logs.get(&reading.conversation).unwrap_or(&empty), from, &mut streams, faults);
        }
    }
}

fn log_faults(id: &str, log: &[Value], faults: &mut Vec<Fault>) {
    for (place, activity) in (0..).zip(log) {
        if text(activity, "id") != format!("{id}|{place:07}") {
            faults.push(Fault::Misplaced(id.to_owned(), place));
        }
    }
    for (place, pair) in (1..).zip(log.windows(2)) {
        if text(&pair[0], "timestamp") >= text(&pair[1], "timestamp") {
            faults.push(Fault::Untimely(id.to_owned(), place));
        }
    }
}

/// A question gets one answer, which repeats its words, or one apology.
fn answer_faults(question: &Value, call: &Call, log: &[Value], faults: &mut Vec<Fault>) {
    let replies = log.iter().filter(|reply| is_from_bot(reply) && reply["replyToId"] == question["id"]);
    match replies.map(said).collect::<Vec<_>>()[..] {
        [] => faults.push(Fault::Unanswered(call.text.clone())),
        [reply] if reply.contains(&call.text) || reply == APOLOGY => {}
        [_] => faults.push(Fault::AnsweredWrongly(call.text.clone())),
        [_, _, ..] => faults.push(Fault::AnsweredTwice(call.text.clone())),
    }
}

/// The streams that a reader has seen over all its connections.
#[derive(Default)]
struct Streams {
    ended: BTreeSet<String>,
    /// Those that answer turns: the node that answers a turn in the end, ends its stream.
    unanswered: BTreeSet<String>,
}

/// Holds what came over one connection against the log; returns the place that the reader has reached.
fn read(reading: &Reading, log: &[Value], from: u64, streams: &mut Streams, faults: &mut Vec<Fault>) -> u64 {
    let (reader, mut next) = (reading.reader, from);
    let mut open: BTreeMap<&str, u64> = BTreeMap::new();
    for frame in &reading.frames {
        let data = &frame["channelData"];
        let (stream, kind) = (text(data, "streamId"), text(data, "streamType"));
        if let Some(place) = place_of(text(frame, "id")) {
            if place != next {
                faults.push(Fault::NotRead(reader, next));
            }
            match log.get(usize::try_from(place).expect("small")) {
                Some(recorded) if recorded == frame => {}
                Some(_) | None => faults.push(Fault::ReadWrongly(reader, place)),
            }
            next = place + 1;
        }
        if kind.is_empty() {
            continue;
        }
        if streams.ended.contains(stream) {
            faults.push(Fault::BehindTheEnd(reader, stream.to_owned()));
        } else if kind == "final" {
            open.remove(stream);
            streams.unanswered.remove(stream);
            streams.ended.insert(stream.to_owned());
        } else {
            if stream.contains("|t") {
                streams.unanswered.insert(stream.to_owned());
            }
            let number = data["streamSequence"].as_u64().unwrap_or_default();
            if open.insert(stream, number).is_some_and(|before| before >= number) {
                faults.push(Fault::Shuffled(reader, stream.to_owned()));
            }
        }
    }
    if let Some(until) = reading.until {
        let left = streams.unanswered.iter().map(String::as_str).chain(open.into_keys()).collect::<BTreeSet<_>>();
        faults.extend(left.into_iter().map(|stream| Fault::Open(reader, stream.to_owned())));
        if next < until {
            faults.push(Fault::NotRead(reader, next));
        }
    }
    next
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn recorded(place: u64, from: &str, rest: &Value) -> Value {
        let mut activity = json!({
            "id": format!("c|{place:07}"), "type": "message", "from": {"id": from, "role": from},
            "timestamp": format!("2026-01-01T00:00:0{place}Z"),
        });
        let members = rest.as_object().expect("members").clone();
        activity.as_object_mut().expect("an object").extend(members);
        activity
    }

    fn live(stream: &str, number: u64) -> Value {
        json!({"id": format!("c|e{stream}{number}"), "type": "typing", "text": "…",
            "channelData": {"streamType": "streaming", "streamId": stream, "streamSequence": number}})
    }

    fn call(client: usize, text: &str, asks: bool, outcome: Outcome) -> Call {
        Call { client, conversation: "c".to_owned(), text: text.to_owned(), asks, outcome }
    }

    /// A history without a fault, in which everything occurs.
    fn good() -> History {
        let log = vec![
            recorded(0, "user", &json!({"type": "event", "name": "one"})),
            recorded(1, "user", &json!({"text": "why"})),
            recorded(2, "user", &json!({"type": "event", "name": "two"})),
            recorded(
                3,
                "bot",
                &json!({"text": "to why", "replyToId": "c|0000001",
                "channelData": {"streamType": "final", "streamId": "s"}}),
            ),
            recorded(4, "user", &json!({"text": "how"})),
            recorded(5, "bot", &json!({"text": APOLOGY, "replyToId": "c|0000004"})),
            recorded(6, "user", &json!({"type": "event", "name": "lost"})),
        ];
        let calls = vec![
            call(1, "one", false, Outcome::Acknowledged(0)),
            call(1, "lost", false, Outcome::Doubtful),
            call(1, "two", false, Outcome::Acknowledged(2)),
            call(1, "never", false, Outcome::Refused),
            call(1, "gone", false, Outcome::Doubtful),
            call(2, "why", true, Outcome::Acknowledged(1)),
            call(2, "how", true, Outcome::Acknowledged(4)),
        ];
        let frames = |places: std::ops::Range<usize>| log[places].to_vec();
        let reading = |reader, after, frames: Vec<Vec<Value>>, until| Reading {
            reader,
            conversation: "c".to_owned(),
            after,
            frames: frames.concat(),
            until,
        };
        let withdrawn = json!({"id": "c|e9", "type": "message", "text": "",
            "channelData": {"streamType": "final", "streamId": "t"}});
        let readings = vec![
            reading(
                1,
                None,
                vec![frames(0..2), vec![live("s", 1)], frames(2..3), vec![live("s", 2)], frames(3..7)],
                Some(7),
            ),
            reading(2, None, vec![frames(0..2), vec![live("t", 1), live("t", 2)]], None),
            reading(2, Some(1), vec![frames(2..4), vec![live("t", 3), withdrawn]], None),
            reading(2, Some(3), vec![frames(4..7)], Some(7)),
        ];
        History { calls, readings, logs: BTreeMap::from([("c".to_owned(), log)]) }
    }

    #[test]
    fn a_good_history_has_no_fault() {
        assert_eq!(good().faults(), []);
    }

    /// Changes the log, and what readers were sent of it.
    fn changed(change: impl Fn(&mut Vec<Value>)) -> History {
        let mut history = good();
        history.logs.values_mut().for_each(&change);
        history
    }

    #[test]
    fn each_altered_log_is_found() {
        let name = |text: &str| text.to_owned();
        let found = |change: &dyn Fn(&mut Vec<Value>), fault: Fault| {
            let faults = changed(change).faults();
            assert!(faults.contains(&fault), "{fault:?} in {faults:?}");
        };
        found(&|log| drop(log.remove(2)), Fault::Lost(name("two")));
        found(&|log| drop(log.remove(2)), Fault::Misplaced(name("c"), 2));
        found(&|log| drop(log.pop()), Fault::ReadWrongly(1, 6));
        found(
            &|log| log.push(recorded(7, "user", &json!({"type": "event", "name": "one"}))),
            Fault::Doubled(name("one")),
        );
        found(
            &|log| log.push(recorded(7, "user", &json!({"type": "event", "name": "lost"}))),
            Fault::Doubled(name("lost")),
        );
        found(
            &|log| log.push(recorded(7, "user", &json!({"type": "event", "name": "never"}))),
            Fault::Refused(name("never")),
        );
        found(&|log| log.push(recorded(7, "user", &json!({"text": "ghost"}))), Fault::Invented(name("ghost")));
        found(&|log| log.swap(0, 2), Fault::Disordered(name("two")));
        found(&|log| log.swap(0, 2), Fault::Untimely(name("c"), 1));
        found(&|log| log[3]["replyToId"] = json!("c|0000000"), Fault::Unanswered(name("why")));
        found(&|log| log[5]["replyToId"] = json!("c|0000001"), Fault::AnsweredTwice(name("why")));
        found(&|log| log[3]["text"] = json!("to how"), Fault::AnsweredWrongly(name("why")));
        found(&|log| log[0]["from"]["id"] = json!("another"), Fault::ReadWrongly(1, 0));
    }

    #[test]
    fn each_altered_reading_is_found() {
        let found = |reading: usize, change: &dyn Fn(&mut Reading), fault: Fault| {
            let mut history = good();
            change(&mut history.readings[reading]);
            let faults = history.faults();
            assert!(faults.contains(&fault), "{fault:?} in {faults:?}");
        };
        let stream = |text: &str| text.to_owned();
        found(0, &|reading| drop(reading.frames.remove(1)), Fault::NotRead(1, 1));
        found(0, &|reading| reading.frames.swap(0, 1), Fault::NotRead(1, 0));
        found(0, &|reading| reading.frames.insert(1, reading.frames[0].clone()), Fault::NotRead(1, 1));
        found(0, &|reading| drop(reading.frames.pop()), Fault::NotRead(1, 6));
        found(0, &|reading| reading.frames[0]["name"] = json!("other"), Fault::ReadWrongly(1, 0));
        found(0, &|reading| reading.frames.push(live("s", 3)), Fault::BehindTheEnd(1, stream("s")));
        found(0, &|reading| reading.frames.swap(2, 4), Fault::Shuffled(1, stream("s")));
        found(0, &|reading| reading.frames.push(live("u", 1)), Fault::Open(1, stream("u")));
        found(1, &|reading| reading.frames.push(live("c|t1.5", 1)), Fault::Open(2, stream("c|t1.5")));
        found(2, &|reading| reading.after = Some(2), Fault::Skipped(2, 3));
        found(0, &|reading| reading.until = Some(8), Fault::NotRead(1, 7));
        found(3, &|reading| reading.frames.push(live("t", 4)), Fault::BehindTheEnd(2, stream("t")));
    }

    #[test]
    fn each_altered_call_is_found() {
        let mut history = good();
        history.calls[0].outcome = Outcome::Acknowledged(1);
        assert_eq!(history.faults(), [Fault::Lost("one".to_owned())]);
        let mut history = good();
        history.calls[1].outcome = Outcome::Refused;
        assert_eq!(history.faults(), [Fault::Refused("lost".to_owned())]);
        let mut history = good();
        history.calls.remove(2);
        assert_eq!(history.faults(), [Fault::Invented("two".to_owned())]);
        let mut history = good();
        history.calls.swap(0, 2);
        assert_eq!(history.faults(), [Fault::Disordered("one".to_owned())]);
    }
}
