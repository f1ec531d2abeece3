#![expect(clippy::disallowed_methods, reason = "the tasks of a test end with it")]

use std::convert::Infallible;
use std::future::Future;

use bytes::Bytes;
use citewire::activity::Watermark;
use citewire::channels::azure_bot::SubmittedFeedback;
use futures_util::stream;
use reqwest::{Body, StatusCode};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{CHAT, Scene, leave};
use crate::app::{API_KEY, answer};
use crate::connector::{Bubble, Flavour, Mishap};

/// The end of a body that the test holds.
struct Sending(mpsc::Sender<Bytes>);

impl Sending {
    async fn event(&self, event: Value) {
        self.0.send(format!("data: {event}\n\n").into()).await.expect("the request goes on");
    }
}

impl Scene {
    /// Posts an answer of which the test sends the events; the future is the response.
    fn stream(&self, key: Option<&str>) -> (Sending, impl Future<Output = (StatusCode, Value)> + use<>) {
        let (send, receive) = mpsc::channel::<Bytes>(1);
        let pieces = stream::unfold(receive, async |mut receive| {
            let bytes = receive.recv().await?;
            Some((Ok::<_, Infallible>(bytes), receive))
        });
        let path = format!("{}?from=citewire", self.path("/answers"));
        let mut request = self.app.post(&path, API_KEY).header("content-type", "text/event-stream");
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        (Sending(send), answer(request.body(Body::wrap_stream(pieces))))
    }

    /// Sends an answer in two pieces, the first of which is shown where anything is, and waits for its end.
    async fn streams(&self, key: Option<&str>, end: bool) -> (StatusCode, Value) {
        let (sending, response) = self.stream(key);
        let response = tokio::spawn(response);
        sending.event(json!({"sources": leave()["sources"]})).await;
        sending.event(json!({"delta": "Leave is 30 days [1]. "})).await;
        sending.event(json!({"delta": "Ask before you go [2]."})).await;
        if end {
            sending.event(json!({"done": true})).await;
        }
        drop(sending);
        response.await.expect("a response")
    }
}

#[tokio::test]
async fn an_answer_is_shown_while_it_comes_and_recorded_once_under_the_id_of_its_stream() {
    let scene = Scene::teams().await;
    let (sending, response) = scene.stream(None);
    let response = tokio::spawn(response);
    sending.event(json!({"sources": leave()["sources"]})).await;
    sending.event(json!({"delta": "Leave is 30 days [1]. Ask "})).await;
    scene.service.called(1).await;
    let begun = scene.service.chat(CHAT);
    assert_eq!((begun.len(), begun[0].growing, begun[0].claims().len()), (1, true, 0));
    sending.event(json!({"delta": "before you go [2]."})).await;
    sending.event(json!({"done": true})).await;
    drop(sending);
    let (status, body) = response.await.expect("a response");
    assert_eq!((status, &body["report"]["complete"]), (StatusCode::CREATED, &json!(true)), "{body}");
    let chat = scene.service.chat(CHAT);
    assert_eq!((chat.len(), chat[0].growing, chat[0].claims().len()), (1, false, 2));
    assert_eq!(scene.service.faults(), Vec::<String>::new());
    let recorded = scene.recorded().await;
    assert_eq!((recorded.len(), &recorded[0]["text"]), (1, &json!("Leave is 30 days [1]. Ask before you go [2].")));
    assert_eq!((&recorded[0]["id"], &recorded[0]["serviceId"]), (&body["id"], &json!(chat[0].id)));
    let feedback = SubmittedFeedback::default();
    scene.records.rated(&scene.id, feedback, None, Some(&chat[0].id), None).await.expect("a store");
    let page = scene.app.store.feedback(&scene.id, None, 9).await.expect("a store").expect("known");
    assert_eq!(page.feedback[0].feedback.about.map(Watermark::index), Some(0));
}

#[tokio::test]
async fn where_there_are_no_streams_the_answer_is_one_message_with_all_citations() {
    let group = |flavour| {
        Scene::of(flavour, |reference| {
            reference.conversation = json!({"id": CHAT, "conversationType": "groupChat", "isGroup": true});
        })
    };
    for scene in [group(Flavour::Teams).await, group(Flavour::Playground).await] {
        let (status, body) = scene.streams(None, true).await;
        assert_eq!(status, StatusCode::CREATED, "{body}");
        let chat = scene.service.chat(CHAT);
        assert_eq!((chat.len(), chat[0].claims().len(), scene.service.seen().len()), (1, 2, 1));
        assert_eq!(scene.recorded().await.len(), 1);
    }
}

#[tokio::test]
async fn answers_in_one_conversation_follow_each_other_and_never_mix() {
    let scene = Scene::teams().await;
    let (sending, first) = scene.stream(None);
    let first = tokio::spawn(first);
    sending.event(json!({"sources": leave()["sources"]})).await;
    sending.event(json!({"delta": "The first "})).await;
    scene.service.called(1).await;
    let second = tokio::spawn(answer(scene.answers().json(&json!({"text": "The second."}))));
    // The server has had the second request for a while when it has answered this one.
    for _ in 0..3 {
        let (status, _) = answer(scene.app.get(&scene.path(""), API_KEY)).await;
        assert_eq!(status, StatusCode::OK);
    }
    assert_eq!(scene.service.chat(CHAT).len(), 1, "the second answer waits");
    sending.event(json!({"delta": "answer."})).await;
    sending.event(json!({"done": true})).await;
    drop(sending);
    assert_eq!(first.await.expect("a response").0, StatusCode::CREATED);
    assert_eq!(second.await.expect("a response").0, StatusCode::CREATED);
    let chat = scene.service.chat(CHAT);
    assert_eq!(chat.iter().map(Bubble::text).collect::<Vec<_>>(), ["The first answer.", "The second."]);
    assert_eq!(scene.service.faults(), Vec::<String>::new());
    let texts: Vec<Value> = scene.recorded().await.iter().map(|one| one["text"].clone()).collect();
    assert_eq!(texts, ["The first answer.", "The second."]);
}

#[tokio::test]
async fn an_answer_that_its_reader_stops_ends_there_and_is_recorded_as_far_as_it_came() {
    let scene = Scene::teams().await;
    let (sending, response) = scene.stream(None);
    let response = tokio::spawn(response);
    sending.event(json!({"sources": leave()["sources"]})).await;
    sending.event(json!({"delta": "Leave is 30 days [1]. Ask "})).await;
    scene.service.called(1).await;
    scene.service.stop(CHAT);
    sending.event(json!({"delta": "before you go [2]."})).await;
    sending.event(json!({"done": true})).await;
    drop(sending);
    let (status, body) = response.await.expect("a response");
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let chat = scene.service.chat(CHAT);
    assert_eq!((chat.len(), chat[0].claims().len()), (1, 0));
    let recorded = scene.recorded().await;
    assert_eq!((recorded.len(), &recorded[0]["text"]), (1, &json!(chat[0].text())));
    // The conversation goes on.
    assert_eq!(scene.deliver(&leave()).await.0, StatusCode::CREATED);
}

#[tokio::test]
async fn an_answer_that_breaks_off_stays_and_its_reader_is_told() {
    let scene = Scene::teams().await;
    let (status, body) = scene.streams(None, false).await;
    assert_eq!((status, &body["report"]["complete"]), (StatusCode::CREATED, &json!(false)), "{body}");
    let chat = scene.service.chat(CHAT);
    assert_eq!((chat.len(), chat[0].text()), (2, "Leave is 30 days [1]. Ask before you go [2]."));
    assert!(chat[1].text().contains("incomplete"), "{}", chat[1].text());
    assert_eq!(scene.recorded().await.len(), 1);
}

#[tokio::test]
async fn an_answer_that_fails_before_anyone_has_seen_it_leaves_nothing() {
    let scene = Scene::teams().await;
    for events in [vec![], vec![json!({"sources": 5})], vec![json!({"delta": "\n"}), json!({"done": true})]] {
        let (sending, response) = scene.stream(None);
        let response = tokio::spawn(response);
        for event in events {
            sending.event(event).await;
        }
        drop(sending);
        let (status, problem) = response.await.expect("a response");
        assert!(status.is_client_error(), "{status} {problem}");
    }
    assert!(scene.service.seen().is_empty() && scene.recorded().await.is_empty());
}

#[tokio::test]
async fn an_answer_that_turns_out_to_be_none_ends_with_an_apology() {
    let scene = Scene::teams().await;
    let (sending, response) = scene.stream(None);
    let response = tokio::spawn(response);
    sending.event(json!({"sources": leave()["sources"]})).await;
    sending.event(json!({"delta": "Leave is 30 days [1]. Ask "})).await;
    scene.service.called(1).await;
    sending.event(json!({"annotations": 5})).await;
    drop(sending);
    let (status, problem) = response.await.expect("a response");
    assert_eq!((status, &problem["code"]), (StatusCode::BAD_REQUEST, &json!("invalid_answer")), "{problem}");
    let chat = scene.service.chat(CHAT);
    assert_eq!((chat.len(), chat[0].growing), (1, false));
    assert!(chat[0].text().ends_with("This answer could not be finished."), "{}", chat[0].text());
    assert!(scene.recorded().await.is_empty());
}

#[tokio::test]
async fn a_repeated_key_shows_nothing_and_returns_what_the_first_one_has_sent() {
    let scene = Scene::teams().await;
    let (_, first) = scene.streams(Some("k"), true).await;
    let calls = scene.service.seen().len();
    let (status, again) = scene.streams(Some("k"), true).await;
    assert_eq!((status, &again["id"]), (StatusCode::CREATED, &first["id"]));
    assert_eq!(again["report"]["cited"].as_array().map(Vec::len), Some(2));
    let (_, whole) = answer(scene.answers().header("idempotency-key", "k").json(&leave())).await;
    assert_eq!(whole["id"], first["id"]);
    assert_eq!((scene.service.seen().len(), scene.recorded().await.len()), (calls, 1));
}

#[tokio::test]
async fn a_refused_final_still_leaves_one_answer() {
    let scene = Scene::teams().await;
    scene.service.plan(|_, seen| {
        let is_final = seen.body["entities"].to_string().contains("\"final\"");
        is_final.then(|| (Mishap::error(500, "ServiceError", "Internal server error"), false))
    });
    let (status, body) = scene.streams(None, true).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let whole = scene.service.chat(CHAT).into_iter().filter(|bubble| bubble.claims().len() == 2).count();
    assert_eq!((whole, scene.recorded().await.len()), (1, 1));
}
