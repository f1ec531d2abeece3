//! The pace of updates, and what becomes of an answer however it ends. Time is paused, so that it passes only where somebody
//! waits for it.

mod patient_store;

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use self::patient_store::PatientStore;
use super::*;
use crate::activity::{Activity, ConversationId};
use crate::answer_events::{AnswerEvents, AnswerPart, of_bytes};
use crate::clock::{Clock, CountingIds, ManualClock};
use crate::convert::{Conversion, ConvertError};
use crate::dialect::Dialect;
use crate::direct_line::{DirectLineOptions, Feed, Hub, Publisher};
use crate::ingest::AnswerFormat;
use crate::store::{Batch, ConversationStore};
use crate::{Delivered, DeliveryError, Incomplete, NoAnswer};

#[derive(Debug, thiserror::Error, PartialEq)]
#[error("the line is dead")]
struct Dead;

/// A conversation with one reader.
struct Room {
    streaming: StreamingAnswers,
    store: Arc<dyn ConversationStore>,
    id: ConversationId,
    feed: Feed,
}

impl Room {
    async fn open() -> Self {
        let clock: Arc<dyn Clock> = Arc::new(ManualClock::at("2026-01-01T00:00:00Z".parse().expect("a time")));
        let store: Arc<dyn ConversationStore> = Arc::new(PatientStore::open(Arc::clone(&clock)).await);
        let id: ConversationId = "c1".parse().expect("an id");
        store.create(&id, None).await.expect("a store");
        let ids = Arc::new(CountingIds::default());
        let publisher = Arc::new(Publisher::new(Arc::clone(&store), Hub::new(8, 64), clock, ids));
        let channel = DirectLineOptions::default();
        let streaming =
            StreamingAnswers::new(Arc::clone(&publisher), Arc::clone(&store), &channel, StreamingOptions::default());
        let feed = feed(&store, &publisher, &id).await;
        Self { streaming, store, id, feed }
    }

    fn begin(&self) -> StreamingAnswer {
        self.streaming.begin(self.id.clone())
    }

    /// The reader's view with its times, in milliseconds from now on, until a message is the last of so many.
    async fn watch(&mut self, messages: usize) -> Vec<(u128, Value)> {
        let begun = Instant::now();
        let (mut seen, mut left) = (Vec::new(), messages);
        while left > 0 {
            let activity = next(&mut self.feed).await;
            left -= usize::from(activity["type"] == "message");
            seen.push((begun.elapsed().as_millis(), activity));
        }
        seen
    }

    async fn recorded(&self) -> Vec<Value> {
        let page = self.store.read(&self.id, None, 100).await.expect("a store").expect("known");
        page.recorded.iter().map(|recorded| serde_json::to_value(&*recorded.activity).expect("JSON")).collect()
    }
}

async fn feed(store: &Arc<dyn ConversationStore>, publisher: &Publisher, id: &ConversationId) -> Feed {
    let listener = store.subscribe(id).await.expect("a store").expect("known");
    publisher.hub().feed(Arc::clone(store), listener, id.clone(), None).expect("a seat")
}

async fn next(feed: &mut Feed) -> Value {
    let frame = feed.next().await.expect("a store").expect("known");
    serde_json::from_str::<Value>(&frame).expect("JSON")["activities"][0].take()
}

fn event(event: &Value) -> Bytes {
    format!("data: {event}\n\n").into()
}

fn delta(text: &str) -> Bytes {
    event(&json!({"delta": text}))
}

fn sources() -> Bytes {
    event(
        &json!({"sources": [{"title": "Leave", "url": "https://hr.example/leave"}, {"title": "Passage", "content": "p"}]}),
    )
}

fn done() -> Bytes {
    event(&json!({"done": true}))
}

/// The events of a body in a format that its bytes tell.
fn read<E>(
    body: impl Stream<Item = Result<Bytes, E>>,
) -> AnswerEvents<impl Stream<Item = Result<AnswerPart, E>> + Unpin> {
    of_bytes(AnswerFormat::default(), body)
}

/// Pieces of a body, each so many milliseconds after the one before.
fn timed<E>(pieces: impl IntoIterator<Item = (u64, Result<Bytes, E>)>) -> impl Stream<Item = Result<Bytes, E>> {
    stream::iter(pieces).then(|(pause, piece)| async move {
        if pause > 0 {
            sleep(Duration::from_millis(pause)).await;
        }
        piece
    })
}

fn whole(pieces: impl IntoIterator<Item = (u64, Bytes)>) -> impl Stream<Item = Result<Bytes, Infallible>> {
    timed(pieces.into_iter().map(|(pause, piece)| (pause, Ok(piece))))
}

fn texts(seen: &[(u128, Value)]) -> Vec<(u128, &str)> {
    seen.iter().map(|(at, activity)| (*at, activity["text"].as_str().unwrap_or_default())).collect()
}

fn to_web_chat() -> Conversion {
    Conversion::to(Dialect::WebChat)
}

/// Has the reader watch while an answer is followed.
async fn followed(room: &mut Room, pieces: Vec<(u64, Bytes)>) -> (Vec<(u128, Value)>, Delivered) {
    let answer = room.begin();
    let follow = answer.follow(to_web_chat(), read(whole(pieces)), None);
    let (outcome, seen) = tokio::join!(follow, room.watch(1));
    (seen, outcome.expect("an answer").delivered)
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_at_once_is_an_ordinary_message() {
    let mut room = Room::open().await;
    let tokens = (0..1_000).map(|n| (0, delta(&format!("word{n} "))));
    let pieces = [(0, sources())].into_iter().chain(tokens).chain([(0, done())]).collect();
    let (seen, delivered) = followed(&mut room, pieces).await;
    assert_eq!((seen.len(), &seen[0].1["id"]), (1, &json!(delivered.id)));
    assert_eq!(seen[0].1.get("channelData"), None);
}

#[tokio::test(start_paused = true)]
async fn a_thousand_tokens_at_once_are_one_update() {
    let mut room = Room::open().await;
    let tokens = (0..1_000).map(|n| (0, delta(&format!("word{n} "))));
    let pieces = tokens.chain([(5_000, done())]).collect();
    let (seen, _) = followed(&mut room, pieces).await;
    assert_eq!(seen.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [0, 5_000]);
    assert!(seen[0].1["text"].as_str().is_some_and(|text| text.ends_with("word999")));
}

#[tokio::test(start_paused = true)]
async fn a_token_a_second_is_shown_when_it_comes() {
    let mut room = Room::open().await;
    let pieces = vec![(1_000, delta("one ")), (1_000, delta("two ")), (1_000, delta("three")), (1_000, done())];
    let (seen, _) = followed(&mut room, pieces).await;
    assert_eq!(texts(&seen), [(1_000, "one"), (2_000, "one two"), (3_000, "one two three"), (4_000, "one two three")]);
}

#[tokio::test(start_paused = true)]
async fn at_most_one_update_goes_out_in_an_interval_and_the_latest_wins() {
    let mut room = Room::open().await;
    let pieces = vec![(10, delta("a")), (10, delta("b")), (10, delta("c")), (500, delta("d")), (1, done())];
    let (seen, _) = followed(&mut room, pieces).await;
    // The stream falls quiet, and what waits is shown all the same.
    assert_eq!(texts(&seen), [(10, "a"), (110, "abc"), (530, "abcd"), (531, "abcd")]);
    let mut room = Room::open().await;
    let pieces = (0..1_000).map(|_| (1, delta("x"))).chain([(1, done())]).collect();
    let (seen, _) = followed(&mut room, pieces).await;
    assert!((10..=12).contains(&seen.len()), "{} activities in a second", seen.len());
    // A body that was looked at less often fell behind: one that comes over HTTP gives a word at each look, however many wait.
    assert_eq!(seen.last().map(|(at, _)| *at), Some(1_001));
}

/// A body that always has its next word, which takes a millisecond to read: readers see some of it all the same.
#[tokio::test(start_paused = true)]
async fn a_flood_does_not_keep_updates_back() {
    let mut room = Room::open().await;
    let mut words = (0..1_000).map(|_| Ok::<_, Infallible>(delta("word ")));
    let pieces = stream::poll_fn(move |context| {
        // The clock goes on at the first poll; nobody waits for the second one, so that the body is never pending.
        let _ = pin!(tokio::time::advance(Duration::from_millis(1))).poll(context);
        Poll::Ready(words.next())
    });
    let answer = room.begin();
    let (outcome, seen) = tokio::join!(answer.follow(to_web_chat(), read(pieces), None), room.watch(1));
    assert!(outcome.is_ok());
    assert!((9..=11).contains(&seen.len()), "{} activities in a second", seen.len());
}

#[tokio::test(start_paused = true)]
async fn every_activity_is_the_bots_names_the_stream_and_comes_later_than_the_one_before() {
    let mut room = Room::open().await;
    let mut answer = room.begin();
    answer.inform("Looking …").await.expect("shown");
    let pieces =
        vec![(0, sources()), (10, delta("Leave [1],")), (200, delta(" or [2].")), (200, delta(" Bye")), (200, done())];
    let follow = answer.follow(to_web_chat(), read(whole(pieces)), None);
    let (outcome, seen) = tokio::join!(follow, room.watch(1));
    let activities: Vec<&Value> = seen.iter().map(|(_, activity)| activity).collect();
    let name = &activities[0]["id"];
    let of = |member: &str| activities.iter().map(|one| one["channelData"][member].clone()).collect::<Vec<_>>();
    assert_eq!(of("streamId"), vec![name.clone(); 5]);
    assert_eq!(of("streamType"), ["informative", "streaming", "streaming", "streaming", "final"]);
    assert_eq!(of("streamSequence"), [json!(1), json!(2), json!(3), json!(4), Value::Null]);
    let times: Vec<&str> = activities.iter().filter_map(|one| one["timestamp"].as_str()).collect();
    assert!(times.len() == 5 && times.is_sorted_by(|one, next| one < next), "{times:?}");
    for one in &activities {
        assert_eq!((&one["from"]["role"], &one["conversation"]["id"]), (&json!("bot"), &json!("c1")));
    }
    let claims = |one: &Value| one["entities"][0]["citation"].as_array().map(Vec::len);
    assert_eq!(
        activities.iter().map(|one| claims(one)).collect::<Vec<_>>(),
        [None, Some(1), Some(2), Some(2), Some(2)]
    );
    assert_eq!(activities[1]["text"], "Leave [1]\n\n[1]: https://hr.example/leave \"Leave\"");
    let recorded = room.recorded().await;
    assert_eq!((recorded.len(), &recorded[0]), (1, activities[4]));
    assert_eq!(json!(outcome.expect("an answer").delivered.id), activities[4]["id"]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_stays_and_readers_are_told() {
    for (ending, broken) in [(Some(Err(Dead)), true), (None, false)] {
        let mut room = Room::open().await;
        let pieces = [(0, Ok(delta("Leave is 30"))), (200, Ok(delta(" days")))];
        let pieces = timed(pieces.into_iter().chain(ending.map(|ending| (300, ending))));
        let (outcome, seen) = tokio::join!(room.begin().follow(to_web_chat(), read(pieces), None), room.watch(2));
        let Followed { incomplete, delivered, .. } = outcome.expect("an answer");
        assert_eq!(matches!(incomplete, Some(Incomplete::Body(Dead))), broken);
        assert!(incomplete.is_some() && !delivered.report.complete);
        let messages: Vec<&Value> = seen.iter().map(|(_, one)| one).filter(|one| one["type"] == "message").collect();
        assert_eq!(messages[0]["text"], "Leave is 30 days");
        assert_eq!(json!(delivered.id), messages[0]["id"]);
        assert!(messages[1]["text"].as_str().is_some_and(|text| text.contains("incomplete")));
        assert_eq!(messages[1].get("channelData"), None);
    }
}

#[tokio::test(start_paused = true)]
async fn where_nothing_of_use_came_the_caller_decides_how_the_stream_ends() {
    let mut room = Room::open().await;
    let mut answer = room.begin();
    answer.inform("Looking …").await.expect("shown");
    let first = next(&mut room.feed).await;
    let unanswered = answer.follow(to_web_chat(), read(timed([(50, Err(Dead))])), None).await.expect_err("no answer");
    assert!(matches!(unanswered.cause, StreamingError::NoAnswer(NoAnswer::Body(Dead))));
    let said = unanswered.answer.close(Activity::message("Sorry.")).await.expect("recorded");
    let last = next(&mut room.feed).await;
    assert_eq!((last["text"].as_str(), &last["channelData"]["streamId"]), (Some("Sorry."), &first["id"]));
    assert_eq!(json!(said.id), last["id"]);
    // Dropping it instead withdraws it.
    let mut answer = room.begin();
    answer.inform("Looking …").await.expect("shown");
    let first = next(&mut room.feed).await;
    drop(answer.follow(to_web_chat(), read(timed([(0, Err(Dead))])), None).await.expect_err("no answer"));
    let last = next(&mut room.feed).await;
    assert_eq!((last["text"].as_str(), &last["channelData"]["streamId"]), (Some(""), &first["id"]));
    assert_eq!(room.recorded().await.len(), 1, "a withdrawal is nobody's history");
}

#[tokio::test(start_paused = true)]
async fn an_answer_without_required_grounding_is_never_shown() {
    let mut room = Room::open().await;
    let mut conversion = to_web_chat();
    conversion.options = serde_json::from_value(json!({"require_grounding": "any"})).expect("options");
    let pieces = whole([(0, sources()), (200, delta("Believe me.")), (200, done())]);
    let (outcome, ()) = tokio::join!(room.begin().follow(conversion, read(pieces), None), async {});
    let unanswered = outcome.expect_err("a refusal");
    assert!(matches!(
        unanswered.cause,
        StreamingError::NoAnswer(NoAnswer::Convert(ConvertError::GroundingNoCitations))
    ));
    unanswered.answer.close(Activity::message("I found nothing.")).await.expect("recorded");
    let seen = room.watch(1).await;
    let said: Vec<(&str, &str)> = seen
        .iter()
        .map(|(_, one)| (one["type"].as_str().unwrap_or_default(), one["text"].as_str().unwrap_or_default()))
        .collect();
    assert_eq!(said.last(), Some(&("message", "I found nothing.")));
    assert!(said.iter().all(|(_, text)| !text.contains("Believe")), "{said:?}");
}

#[tokio::test(start_paused = true)]
async fn a_repeated_key_shows_and_records_nothing_even_while_the_first_is_being_written() {
    let mut room = Room::open().await;
    let key = || Some("k1".to_owned());
    let pieces = || whole([(0, delta("Leave")), (300, delta(" is 30 days")), (300, done())]);
    let first = room.begin().follow(to_web_chat(), read(pieces()), key());
    let again = room.begin().follow(to_web_chat(), read(pieces()), key());
    let (first, again, seen) = tokio::join!(first, again, room.watch(1));
    let later = room.begin().follow(to_web_chat(), read(pieces()), key()).await;
    let ids = [first, again, later].map(|outcome| outcome.expect("an answer").delivered.id);
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert_eq!((seen.len(), room.recorded().await.len()), (3, 1));
    room.begin().close(Activity::message("next")).await.expect("recorded");
    assert_eq!(room.watch(1).await.len(), 1, "nothing of the repetitions was shown");
}

/// Of two answers under one key, written on two nodes, the second left what it had shown without an end.
#[tokio::test(start_paused = true)]
async fn an_answer_that_was_recorded_elsewhere_meanwhile_withdraws_what_it_has_shown() {
    let mut room = Room::open().await;
    let pieces = whole([(0, delta("Leave")), (300, delta(" is 30 days")), (300, done())]);
    let follow = room.begin().follow(to_web_chat(), read(pieces), Some("k1".to_owned()));
    let (store, id) = (Arc::clone(&room.store), room.id.clone());
    let elsewhere = async {
        sleep(Duration::from_millis(450)).await;
        let batch = Batch::new(vec![Activity::message("Recorded elsewhere.")]).keyed(Some("k1".to_owned()));
        store.append(&id, batch).await.expect("a store").expect("known");
    };
    let (followed, (), seen) = tokio::join!(follow, elsewhere, room.watch(2));
    let first = followed.expect("an answer").delivered.activity;
    assert_eq!(first.text.as_deref(), Some("Recorded elsewhere."));
    let stream = |activity: &Value| (activity["channelData"]["streamType"].clone(), activity["text"].clone());
    let last: Vec<_> = seen.iter().rev().take(2).map(|(_, activity)| stream(activity)).collect();
    assert_eq!(last[0], (json!("final"), json!("")), "the withdrawal: {seen:?}");
    assert_eq!(last[1], (Value::Null, json!("Recorded elsewhere.")));
    assert_eq!(room.recorded().await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_answer_ends_when_its_conversation_is_deleted() {
    let mut room = Room::open().await;
    let pieces = timed([(0, Ok::<_, Infallible>(delta("Leave"))), (60_000, Ok(done()))]);
    let follow = room.begin().follow(to_web_chat(), read(pieces), None);
    let (store, id, begun) = (Arc::clone(&room.store), room.id.clone(), Instant::now());
    let delete = async {
        next(&mut room.feed).await;
        assert!(store.delete(&id).await.expect("a store"));
    };
    let (outcome, ()) = tokio::join!(follow, delete);
    let unanswered = outcome.expect_err("nobody is there");
    assert!(matches!(unanswered.cause, StreamingError::Delivery(DeliveryError::UnknownConversation)));
    assert!(begun.elapsed() < Duration::from_secs(1), "nobody waits for the rest");
}

#[tokio::test(start_paused = true)]
async fn where_nobody_reads_nothing_is_shown_and_the_message_is_an_ordinary_one() {
    let room = Room::open().await;
    let Room { streaming, store, id, feed } = room;
    drop(feed);
    let pieces = whole([(0, delta("Leave")), (300, delta(" is 30 days")), (300, done())]);
    let followed = streaming.begin(id.clone()).follow(to_web_chat(), read(pieces), None).await.expect("an answer");
    assert_eq!(followed.delivered.activity.channel_data, None);
    assert!(store.find(&id).await.expect("a store").is_some());
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_joins_sees_the_first_activity_before_the_next_chunk_and_none_behind_the_end() {
    let mut room = Room::open().await;
    let pieces = whole([(0, delta("one ")), (300, delta("two ")), (300, delta("three")), (300, done())]);
    let follow = room.begin().follow(to_web_chat(), read(pieces), None);
    let (store, publisher, id) = (Arc::clone(&room.store), Arc::clone(&room.streaming.publisher), room.id.clone());
    let join = async {
        sleep(Duration::from_millis(450)).await;
        let mut late = feed(&store, &publisher, &id).await;
        let mut seen = Vec::new();
        loop {
            let activity = next(&mut late).await;
            seen.push(activity["text"].as_str().unwrap_or_default().to_owned());
            if activity["type"] == "message" {
                return seen;
            }
        }
    };
    let (outcome, late, seen) = tokio::join!(follow, join, room.watch(1));
    assert!(outcome.is_ok());
    assert_eq!(late, ["one", "one two three", "one two three"]);
    assert_eq!(texts(&seen), [(0, "one"), (300, "one two"), (600, "one two three"), (900, "one two three")]);
}
