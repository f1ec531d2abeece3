//! Turns that a server has begun and another one ends. The service takes nothing back, so what was sent is not sent again.

use citewire::channels::azure_bot::PublicName;
use citewire::channels::azure_bot::auth::Caller;
use citewire::store::{ConversationStore, NewTurn, Queued, TurnKind, TurnRoom, TurnStage};
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::scene::{FAILURE, GROUP, Scene};
use crate::connector::{Bubble, Flavour};

/// A personal chat, in which an answer is a stream.
const PERSONAL: &str = "a:1";

const ANSWER: &str = "Thirty days.";

/// A question that a server was asked and has ended with, as it was when it had come so far with its answer.
async fn left(scene: Scene, question: &Value, stage: TurnStage, said: Option<Value>) -> Scene {
    scene.hand_in(question).await;
    let asked = scene.backend.asked().await;
    let next = scene.next(async |store| note(store, stage, said).await).await;
    drop(asked);
    next
}

async fn note(store: &dyn ConversationStore, stage: TurnStage, said: Option<Value>) {
    let line = store.claim_lines(TurnKind::Azure, 9).await.expect("a store").remove(0);
    let turn = store.next_turn(&line).await.expect("a store").expect("it is left");
    assert_eq!(turn.stage, TurnStage::Waiting, "nothing was seen of an answer");
    let said = said.map(|said| said.to_string());
    store.note_turn(&line, turn.key, stage, said).await.expect("held");
    store.release_line(&line).await.expect("a store");
}

/// The next question; says what the back end is told of those before.
async fn goes_on(scene: &Scene, question: &Value) -> Vec<String> {
    let mut next = question.clone();
    (next["id"], next["text"]) = (json!("next"), json!("next"));
    scene.hand_in(&next).await;
    scene.backend.asked().await.turns()
}

/// What the next question is told of one that got this answer. Back ends of tests tell it in small letters.
fn history(answer: &str) -> [String; 3] {
    ["user: hi".to_owned(), format!("assistant: {}", answer.to_lowercase()), "user: next".to_owned()]
}

fn message() -> Value {
    json!({"type": "message", "text": ANSWER, "textFormat": "markdown"})
}

fn personal(scene: &Scene) -> Value {
    let mut question = scene.message("1", "hi");
    question["conversation"] = json!({"id": PERSONAL, "conversationType": "personal"});
    question
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn behind_what_was_seen_comes_an_apology_and_no_second_answer() {
    let scene = Scene::new().await;
    let question = scene.message("1", "hi");
    let scene = left(scene, &question, TurnStage::Spoken, None).await;
    assert_eq!(scene.texts_after(1, GROUP).await, [FAILURE]);
    let told = goes_on(&scene, &question).await;
    assert_eq!(told, history(FAILURE));
    assert_eq!(scene.chat(GROUP).len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_message_that_may_have_arrived_is_recorded_and_not_sent_again() {
    let scene = Scene::new().await;
    let question = scene.message("1", "hi");
    let scene = left(scene, &question, TurnStage::Final, Some(json!({"message": message()}))).await;
    let told = goes_on(&scene, &question).await;
    assert_eq!(told, history(ANSWER));
    assert_eq!(scene.service.seen().len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_note_that_cannot_be_read_ends_its_turn_and_no_other() {
    let scene = Scene::new().await;
    let question = scene.message("1", "hi");
    let scene = left(scene, &question, TurnStage::Final, Some(json!({"later": 1}))).await;
    assert_eq!(goes_on(&scene, &question).await, ["user: hi", "user: next"]);
    assert_eq!(scene.service.seen().len(), 0);
}

/// The stream that the first server has opened with its informative text.
async fn opened(scene: &Scene) -> String {
    scene.service.called(1).await;
    let bubble = scene.chat(PERSONAL).remove(0);
    assert!(bubble.growing);
    bubble.id
}

/// Leaves a question whose answer was to be the end of the stream. `sent` says whether that has arrived.
async fn left_with_a_stream(flavour: Flavour, channel: &str, sent: bool) -> (Scene, Value) {
    let scene = Scene::with(flavour, |_| {}).await;
    let mut question = personal(&scene);
    question["channelId"] = json!(channel);
    scene.hand_in(&question).await;
    let asked = scene.backend.asked().await;
    let stream = opened(&scene).await;
    if sent {
        let end = json!({"streamType": "final", "streamId": stream});
        let mut end = json!({"type": "message", "text": ANSWER, "id": stream, "channelData": end, "from": {"id": "28:bot"},
            "entities": [{"type": "streaminfo", "streamType": "final", "streamId": stream}], "conversation": question["conversation"]});
        end["recipient"] = question["from"].clone();
        let url = format!("{}v3/conversations/{PERSONAL}/activities/1", scene.service.url());
        let status = scene.app.client.post(url).json(&end).send().await.expect("an answer").status();
        assert!(status.is_success(), "{status}");
    }
    let said = json!({"message": message(), "stream": stream});
    let next = scene.next(async |store| note(store, TurnStage::Final, Some(said)).await).await;
    drop(asked);
    (next, question)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_end_of_a_stream_is_sent_once_more_and_stands_there_once() {
    for (flavour, channel) in
        [(Flavour::Teams, "msteams"), (Flavour::Copilot, "msteams:COPILOT"), (Flavour::WebChat, "webchat")]
    {
        for sent in [false, true] {
            let (scene, question) = left_with_a_stream(flavour, channel, sent).await;
            scene.service.ended(PERSONAL, 1).await;
            let told = goes_on(&scene, &question).await;
            assert_eq!(told, history(ANSWER));
            let chat = scene.chat(PERSONAL);
            let texts: Vec<&str> = chat.iter().filter(|bubble| !bubble.growing).map(Bubble::text).collect();
            assert_eq!(texts, [ANSWER], "{flavour:?} {sent}");
        }
    }
}

/// Whoever waited for the answer in the response is gone with the process, and its activity may come again.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_call_of_another_process_is_not_answered_and_may_come_again() {
    let scene = Scene::new().await;
    scene.hand_in(&scene.message("0", "first")).await;
    let first = scene.backend.asked().await;
    let id = PublicName::new(&Caller::Anonymous, "msteams", GROUP).id();
    let scene = scene
        .next(async |store| {
            let body = json!({"kind": "bound", "process": "gone", "call": 1, "name": "n"}).to_string();
            let room = TurnRoom { in_line: 9, in_all: 9 };
            let turn = NewTurn { kind: TurnKind::Azure, body: Some(body), room, name: Some("n".to_owned()) };
            assert_eq!(store.queue_turn(&id, turn).await.expect("a store"), Some(Queued::Taken));
        })
        .await;
    drop(first);
    scene.answer_next("one").await;
    assert_eq!(scene.texts_after(1, GROUP).await, ["one"]);
    scene.hand_in(&scene.message("1", "second")).await;
    scene.answer_next("two").await;
    assert_eq!(scene.texts_after(2, GROUP).await, ["one", "two"]);
    let room = TurnRoom { in_line: 9, in_all: 9 };
    let again = NewTurn { kind: TurnKind::Bot, body: Some("x".to_owned()), room, name: Some("n".to_owned()) };
    assert_eq!(scene.app.store.queue_turn(&id, again).await.expect("a store"), Some(Queued::Taken));
}

/// A service may have been taken out of the configuration.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_waits_for_a_service_that_is_not_trusted_any_more_goes_nowhere() {
    let scene = Scene::new().await;
    scene.hand_in(&scene.message("1", "hi")).await;
    let asked = scene.backend.asked().await;
    let mut scene = scene;
    scene.distrust();
    let scene = scene.next(async |_| {}).await;
    drop(asked);
    let question = super::inline::with_mode(scene.message("2", "next"), "expectReplies");
    let mut question = question;
    question.as_object_mut().expect("an object").remove("serviceUrl");
    let (replied, ()) = tokio::join!(scene.post(&question), scene.answer_next("Hello."));
    assert_eq!((replied.0, &replied.1["activities"][0]["text"]), (StatusCode::OK, &json!("Hello.")));
    assert_eq!(scene.service.seen().len(), 0);
}
