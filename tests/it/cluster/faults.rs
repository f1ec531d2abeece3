//! Faults between nodes and their database.

use std::time::Duration;

use reqwest::StatusCode;
use serde_json::json;
use tokio::time::{Instant, timeout};

use super::model::Model;
use super::node::{Cluster, Node};
use super::together::recorded;
use crate::app::{API_KEY, answer};
use crate::postgres::{Database, Pair, Proxy, Weather};

/// A node whose way to the database can break, and one with a way of its own.
async fn nodes(write_timeout: &str) -> (Proxy, Node, Node) {
    let (database, proxy) = (Database::new().await, Proxy::start().await);
    let cluster = |url: &str| Cluster::over(url).set("CITEWIRE_STORE_WRITE_TIMEOUT_SECONDS", write_timeout);
    let (behind, direct) = (cluster(&database.at(&proxy.hosts)), cluster(&database.url));
    let (behind, direct) = tokio::join!(behind.start(), direct.start());
    (proxy, behind, direct)
}

#[tokio::test]
async fn posts_and_reads_wait_while_the_database_is_away() {
    let (proxy, node, other) = nodes("20").await;
    let chat = node.open_chat().await;
    node.say(&chat, "before").await;
    let mut socket = node.socket(&chat, None).await;
    proxy.set(Weather::Closed);
    proxy.cut();
    let back = async {
        proxy.refused(3).await;
        proxy.set(Weather::Fine);
    };
    let (id, texts, ()) = tokio::join!(node.say(&chat, "meanwhile"), node.texts(&chat), back);
    assert_eq!(id, chat.at(1));
    assert_eq!(texts[0], "before");
    assert_eq!(other.texts(&chat).await, ["before", "meanwhile"]);
    // The socket has not noticed.
    other.say(&chat, "behind").await;
    assert_eq!(socket.texts(3).await, ["before", "meanwhile", "behind"]);
}

#[tokio::test]
async fn a_database_that_stays_away_is_said_and_the_node_is_ready_for_half_a_minute() {
    let (proxy, node, other) = nodes("1").await;
    let chat = node.open_chat().await;
    proxy.set(Weather::Closed);
    proxy.cut();
    let away = Instant::now();
    let (status, body) = node.try_say(&chat, "hi").await;
    assert_eq!((status, body["error"]["code"].as_str()), (StatusCode::SERVICE_UNAVAILABLE, Some("ServiceUnavailable")));
    assert_eq!(answer(node.get(&chat.path("/activities"), &chat.token)).await.0, StatusCode::SERVICE_UNAVAILABLE);
    let answers = format!("/v1/conversations/{}/answers", chat.id);
    let (status, body) = answer(node.post(&answers, API_KEY).json(&json!({"text": "hi"}))).await;
    assert_eq!((status, body["code"].as_str()), (StatusCode::SERVICE_UNAVAILABLE, Some("store_failed")), "{body}");
    let unready = async {
        while node.get("/readyz", API_KEY).send().await.expect("an answer").status() == StatusCode::OK {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    timeout(Duration::from_secs(40), unready).await.expect("the balancer is told");
    assert!(away.elapsed() > Duration::from_secs(29), "a failover takes all nodes away: {:?}", away.elapsed());
    assert_eq!(node.get("/healthz", API_KEY).send().await.expect("an answer").status(), StatusCode::OK);
    assert_eq!(other.get("/readyz", API_KEY).send().await.expect("an answer").status(), StatusCode::OK);
    assert_eq!(other.texts(&chat).await, Vec::<String>::new(), "what was refused is not there");
    proxy.set(Weather::Fine);
    let ready =
        async { while node.get("/readyz", API_KEY).send().await.expect("an answer").status() != StatusCode::OK {} };
    timeout(Duration::from_secs(10), ready).await.expect("it comes back by itself");
    assert_eq!(node.say(&chat, "again").await, chat.at(0));
}

/// It went on to show its answer beside that of the node that had taken its turn over.
#[tokio::test]
async fn a_node_that_is_cut_off_breaks_its_answer_off_by_itself() {
    let (database, proxy, model) = (Database::new().await, Proxy::start().await, Model::start().await);
    let cluster = |url: &str| Cluster::over(url).asking(&model.url);
    let (behind, direct) = (cluster(&database.at(&proxy.hosts)), cluster(&database.url));
    let (node, other) = tokio::join!(behind.start(), direct.start());
    let chat = other.open_chat().await;
    let mut socket = node.socket(&chat, None).await;
    node.say(&chat, "why").await;
    let mut cut = model.asked().await;
    cut.begin().await;
    cut.say("to ").await;
    let mut shown = socket.activity().await;
    while shown["text"] != "to" {
        shown = socket.activity().await;
    }
    proxy.set(Weather::Closed);
    proxy.cut();
    cut.given_up().await;
    let asked = model.asked().await;
    asked.answer("to why, by another").await;
    let answered = other.socket(&chat, None).await.texts(2).await;
    assert_eq!(answered, ["why", "to why, by another"]);
    proxy.set(Weather::Fine);
    // The new answer takes the place of the one that was broken off.
    let answered = recorded(&mut socket).await;
    assert_eq!(answered["text"], "to why, by another");
    assert_eq!(answered["channelData"]["streamId"], shown["channelData"]["streamId"]);
    // The node serves on.
    node.say(&chat, "how").await;
    model.asked().await.answer("to how").await;
    assert_eq!(recorded(&mut socket).await["text"], "how");
    assert_eq!(recorded(&mut socket).await["text"], "to how");
}

#[tokio::test]
async fn a_connection_that_swallows_everything_is_replaced() {
    let (proxy, node, other) = nodes("8").await;
    let chat = node.open_chat().await;
    let mut socket = node.socket(&chat, None).await;
    node.say(&chat, "before").await;
    assert_eq!(socket.texts(1).await, ["before"]);
    // Among them the one that listens, so that the sweep has to find what others record.
    proxy.silence();
    other.say(&chat, "elsewhere").await;
    assert_eq!(node.texts(&chat).await, ["before", "elsewhere"]);
    assert_eq!(socket.texts(1).await, ["elsewhere"]);
    node.say(&chat, "here").await;
    assert_eq!(other.texts(&chat).await, ["before", "elsewhere", "here"]);
}

#[tokio::test]
async fn a_post_whose_commit_gets_no_answer_is_recorded_once_or_said_to_be_doubtful() {
    let (proxy, node, other) = nodes("2").await;
    let chat = node.open_chat().await;
    proxy.set(Weather::LosesAnswerOfCommit(&Weather::Fine));
    assert_eq!(node.say(&chat, "one").await, chat.at(0));
    proxy.set(Weather::LosesCommit);
    assert_eq!(node.say(&chat, "two").await, chat.at(1));
    proxy.set(Weather::LosesAnswerOfCommit(&Weather::Closed));
    let (status, body) = node.try_say(&chat, "three").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(body.to_string().contains("not known whether"), "{body}");
    assert_eq!(other.texts(&chat).await, ["one", "two", "three"]);
}

#[tokio::test]
async fn without_its_standby_a_post_is_doubtful_and_nobody_reads_it_before_it_is_safe() {
    let mut pair = Pair::start().await;
    let cluster = Cluster::over(&pair.url()).set("CITEWIRE_STORE_WRITE_TIMEOUT_SECONDS", "2");
    let [node, other] = cluster.start_many().await;
    let chat = node.open_chat().await;
    node.say(&chat, "safe").await;
    pair.kill_standby();
    let (status, body) = node.try_say(&chat, "waiting").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(body.to_string().contains("not known whether"), "{body}");
    // The place behind it is not given before.
    let (status, body) = other.try_say(&chat, "refused").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(!body.to_string().contains("not known whether"), "{body}");
    for node in [&node, &other] {
        assert_eq!(node.texts(&chat).await, ["safe"]);
    }
    let mut socket = other.socket(&chat, Some(0)).await;
    pair.wait_for_nobody().await;
    assert_eq!(socket.texts(1).await, ["waiting"]);
    assert_eq!(other.say(&chat, "behind").await, chat.at(2));
    assert_eq!(node.texts(&chat).await, ["safe", "waiting", "behind"]);
}
