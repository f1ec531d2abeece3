//! The pace of updates, what ends a stream before its answer, and what the channel never sees. Time is paused, so that it passes
//! only where somebody waits for it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures_util::{Stream, StreamExt as _, stream};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::*;
use crate::NoAnswer;
use crate::activity::{Activity, ActivityId};
use crate::answer_events::{AnswerEvents, AnswerPart, of_bytes};
use crate::azure_bot::{ActivitySink, Refusal, RefusalCause, RefusalKind};
use crate::clock::Clock;
use crate::convert::{Conversion, convert};
use crate::dialect::{Dialect, Pacing};
use crate::ingest::AnswerFormat;

/// The clock of paused time.
#[derive(Debug)]
pub(super) struct Paused(pub(super) Instant);

#[async_trait]
impl Clock for Paused {
    fn now(&self) -> DateTime<Utc> {
        let start: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().expect("a time");
        start + self.0.elapsed()
    }

    async fn wait(&self, time: Duration) {
        sleep(time).await;
    }
}

/// One call: when, in milliseconds, how, and what.
type Call = (u128, &'static str, Value);

type Script = dyn Fn(usize, &Value) -> Option<RefusalKind> + Send;

/// A channel that takes everything but what its script refuses, and takes its time.
struct Channel {
    begun: Instant,
    calls: Arc<Mutex<Vec<Call>>>,
    streams: bool,
    takes: Duration,
    script: Box<Script>,
}

impl Channel {
    async fn note(&mut self, method: &'static str, activity: Activity) -> Result<Option<String>, Refusal> {
        let wire = serde_json::to_value(activity).expect("JSON");
        let count = {
            let mut calls = self.calls.lock().expect("a lock");
            calls.push((self.begun.elapsed().as_millis(), method, wire.clone()));
            calls.len()
        };
        sleep(self.takes).await;
        assert_eq!(self.calls.lock().expect("a lock").len(), count, "two calls are in flight");
        match (self.script)(count - 1, &wire) {
            Some(kind) => Err(Refusal { kind, retry_after: None, repeated: false, cause: RefusalCause::Gone }),
            None => Ok(Some(format!("a-{count}")).filter(|_| wire["channelData"]["streamId"].is_null())),
        }
    }
}

#[async_trait]
impl ActivitySink for Channel {
    async fn send(&mut self, activity: Activity) -> Result<Option<String>, Refusal> {
        self.note("put", activity).await
    }

    async fn replace(&mut self, _id: &str, activity: Activity) -> Result<(), Refusal> {
        self.note("replace", activity).await.map(drop)
    }

    fn can_stream(&self) -> bool {
        self.streams
    }
}

struct Room {
    calls: Arc<Mutex<Vec<Call>>>,
    answer: ConnectorAnswer,
}

fn room(
    dialect: Dialect,
    pacing: Pacing,
    script: impl Fn(usize, &Value) -> Option<RefusalKind> + Send + 'static,
) -> Room {
    let (begun, calls) = (Instant::now(), Arc::default());
    let script = Box::new(script);
    let channel = Channel { begun, calls: Arc::clone(&calls), streams: true, takes: Duration::ZERO, script };
    Room { calls, answer: ConnectorAnswer::begin(Box::new(channel), dialect, pacing, Arc::new(Paused(begun))) }
}

fn teams() -> Room {
    room(Dialect::Teams, Pacing::TEAMS, |_, _| None)
}

fn texts(calls: &[Call]) -> Vec<(u128, &'static str, &str)> {
    calls.iter().map(|(at, method, one)| (*at, *method, one["text"].as_str().unwrap_or_default())).collect()
}

#[derive(Debug, thiserror::Error)]
#[error("the line is dead")]
pub(super) struct Dead;

fn event(event: &Value) -> Bytes {
    format!("data: {event}\n\n").into()
}

fn delta(text: &str) -> Bytes {
    event(&json!({"delta": text}))
}

fn sources() -> Bytes {
    event(&json!({"sources": [{"title": "Leave", "url": "https://hr.example/leave"}]}))
}

fn done() -> Bytes {
    event(&json!({"done": true}))
}

/// The events of a body in a format that its bytes tell.
pub(super) fn read<E>(
    body: impl Stream<Item = Result<Bytes, E>>,
) -> AnswerEvents<impl Stream<Item = Result<AnswerPart, E>> + Unpin> {
    of_bytes(AnswerFormat::default(), body)
}

/// Pieces of a body, each so many milliseconds after the one before.
fn timed(pieces: impl IntoIterator<Item = (u64, Bytes)>) -> impl Stream<Item = Result<Bytes, Dead>> {
    stream::iter(pieces).then(|(pause, piece)| async move {
        sleep(Duration::from_millis(pause)).await;
        Ok(piece)
    })
}

fn to(dialect: Dialect) -> Conversion {
    Conversion::to(dialect)
}

#[tokio::test(start_paused = true)]
async fn row_pace_updates_of_teams_are_a_second_and_a_half_apart_and_hold_all_of_the_text() {
    let Room { calls, mut answer } = teams();
    answer.inform("Looking it up …").await;
    let words = (0..20).map(|n| (200, delta(&format!("w{n} "))));
    let body = timed([(100, sources())].into_iter().chain(words).chain([(200, done())]));
    let followed = answer.follow(to(Dialect::Teams), read(body)).await.expect("an answer");
    let calls = calls.lock().expect("a lock").clone();
    let times: Vec<_> = calls.iter().map(|(at, ..)| *at).collect();
    assert_eq!(times, [0, 1500, 3000, 4300]);
    let shown: Vec<_> = texts(&calls).into_iter().map(|(_, _, text)| text).collect();
    assert!(shown[1].starts_with("w0 w1 w2 w3") && shown[2].starts_with(shown[1]) && shown[3].starts_with(shown[2]));
    assert_eq!(followed.answered.ids, ["a-1"]);
    assert_eq!(followed.answered.ended, Ended::Whole);
}

#[tokio::test(start_paused = true)]
async fn row_stream_id_and_sequence_are_those_of_the_service_in_all_three_places() {
    let Room { calls, mut answer } = teams();
    answer.inform("Looking it up …").await;
    let body = timed([(10, sources()), (10, delta("Leave is 30 ")), (3000, delta("days [1].")), (2000, done())]);
    answer.follow(to(Dialect::Teams), read(body)).await.expect("an answer");
    let calls = calls.lock().expect("a lock").clone();
    let of = |place: &str, member: &str| -> Vec<Value> {
        let at = |one: &Value| match place {
            "entity" => {
                let entities = one["entities"].as_array().cloned().unwrap_or_default();
                entities.into_iter().find(|entity| entity["type"] == "streaminfo").unwrap_or_default()
            }
            _ => one["channelData"].clone(),
        };
        calls.iter().map(|(_, _, one)| at(one)[member].clone()).collect()
    };
    for place in ["entity", "channelData"] {
        assert_eq!(of(place, "streamType"), ["informative", "streaming", "streaming", "final"]);
        assert_eq!(of(place, "streamSequence"), [json!(1), json!(2), json!(3), Value::Null]);
        assert_eq!(of(place, "streamId"), [Value::Null, json!("a-1"), json!("a-1"), json!("a-1")]);
    }
    let ids: Vec<_> = calls.iter().map(|(_, _, one)| one["id"].clone()).collect();
    assert_eq!(ids, [Value::Null, json!("a-1"), json!("a-1"), json!("a-1")]);
    let kinds: Vec<_> = calls.iter().map(|(_, _, one)| one["type"].clone()).collect();
    assert_eq!(kinds, ["typing", "typing", "typing", "message"]);
    let claims = |one: &Value| one["entities"][0]["citation"].as_array().map_or(0, Vec::len);
    assert_eq!(calls.iter().map(|(_, _, one)| claims(one)).collect::<Vec<_>>(), [0, 0, 0, 1]);
}

/// Turns are served by tasks that may move from thread to thread.
#[test]
fn an_answer_can_be_given_by_any_task() {
    fn moves<T: Send>(_: impl FnOnce(ConnectorAnswer) -> T) {}
    moves(|mut answer| async move { answer.inform("Looking it up …").await });
    moves(|mut answer| async move { answer.during(std::future::ready(())).await });
    moves(|answer| answer.follow(to(Dialect::Teams), read(timed([]))));
    moves(|answer| async move { answer.close("Sorry.").await });
    moves(|answer| async move {
        let converted = convert(b"{}", &to(Dialect::Teams)).map_err(drop)?;
        answer.whole(converted).await.map_err(drop)
    });
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_at_once_is_an_ordinary_message() {
    let Room { calls, answer } = teams();
    let body = stream::iter([sources(), delta("Leave is 30 days [1]."), done()].map(Ok::<_, Dead>));
    let followed = answer.follow(to(Dialect::Teams), read(body)).await.expect("an answer");
    let calls = calls.lock().expect("a lock").clone();
    assert_eq!(texts(&calls), [(0, "put", "Leave is 30 days [1].")]);
    assert_eq!(calls[0].2.get("channelData"), None);
    assert_eq!(followed.answered.ids, ["a-1"]);
}

#[tokio::test(start_paused = true)]
async fn row_time_a_stream_of_teams_ends_before_its_two_minutes_and_the_answer_takes_its_place() {
    let Room { calls, mut answer } = teams();
    answer.inform("Looking it up …").await;
    let body = timed([(1000, sources()), (1000, delta("Leave is ")), (150_000, delta("30 days [1].")), (0, done())]);
    let followed = answer.follow(to(Dialect::Teams), read(body)).await.expect("an answer");
    let calls = calls.lock().expect("a lock").clone();
    assert_eq!(
        texts(&calls),
        [
            (0, "put", "Looking it up …"),
            (2000, "put", "Leave is"),
            (110_000, "put", "Leave is"),
            (152_000, "replace", "Leave is 30 days [1]."),
        ]
    );
    assert_eq!(calls[2].2["channelData"], json!({"streamType": "final", "streamId": "a-1"}));
    assert_eq!((calls[3].2.get("channelData"), calls[3].2["entities"].as_array().map(Vec::len)), (None, Some(1)));
    assert_eq!(followed.answered.ids, ["a-1"]);
}

#[tokio::test(start_paused = true)]
async fn row_time_a_stream_without_words_yet_says_that_it_takes_longer() {
    let Room { calls, mut answer } = teams();
    answer.inform("Looking it up …").await;
    answer.during(sleep(Duration::from_secs(130))).await;
    answer.follow(to(Dialect::Teams), read(timed([(0, delta("Late.")), (0, done())]))).await.expect("an answer");
    let calls = calls.lock().expect("a lock").clone();
    let longer = ConnectorTexts::default().longer;
    assert_eq!(
        texts(&calls),
        [(0, "put", "Looking it up …"), (110_000, "put", longer.as_str()), (130_000, "replace", "Late.")]
    );
}

#[tokio::test(start_paused = true)]
async fn copilot_hears_something_every_35_seconds_and_after_105_gets_the_answer_as_a_message_of_its_own() {
    let Room { calls, mut answer } = room(Dialect::M365Copilot, Pacing::M365_COPILOT, |_, _| None);
    answer.inform("Looking it up …").await;
    answer.during(sleep(Duration::from_secs(40))).await;
    let body = timed([(0, sources()), (10_000, delta("Leave is ")), (70_000, delta("30 days [1].")), (0, done())]);
    let followed = answer.follow(to(Dialect::M365Copilot), read(body)).await.expect("an answer");
    let calls = calls.lock().expect("a lock").clone();
    let follows = format!("Leave is\n\n{}", ConnectorTexts::default().follows);
    assert_eq!(
        texts(&calls),
        [
            (0, "put", "Looking it up …"),
            (35_000, "put", "Looking it up …"),
            (50_000, "put", "Leave is"),
            (85_000, "put", "Leave is"),
            (105_000, "put", follows.as_str()),
            (120_000, "put", "Leave is 30 days [1]."),
        ]
    );
    let sequences: Vec<_> = calls.iter().map(|(_, _, one)| one["channelData"]["streamSequence"].clone()).collect();
    assert_eq!(sequences, [json!(1), json!(2), json!(3), json!(4), Value::Null, Value::Null]);
    assert_eq!(calls[5].2.get("channelData"), None);
    assert_eq!(followed.answered.ids, ["a-6"]);
}

#[tokio::test(start_paused = true)]
async fn row_quota_after_a_429_the_latest_text_follows_later_under_the_number_that_was_refused() {
    let Room { calls, mut answer } =
        room(Dialect::Teams, Pacing::TEAMS, |n, _| (n == 1).then_some(RefusalKind::Throttled));
    answer.inform("Looking it up …").await;
    let body = timed([(2000, delta("one ")), (500, delta("two ")), (500, delta("three ")), (5000, done())]);
    answer.follow(to(Dialect::Teams), read(body)).await.expect("an answer");
    let calls = calls.lock().expect("a lock").clone();
    assert_eq!(
        texts(&calls),
        [
            (0, "put", "Looking it up …"),
            (2000, "put", "one"),
            (5000, "put", "one two three"),
            (8000, "put", "one two three ")
        ]
    );
    let sequences: Vec<_> = calls.iter().map(|(_, _, one)| one["channelData"]["streamSequence"].clone()).collect();
    assert_eq!(sequences, [json!(1), json!(2), json!(2), Value::Null]);
}

#[tokio::test(start_paused = true)]
async fn row_stop_button_after_it_nothing_is_sent_and_the_rest_is_not_read() {
    let Room { calls, mut answer } =
        room(Dialect::Teams, Pacing::TEAMS, |n, _| (n == 2).then_some(RefusalKind::Cancelled));
    answer.inform("Looking it up …").await;
    let never = stream::pending::<Result<Bytes, Dead>>();
    let body = timed([(2000, delta("one ")), (2000, delta("two "))]).chain(never);
    let followed = answer.follow(to(Dialect::Teams), read(body)).await.expect("an end");
    assert_eq!(followed.answered.ended, Ended::Stopped);
    // The record had "one two" before, the text of the update that was refused.
    assert_eq!(followed.answered.message.text.as_deref(), Some("one"));
    assert_eq!(calls.lock().expect("a lock").len(), 3);
}

#[tokio::test(start_paused = true)]
async fn row_stop_button_while_the_answer_is_awaited_is_known_before_anything_is_asked() {
    let Room { calls, mut answer } = room(Dialect::Teams, Pacing::TEAMS, |_, _| Some(RefusalKind::Cancelled));
    answer.inform("Looking it up …").await;
    assert!(answer.is_stopped());
    assert_eq!(answer.close("Sorry.").await.expect("nothing is said"), [] as [&str; 0]);
    assert_eq!(calls.lock().expect("a lock").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn row_where_after_a_refused_beginning_the_answer_is_one_plain_message_with_its_claims() {
    for kind in RefusalKind::ALL.into_iter().filter(|kind| *kind != RefusalKind::Cancelled) {
        let Room { calls, mut answer } = room(Dialect::Teams, Pacing::TEAMS, move |n, _| (n == 0).then_some(kind));
        answer.inform("Looking it up …").await;
        let body = timed([(2000, sources()), (2000, delta("30 days ")), (2000, delta("[1].")), (2000, done())]);
        answer.follow(to(Dialect::Teams), read(body)).await.expect("an answer");
        let calls = calls.lock().expect("a lock").clone();
        assert_eq!(texts(&calls)[1..], [(8000, "put", "30 days [1].")], "{kind:?}");
        assert_eq!(calls[1].2.get("channelData"), None);
        assert_eq!(calls[1].2["entities"][0]["citation"].as_array().map(Vec::len), Some(1));
    }
}

#[tokio::test(start_paused = true)]
async fn where_there_are_no_streams_nothing_is_sent_before_the_message() {
    let (begun, calls) = (Instant::now(), Arc::default());
    let script: Box<Script> = Box::new(|_, _| None);
    let channel = Channel { begun, calls: Arc::clone(&calls), streams: false, takes: Duration::ZERO, script };
    let mut answer = ConnectorAnswer::begin(Box::new(channel), Dialect::Teams, Pacing::TEAMS, Arc::new(Paused(begun)));
    answer.inform("Looking it up …").await;
    answer.during(sleep(Duration::from_secs(300))).await;
    let body = timed([(2000, delta("30 ")), (200_000, delta("days.")), (2000, done())]);
    answer.follow(to(Dialect::Teams), read(body)).await.expect("an answer");
    assert_eq!(texts(&calls.lock().expect("a lock")), [(504_000, "put", "30 days.")]);
}

#[tokio::test(start_paused = true)]
async fn row_prefix_rule_an_answer_that_goes_on_otherwise_than_shown_takes_the_place_of_what_was_shown() {
    // A source that is named by a bracket which was shown as text already.
    let late = || {
        timed([
            (0, event(&json!({"sources": [{"title": "a", "url": "https://x.example/a"}]}))),
            (2000, delta("See [leave.pdf] for more. ")),
            (2000, event(&json!({"sources": [{"filepath": "leave.pdf", "content": "p"}]}))),
            (2000, done()),
        ])
    };
    let Room { calls, mut answer } = teams();
    answer.inform("Looking it up …").await;
    answer.follow(to(Dialect::Teams), read(late())).await.expect("an answer");
    let calls = calls.lock().expect("a lock").clone();
    let told = texts(&calls);
    assert_eq!(told[1..3], [(2000, "put", "See [leave.pdf] for more."), (6000, "put", "See [leave.pdf] for more.")]);
    assert_eq!(calls[2].2["channelData"]["streamType"], "final");
    assert_eq!((told[3].1, told[3].2.contains("[1]"), told.len()), ("replace", true, 4));
    let Room { calls, mut answer } = room(Dialect::M365Copilot, Pacing::M365_COPILOT, |_, _| None);
    answer.inform("Looking it up …").await;
    answer.follow(to(Dialect::M365Copilot), read(late())).await.expect("an answer");
    let calls = calls.lock().expect("a lock").clone();
    let told = texts(&calls);
    assert!(told[2].2.starts_with("See [leave.pdf] for more.") && told[2].2.contains("follows"), "{told:?}");
    assert_eq!((told[3].1, told[3].2.contains("[1]"), told.len()), ("put", true, 4));
}

#[tokio::test(start_paused = true)]
async fn what_is_said_in_place_of_an_answer_stands_behind_what_was_shown_or_replaces_it() {
    for (dialect, pacing, at, last) in [
        (Dialect::Teams, Pacing::TEAMS, 1000, "Leave is\n\nSorry."),
        (Dialect::M365Copilot, Pacing::M365_COPILOT, 1000, "Leave is\n\nSorry."),
        (Dialect::WebChat, Pacing::WEB_CHAT, 0, "Sorry."),
    ] {
        let Room { calls, mut answer } = room(dialect, pacing, |_, _| None);
        answer.update(Activity::message("Leave is")).await;
        assert_eq!(answer.close("Sorry.").await.expect("taken"), ["a-1"]);
        let calls = calls.lock().expect("a lock").clone();
        assert_eq!(texts(&calls).last(), Some(&(at, "put", last)), "{dialect}");
        assert_eq!(calls[1].2["channelData"], json!({"streamType": "final", "streamId": "a-1"}));
    }
    let Room { calls, answer } = teams();
    answer.close("Sorry.").await.expect("taken");
    assert_eq!(texts(&calls.lock().expect("a lock")), [(0, "put", "Sorry.")]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_stays_and_its_user_is_told() {
    let Room { calls, mut answer } = teams();
    answer.inform("Looking it up …").await;
    let body = timed([(100, delta("Leave is 30"))]).chain(stream::iter([Err(Dead)]));
    let followed = answer.follow(to(Dialect::Teams), read(body)).await.expect("half an answer");
    assert!(followed.incomplete.is_some());
    let incomplete = ConnectorTexts::default().incomplete;
    let calls = calls.lock().expect("a lock").clone();
    let told: Vec<_> = texts(&calls).into_iter().map(|(_, _, text)| text).collect();
    assert_eq!(told[told.len() - 2..], ["Leave is 30", incomplete.as_str()]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_words_or_grounding_leaves_the_words_to_the_caller() {
    let Room { calls, answer } = teams();
    let failed = answer.follow(to(Dialect::Teams), read(timed([(0, done())]))).await.expect_err("no answer");
    assert!(
        matches!(failed.cause, Failed::NoAnswer(NoAnswer::Nothing(_) | NoAnswer::Convert(_))),
        "{:?}",
        failed.cause
    );
    failed.answer.close("Sorry.").await.expect("taken");
    assert_eq!(texts(&calls.lock().expect("a lock")), [(0, "put", "Sorry.")]);
    let Room { answer, .. } = teams();
    let mut grounded = to(Dialect::Teams);
    grounded.options = serde_json::from_value(json!({"require_grounding": "any"})).expect("options");
    let failed =
        answer.follow(grounded, read(timed([(0, delta("Trust me.")), (0, done())]))).await.expect_err("refused");
    assert!(matches!(failed.cause, Failed::NoAnswer(NoAnswer::Convert(_))));
}

#[tokio::test(start_paused = true)]
async fn a_slow_channel_never_has_two_calls_in_flight() {
    let (begun, calls) = (Instant::now(), Arc::default());
    let script: Box<Script> = Box::new(|_, _| None);
    let takes = Duration::from_secs(4);
    let channel = Channel { begun, calls: Arc::clone(&calls), streams: true, takes, script };
    let mut answer = ConnectorAnswer::begin(Box::new(channel), Dialect::Teams, Pacing::TEAMS, Arc::new(Paused(begun)));
    answer.inform("Looking it up …").await;
    let words = (0..50).map(|n| (300, delta(&format!("w{n} "))));
    answer.follow(to(Dialect::Teams), read(timed(words.chain([(0, done())])))).await.expect("an answer");
    let times: Vec<_> = calls.lock().expect("a lock").iter().map(|(at, ..)| *at).collect();
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 4000), "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn a_call_for_whose_answer_nobody_waits_leaves_no_second_stream_and_no_number_used_twice() {
    let (begun, calls) = (Instant::now(), Arc::default());
    let script: Box<Script> = Box::new(|_, _| None);
    let takes = Duration::from_secs(4);
    let channel = Channel { begun, calls: Arc::clone(&calls), streams: true, takes, script };
    let mut answer = ConnectorAnswer::begin(Box::new(channel), Dialect::Teams, Pacing::TEAMS, Arc::new(Paused(begun)));
    assert!(tokio::time::timeout(Duration::from_secs(1), answer.inform("Looking it up …")).await.is_err());
    answer
        .follow(to(Dialect::Teams), read(timed([(0, delta("Leave is 30")), (9000, done())])))
        .await
        .expect("an answer");
    let sent: Vec<_> = calls.lock().expect("a lock").iter().map(|(.., one)| one["channelData"].clone()).collect();
    assert_eq!(sent, [json!({"streamType": "informative", "streamSequence": 1}), Value::Null]);

    let (begun, calls) = (Instant::now(), Arc::default());
    let channel = Channel { begun, calls: Arc::clone(&calls), streams: true, takes, script: Box::new(|_, _| None) };
    let mut answer = ConnectorAnswer::begin(Box::new(channel), Dialect::Teams, Pacing::TEAMS, Arc::new(Paused(begun)));
    answer.inform("one").await;
    assert!(tokio::time::timeout(Duration::from_secs(1), answer.inform("two")).await.is_err());
    answer.inform("three").await;
    let numbers: Vec<_> =
        calls.lock().expect("a lock").iter().map(|(.., one)| one["channelData"]["streamSequence"].clone()).collect();
    assert_eq!(numbers, [1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_of_any_length_is_whole_in_as_many_messages_as_it_takes() {
    let paragraph = format!("{} [1].\n\n", "words ".repeat(400).trim_end());
    let text = paragraph.repeat(60);
    let body = json!({"text": text, "sources": [{"title": "Leave", "url": "https://hr.example/leave"}]}).to_string();
    let converted = convert(body.as_bytes(), &Conversion { in_parts: true, ..to(Dialect::Teams) }).expect("an answer");
    let Room { calls, answer } = teams();
    let answered = answer.whole(converted).await.expect("an answer");
    let calls = calls.lock().expect("a lock").clone();
    assert!(calls.len() > 3 && calls.len() == answered.ids.len());
    let joined: Vec<_> = texts(&calls).into_iter().map(|(_, _, text)| text).collect();
    assert_eq!(joined.join("\n\n"), text.trim_end());
    assert!(calls.iter().all(|(_, _, one)| one["entities"][0]["citation"].as_array().map(Vec::len) == Some(1)));
    assert!(answered.report.notes.iter().any(|entry| entry.code == "message-parts"));
}

/// The messages behind the end of a stream that has ended may have come.
#[tokio::test(start_paused = true)]
async fn the_end_of_a_stream_is_sent_once_more_and_what_follows_only_where_it_had_not_ended() {
    let words = "word ".repeat(30_000);
    let ended =
        |_: usize, wire: &Value| (wire["channelData"]["streamType"] == "final").then_some(RefusalKind::Completed);
    let lost = |_: usize, _: &Value| Some(RefusalKind::Lost);
    let mut outcomes = Vec::new();
    for (pacing, script) in [
        (
            Pacing::TEAMS,
            Box::new(|_: usize, _: &Value| None) as Box<dyn Fn(usize, &Value) -> Option<RefusalKind> + Send>,
        ),
        (Pacing::TEAMS, Box::new(ended)),
        (Pacing::M365_COPILOT, Box::new(ended)),
        (Pacing::M365_COPILOT, Box::new(lost)),
    ] {
        let Room { calls, answer } = room(Dialect::Teams, pacing, script);
        let sent = answer.once_more(Activity::message(&*words), ActivityId::from("s".to_owned())).await;
        let calls = calls.lock().expect("a lock").clone();
        let finals = calls.iter().filter(|(_, _, one)| one["channelData"]["streamId"] == "s").count();
        let replaced = calls.iter().filter(|(_, how, _)| *how == "replace").count();
        outcomes.push((finals, replaced, calls.len() - finals - replaced > 0, sent.is_ok()));
    }
    assert_eq!(outcomes, [(1, 0, true, true), (1, 1, false, true), (1, 0, false, true), (2, 0, false, false)]);
}
