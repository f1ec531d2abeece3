//! Answers of programs in conversations in which the bot answers too.

use reqwest::StatusCode;
use serde_json::json;

use super::scene::Scene;
use crate::app::{API_KEY, answer};
use crate::connector::Bubble;

/// A personal chat, in which an answer is a stream.
const PERSONAL: &str = "a:1";

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
    let (_, listed) = answer(scene.app.get("/v1/conversations", API_KEY)).await;
    let path = format!("/v1/conversations/{}/answers", listed["conversations"][0]["id"].as_str().expect("an id"));
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
