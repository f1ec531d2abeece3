//! Users who ask while others ask, while an answer is written, and those who go.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::join_all;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::sync::Barrier;

use super::log;
use super::scene::{HALF, QUESTION, Scene, delta, events, half, http, team};
use crate::app::{API_KEY, Socket, answer, texts};
use crate::upstreams::model::{Model, Play, Then};

/// An answer that repeats the question, which only a test would do.
fn echo(call: &Value) -> Vec<u8> {
    let question = call["question"].as_str().unwrap_or_default();
    events(&[delta(&format!("You asked: {question}")), json!({"done": true})])
}

/// The activities that a reader sees up to `count` messages of the bot.
async fn messages(socket: &mut Socket, count: usize) -> Vec<Value> {
    let (mut seen, mut left) = (Vec::new(), count);
    while left > 0 {
        let activity = socket.activity().await;
        if activity["from"]["role"] != "user" {
            left -= usize::from(activity["type"] == "message");
            seen.push(activity);
        }
    }
    seen
}

/// The turns before the last question, as the back end was told: `user: …`.
fn told(call: &Value) -> Vec<String> {
    let turns = call["messages"].as_array().expect("messages");
    let text = |turn: &Value, name: &str| turn[name].as_str().unwrap_or_default().to_owned();
    turns.iter().map(|turn| text(turn, "role") + ": " + &text(turn, "content")).collect()
}

#[tokio::test]
async fn two_tabs_that_ask_at_once_both_get_both_answers_one_after_the_other() {
    let model = Model::playing([Play::replying(echo), Play::replying(echo)]).await;
    let mut scene = Scene::new(team(http(&model.url, ""), |_| {})).await;
    let other = scene.app.reconnect(&scene.conversation, "").await;
    let mut other_socket = scene.app.open(&other).await;
    other_socket.ping().await;
    tokio::join!(scene.app.post_text(&scene.conversation, "one"), scene.app.post_text(&other, "two"));
    for socket in [&mut scene.socket, &mut other_socket] {
        let seen = messages(socket, 2).await;
        let first = seen.iter().position(|activity| activity["type"] == "message").expect("a message") + 1;
        let stream = |activity: &Value| activity["channelData"]["streamId"].clone();
        for answer in [&seen[..first], &seen[first..]] {
            let id = stream(&answer[answer.len() - 1]);
            assert!(answer.iter().all(|activity| stream(activity) == id), "{answer:?}");
        }
        assert_ne!(stream(&seen[0]), stream(&seen[seen.len() - 1]));
        let mut said = [&seen[first - 1], &seen[seen.len() - 1]].map(|message| message["text"].as_str().unwrap_or(""));
        said.sort_unstable();
        assert_eq!(said, ["You asked: one", "You asked: two"]);
    }
    let history = texts(&scene.app.history(&scene.conversation, "").await);
    assert_eq!(history.len(), 4, "{history:?}");
}

#[tokio::test]
async fn a_question_that_comes_while_an_answer_is_written_is_asked_when_that_is_whole_and_with_it() {
    let seen = Arc::new(Barrier::new(2));
    let rest = events(&[delta(" a year."), json!({"done": true})]);
    let model = Model::playing([Play::events(half()).held(&seen, rest), Play::replying(echo)]).await;
    let mut scene = Scene::new(team(http(&model.url, ""), |_| {})).await;
    scene.ask(QUESTION).await;
    scene.until_shown().await;
    scene.ask("And in Germany?").await;
    assert_eq!(model.seen().len(), 1, "it waits");
    seen.wait().await;
    let said = messages(&mut scene.socket, 2).await;
    let said: Vec<&Value> = said.iter().filter(|activity| activity["type"] == "message").collect();
    assert_eq!(said[0]["text"], format!("{HALF} a year."));
    assert_eq!(said[1]["text"], "You asked: And in Germany?");
    let (question, answer) = (format!("user: {QUESTION}"), format!("assistant: {HALF} a year."));
    assert_eq!(told(&model.seen()[1].body), [question, answer, "user: And in Germany?".to_owned()]);
}

#[tokio::test]
async fn questions_that_wait_are_not_asked_along_with_the_one_before_them() {
    let seen = Arc::new(Barrier::new(2));
    let first = Play::events(half()).held(&seen, events(&[json!({"done": true})]));
    let model = Model::playing([first, Play::replying(echo), Play::replying(echo)]).await;
    let mut scene = Scene::new(team(http(&model.url, ""), |_| {})).await;
    scene.ask("one").await;
    scene.until_shown().await;
    scene.ask("two").await;
    scene.ask("three").await;
    seen.wait().await;
    messages(&mut scene.socket, 3).await;
    let calls = model.seen();
    assert_eq!(calls[1].body["question"], "two");
    assert_eq!(told(&calls[1].body), ["user: one".to_owned(), format!("assistant: {HALF}"), "user: two".to_owned()]);
    assert_eq!(calls[2].body["question"], "three");
    let last = told(&calls[2].body);
    assert_eq!(last[last.len() - 1], "user: three");
    assert!(last.contains(&format!("assistant: {HALF}\n\nYou asked: two")), "{last:?}");
}

#[tokio::test]
async fn a_conversation_that_is_deleted_ends_its_call() {
    for (play, is_shown) in [(Play::nothing(Then::Stall), false), (Play::events(half()).then(Then::Stall), true)] {
        let model = Model::playing([play]).await;
        let mut scene = Scene::new(team(http(&model.url, ""), |_| {})).await;
        scene.ask(QUESTION).await;
        if is_shown {
            scene.until_shown().await;
        } else {
            model.was_called(1).await;
        }
        let Scene { app, conversation, .. } = scene;
        let path = format!("/v1/conversations/{}", conversation.id);
        let (status, _) = answer(app.request(Method::DELETE, &path).bearer_auth(API_KEY)).await;
        assert_eq!(status, StatusCode::NO_CONTENT);
        model.was_left(1).await;
        app.ended().await;
        assert_eq!(log::about(&conversation.id), Vec::<String>::new(), "nothing is wrong");
    }
}

#[tokio::test]
async fn two_hundred_conversations_at_once_over_a_slow_back_end_are_all_answered_once() {
    const MANY: usize = 200;
    let files = rlimit::increase_nofile_limit(4_096).expect("a limit of open files");
    assert!(files >= 2_000, "this test needs 2000 open files, and `ulimit -Hn` is {files}");
    // None of the answers ends before all have begun.
    let all = Arc::new(Barrier::new(MANY));
    let play = Play::replying(|call| events(&[delta(call["question"].as_str().unwrap_or_default())]))
        .held(&all, events(&[delta(" It is so."), json!({"done": true})]));
    let model = Model::playing(std::iter::repeat_n(play, MANY)).await;
    let Scene { app, .. } = Scene::with(team(http(&model.url, ""), |_| {}), |options| options.max_turns = MANY).await;
    let asked = join_all((0..MANY).map(async |number| {
        let conversation = app.conversation().await;
        let mut socket = app.open(&conversation).await;
        socket.ping().await;
        let question = format!("Question {number}?");
        app.post_text(&conversation, &question).await;
        let seen = messages(&mut socket, 1).await;
        let last = &seen[seen.len() - 1];
        for activity in &seen {
            assert_eq!(activity["channelData"]["streamId"], seen[0]["id"], "{activity}");
        }
        assert_eq!(last["text"], format!("{question} It is so."));
        let history = texts(&app.history(&conversation, "").await);
        assert_eq!(history, [question.clone(), format!("{question} It is so.")]);
        assert_eq!(log::about(&conversation.id), Vec::<String>::new());
        question
    }))
    .await;
    let mut calls = BTreeMap::new();
    for call in model.seen() {
        *calls.entry(call.body["question"].as_str().unwrap_or_default().to_owned()).or_insert(0) += 1;
    }
    assert_eq!(calls, asked.into_iter().map(|question| (question, 1)).collect());
}
