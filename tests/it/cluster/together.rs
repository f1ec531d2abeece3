//! Several processes serve one set of conversations.

use futures_util::future::join_all;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use std::time::Duration;

use super::model::{Asked, Model};
use super::node::{Chat, Cluster, Node};
use crate::app::{API_KEY, BOT_SECRET, Socket, answer, respond};
use crate::postgres::Database;

/// The longest wait for an event that must come.
const PATIENCE: Duration = Duration::from_secs(20);

pub(super) fn text(activity: &Value) -> &str {
    activity["text"].as_str().unwrap_or_default()
}

/// Waits until a reader is shown this.
pub(super) async fn shows(reader: &mut Socket, shown: &str) {
    while text(&reader.activity().await) != shown {}
}

/// The next activity that is recorded, whatever is shown before.
pub(super) async fn recorded(socket: &mut Socket) -> Value {
    loop {
        let activity = socket.activity().await;
        if super::history::place_of(activity["id"].as_str().expect("an id")).is_some() {
            return activity;
        }
    }
}

/// Waits until the log has this many activities; returns their texts.
async fn grown(node: &Node, chat: &Chat, count: usize) -> Vec<String> {
    let enough = async {
        loop {
            let texts = node.texts(chat).await;
            if texts.len() >= count {
                return texts;
            }
        }
    };
    timeout(PATIENCE, enough).await.expect("the conversation grows in time")
}

#[tokio::test]
async fn a_conversation_is_the_same_on_every_node() {
    let database = Database::new().await;
    let [a, b, c] = Cluster::over(&database.url).start_many().await;
    let chat = a.open_chat().await;
    let mut socket = c.socket(&chat, None).await;
    for number in 0..20_u64 {
        let node = [&a, &b, &c][usize::try_from(number % 3).expect("small")];
        assert_eq!(node.say(&chat, &number.to_string()).await, chat.at(number));
        // Once it is acknowledged, each node reads it.
        assert_eq!(a.texts(&chat).await.len() as u64, number + 1);
    }
    let expected: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    assert_eq!(socket.texts(20).await, expected);
    drop(socket);
    let mut socket = b.socket(&chat, Some(12)).await;
    assert_eq!(socket.texts(7).await, expected[13..]);
    // A file.
    let upload = a.post(&chat.path("/upload?userId=dl_ann"), &chat.token).header("content-type", "text/plain");
    let upload = upload.header("content-disposition", "attachment; filename=\"a.txt\"").body("all of it");
    assert_eq!(answer(upload).await.0, StatusCode::OK);
    let file = recorded(&mut socket).await["attachments"][0].clone();
    let url = file["contentUrl"].as_str().expect("a URL").replace("http://balancer.example", "");
    let fetched = c.get(&url, &chat.token).send().await.expect("an answer").text().await;
    assert_eq!(fetched.expect("a text"), "all of it");
    // Deleted on one node, it is gone on all.
    let deleted = b.request(reqwest::Method::DELETE, &format!("/v1/conversations/{}", chat.id), API_KEY);
    assert_eq!(answer(deleted).await.0, StatusCode::NO_CONTENT);
    assert!(socket.close_code().await.is_some());
    assert_eq!(answer(c.get(&chat.path("/activities"), &chat.token)).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_question_is_answered_once_whoever_was_asked() {
    let (database, model) = (Database::new().await, Model::start().await);
    let [a, b, c] = Cluster::over(&database.url).asking(&model.url).start_many().await;
    let chat = a.open_chat().await;
    let mut socket = c.socket(&chat, None).await;
    for (node, question) in [(&a, "why"), (&b, "how"), (&c, "who")] {
        let id = node.say(&chat, question).await;
        let asked = model.asked().await;
        assert_eq!(asked.question, question);
        asked.answer(&format!("to {question}")).await;
        assert_eq!(text(&recorded(&mut socket).await), question);
        let reply = recorded(&mut socket).await;
        assert_eq!((text(&reply), &reply["replyToId"]), (&*format!("to {question}"), &json!(id)));
    }
    // Questions to several nodes at once are answered in the order of the history.
    join_all([(&a, "1"), (&b, "2"), (&c, "3")].map(|(node, question)| node.say(&chat, question))).await;
    let asked_for: Vec<String> = grown(&b, &chat, 9).await[6..].to_vec();
    for question in &asked_for {
        let asked = model.asked().await;
        assert_eq!(&asked.question, question);
        asked.answer(&format!("to {question}")).await;
    }
    let answers: Vec<String> = asked_for.iter().map(|question| format!("to {question}")).collect();
    assert_eq!(grown(&a, &chat, 12).await[9..], answers);
}

/// A conversation with a reader on the first node, which therefore answers a question that was posted to the second one.
async fn answered_by_the_first(model: &Model, a: &Node, b: &Node) -> (Chat, Socket, Asked, Value) {
    let chat = b.open_chat().await;
    let mut socket = a.socket(&chat, None).await;
    b.say(&chat, "why").await;
    let mut asked = model.asked().await;
    asked.begin().await;
    asked.say("to ").await;
    assert_eq!(text(&recorded(&mut socket).await), "why");
    // Only the node that answers shows the answer while it is written.
    let shown = loop {
        let activity = socket.activity().await;
        if text(&activity) == "to" {
            break activity;
        }
    };
    assert_eq!(shown["type"], "typing");
    (chat, socket, asked, shown["channelData"]["streamId"].clone())
}

#[tokio::test]
async fn the_question_of_a_node_that_was_killed_is_answered_by_another() {
    let (database, model) = (Database::new().await, Model::start().await);
    let [a, b, c] = Cluster::over(&database.url).asking(&model.url).start_many().await;
    let (chat, _, _asked, stream) = answered_by_the_first(&model, &a, &b).await;
    let killed = Instant::now();
    a.kill();
    let mut socket = c.socket(&chat, Some(0)).await;
    let asked = model.asked().await;
    assert!(killed.elapsed() < Duration::from_secs(15), "{:?}", killed.elapsed());
    asked.answer("to why").await;
    let answered = recorded(&mut socket).await;
    // Readers see it in the place of what was broken off; there was half an answer above the whole one.
    assert_eq!((text(&answered), &answered["channelData"]["streamId"]), ("to why", &stream));
    assert_eq!(answered["channelData"]["streamType"], "final");
    assert_eq!(b.texts(&chat).await, ["why", "to why"]);
}

#[tokio::test]
async fn a_node_that_slept_for_too_long_records_nothing_more() {
    let (database, model) = (Database::new().await, Model::start().await);
    let [a, b] = Cluster::over(&database.url).asking(&model.url).start_many().await;
    let (chat, mut socket, slow, stream) = answered_by_the_first(&model, &a, &b).await;
    a.signal("-STOP");
    let asked = model.asked().await;
    asked.answer("to why, by another").await;
    assert_eq!(grown(&b, &chat, 2).await, ["why", "to why, by another"]);
    a.signal("-CONT");
    slow.done().await;
    // Readers there get the answer in the place of the part that was shown before.
    let answered = recorded(&mut socket).await;
    assert_eq!((text(&answered), &answered["channelData"]["streamId"]), ("to why, by another", &stream));
    assert_eq!(a.texts(&chat).await.len(), 2);
    // The node serves on.
    a.say(&chat, "how").await;
    model.asked().await.answer("to how").await;
    assert_eq!(grown(&a, &chat, 4).await[2..], ["how", "to how"]);
}

#[tokio::test]
async fn a_node_that_ends_loses_nothing() {
    let (database, model) = (Database::new().await, Model::start().await);
    let [a, b] = Cluster::over(&database.url).asking(&model.url).start_many().await;
    let (chat, mut socket, asked, _) = answered_by_the_first(&model, &a, &b).await;
    b.say(&chat, "how").await;
    a.signal("-TERM");
    let draining =
        async { while a.get("/readyz", API_KEY).send().await.expect("an answer").status() == StatusCode::OK {} };
    timeout(PATIENCE, draining).await.expect("the balancer is told");
    // The node takes posts until others know that it is ending, and gives their turns to them.
    assert_eq!(a.say(&chat, "who").await, chat.at(2));
    asked.done().await;
    for question in ["how", "who"] {
        let asked = model.asked().await;
        assert_eq!(asked.question, question);
        asked.answer(&format!("to {question}")).await;
    }
    assert_eq!(grown(&b, &chat, 6).await, ["why", "how", "who", "to ", "to how", "to who"]);
    let mut last = None;
    let code = loop {
        match socket.message().await {
            Some(tokio_tungstenite::tungstenite::Message::Close(frame)) => break frame.expect("a reason").code,
            Some(message) => last = Some(message),
            None => panic!("closed without a word after {last:?}"),
        }
    };
    assert_eq!(u16::from(code), 1001);
    a.terminate().await;
}

#[tokio::test]
async fn the_bot_may_reply_to_any_node_and_nobody_apologises_behind_it() {
    let (database, bot) = (Database::new().await, Model::start().await);
    let cluster =
        Cluster::over(&database.url).set("CITEWIRE_BOT_ENDPOINT", &bot.url).set("CITEWIRE_BOT_SECRET", BOT_SECRET);
    let [a, b] = cluster.set("CITEWIRE_ASSISTANT", "").start_many().await;
    let chat = a.open_chat().await;
    let mut update = bot.asked().await;
    assert_eq!(update.request.json()["type"], "conversationUpdate");
    respond(&mut update.stream, 200, "x: y", "").await;
    a.say(&chat, "hi").await;
    let mut told = bot.asked().await;
    let activity = told.request.json();
    assert_eq!(activity["text"], "hi");
    let ticket = activity["serviceUrl"].as_str().expect("a URL").replace("http://balancer.example", "");
    let to = activity["id"].as_str().expect("an id").replace('|', "%7C");
    let path = format!("{ticket}v3/conversations/{}/activities/{to}", chat.id);
    let reply = json!({"type": "message", "text": "to hi"});
    assert_eq!(answer(b.post(&path, BOT_SECRET).json(&reply)).await.0, StatusCode::OK);
    // The model then breaks down.
    respond(&mut told.stream, 500, "x: y", "").await;
    // The next turn begins when this one is at its end.
    b.say(&chat, "there").await;
    let mut told = bot.asked().await;
    assert_eq!(told.request.json()["text"], "there");
    assert_eq!(a.texts(&chat).await, ["hi", "to hi", "there"]);
    respond(&mut told.stream, 200, "x: y", "").await;
}

#[tokio::test]
async fn a_bot_that_a_sleeping_node_has_told_is_told_again_and_heard_once() {
    let (database, bot) = (Database::new().await, Model::start().await);
    let cluster = Cluster::over(&database.url).set("CITEWIRE_BOT_ENDPOINT", &bot.url);
    let cluster = cluster.set("CITEWIRE_BOT_SECRET", BOT_SECRET).set("CITEWIRE_BOT_DELIVERY", "expect_replies");
    let [a, b] = cluster.set("CITEWIRE_ASSISTANT", "").start_many().await;
    let reply = async |mut told: Asked, text: &str| {
        let replies = json!({"activities": [{"type": "message", "text": text}]});
        respond(&mut told.stream, 200, "content-type: application/json", &replies.to_string()).await;
    };
    let chat = b.open_chat().await;
    respond(&mut bot.asked().await.stream, 200, "x: y", "").await;
    let _socket = a.socket(&chat, None).await;
    b.say(&chat, "one").await;
    reply(bot.asked().await, "to one").await;
    // With this answer no node holds the line, and the next turn is that of the node with the reader.
    assert_eq!(grown(&b, &chat, 2).await, ["one", "to one"]);
    b.say(&chat, "two").await;
    let slow = bot.asked().await;
    a.signal("-STOP");
    let told = bot.asked().await;
    assert_eq!(told.request.json()["text"], "two");
    reply(told, "to two").await;
    assert_eq!(grown(&b, &chat, 4).await[2..], ["two", "to two"]);
    a.signal("-CONT");
    reply(slow, "to two, too late").await;
    a.say(&chat, "three").await;
    reply(bot.asked().await, "to three").await;
    assert_eq!(grown(&a, &chat, 6).await[2..], ["two", "to two", "three", "to three"]);
}

#[tokio::test]
async fn an_answer_under_one_key_that_comes_to_two_nodes_at_once_is_recorded_once() {
    let database = Database::new().await;
    let [a, b] = Cluster::over(&database.url).start_many().await;
    let chat = a.open_chat().await;
    let path = format!("/v1/conversations/{}/answers", chat.id);
    for number in 0..8 {
        let body = json!({"text": format!("answer {number}")});
        let posts = [&a, &b].map(|node| {
            let request = node.post(&path, API_KEY).header("idempotency-key", format!("key {number}"));
            answer(request.json(&body))
        });
        let answers = join_all(posts).await;
        for (status, body) in &answers {
            assert_eq!((*status, &body["id"]), (StatusCode::CREATED, &json!(chat.at(number))), "{body}");
        }
    }
    let texts: Vec<String> = (0..8).map(|number| format!("answer {number}")).collect();
    assert_eq!(b.texts(&chat).await, texts);
}

#[tokio::test]
async fn an_assistant_that_is_made_on_one_node_answers_on_the_others() {
    let database = Database::new().await;
    let [a, b] = Cluster::over(&database.url).start_many().await;
    let ask = async |expected: &str| {
        let begun = Instant::now();
        loop {
            let body =
                json!({"model": "hr", "messages": [{"role": "user", "content": "How many days of leave are there?"}]});
            let (_, answered) = answer(b.post("/v1/chat/completions", API_KEY).json(&body)).await;
            let content = answered["choices"][0]["message"]["content"].as_str().unwrap_or_default();
            if content.contains(expected) {
                return;
            }
            assert!(begun.elapsed() < Duration::from_secs(10), "after ten seconds: {answered}");
        }
    };
    let put = |path: &str| a.request(reqwest::Method::PUT, path, API_KEY);
    assert_eq!(answer(put("/v1/assistants/hr").json(&json!({"documents": {}}))).await.0, StatusCode::CREATED);
    let leave = |days: u32| {
        put("/v1/assistants/hr/documents/leave.md").body(format!("# Leave\n\nLeave is {days} days a year.\n"))
    };
    assert_eq!(answer(leave(30)).await.0, StatusCode::CREATED);
    ask("30 days").await;
    assert!(answer(leave(28)).await.0.is_success());
    ask("28 days").await;
    let (status, settings) = answer(b.get("/v1/assistants/hr", API_KEY)).await;
    assert_eq!((status, settings), (StatusCode::OK, json!({"documents": {}})));
}

/// The log once did not tell which caller had sent a secret where.
#[tokio::test]
async fn a_change_of_an_assistant_has_a_line_with_key_path_and_version() {
    let database = Database::new().await;
    let node = Cluster::over(&database.url).set("CITEWIRE_LOG", "info").start().await;
    let put = |path: &str, body: &'static str| node.request(Method::PUT, path, API_KEY).body(body);
    let (stored, settings) = answer(put("/v1/assistants/hr", "{\"documents\":{}}")).await;
    assert_eq!(stored, StatusCode::CREATED, "{settings}");
    let (uploaded, document) = answer(put("/v1/assistants/hr/documents/leave.md", "# Leave\n\n30 days.")).await;
    assert!(uploaded.is_success(), "{document}");
    let (refused, _) = answer(put("/v1/assistants/it", "{\"documents\":5}")).await;
    assert_eq!(refused, StatusCode::UNPROCESSABLE_ENTITY);
    let deleted = node.request(Method::DELETE, "/v1/assistants/hr/documents/leave.md", API_KEY);
    assert_eq!(answer(deleted).await.0, StatusCode::NO_CONTENT);
    for (what, path) in [
        ("stored", "path=\"/v1/assistants/hr\" version="),
        ("stored", "path=\"/v1/assistants/hr/documents/leave.md\" version="),
        ("deleted", "path=\"/v1/assistants/hr/documents/leave.md\""),
    ] {
        node.says(&format!("citewire::http::audit: {what}"), if what == "stored" { 2 } else { 1 }).await;
        let said = node.said();
        let line = said.iter().find(|line| line.contains(&format!(": {what} ")) && line.contains(path));
        let line = line.unwrap_or_else(|| panic!("{what} {path} is not in {said:#?}"));
        assert!(line.contains("key=\"api_key\"") && line.contains("request.id="), "{line}");
    }
}
