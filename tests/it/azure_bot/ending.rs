//! Turns that end in the middle: the conversation is deleted, the server ends, something panics.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use citewire::assistant::{Assistant, AssistantOptions, AssistantRegistry};
use citewire::upstream::{Ask, Reply, Upstream, UpstreamError};
use reqwest::StatusCode;
use serde_json::json;

use super::scene::{FAILURE, GROUP, Scene};
use crate::app::API_KEY;
use crate::connector::Bubble;

const OTHER: &str = "19:other@thread.v2";
const BROKE_OFF: &str = "The answer above is incomplete: it broke off while it was being written.";

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_deleted_conversation_gets_what_there_is_and_is_not_there_again() {
    let scene = Scene::new().await;
    // In a personal chat the test sees when the beginning has arrived.
    let mut question = scene.message("1", "hi");
    question["conversation"] = json!({"id": "a:1", "conversationType": "personal"});
    scene.hand_in(&question).await;
    let body = scene.backend.asked().await.begin();
    body.event(&json!({"delta": "Thirty"}));
    scene.service.called(2).await;
    assert_eq!(scene.chat("a:1").last().map(Bubble::text), Some("Thirty"));
    let path = "/v1/conversations/msteams%3Aa%3A1";
    let deleted = scene.app.request(reqwest::Method::DELETE, path).bearer_auth(API_KEY).send().await;
    assert!(deleted.expect("an answer").status().is_success());
    body.abandoned().await;
    assert_eq!(scene.texts_after(4, "a:1").await, ["Thirty", BROKE_OFF]);
    let status = scene.app.get(path, API_KEY).send().await.expect("an answer").status();
    assert_eq!(status, StatusCode::NOT_FOUND);
    // Its user may begin again.
    question["id"] = json!("2");
    question["text"] = json!("hi again");
    scene.hand_in(&question).await;
    let asked = scene.backend.asked().await;
    assert_eq!(asked.turns(), ["user: hi again"]);
    asked.begin().done();
}

/// Those who waited were told that there is no answer, and what had begun was cut off.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_server_that_ends_leaves_to_the_next_one_what_nobody_has_seen() {
    let scene = Scene::new().await;
    scene.hand_in(&scene.message("1", "first")).await;
    // In a group nothing of an answer is seen before it is whole.
    let body = scene.backend.asked().await.begin();
    body.event(&json!({"delta": "Thirty"}));
    for (id, conversation) in [("2", GROUP), ("3", GROUP), ("4", OTHER)] {
        let mut activity = scene.message(id, &format!("no. {id}"));
        activity["conversation"]["id"] = json!(conversation);
        scene.hand_in(&activity).await;
    }
    let elsewhere = scene.backend.asked().await;
    assert_eq!(elsewhere.turns(), ["user: no. 4"]);
    let scene = scene.next(async |_| {}).await;
    drop((body, elsewhere));
    for _ in 0..4 {
        let asked = scene.backend.asked().await;
        let question = asked.turns().last().expect("a question").clone();
        let body = asked.begin();
        body.event(&json!({"delta": question.replace("user:", "to")}));
        body.done();
    }
    scene.service.called(4).await;
    let texts = |conversation: &str| -> Vec<String> {
        scene.chat(conversation).iter().map(|bubble| bubble.text().to_owned()).collect()
    };
    assert_eq!(
        (texts(GROUP), texts(OTHER)),
        (vec!["to first".into(), "to no. 2".into(), "to no. 3".into()], vec!["to no. 4".into()])
    );
    // Activities that were handed in before are known.
    scene.hand_in(&scene.message("3", "no. 3")).await;
    scene.hand_in(&scene.message("5", "next")).await;
    let asked = scene.backend.asked().await;
    let expected = ["user: first", "assistant: to first", "user: no. 2", "assistant: to no. 2"];
    assert_eq!(asked.turns()[..4], expected);
    assert_eq!(asked.turns().last().map(String::as_str), Some("user: next"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_was_seen_of_an_answer_ends_with_the_server() {
    let scene = Scene::new().await;
    let mut question = scene.message("1", "hi");
    question["conversation"] = json!({"id": "a:1", "conversationType": "personal"});
    scene.hand_in(&question).await;
    let body = scene.backend.asked().await.begin();
    body.event(&json!({"delta": "Thirty"}));
    scene.service.called(2).await;
    let scene = scene.next(async |_| {}).await;
    assert_eq!(scene.texts_after(4, "a:1").await, ["Thirty", BROKE_OFF]);
    question["id"] = json!("2");
    question["text"] = json!("and then?");
    scene.hand_in(&question).await;
    assert_eq!(scene.backend.asked().await.turns(), ["user: hi", "assistant: thirty", "user: and then?"]);
}

/// A back end that panics on its first question.
#[derive(Debug, Default)]
struct Panicking(AtomicUsize);

#[async_trait]
impl Upstream for Panicking {
    async fn ask(&self, ask: Ask) -> Result<Reply, UpstreamError> {
        assert!(self.0.fetch_add(1, Ordering::Relaxed) > 0, "as the test wants it");
        let text = format!("You said: {}", ask.turns.last().expect("a question").text);
        let body = futures_util::stream::iter([Ok(json!({"text": text}).to_string().into())]);
        Ok(Reply::new(Some(citewire::ingest::Provider::Native), Box::pin(body)))
    }

    fn retrieves(&self) -> bool {
        true
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_turn_that_panics_ends_in_an_apology_and_the_next_one_goes_on() {
    let scene = Scene::new().await;
    let options = AssistantOptions::default();
    let assistant = Assistant::new("hr", options, Arc::new(Panicking::default()), Arc::default());
    scene.assistants.replace(AssistantRegistry::new([assistant], Some("hr".to_owned())));
    for id in ["1", "2"] {
        scene.hand_in(&scene.message(id, id)).await;
    }
    assert_eq!(scene.texts_after(2, GROUP).await, [FAILURE, "You said: 2"]);
}
