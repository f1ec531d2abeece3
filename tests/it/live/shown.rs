//! An answer that comes to its end, as readers see it.

use citewire::check::{Channel, check};
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::sending::{post, sources, text, until_message};
use crate::app::{API_KEY, TestApp, answer};

#[tokio::test]
async fn an_answer_is_shown_with_its_badges_while_it_is_sent() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    let (sending, response) = post(&app, &conversation, None);
    let write = async {
        sending.event(sources()).await;
        sending.delta("Leave is 30 days [2], ").await;
        let first = socket.activity().await;
        // The comma waits: it would go with a marker that names nothing.
        assert_eq!(text(&first), "Leave is 30 days [1]\n\n[1]: https://hr.example/handbook \"Handbook\"");
        assert_eq!((&first["type"], &first["channelData"]["streamId"]), (&json!("typing"), &first["id"]));
        sending.delta("asked for in writing [1").await;
        let second = socket.activity().await;
        assert!(text(&second).starts_with("Leave is 30 days [1], asked for in writing\n\n[1]: "), "{second}");
        sending.delta("].").await;
        let third = socket.activity().await;
        assert_eq!(third["entities"][0]["citation"].as_array().map(Vec::len), Some(2), "{third}");
        sending.done().await;
        let last = until_message(&mut socket).await;
        [vec![first, second, third], last].concat()
    };
    let ((status, body), seen) = tokio::join!(response, write);
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let last = seen.last().expect("a message");
    assert_eq!((&last["id"], &body["report"]["complete"]), (&body["id"], &json!(true)));
    assert_eq!(check(&json!(seen), Channel::WebChat), []);
    assert_eq!(app.history(&conversation, "").await["activities"], json!([last]));

    // The message is that of the whole answer, but for the sign that ends a stream.
    let whole = json!({"text": "Leave is 30 days [2], asked for in writing [1].", "sources": sources()["sources"]});
    let (_, whole) = answer(app.post("/v1/activities", API_KEY).json(&whole)).await;
    let (whole, mut entities) = (&whole["activities"][0], last["entities"].clone());
    entities.as_array_mut().expect("entities").retain(|entity| entity["type"] != "streaminfo");
    assert_eq!((&last["text"], &entities), (&whole["text"], &whole["entities"]));
    for one in &seen {
        assert_eq!((&one["from"]["role"], &one["channelId"]), (&json!("bot"), &json!("directline")));
    }
}

#[tokio::test]
async fn every_byte_may_come_alone() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    let (sending, response) = post(&app, &conversation, None);
    let events =
        [sources(), json!({"delta": "Süße [1] 😀 [doc2]"}), json!({"delta": ", or [1][2]."}), json!({"done": true})];
    let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let write = async {
        for byte in body.into_bytes() {
            sending.bytes(vec![byte]).await;
        }
        drop(sending);
    };
    let ((status, _), (), seen) = tokio::join!(response, write, until_message(&mut socket));
    assert_eq!(status, StatusCode::CREATED);
    let last = text(seen.last().expect("a message"));
    assert!(last.starts_with("Süße [1] 😀 [2], or [1]\u{200b}[2].\n\n[1]: "), "{last}");
    assert_eq!(check(&json!(seen), Channel::WebChat), []);
    for one in &seen {
        let shown = text(one).split("\n\n[1]: ").next().unwrap_or_default();
        assert!(last.starts_with(shown), "{one}");
    }
}

#[tokio::test]
async fn two_streams_of_one_conversation_do_not_mix() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    let (one, first) = post(&app, &conversation, None);
    let (two, second) = post(&app, &conversation, None);
    let write = async {
        let mut seen = Vec::new();
        one.event(sources()).await;
        two.event(sources()).await;
        for (sending, words) in
            [(&one, "Leave [1], "), (&two, "Parking [2], "), (&one, "more leave "), (&two, "more cars ")]
        {
            sending.delta(words).await;
            seen.push(socket.activity().await);
        }
        two.done().await;
        seen.extend(until_message(&mut socket).await);
        one.done().await;
        seen.extend(until_message(&mut socket).await);
        seen
    };
    let ((status, _), (other, _), seen) = tokio::join!(first, second, write);
    assert_eq!((status, other), (StatusCode::CREATED, StatusCode::CREATED));
    let name = |one: &Value| one["channelData"]["streamId"].clone();
    assert_ne!(name(&seen[0]), name(&seen[1]));
    for activity in &seen {
        let expected = if text(activity).starts_with("Leave") { &seen[0] } else { &seen[1] };
        assert_eq!(name(activity), expected["id"], "{activity}");
    }
    let times: Vec<_> =
        seen.iter().filter(|one| name(one) == seen[0]["id"]).map(|one| one["timestamp"].as_str()).collect();
    assert!(times.is_sorted_by(|one, next| one < next), "{times:?}");
}

#[tokio::test]
async fn a_repeated_key_shows_and_records_nothing() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        let (sending, response) = post(&app, &conversation, Some("k1"));
        let write = async {
            sending.delta("Leave is 30 days. ").await;
            if ids.is_empty() {
                assert_eq!(text(&socket.activity().await), "Leave is 30 days.");
            }
            sending.done().await;
        };
        let ((status, body), ()) = tokio::join!(response, write);
        assert_eq!(status, StatusCode::CREATED, "{body}");
        ids.push(body["id"].clone());
    }
    assert_eq!(ids[0], ids[1]);
    app.say(&conversation.id, "next").await;
    assert_eq!(socket.texts(2).await, ["Leave is 30 days. ", "next"]);
    assert_eq!(app.history(&conversation, "").await["activities"].as_array().map(Vec::len), Some(2));
}
