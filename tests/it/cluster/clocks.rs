//! Machines whose clocks are wrong.

use chrono::{DateTime, Utc};
use reqwest::StatusCode;
use sqlx::PgConnection;
use tokio::time::timeout;

use std::path::Path;
use std::time::Duration;

use super::model::Model;
use super::node::{Cluster, Node, dead_after};
use super::together::{recorded, text};
use crate::app::{API_KEY, answer};
use crate::postgres::Database;

/// The longest wait for an event that must come.
const PATIENCE: Duration = Duration::from_secs(20);

/// Stands between a process and the clock of its machine.
fn faketime() -> String {
    let multiarch = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path());
    let folders = multiarch.chain(["/usr/lib".into()]);
    let found = folders.map(|folder| folder.join("faketime/libfaketimeMT.so.1")).find(|path| path.is_file());
    let found = found.expect("libfaketime is missing (Debian: `apt-get install faketime`)");
    Path::new(&found).display().to_string()
}

/// Nodes on a machine whose clock is wrong by this.
fn wrong_by(offset: &str, cluster: Cluster) -> Cluster {
    let cluster = cluster.set("LD_PRELOAD", &faketime()).set("FAKETIME", offset).set("NO_FAKE_STAT", "1");
    // Timers ask the kernel, which knows nothing of the fake clock.
    cluster.set("FAKETIME_DONT_FAKE_MONOTONIC", "1").set("DONT_FAKE_MONOTONIC", "1")
}

async fn offset(node: &Node) -> f64 {
    let metrics = node.get("/metrics", API_KEY).send().await.expect("an answer").text().await.expect("text");
    let value = metrics.lines().find_map(|line| line.strip_prefix("citewire_clock_offset_seconds "));
    value.expect("a figure").parse().expect("a number")
}

async fn time(database: &mut PgConnection, question: &'static str) -> DateTime<Utc> {
    sqlx::query_scalar(question).fetch_one(database).await.expect(question)
}

#[tokio::test]
async fn nodes_whose_clocks_are_hours_apart_write_one_history_and_take_each_others_tokens() {
    let database = Database::new().await;
    let cluster = || Cluster::over(&database.url);
    let (behind, ahead, right) = (wrong_by("-1h", cluster()), wrong_by("+1h", cluster()), cluster());
    let nodes = tokio::join!(behind.start(), ahead.start(), right.start());
    let nodes = [nodes.0, nodes.1, nodes.2];
    for (node, expected) in nodes.iter().zip([3600.0, -3600.0, 0.0]) {
        let offset = offset(node).await;
        assert!((offset - expected).abs() < 60.0, "{offset} for {expected}");
        let warned = node.count("the clocks of this machine and of the database are apart");
        assert_eq!(warned, usize::from(expected != 0.0), "{:?}", node.said());
    }
    let mut connection = database.connect().await;
    for by in 0..nodes.len() {
        let begun = time(&mut connection, "SELECT clock_timestamp()").await;
        let chat = nodes[by].open_chat().await;
        for number in 0..6 {
            nodes[number % 3].say(&chat, &number.to_string()).await;
        }
        let ended = time(&mut connection, "SELECT clock_timestamp()").await;
        let log = nodes[by].log(&chat).await;
        let times: Vec<DateTime<Utc>> = log
            .iter()
            .map(|activity| activity["timestamp"].as_str().expect("a time").parse().expect("a time"))
            .collect();
        assert!(times.is_sorted_by(|a, b| a < b) && times.len() == 6, "{times:?}");
        // The margin is that of the nodes' clocks.
        let margin = Duration::from_millis(500);
        assert!(times[0] > begun - margin && times[5] < ended + margin, "{begun} {times:?} {ended}");
        let path = "/v3/directline/tokens/refresh";
        for node in &nodes {
            let (status, body) = answer(node.post(path, &chat.token)).await;
            assert_eq!(status, StatusCode::OK, "{body}");
        }
    }
}

#[tokio::test]
async fn a_node_whose_clock_is_wrong_neither_looks_dead_nor_takes_others_for_dead() {
    let (database, model) = (Database::new().await, Model::start().await);
    let cluster = || Cluster::over(&database.url).asking(&model.url);
    let (behind, ahead) = (wrong_by("-1h", cluster()), wrong_by("+1h", cluster()));
    let (behind, ahead) = tokio::join!(behind.start(), ahead.start());
    let chat = ahead.open_chat().await;
    let _socket = behind.socket(&chat, None).await;
    ahead.say(&chat, "why").await;
    let asked = model.asked().await;
    // The other one has looked for dead nodes meanwhile.
    let mut connection = database.connect().await;
    let begun = time(&mut connection, "SELECT min(seen) FROM node").await;
    let beats =
        async { while time(&mut connection, "SELECT min(seen) FROM node").await < begun + 3 * dead_after() / 2 {} };
    timeout(PATIENCE, beats).await.expect("hearts beat");
    asked.answer("to why").await;
    let mut reader = ahead.socket(&chat, None).await;
    for expected in ["why", "to why"] {
        assert_eq!(text(&recorded(&mut reader).await), expected);
    }
    // Killed in the middle of another one, it is as dead as any node.
    let chat = ahead.open_chat().await;
    let _socket = behind.socket(&chat, None).await;
    ahead.say(&chat, "how").await;
    let _unanswered = model.asked().await;
    behind.kill();
    let again = model.asked().await;
    assert_eq!(again.question, "how");
    again.answer("to how").await;
    let mut reader = ahead.socket(&chat, None).await;
    for expected in ["how", "to how"] {
        assert_eq!(text(&recorded(&mut reader).await), expected);
    }
    ahead.says("turns of a dead node are taken over", 1).await;
}
