//! Limits of what the users of the channel can have a model do.

use std::sync::Arc;
use std::time::Duration;

use citewire::channels::direct_line::DirectLineOptions;
use tokio::sync::Barrier;

use super::scene::{BROKE_OFF, BUSY, FAILURE, HALF, QUESTION, Scene, delta, events, good, half, http, team};
use crate::upstreams::model::{Model, Play, Then};

const SHORT: Duration = Duration::from_millis(300);

/// A back end that sent a comment a second held the line of its conversation for as long as it liked.
#[tokio::test]
async fn an_answer_that_only_keeps_its_connection_alive_ends_when_its_time_is_up() {
    for slow in [Play::events(": still here\n\n").then(Then::Repeat), Play::nothing(Then::Stall)] {
        let model = Model::playing([slow, good()]).await;
        let mut scene = Scene::with(team(http(&model.url, ""), |_| {}), |options| options.answer_within = SHORT).await;
        scene.ask(QUESTION).await;
        let outcome = scene.outcome().await;
        assert_eq!(outcome.said, [FAILURE]);
        assert!(outcome.log.contains("direct_line.answer_seconds"), "{}", outcome.log);
    }
}

#[tokio::test]
async fn what_has_come_of_an_answer_stays_when_its_time_is_up() {
    let model = Model::playing([Play::events(half()).then(Then::Stall), good()]).await;
    let mut scene = Scene::with(team(http(&model.url, ""), |_| {}), |options| options.answer_within = SHORT).await;
    scene.ask(QUESTION).await;
    let outcome = scene.outcome().await;
    assert_eq!(outcome.said, [HALF, BROKE_OFF]);
    assert!(outcome.log.contains("direct_line.answer_seconds"), "{}", outcome.log);
}

/// One of 16 MB filled the conversation and went to every reader, again and again.
#[tokio::test]
async fn an_answer_that_is_too_long_ends_with_a_whole_sentence() {
    let sentence = "Leave is thirty days a year. ";
    let long = sentence.repeat(10_000);
    let pieces: Vec<_> = (0..10_000).map(|_| delta(sentence)).collect();
    let whole = Play::events(serde_json::json!({"text": long}).to_string()).header("content-type: application/json");
    for play in [Play::events(events(&[delta(&long)])), Play::events(events(&pieces)).then(Then::Stall), whole] {
        let model = Model::playing([play, good()]).await;
        let change = |options: &mut DirectLineOptions| options.max_answer_bytes = 4096;
        let mut scene = Scene::with(team(http(&model.url, ""), |_| {}), change).await;
        scene.ask(QUESTION).await;
        let outcome = scene.outcome().await;
        let [text, note] = outcome.said.as_slice() else { panic!("{:?}", outcome.said) };
        assert!((4000..=4096).contains(&text.len()) && text.ends_with("a year."), "{} bytes", text.len());
        assert_eq!(note, BROKE_OFF);
        assert!(outcome.log.contains("direct_line.max_answer_bytes"), "{}", outcome.log);
        let shown = outcome.shown.iter().filter_map(|activity| activity["text"].as_str()).map(str::len).max();
        assert!(shown.is_none_or(|longest| longest <= 4096), "{shown:?}");
    }
}

/// Comments and empty events kept a connection alive until the time of the whole answer was up.
#[tokio::test]
async fn who_never_comes_to_words_is_given_up() {
    for drip in [": still here\n\n", "data: {\"delta\": \"\"}\n\n", "d"] {
        let model = Model::playing([Play::events(drip).then(Then::Repeat), good()]).await;
        let mut scene = Scene::new(team(http(&model.url, "first_words_seconds = 0.3"), |_| {})).await;
        scene.ask(QUESTION).await;
        let outcome = scene.outcome().await;
        assert_eq!(outcome.said, [FAILURE]);
        assert!(outcome.log.contains("127.0.0.1 sent no words for 0.3 s"), "{}", outcome.log);
    }
}

/// A question of 250 KB went to the model whole, at the cost of the operator.
#[tokio::test]
async fn a_question_that_is_too_long_goes_to_nobody() {
    let model = Model::playing([good()]).await;
    let mut scene = Scene::with(team(http(&model.url, ""), |_| {}), |options| options.max_question_bytes = 64).await;
    scene.ask(&"\u{1f334}".repeat(17)).await;
    let told = scene.first_message().await;
    assert_eq!(told["text"], "Your question is too long for me. Please ask a shorter one.");
    scene.ask(QUESTION).await;
    assert_eq!(scene.first_message().await["text"].as_str().map(|text| text.starts_with("Yes")), Some(true));
    assert_eq!(model.seen().len(), 1);
}

/// Sixty visitors had sixty calls to the model made at one time.
#[tokio::test]
async fn questions_beyond_the_turns_wait_and_those_beyond_the_waiting_are_told_to_come_again() {
    // One is answered, four wait; the answer is held back until the sixth has been told.
    let told = Arc::new(Barrier::new(2));
    let held = Play::events(events(&[delta("Yes")])).held(&told, events(&[serde_json::json!({"done": true})]));
    let model = Model::playing([held, good(), good(), good(), good()]).await;
    let mut scene = Scene::with(team(http(&model.url, ""), |_| {}), |options| options.max_turns = 1).await;
    scene.ask(QUESTION).await;
    scene.until_shown().await;
    let mut waiting = Vec::new();
    for _ in 0..4 {
        let conversation = scene.app.conversation().await;
        let mut socket = scene.app.open(&conversation).await;
        socket.ping().await;
        scene.app.post_text(&conversation, "And I?").await;
        // The typing sign is shown before the turn begins.
        while socket.activity().await["type"] != "typing" {}
        waiting.push((conversation, socket));
    }
    let late = scene.app.conversation().await;
    let mut socket = scene.app.open(&late).await;
    scene.app.post_text(&late, "And I?").await;
    let refused = loop {
        let activity = socket.activity().await;
        if activity["type"] == "message" && activity["from"]["role"] != "user" {
            break activity;
        }
    };
    assert_eq!(refused["text"], BUSY);
    assert_eq!(model.seen().len(), 1, "one call at a time");
    told.wait().await;
    for (_, socket) in &mut waiting {
        loop {
            let activity = socket.activity().await;
            if activity["type"] == "message" && activity["from"]["role"] != "user" {
                assert!(activity["text"].as_str().is_some_and(|text| text.starts_with("Yes")), "{activity}");
                break;
            }
        }
    }
    assert_eq!(model.seen().len(), 5);
}

/// One assistant with a slow or costly model had as many calls to it as anybody asked for.
#[tokio::test]
async fn an_assistant_answers_as_many_questions_at_one_time_as_it_may() {
    let told = Arc::new(Barrier::new(2));
    let held = Play::events(events(&[delta("Yes")])).held(&told, events(&[serde_json::json!({"done": true})]));
    let model = Model::playing([held, good()]).await;
    let mut scene = Scene::new(team(http(&model.url, ""), |options| options.max_turns = Some(1))).await;
    scene.ask(QUESTION).await;
    scene.until_shown().await;
    let other = scene.app.conversation().await;
    let mut socket = scene.app.open(&other).await;
    socket.ping().await;
    scene.app.post_text(&other, "And I?").await;
    while socket.activity().await["type"] != "typing" {}
    assert_eq!(model.seen().len(), 1, "one call at a time");
    told.wait().await;
    loop {
        let activity = socket.activity().await;
        if activity["type"] == "message" && activity["from"]["role"] != "user" {
            assert!(activity["text"].as_str().is_some_and(|text| text.starts_with("Yes, in writing")), "{activity}");
            break;
        }
    }
    assert_eq!(model.seen().len(), 2);
}
