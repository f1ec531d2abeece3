//! Answers that are written on one node and read on another. The nodes share a store and a bus.

use std::sync::Arc;
use std::time::Duration;

use citewire::bus::BusOptions;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::sending::{post, text, until_message};
use crate::app::{Conversation, Socket, TestApp};
use crate::redis::Redis;

/// The longest wait for an event that must come.
const PATIENCE: Duration = Duration::from_secs(10);

/// Two nodes with a bus each.
pub(super) fn nodes(buses: [BusOptions; 2]) -> [TestApp; 2] {
    let [one, other] = buses;
    let a = TestApp::with(|setup| setup.bus = one);
    let b = TestApp::going_on(Arc::clone(&a.store), Arc::clone(&a.clock), |setup| setup.bus = other);
    [a, b]
}

/// A reader of the whole conversation on a node.
pub(super) async fn reader(node: &TestApp, conversation: &Conversation) -> Socket {
    node.open(&node.reconnect(conversation, "?watermark=-").await).await
}

/// Waits until a figure of a node is so large.
async fn counted(node: &TestApp, name: &str, least: f64) {
    let counted = async {
        loop {
            let answer = node.request(Method::GET, "/metrics").send().await.expect("an answer");
            let text = answer.text().await.expect("text");
            let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse::<f64>().ok());
            if value.is_some_and(|value| value >= least) {
                return;
            }
        }
    };
    timeout(PATIENCE, counted).await.expect("it is counted in time");
}

#[tokio::test]
async fn a_reader_elsewhere_sees_an_answer_while_it_is_written_and_nothing_behind_its_end() {
    let redis = Redis::start();
    let [a, b] = nodes([redis.bus("default"), redis.bus("default")]);
    let conversation = a.conversation().await;
    a.say(&conversation.id, "Hello").await;
    let mut elsewhere = reader(&b, &conversation).await;
    assert_eq!(elsewhere.texts(1).await, ["Hello"]);
    let (sending, response) = post(&a, &conversation, None);
    let write = async {
        let mut seen = Vec::new();
        for words in ["one ", "two ", "three "] {
            sending.delta(words).await;
            seen.push(elsewhere.activity().await);
        }
        sending.done().await;
        seen.extend(until_message(&mut elsewhere).await);
        seen
    };
    let ((status, body), seen) = tokio::join!(response, write);
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let texts: Vec<&str> = seen.iter().map(text).collect();
    assert_eq!(texts, ["one", "one two", "one two three", "one two three "]);
    assert!(seen.iter().all(|one| one["channelData"]["streamId"] == seen[0]["id"]), "{seen:?}");
    assert_eq!((&seen[3]["channelData"]["streamType"], &seen[3]["id"]), (&json!("final"), &body["id"]));
    a.say(&conversation.id, "Bye").await;
    assert_eq!(elsewhere.texts(1).await, ["Bye"]);
}

#[tokio::test]
async fn a_reader_that_joins_elsewhere_sees_the_first_activity_before_the_next_chunk() {
    let redis = Redis::start();
    let [a, b] = nodes([redis.bus("default"), redis.bus("default")]);
    let conversation = a.conversation().await;
    let mut here = reader(&a, &conversation).await;
    let (sending, response) = post(&a, &conversation, None);
    let write = async {
        sending.delta("one ").await;
        let first = here.activity().await;
        let mut elsewhere = reader(&b, &conversation).await;
        redis.followed(&conversation.id, 2).await;
        sending.delta("two ").await;
        let seen = [elsewhere.activity().await, elsewhere.activity().await];
        assert_eq!((&seen[0], text(&seen[1])), (&first, "one two"));
        sending.done().await;
        assert_eq!(until_message(&mut elsewhere).await.len(), 1);
    };
    let ((status, _), ()) = tokio::join!(response, write);
    assert_eq!(status, StatusCode::CREATED);
}

#[tokio::test]
async fn what_is_withdrawn_is_withdrawn_elsewhere_from_those_who_have_seen_it() {
    let redis = Redis::start();
    let [a, b] = nodes([redis.bus("default"), redis.bus("default")]);
    let conversation = a.conversation().await;
    let mut elsewhere = reader(&b, &conversation).await;
    let (sending, response) = post(&a, &conversation, None);
    let write = async {
        sending.delta("one ").await;
        let first = elsewhere.activity().await;
        let mut late = reader(&b, &conversation).await;
        // No answer has such an event.
        sending.event(json!({"delta": 5})).await;
        drop(sending);
        let last = elsewhere.activity().await;
        assert_eq!((text(&last), &last["channelData"]["streamId"]), ("", &first["id"]));
        a.say(&conversation.id, "Bye").await;
        assert_eq!(late.texts(1).await, ["Bye"]);
    };
    let ((status, _), ()) = tokio::join!(response, write);
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn typing_is_seen_elsewhere_behind_what_it_follows() {
    let redis = Redis::start();
    let [a, b] = nodes([redis.bus("default"), redis.bus("default")]);
    let conversation = a.conversation().await;
    let mut elsewhere = reader(&b, &conversation).await;
    redis.followed(&conversation.id, 1).await;
    a.post_text(&conversation, "Hello").await;
    a.post_activity(&conversation, &json!({"type": "typing"})).await;
    let seen = [elsewhere.activity().await, elsewhere.activity().await];
    assert_eq!((text(&seen[0]), &seen[1]["type"]), ("Hello", &json!("typing")));
    drop(elsewhere);
    redis.followed(&conversation.id, 0).await;
}

#[tokio::test]
async fn a_stream_goes_on_elsewhere_while_its_writer_thinks() {
    let redis = Redis::start();
    let quick = || BusOptions {
        alive_every: Duration::from_millis(50),
        silent_after: Duration::from_secs(2),
        ..redis.bus("default")
    };
    let [a, b] = nodes([quick(), quick()]);
    let conversation = a.conversation().await;
    let mut elsewhere = reader(&b, &conversation).await;
    let (sending, response) = post(&a, &conversation, None);
    let write = async {
        sending.delta("one ").await;
        assert_eq!(text(&elsewhere.activity().await), "one");
        // Twice as long as a stream may be silent.
        counted(&b, "citewire_bus_received_total", 80.0).await;
        sending.delta("two ").await;
        assert_eq!(text(&elsewhere.activity().await), "one two");
        sending.done().await;
        assert_eq!(until_message(&mut elsewhere).await.len(), 1);
    };
    let ((status, _), ()) = tokio::join!(response, write);
    assert_eq!(status, StatusCode::CREATED);
}

#[tokio::test]
async fn clusters_with_other_namespaces_do_not_hear_each_other() {
    let redis = Redis::start();
    let [a, b] = nodes([redis.bus("default"), redis.bus("other")]);
    let conversation = a.conversation().await;
    let (mut here, mut elsewhere) = (reader(&a, &conversation).await, reader(&b, &conversation).await);
    let (sending, response) = post(&a, &conversation, None);
    let write = async {
        sending.delta("one ").await;
        assert_eq!(text(&here.activity().await), "one");
        counted(&a, "citewire_bus_published_total", 1.0).await;
        sending.done().await;
        assert_eq!(until_message(&mut elsewhere).await.len(), 1, "only what is recorded");
    };
    let ((status, _), ()) = tokio::join!(response, write);
    assert_eq!(status, StatusCode::CREATED);
}

/// The text of each activity that a reader sees until this message.
pub(super) async fn seen_until(socket: &mut Socket, last: &str) -> Vec<String> {
    let mut seen = Vec::new();
    loop {
        let activity: Value = socket.activity().await;
        if text(&activity) == last {
            return seen;
        }
        seen.push(text(&activity).to_owned());
    }
}
