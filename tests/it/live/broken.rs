//! Answers that do not come to their end.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;

use super::sending::{chunk, path, post, raw, sources, text, until_message};
use crate::app::{API_KEY, Socket, TestApp, answer};

/// The answer as far as it came, and what readers are told behind it.
async fn ends_incomplete(socket: &mut Socket, expected: &str) {
    let last = until_message(socket).await.pop().expect("a message");
    assert_eq!((text(&last), &last["channelData"]["streamType"]), (expected, &json!("final")));
    let behind = socket.activity().await;
    assert!(text(&behind).contains("incomplete") && behind.get("channelData").is_none(), "{behind}");
}

#[tokio::test]
async fn a_body_without_its_end_is_delivered_as_incomplete() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    let (sending, response) = post(&app, &conversation, None);
    let write = async {
        sending.event(sources()).await;
        // The connection breaks in the middle of a marker.
        sending.delta("Leave is 30 days. [").await;
        assert_eq!(text(&socket.activity().await), "Leave is 30 days.");
        drop(sending);
        ends_incomplete(&mut socket, "Leave is 30 days. [").await;
    };
    let ((status, body), ()) = tokio::join!(response, write);
    assert_eq!((status, &body["report"]["complete"]), (StatusCode::CREATED, &json!(false)), "{body}");
    let history = app.history(&conversation, "").await;
    assert_eq!(history["activities"].as_array().map(Vec::len), Some(2), "{history}");
    assert_eq!(history["activities"][0]["id"], body["id"]);
}

#[tokio::test]
async fn a_connection_that_is_dropped_leaves_what_has_come() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    let mut stream = raw(&app, &conversation).await;
    chunk(&mut stream, json!({"delta": "Leave is 30 days. And "})).await;
    assert_eq!(text(&socket.activity().await), "Leave is 30 days. And");
    drop(stream);
    ends_incomplete(&mut socket, "Leave is 30 days. And ").await;
}

#[tokio::test]
async fn a_body_that_pauses_for_too_long_is_delivered_as_incomplete() {
    let app = TestApp::with(|setup| setup.http.body_timeout = Duration::from_millis(300));
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    let (sending, response) = post(&app, &conversation, None);
    let write = async {
        sending.delta("Leave is 30 days.").await;
        ends_incomplete(&mut socket, "Leave is 30 days.").await;
    };
    let ((status, body), ()) = tokio::join!(response, write);
    assert_eq!((status, &body["report"]["complete"]), (StatusCode::CREATED, &json!(false)), "{body}");
}

#[tokio::test]
async fn what_is_refused_leaves_nothing_in_the_chat() {
    let app = TestApp::with(|setup| setup.http.max_body_bytes = 2_000);
    let conversation = app.conversation().await;
    for (piece, status, code) in [
        (format!("data: {}\n\n", json!({"delta": 5})), StatusCode::BAD_REQUEST, "invalid_answer"),
        (format!("data: {}\n\n", json!({"delta": "x".repeat(2_000)})), StatusCode::PAYLOAD_TOO_LARGE, "body_too_long"),
    ] {
        let mut socket = app.open(&app.reconnect(&conversation, "?watermark=-").await).await;
        let (sending, response) = post(&app, &conversation, None);
        let write = async {
            sending.delta("Leave is 30 days.").await;
            let first = socket.activity().await;
            sending.bytes(piece).await;
            drop(sending);
            let last = until_message(&mut socket).await.pop().expect("a withdrawal");
            assert_eq!((text(&last), &last["channelData"]["streamId"]), ("", &first["id"]));
        };
        let ((found, problem), ()) = tokio::join!(response, write);
        assert_eq!((found, &problem["code"]), (status, &json!(code)), "{problem}");
    }
    assert_eq!(app.history(&conversation, "").await["activities"], json!([]));
}

#[tokio::test]
async fn a_body_that_holds_no_answer_is_400_and_one_that_announces_itself_as_too_long_413() {
    let app = TestApp::with(|setup| setup.http.max_body_bytes = 2_000);
    let conversation = app.conversation().await;
    for (body, expected) in [
        ("data: [DONE]\n\n".to_owned(), StatusCode::BAD_REQUEST),
        (format!("data: {}\n\n", json!({"delta": "x".repeat(2_000)})), StatusCode::PAYLOAD_TOO_LARGE),
    ] {
        let request =
            app.post(&path(&conversation), API_KEY).header("content-type", "text/event-stream; charset=utf-8");
        let (status, problem) = answer(request.body(body)).await;
        assert_eq!(status, expected, "{problem}");
    }
    assert_eq!(app.history(&conversation, "").await["activities"], json!([]));
}

#[tokio::test]
async fn an_answer_ends_when_its_conversation_is_deleted() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    let (sending, response) = post(&app, &conversation, None);
    let write = async {
        sending.delta("Leave is 30 days.").await;
        socket.activity().await;
        let path = format!("/v1/conversations/{}", conversation.id);
        let (status, _) = answer(app.request(reqwest::Method::DELETE, &path).bearer_auth(API_KEY)).await;
        assert_eq!(status, StatusCode::NO_CONTENT);
        sending
    };
    let ((status, problem), sending) = tokio::join!(response, write);
    assert_eq!((status, &problem["code"]), (StatusCode::NOT_FOUND, &json!("unknown_conversation")), "{problem}");
    drop(sending);
}

#[tokio::test]
async fn a_server_that_ends_does_not_wait_for_the_rest_of_an_answer() {
    let mut app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    let mut stream = raw(&app, &conversation).await;
    chunk(&mut stream, json!({"delta": "Leave is 30 days."})).await;
    socket.activity().await;
    app.stop();
    let (store, id) = (std::sync::Arc::clone(&app.store), conversation.id.parse().expect("an id"));
    app.ended().await;
    let page = store.read(&id, None, 10).await.expect("a store").expect("known");
    let texts: Vec<Value> = page.recorded.iter().map(|recorded| json!(recorded.activity.text)).collect();
    assert_eq!((texts.len(), &texts[0]), (2, &json!("Leave is 30 days.")));
    stream.shutdown().await.ok();
}
