//! Answers of programs in conversations in which the bot answers too.

use std::time::Duration;

use reqwest::{Method, StatusCode};
use serde_json::json;
use tokio::time::timeout;

use super::scene::{GROUP, Scene};
use crate::app::{API_KEY, answer};
use crate::connector::Bubble;

/// A personal chat, in which an answer is a stream.
const PERSONAL: &str = "a:1";

const PATIENCE: Duration = Duration::from_secs(10);

/// The service takes one stream at a time and shows activities in the order of the calls.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_answer_of_a_program_waits_until_the_bot_has_answered() {
    let scene = Scene::new().await;
    let mut question = scene.message("1", "hi");
    question["conversation"] = json!({"id": PERSONAL, "conversationType": "personal"});
    scene.hand_in(&question).await;
    let body = scene.backend.asked().await.begin();
    body.event(&json!({"delta": "Leave is "}));
    scene.service.called(1).await;
    let path = answers(&scene).await;
    let later = scene.app.post(&path, API_KEY).json(&json!({"text": "By the way."}));
    let bot = async {
        // The server has had the program's answer for a while when it has answered these.
        for _ in 0..3 {
            assert_eq!(answer(scene.app.get("/v1/conversations", API_KEY)).await.0, StatusCode::OK);
        }
        assert_eq!(scene.chat(PERSONAL).len(), 1, "the program's answer waits");
        body.event(&json!({"delta": "30 days."}));
        body.done();
    };
    let ((status, _), ()) = tokio::join!(answer(later), bot);
    assert_eq!(status, StatusCode::CREATED);
    let chat = scene.chat(PERSONAL);
    assert_eq!(chat.iter().map(Bubble::text).collect::<Vec<_>>(), ["Leave is 30 days.", "By the way."]);
    assert_eq!(scene.service.faults(), Vec::<String>::new());
}

/// The path of the answers in the one conversation that there is.
async fn answers(scene: &Scene) -> String {
    let (_, listed) = answer(scene.app.get("/v1/conversations", API_KEY)).await;
    format!("/v1/conversations/{}/answers", listed["conversations"][0]["id"].as_str().expect("an id"))
}

/// Waits until the answer of a program waits behind the bot's.
async fn somebody_waits(scene: &Scene) {
    let metrics = async || scene.app.get("/metrics", API_KEY).send().await.expect("an answer").text().await;
    let waits =
        async { while !metrics().await.expect("a text").contains("citewire_queue_entries{queue=\"azure_bot\"} 1") {} };
    timeout(PATIENCE, waits).await.expect("it waits in time");
}

/// Each node of a cluster had sent it: a caller that comes again is led to another node than before.
#[tokio::test]
async fn a_repeated_key_of_a_program_is_sent_once_whichever_node_gets_it() {
    let scene = Scene::together().await;
    scene.hand_in(&scene.message("1", "hi")).await;
    scene.backend.asked().await.begin().done();
    let path = answers(&scene).await;
    let body = json!({"text": "By the way."});
    let send = || answer(scene.app.post(&path, API_KEY).header("idempotency-key", "k").json(&body));
    let ((status, one), (_, other)) = tokio::join!(send(), send());
    assert_eq!((status, &one["id"]), (StatusCode::CREATED, &other["id"]));
    let sent = scene.chat(GROUP).iter().filter(|bubble| bubble.text() == "By the way.").count();
    assert_eq!(sent, 1);
}

/// With the end of a conversation, all that waits in it for the bot is forgotten.
#[tokio::test]
async fn an_answer_of_a_program_outlives_the_end_of_what_it_waits_for() {
    let scene = Scene::alone().await;
    scene.hand_in(&scene.message("1", "hi")).await;
    let _unanswered = scene.backend.asked().await;
    let path = answers(&scene).await;
    let later = answer(scene.app.post(&path, API_KEY).json(&json!({"text": "By the way."})));
    let end = async {
        somebody_waits(&scene).await;
        scene.hand_in(&scene.activity("endOfConversation", &json!({"id": "2"}))).await;
    };
    let ((status, body), ()) = tokio::join!(later, end);
    assert_eq!(status, StatusCode::CREATED, "{body}");
    assert_eq!(scene.chat(GROUP).iter().map(Bubble::text).collect::<Vec<_>>(), ["By the way."]);
}

#[tokio::test]
async fn an_answer_of_a_program_waits_for_no_conversation_that_is_deleted() {
    let scene = Scene::alone().await;
    scene.hand_in(&scene.message("1", "hi")).await;
    let _unanswered = scene.backend.asked().await;
    let path = answers(&scene).await;
    let later = answer(scene.app.post(&path, API_KEY).json(&json!({"text": "By the way."})));
    let deleted = async {
        somebody_waits(&scene).await;
        let request = scene.app.request(Method::DELETE, path.trim_end_matches("/answers")).bearer_auth(API_KEY);
        assert_eq!(answer(request).await.0, StatusCode::NO_CONTENT);
    };
    let ((status, body), ()) = tokio::join!(later, deleted);
    assert_eq!((status, &body["code"]), (StatusCode::NOT_FOUND, &json!("unknown_conversation")), "{body}");
}
