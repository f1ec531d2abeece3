use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::app::{Bot, Dice, Reaction, Serving, number, sized};

const SECRET: &str = "the-direct-line-secret-of-the-tests";

/// The number of clients that write at the same time, half of them to each conversation.
const CLIENTS: usize = 6;

/// A conversation, its token from before the first kill, and what was acknowledged in it: text by id.
struct Witness {
    id: String,
    token: String,
    acknowledged: BTreeMap<String, String>,
}

fn serve(folder: &std::path::Path) -> Serving {
    let environment = [("CITEWIRE_API_KEY", "the-api-key-of-the-tests"), ("CITEWIRE_DIRECT_LINE_SECRET", SECRET)];
    Serving::start(folder, &environment)
}

fn path(serving: &Serving, conversation: &str, rest: &str) -> String {
    format!("{}/v3/directline/conversations/{conversation}{rest}", serving.url)
}

async fn start(client: &reqwest::Client, serving: &Serving) -> Witness {
    let url = format!("{}/v3/directline/conversations", serving.url);
    let answer = client.post(url).bearer_auth(SECRET).json(&json!({"user": {"id": "ann"}})).send().await;
    let body: Value = answer.expect("an answer").json().await.expect("JSON");
    let text = |name: &str| body[name].as_str().expect("text").to_owned();
    Witness { id: text("conversationId"), token: text("token"), acknowledged: BTreeMap::new() }
}

/// Everything in the conversation, read page by page with the old token.
async fn history(client: &reqwest::Client, serving: &Serving, witness: &Witness) -> Vec<Value> {
    let (mut activities, mut watermark) = (Vec::new(), String::new());
    loop {
        let url = path(serving, &witness.id, &format!("/activities?watermark={watermark}"));
        let answer = client.get(url).bearer_auth(&witness.token).send().await.expect("an answer");
        assert_eq!(answer.status(), 200, "a token from before the kill is still good");
        let set: Value = answer.json().await.expect("JSON");
        let page = set["activities"].as_array().expect("activities");
        if page.is_empty() {
            return activities;
        }
        activities.extend(page.iter().cloned());
        watermark = set["watermark"].as_str().expect("a watermark").to_owned();
    }
}

/// Checks that acknowledged activities are there once and under their ids, places have no gap, and times and the
/// activities of each client are in order.
fn verify(witness: &Witness, history: &[Value]) {
    let mut found = witness.acknowledged.clone();
    let mut last_of = BTreeMap::new();
    let mut last_time = String::new();
    for (place, activity) in history.iter().enumerate() {
        let text = |name: &str| activity[name].as_str().expect("text").to_owned();
        let (id, said, time) = (text("id"), text("text"), text("timestamp"));
        assert_eq!(id, format!("{}|{place:07}", witness.id));
        if let Some(acknowledged) = found.remove(&id) {
            assert_eq!(acknowledged, said);
        }
        assert!(time > last_time, "{time} comes after {last_time}");
        last_time = time;
        let (client, number) = said.split_once(' ').expect("a client and a number");
        let number: u64 = number.parse().expect("a number");
        let before = last_of.insert(client.to_owned(), number);
        assert!(before.is_none_or(|before| before < number), "client {client} said {number} after {before:?}");
    }
    assert_eq!(found, BTreeMap::new(), "acknowledged and lost");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_outlives_every_kill() {
    let (kills, mut dice) = (number("CITEWIRE_TEST_KILLS", sized(20)), Dice(number("PROPTEST_RNG_SEED", 20_240_704)));
    let folder = tempfile::tempdir().expect("a folder");
    let client = reqwest::Client::builder().build().expect("a client");
    let mut serving = serve(folder.path());
    let mut witnesses = [start(&client, &serving).await, start(&client, &serving).await];
    let said = Arc::new(AtomicUsize::new(0));
    for _ in 0..kills {
        let (limit, acknowledged) = (1 + dice.below(120), Arc::new(AtomicUsize::new(0)));
        let process = serving.child.id().to_string();
        let clients = (0..CLIENTS).map(|number| {
            let witness = &witnesses[number % 2];
            let (url, token) = (path(&serving, &witness.id, "/activities"), witness.token.clone());
            let (client, process) = (client.clone(), process.clone());
            let (acknowledged, said) = (Arc::clone(&acknowledged), Arc::clone(&said));
            async move {
                let mut mine = Vec::new();
                loop {
                    let text = format!("{number} {}", said.fetch_add(1, Ordering::Relaxed));
                    let body = json!({"type": "message", "from": {"id": "ann"}, "text": text});
                    let Ok(answer) = client.post(&url).bearer_auth(&token).json(&body).send().await else {
                        return mine;
                    };
                    assert_eq!(answer.status(), 200);
                    let Ok(answer) = answer.json::<Value>().await else {
                        return mine;
                    };
                    mine.push((number % 2, answer["id"].as_str().expect("an id").to_owned(), text));
                    if acknowledged.fetch_add(1, Ordering::Relaxed) as u64 + 1 == limit {
                        let kill = std::process::Command::new("kill").args(["-KILL", &process]).status();
                        assert!(kill.expect("kill runs").success());
                    }
                }
            }
        });
        for (witness, id, text) in join_all(clients).await.into_iter().flatten() {
            let before = witnesses[witness].acknowledged.insert(id, text);
            assert_eq!(before, None, "an id was given twice");
        }
        drop(serving);
        serving = serve(folder.path());
        for witness in &witnesses {
            verify(witness, &history(&client, &serving, witness).await);
        }
    }
    assert!(witnesses.iter().map(|witness| witness.acknowledged.len() as u64).sum::<u64>() >= kills);
    assert_eq!(serving.interrupt(), Some(0));
    assert!(!folder.path().join("citewire.db-wal").exists(), "the log was moved into the file");
}

/// A question that a bot had not answered when the process was killed got neither an answer nor an apology.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_outlives_a_kill_and_gets_one_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let sent = AtomicUsize::new(0);
    let bot = Bot::acting(move |told| match told["text"].as_str() {
        Some("hi") if sent.fetch_add(1, Ordering::Relaxed) == 0 => Reaction::Silence,
        Some(text) => Reaction::Json(json!({"activities": [{"type": "message", "text": format!("to {text}")}]})),
        None => Reaction::Status(202),
    });
    let endpoint = bot.binding().endpoint.to_string();
    let environment = [
        ("CITEWIRE_API_KEY", "the-api-key-of-the-tests"),
        ("CITEWIRE_DIRECT_LINE_SECRET", SECRET),
        ("CITEWIRE_BOT_ENDPOINT", &endpoint),
        ("CITEWIRE_BOT_DELIVERY", "expect_replies"),
    ];
    let client = reqwest::Client::builder().build().expect("a client");
    let serving = Serving::start(folder.path(), &environment);
    let witness = start(&client, &serving).await;
    for text in ["hi", "there"] {
        let body = json!({"type": "message", "from": {"id": "ann"}, "text": text});
        let url = path(&serving, &witness.id, "/activities");
        let answer = client.post(url).bearer_auth(&witness.token).json(&body).send().await.expect("an answer");
        assert_eq!(answer.status(), 200);
    }
    bot.activities(2).await;
    drop(serving);
    let serving = Serving::start(folder.path(), &environment);
    bot.activities(2).await;
    let texts = async || {
        let history = history(&client, &serving, &witness).await;
        history.iter().map(|activity| activity["text"].as_str().expect("text").to_owned()).collect::<Vec<_>>()
    };
    while texts().await.len() < 4 {}
    assert_eq!(texts().await, ["hi", "there", "to hi", "to there"]);
}

/// A question that ends the process which answers it was once given up without a trace.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_is_given_up_is_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let bot = Bot::acting(|told| match told["text"].as_str() {
        Some(_) => Reaction::Silence,
        None => Reaction::Status(202),
    });
    let endpoint = bot.binding().endpoint.to_string();
    let environment = [
        ("CITEWIRE_API_KEY", "the-api-key-of-the-tests"),
        ("CITEWIRE_DIRECT_LINE_SECRET", SECRET),
        ("CITEWIRE_BOT_ENDPOINT", &endpoint),
    ];
    let client = reqwest::Client::builder().build().expect("a client");
    let mut serving = Serving::start(folder.path(), &environment);
    let witness = start(&client, &serving).await;
    let body = json!({"type": "message", "from": {"id": "ann"}, "text": "hi"});
    let url = path(&serving, &witness.id, "/activities");
    let answer = client.post(url).bearer_auth(&witness.token).json(&body).send().await.expect("an answer");
    assert_eq!(answer.status(), 200);
    for _ in 0..2 {
        // The two activities: the user has come, and the question.
        bot.activities(2).await;
        drop(serving);
        serving = Serving::start(folder.path(), &environment);
    }
    while history(&client, &serving, &witness).await.len() < 2 {}
    let figures = client.get(format!("{}/metrics", serving.url)).send().await.expect("an answer");
    let figures = figures.text().await.expect("text");
    assert!(figures.contains("citewire_apologies_total{kind=\"given_up\"} 1"), "{figures}");
}
