//! Turns that a server has begun and another one ends. The service takes nothing back, so what was sent is not sent again.

use std::sync::Arc;

use citewire::channels::azure_bot::PublicName;
use citewire::channels::azure_bot::auth::Caller;
use citewire::clock::ManualClock;
use citewire::store::{ConversationStore, NewTurn, Queued, TurnKind, TurnRoom, TurnStage};
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::command::{Running, events};
use super::scene::{FAILURE, GROUP, PATH, Scene};
use crate::app::Nodes;
use crate::connector::{Bubble, Flavour, Service};
use crate::upstreams::model::{Model, Play, Then};

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
    let queue = store.claim_queues(TurnKind::Azure, 9).await.expect("a store").remove(0);
    let turn = store.next_turn(&queue).await.expect("a store").expect("it is left");
    assert_eq!(turn.stage, TurnStage::Waiting, "nothing was seen of an answer");
    let said = said.map(|said| said.to_string());
    store.note_turn(&queue, turn.key, stage, said).await.expect("held");
    store.release_queue(&queue).await.expect("a store");
}

/// The next question; says what the back end is told of those before.
async fn goes_on(scene: &Scene, question: &Value) -> Vec<String> {
    let mut next = question.clone();
    (next["id"], next["text"]) = (json!("next"), json!("next"));
    scene.hand_in(&next).await;
    scene.backend.asked().await.turns()
}

/// The history that the next question is told after this answer. Back ends of tests tell it in small letters.
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
    let scene = Scene::alone().await;
    let question = scene.message("1", "hi");
    let scene = left(scene, &question, TurnStage::Spoken, None).await;
    assert_eq!(scene.texts_after(1, GROUP).await, [FAILURE]);
    let told = goes_on(&scene, &question).await;
    assert_eq!(told, history(FAILURE));
    assert_eq!(scene.chat(GROUP).len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_message_that_may_have_arrived_is_recorded_and_not_sent_again() {
    let scene = Scene::alone().await;
    let question = scene.message("1", "hi");
    let scene = left(scene, &question, TurnStage::Final, Some(json!({"message": message()}))).await;
    let told = goes_on(&scene, &question).await;
    assert_eq!(told, history(ANSWER));
    assert_eq!(scene.service.seen().len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_note_that_cannot_be_read_ends_its_turn_and_no_other() {
    let scene = Scene::alone().await;
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
    let scene = Scene::with(flavour, |setup| setup.nodes = Nodes::One).await;
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

/// The caller that waited for the answer in the response is gone with the process, and its activity may come again.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_call_of_another_process_is_not_answered_and_may_come_again() {
    let scene = Scene::alone().await;
    scene.hand_in(&scene.message("0", "first")).await;
    let first = scene.backend.asked().await;
    let id = PublicName::new(&Caller::Anonymous, "msteams", GROUP).id();
    let scene = scene
        .next(async |store| {
            let body = json!({"kind": "bound", "process": "gone", "call": 1, "name": "n"}).to_string();
            let room = TurnRoom { in_queue: 9, in_all: 9 };
            let turn =
                NewTurn { kind: TurnKind::Azure, body: Some(body), room, name: Some("n".to_owned()), bound: false };
            assert_eq!(store.queue_turn(&id, turn).await.expect("a store"), Some(Queued::Taken));
        })
        .await;
    drop(first);
    scene.answer_next("one").await;
    assert_eq!(scene.texts_after(1, GROUP).await, ["one"]);
    scene.hand_in(&scene.message("1", "second")).await;
    scene.answer_next("two").await;
    assert_eq!(scene.texts_after(2, GROUP).await, ["one", "two"]);
    let room = TurnRoom { in_queue: 9, in_all: 9 };
    let again =
        NewTurn { kind: TurnKind::Bot, body: Some("x".to_owned()), room, name: Some("n".to_owned()), bound: false };
    assert_eq!(scene.app.store.queue_turn(&id, again).await.expect("a store"), Some(Queued::Taken));
}

/// A service may have been taken out of the configuration.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_waits_for_a_service_that_is_not_trusted_any_more_goes_nowhere() {
    let scene = Scene::alone().await;
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

/// A question that waits when the process is killed is answered once; behind a part of an answer that was seen comes
/// one apology.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_was_acknowledged_outlives_a_kill_and_has_one_answer_or_one_apology() {
    let clock = Arc::new(ManualClock::at("2026-11-22T10:00:00Z".parse().expect("a time")));
    let service = Service::start(Flavour::Teams, clock).await;
    let answer = |text: &str| Play::events(events(&[json!({"delta": text}), json!({"done": true})]));
    let model = Model::playing([
        Play::nothing(Then::Stall),
        Play::events(events(&[json!({"delta": "Thirty"})])).then(Then::Stall),
        answer("one"),
        answer("two"),
    ])
    .await;
    let folder = tempfile::tempdir().expect("a folder");
    let config = format!(
        "[azure_bot]\nanonymous = true\nassistant = 'hr'\n[assistants.hr]\nupstream = {{ kind = 'http', url = '{}/ask' }}\n",
        model.url
    );
    std::fs::write(folder.path().join("citewire.toml"), config).expect("written");
    let client = reqwest::Client::builder().build().expect("a client");
    let hand_in = async |running: &Running, id: &str, conversation: Value| {
        let activity = json!({
            "type": "message", "id": id, "text": id, "channelId": "msteams", "serviceUrl": service.url(),
            "from": {"id": "29:ann"}, "recipient": {"id": "28:bot"}, "conversation": conversation,
        });
        let status =
            client.post(format!("{}{PATH}", running.url)).json(&activity).send().await.expect("an answer").status();
        assert_eq!(status, StatusCode::ACCEPTED);
    };
    let group = || json!({"id": GROUP, "conversationType": "groupChat", "isGroup": true});
    let running = Running::start(folder.path(), &[]);
    hand_in(&running, "first", group()).await;
    model.was_called(1).await;
    hand_in(&running, "second", group()).await;
    hand_in(&running, "seen", json!({"id": PERSONAL, "conversationType": "personal"})).await;
    service.called(2).await;
    assert_eq!(service.chat(PERSONAL).last().map(Bubble::text), Some("Thirty"));
    // Dropping it sends SIGKILL.
    drop(running);
    let running = Running::start(folder.path(), &[]);
    service.called(5).await;
    let texts = |conversation: &str| -> Vec<String> {
        service.chat(conversation).iter().map(|bubble| bubble.text().to_owned()).collect()
    };
    assert_eq!(
        (texts(GROUP), texts(PERSONAL)),
        (vec!["one".into(), "two".into()], vec!["Thirty".into(), FAILURE.into()])
    );
    hand_in(&running, "second", group()).await;
    running.interrupt();
    assert_eq!((model.seen().len(), service.seen().len()), (4, 5), "a repeated activity is known after the kill");
}
