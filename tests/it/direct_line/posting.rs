//! Posting activities (rule DL-03).

use std::collections::BTreeSet;

use chrono::{DateTime, Duration, Utc};
use futures_util::future::join_all;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{Conversation, DIRECT_LINE_SECRET, TestApp, answer, texts};

#[tokio::test]
async fn the_echo_has_the_id_of_the_answer_and_all_that_was_sent() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    let sent = json!({
        "type": "message", "text": "hi", "textFormat": "plain", "locale": "de-DE", "from": {"id": "dl_ann", "name": "Ann"},
        "channelData": {"clientActivityID": "a1", "deep": [{"x": null}, 1.5, "\u{1F600}"]},
        "entities": [{"type": "ClientCapabilities", "requiresBotState": true}], "attachments": [],
        "localTimestamp": "2026-01-01T01:00:00.000+01:00", "localTimezone": "Europe/Berlin", "value": {"a": [1]},
    });
    let id = app.post_activity(&conversation, &sent).await;
    let echo = socket.activity().await;
    assert_eq!(echo["id"], json!(id));
    assert!(!id.is_empty());
    for name in ["text", "textFormat", "locale", "channelData", "entities", "localTimestamp", "localTimezone", "value"]
    {
        assert_eq!(echo[name], sent[name], "{name}");
    }
    assert_eq!(echo["from"], json!({"id": "dl_ann", "name": "Ann", "role": "user"}));
    assert_eq!(app.history(&conversation, "").await["activities"][0], echo);
}

#[tokio::test]
async fn timestamps_are_utc_and_never_run_backwards() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    for step in [0, -3600, 1] {
        app.clock.advance(Duration::seconds(step));
        app.post_text(&conversation, "hi").await;
        app.post_text(&conversation, "hi").await;
    }
    let history = app.history(&conversation, "").await;
    let times: Vec<String> = history["activities"]
        .as_array()
        .expect("activities")
        .iter()
        .map(|activity| activity["timestamp"].as_str().expect("a timestamp").to_owned())
        .collect();
    assert!(times.iter().all(|time| time.ends_with('Z')), "{times:?}");
    let times: Vec<DateTime<Utc>> = times.iter().map(|time| time.parse().expect("a time")).collect();
    assert!(times.is_sorted_by(|one, next| *next - *one >= Duration::milliseconds(1)), "{times:?}");
}

#[tokio::test]
async fn what_the_server_says_outweighs_what_the_client_says() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let id = app
        .post_activity(
            &conversation,
            &json!({"type": "message", "text": "hi", "id": "mine", "timestamp": "1999-01-01T00:00:00Z",
                "serviceUrl": "https://evil.example", "channelId": "webchat", "conversation": {"id": "theirs"},
                "recipient": {"id": "x"}}),
        )
        .await;
    let echo = app.history(&conversation, "").await["activities"][0].take();
    assert_ne!(id, "mine");
    assert_eq!(echo["id"], json!(id));
    assert_eq!((&echo["channelId"], &echo["conversation"]["id"]), (&json!("directline"), &json!(conversation.id)));
    assert!(echo["timestamp"].as_str().is_some_and(|time| time.starts_with("2026")), "{echo}");
    assert_eq!((echo.get("serviceUrl"), echo.get("recipient")), (None, None));
}

#[tokio::test]
async fn posts_come_back_once_and_in_order() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    let sent: Vec<String> = (0..30).map(|number| number.to_string()).collect();
    for text in &sent {
        app.post_text(&conversation, text).await;
    }
    assert_eq!(socket.texts(30).await, sent);
    assert_eq!(texts(&app.history(&conversation, "").await), sent);
}

#[tokio::test]
async fn concurrent_posts_get_distinct_ids_and_one_echo_each() {
    let app = TestApp::with(|setup| setup.http.workers = 2);
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    let sent: Vec<String> = (0..40).map(|number| number.to_string()).collect();
    let ids = join_all(sent.iter().map(|text| app.post_text(&conversation, text))).await;
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), 40);
    let mut echoed = socket.texts(40).await;
    echoed.sort_by_key(|text| text.parse::<u32>().expect("a number"));
    assert_eq!(echoed, sent);
}

#[tokio::test]
async fn every_type_and_delivery_mode_is_taken() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    for activity in [
        json!({"type": "event", "name": "webchat/join", "value": {}}),
        json!({"type": "typing"}),
        json!({"type": "endOfConversation"}),
        json!({"type": "of-our-own-making", "x-unknown": [1]}),
        json!({"type": "message", "text": "hi", "deliveryMode": "stream"}),
        json!({"type": "message", "text": null, "channelData": null}),
    ] {
        let (status, body) = app.try_post(&conversation, &activity).await;
        assert_eq!(status, StatusCode::OK, "{activity}");
        assert!(body["id"].as_str().is_some_and(|id| !id.is_empty()), "{activity}");
    }
}

#[tokio::test]
async fn what_is_no_activity_is_400_and_leaves_nothing_behind() {
    let app = TestApp::start();
    let conversation = app.conversation_of_nobody().await;
    let path = conversation.path("/activities");
    for body in [
        "",
        "hi",
        "{",
        "[]",
        "null",
        "5",
        "{}",
        r#"{"type":5}"#,
        r#"{"type":""}"#,
        r#"{"type":"message","text":5,"from":{"id":"a"}}"#,
        r#"{"type":"message","from":"a"}"#,
        r#"{"type":"message","text":"no sender"}"#,
        r#"{"type":"message","from":{"id":""}}"#,
    ] {
        let request = app.post(&path, &conversation.token).header("content-type", "application/json").body(body);
        let (status, answer) = answer(request).await;
        assert_eq!(
            (status, answer["error"]["code"].as_str()),
            (StatusCode::BAD_REQUEST, Some("BadArgument")),
            "{body}"
        );
    }
    let request = app.post(&path, &conversation.token).body(b"{\"type\":\"\xff\"}".to_vec());
    assert_eq!(answer(request).await.0, StatusCode::BAD_REQUEST);
    assert_eq!(app.history(&conversation, "").await["activities"], json!([]));
}

#[tokio::test]
async fn a_body_over_the_limit_is_413_on_a_connection_that_goes_on() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let text = "x".repeat(10 * 1024 * 1024);
    let request =
        app.post(&conversation.path("/activities"), &conversation.token).header("origin", "https://a.example");
    let response = request.json(&json!({"type": "message", "text": text})).send().await.expect("an answer, no reset");
    assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(response.headers()["access-control-allow-origin"], "*");
    assert_eq!(response.headers().get("connection"), None);
    let body: Value = response.json().await.expect("JSON");
    assert_eq!(body["error"]["code"], "MessageSizeTooBig");
    assert_eq!(app.history(&conversation, "").await["activities"], json!([]));
}

#[tokio::test]
async fn an_unknown_conversation_is_404_for_the_secret() {
    let app = TestApp::start();
    for id in ["unknown", "%2e%2e%2f", &"x".repeat(200)] {
        let conversation =
            Conversation { id: id.to_owned(), token: DIRECT_LINE_SECRET.to_owned(), stream_url: String::new() };
        let message = json!({"type": "message", "text": "hi", "from": {"id": "a"}});
        for request in [
            app.get(&conversation.path(""), DIRECT_LINE_SECRET),
            app.get(&conversation.path("/activities"), DIRECT_LINE_SECRET),
            app.post(&conversation.path("/activities"), DIRECT_LINE_SECRET).json(&message),
        ] {
            let (status, body) = answer(request).await;
            assert_eq!((status, body["error"]["code"].as_str()), (StatusCode::NOT_FOUND, Some("NotFound")), "{id}");
        }
    }
}

#[tokio::test]
async fn a_token_whose_conversation_was_not_started_is_404() {
    let app = TestApp::start();
    let grant = app.generate(json!({"user": {"id": "dl_ann"}})).await;
    let id = grant["conversationId"].as_str().expect("an id");
    let token = grant["token"].as_str().expect("a token");
    let path = format!("/v3/directline/conversations/{id}/activities");
    assert_eq!(answer(app.get(&path, token)).await.0, StatusCode::NOT_FOUND);
    assert_eq!(answer(app.post(&path, token).json(&json!({"type": "message"}))).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_secret_speaks_as_whom_it_names_also_as_a_bot() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let message = json!({"type": "message", "text": "hi", "from": {"id": "assistant", "role": "bot"}});
    let (status, _) = answer(app.post(&conversation.path("/activities"), DIRECT_LINE_SECRET).json(&message)).await;
    assert_eq!(status, StatusCode::OK);
    let from = app.history(&conversation, "").await["activities"][0]["from"].take();
    assert_eq!(from, json!({"id": "assistant", "role": "bot"}));
}

#[tokio::test]
async fn a_full_conversation_is_429_and_stays_readable() {
    let app = TestApp::with(|setup| setup.memory.max_activities = 1);
    let conversation = app.conversation().await;
    app.post_text(&conversation, "first").await;
    let message = json!({"type": "message", "text": "second"});
    let request = app.post(&conversation.path("/activities"), &conversation.token).json(&message);
    let response = request.send().await.expect("an answer");
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(response.headers().contains_key("retry-after"));
    assert_eq!(texts(&app.history(&conversation, "").await), ["first"]);
}

/// An id of a user that a client makes up has at most 64 characters. A longer one is refused by its place, wherever it is given, and
/// nothing is kept of it.
#[tokio::test]
async fn a_long_id_of_a_user_is_refused_by_its_place() {
    let app = TestApp::start();
    let conversation = app.conversation_of_nobody().await;
    let (longest, longer) = ("x".repeat(64), "x".repeat(65));
    let said = |id: &str| json!({"type": "message", "text": "hi", "from": {"id": id}});
    let started = |id: &str| json!({"user": {"id": id}});
    app.post_activity(&conversation, &said(&longest)).await;
    app.generate(started(&longest)).await;
    for (path, body, pointer) in [
        (conversation.path("/activities"), said(&longer), "/from/id"),
        ("/v3/directline/tokens/generate".to_owned(), started(&longer), "/user/id"),
        ("/v3/directline/conversations".to_owned(), started(&longer), "/user/id"),
    ] {
        let (status, problem) = answer(app.post(&path, DIRECT_LINE_SECRET).json(&body)).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{path}: {problem}");
        let words = problem["error"]["message"].as_str().expect("a message");
        assert!(words.contains(pointer) && words.contains("64"), "{path}: {words}");
    }
    assert_eq!(texts(&app.history(&conversation, "").await).len(), 1);
}
