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

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_server_that_ends_sends_what_there_is_and_tells_those_who_wait() {
    let scene = Scene::new().await;
    scene.hand_in(&scene.message("1", "first")).await;
    let body = scene.backend.asked().await.begin();
    body.event(&json!({"delta": "Thirty"}));
    for (id, conversation) in [("2", GROUP), ("3", GROUP), ("4", "19:other@thread.v2")] {
        let mut activity = scene.message(id, "waits");
        activity["conversation"]["id"] = json!(conversation);
        scene.hand_in(&activity).await;
    }
    let Scene { app, service, .. } = scene;
    tokio::time::timeout(std::time::Duration::from_secs(9), app.ended()).await.expect("the server ends");
    let texts = |conversation: &str| -> Vec<String> {
        service.chat(conversation).iter().map(|bubble| bubble.text().to_owned()).collect()
    };
    let first = texts(GROUP);
    assert_eq!(first[first.len() - 2..], [FAILURE, FAILURE], "{first:?}");
    let answered = &first[..first.len() - 2];
    // The beginning of the answer had arrived, or had not.
    assert!(*answered == ["Thirty".to_owned(), BROKE_OFF.to_owned()] || *answered == [FAILURE.to_owned()], "{first:?}");
    assert_eq!(texts("19:other@thread.v2"), [FAILURE]);
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
