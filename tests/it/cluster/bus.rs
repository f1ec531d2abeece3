//! A bus that dies or sleeps while nodes of one database serve.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::json;
use tokio::time::timeout;

use super::model::{Asked, Model};
use super::node::{Chat, Cluster, Node, PATIENCE};
use super::together::{recorded, shows, text};
use crate::app::{API_KEY, Socket, answer};
use crate::postgres::Database;
use crate::redis::{PASSWORD, Redis};

/// Nothing that is recorded waits for the bus.
const PROMPT: Duration = Duration::from_secs(2);

const GONE: &str = "the bus cannot be used";
const BACK: &str = "the bus is back";

/// Two nodes with a bus, and a conversation that is read on both of them.
struct Stage {
    redis: Redis,
    model: Model,
    nodes: [Node; 2],
    chat: Chat,
    readers: [Socket; 2],
}

impl Stage {
    async fn new() -> Self {
        let (database, model, redis) = (Database::new().await, Model::start().await, Redis::start());
        let cluster = Cluster::over(&database.url).asking(&model.url).set("CITEWIRE_BUS_URL", &redis.url(PASSWORD));
        let nodes: [Node; 2] = cluster.start_many().await;
        let chat = nodes[0].open_chat().await;
        let readers = [nodes[0].socket(&chat, None).await, nodes[1].socket(&chat, None).await];
        redis.followed(&chat.id, 2).await;
        Self { redis, model, nodes, chat, readers }
    }

    /// A question to the first node, which answers it, as it has a reader.
    async fn ask(&mut self, question: &str) -> Asked {
        self.nodes[0].say(&self.chat, question).await;
        let mut asked = self.model.asked().await;
        asked.begin().await;
        for reader in &mut self.readers {
            assert_eq!(text(&recorded(reader).await), question);
        }
        asked
    }

    /// Both readers see this piece.
    async fn see(&mut self, shown: &str) {
        for reader in &mut self.readers {
            timeout(PATIENCE, shows(reader, shown)).await.expect("it is shown");
        }
    }

    /// Recorded activities reach the readers on both nodes, wherever they were posted.
    async fn post_many(&self) {
        let chat = self.nodes[0].open_chat().await;
        let mut readers = [self.nodes[0].socket(&chat, None).await, self.nodes[1].socket(&chat, None).await];
        for number in 0..20 {
            let words = number.to_string();
            let path = format!("/v1/conversations/{}/answers", chat.id);
            let post = self.nodes[number % 2].post(&path, API_KEY).json(&json!({"text": words}));
            let (status, body) = timeout(PROMPT, answer(post)).await.expect("in time");
            assert_eq!(status, StatusCode::CREATED, "{body}");
            for reader in &mut readers {
                assert_eq!(text(&timeout(PROMPT, recorded(reader)).await.expect("in time")), words);
            }
        }
    }

    /// The answer so far is seen where it is written, and whole by everybody.
    async fn end_without_bus(&mut self, mut asked: Asked) {
        self.post_many().await;
        asked.say("two ").await;
        // Mostly on the first node; on a busy machine the other one may have taken the question.
        let [one, other] = &mut self.readers;
        let seen = async {
            tokio::select! { () = shows(one, "one two") => {}, () = shows(other, "one two") => {} }
        };
        timeout(PATIENCE, seen).await.expect("somebody sees it");
        asked.done().await;
        for reader in &mut self.readers {
            assert_eq!(text(&recorded(reader).await), "one two ");
        }
        self.each_says(GONE, 1).await;
    }

    /// A new answer is seen by both readers, and all that was said of the bus was that it went and came back.
    async fn end_with_bus(&mut self) {
        self.each_says(BACK, 1).await;
        self.redis.followed(&self.chat.id, 2).await;
        let mut asked = self.ask("how").await;
        asked.say("to how").await;
        self.see("to how").await;
        self.post_many().await;
        asked.done().await;
        for reader in &mut self.readers {
            assert_eq!(text(&recorded(reader).await), "to how");
        }
        self.each_says("see that it runs and can be reached", 1).await;
        self.each_says(BACK, 1).await;
    }

    async fn each_says(&self, words: &str, times: usize) {
        for node in &self.nodes {
            node.says(words, times).await;
        }
    }
}

#[tokio::test]
async fn a_bus_that_is_killed_costs_pieces_until_it_is_back() {
    let mut stage = Stage::new().await;
    let mut asked = stage.ask("why").await;
    asked.say("one ").await;
    stage.see("one").await;
    stage.redis.stop();
    stage.end_without_bus(asked).await;
    stage.redis.restart();
    stage.end_with_bus().await;
}

#[tokio::test]
async fn a_bus_that_sleeps_is_given_up_and_used_again_when_it_wakes() {
    let mut stage = Stage::new().await;
    let mut asked = stage.ask("why").await;
    asked.say("one ").await;
    stage.see("one").await;
    let asleep = stage.redis.pause().await;
    stage.end_without_bus(asked).await;
    drop(asleep);
    stage.end_with_bus().await;
}

#[tokio::test]
async fn a_bus_that_hesitates_only_shows_pieces_later() {
    let mut stage = Stage::new().await;
    let mut asked = stage.ask("why").await;
    asked.say("one ").await;
    stage.see("one").await;
    let asleep = stage.redis.pause().await;
    asked.say("two ").await;
    while text(&stage.readers[0].activity().await) != "one two" {}
    drop(asleep);
    while text(&stage.readers[1].activity().await) != "one two" {}
    asked.say("three").await;
    stage.see("one two three").await;
    stage.each_says(GONE, 0).await;
}

#[tokio::test]
async fn a_user_who_lacks_a_command_is_told_of_once_however_often_it_is_tried() {
    let (database, redis) = (Database::new().await, Redis::start());
    redis.add_user("limited", "hunter2", &["subscribe", "publish", "pubsub", "ping"]).await;
    let url = redis.url("hunter2").replacen("//", "//limited", 1);
    let node = Cluster::over(&database.url).set("CITEWIRE_BUS_URL", &url).start().await;
    node.says("UNSUBSCRIBE, PUBSUB and PING, on the channels citewire:*", 1).await;
    redis.connected(4).await;
    assert_eq!((node.count(GONE), node.count(BACK), node.count("hunter2")), (1, 0, 0), "{:?}", node.said());
    // Given it, the user is let in.
    redis.add_user("limited", "hunter2", &["subscribe", "unsubscribe", "publish", "pubsub", "ping"]).await;
    node.says(BACK, 1).await;
    let chat = node.open_chat().await;
    let socket = node.socket(&chat, None).await;
    redis.followed(&chat.id, 1).await;
    drop(socket);
    redis.followed(&chat.id, 0).await;
    assert_eq!((node.count(GONE), node.count(BACK)), (1, 1), "{:?}", node.said());
}

/// Anybody who could write to Redis spoke as the bot.
#[tokio::test]
async fn what_no_node_has_signed_is_not_shown() {
    let mut stage = Stage::new().await;
    let channel = format!("citewire:default:{}", stage.chat.id);
    let forged = |kind: &str| {
        let activity = json!({"type": kind, "from": {"role": "bot"}, "text": "FORGED"});
        json!({"v": 1, "node": "evil", "kind": "shown", "frame": {"activities": [activity]}}).to_string()
    };
    let unsigned = [forged("message"), forged("typing")];
    let signed = unsigned.each_ref().map(|message| format!("{}{message}", "A".repeat(43)));
    let mut client = stage.redis.client().await;
    for message in unsigned.iter().chain(&signed) {
        let mut publish = redis::cmd("PUBLISH");
        let heard: u64 = publish.arg(&channel).arg(message).query_async(&mut client).await.expect("published");
        assert_eq!(heard, 2);
    }
    let mut asked = stage.ask("why").await;
    asked.say("because").await;
    for reader in &mut stage.readers {
        loop {
            let shown = reader.activity().await;
            assert_ne!(text(&shown), "FORGED");
            if text(&shown) == "because" {
                break;
            }
        }
    }
    asked.done().await;
    for node in &stage.nodes {
        node.says("a message of the bus was not shown", 1).await;
        // A node may judge the last of them behind what it shows of its own.
        let refused = timeout(PATIENCE, async {
            loop {
                let count = refused(node).await;
                if count >= 4 {
                    return count;
                }
            }
        });
        assert_eq!(refused.await.expect("all are judged"), 4);
    }
}

/// The messages of the bus that a node has not shown.
async fn refused(node: &Node) -> u64 {
    let metrics = node.get("/metrics", API_KEY).send().await.expect("an answer").text().await.expect("a text");
    let count = metrics.lines().find_map(|line| line.strip_prefix("citewire_bus_refused_total "));
    count.expect("a figure").parse().expect("a number")
}

/// A captured message is good in its own conversation alone.
#[tokio::test]
async fn a_message_of_one_conversation_is_not_shown_in_another() {
    let mut stage = Stage::new().await;
    let mut hearing = stage.redis.client().await;
    let other = stage.nodes[0].open_chat().await;
    let mut reader = stage.nodes[1].socket(&other, None).await;
    stage.redis.followed(&other.id, 1).await;
    let (sender, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let config = redis::AsyncConnectionConfig::new().set_push_sender(sender);
    let url = format!("{}?protocol=resp3", stage.redis.url(PASSWORD));
    let spy = redis::Client::open(url).expect("a client");
    let mut spy = spy.get_multiplexed_async_connection_with_config(&config).await.expect("Redis runs");
    spy.subscribe(format!("citewire:default:{}", stage.chat.id)).await.expect("subscribed");
    let mut asked = stage.ask("why").await;
    asked.say("because").await;
    stage.see("because").await;
    let captured = loop {
        let pushed = heard.recv().await.expect("a message");
        if let (redis::PushKind::Message, [_, redis::Value::BulkString(message)]) = (&pushed.kind, &*pushed.data) {
            break message.clone();
        }
    };
    let channel = format!("citewire:default:{}", other.id);
    let mut publish = redis::cmd("PUBLISH");
    let followers: u64 = publish.arg(&channel).arg(captured).query_async(&mut hearing).await.expect("published");
    assert_eq!(followers, 1);
    stage.nodes[0].say(&other, "something else").await;
    assert_eq!(text(&reader.activity().await), "something else");
    stage.nodes[1].says("its signature is wrong", 1).await;
    asked.done().await;
}

/// Each refused what the other had signed, and neither said so.
#[tokio::test]
async fn nodes_with_other_secrets_say_so() {
    let database = Database::new().await;
    let cluster = Cluster::over(&database.url);
    let first = cluster.start().await;
    let warnings = async |node: &Node| answer(node.get("/readyz", API_KEY)).await.1["warnings"].clone();
    assert_eq!(warnings(&first).await, json!(null));
    let settings = [
        ("CITEWIRE_DIRECT_LINE_SECRET", "the-secret-of-another-cluster"),
        ("CITEWIRE_API_KEY", "another-key-of-the-tests"),
    ];
    for (at, (setting, value)) in settings.into_iter().enumerate() {
        let second = Cluster::over(&database.url).set(setting, value).start().await;
        second.says("other nodes of the database have other secrets", 1).await;
        let said = warnings(&second).await.to_string();
        assert!(said.contains("secrets: other nodes"), "{setting}: {said}");
        first.says("other nodes of the database have other secrets", at + 1).await;
        second.terminate().await;
        first.says("all nodes of the database have the same secrets again", at + 1).await;
    }
    // While a secret is exchanged, nodes agree.
    let exchanging =
        Cluster::over(&database.url).set("CITEWIRE_DIRECT_LINE_SECOND_SECRET", "the-next-secret-of-the-nodes");
    let third = exchanging.start().await;
    assert_eq!(warnings(&third).await, json!(null));
}
