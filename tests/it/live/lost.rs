//! A bus that goes, lies or was never there.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use citewire::activity::Activity;
use citewire::bus::BusOptions;
use citewire::store::Batch;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::elsewhere::{nodes, reader, seen_until};
use super::sending::{post, text, until_message};
use crate::app::{Serving, TestApp, answer, citewire};
use crate::redis::{PASSWORD, Redis};

/// The longest wait for an event that must come.
const PATIENCE: Duration = Duration::from_secs(10);

/// A piece of a stream as another node publishes it.
fn piece(stream: &str, words: &str, change: impl FnOnce(&mut Value)) -> String {
    let activity = json!({"type": "typing", "text": words, "timestamp": "2026-01-01T00:00:00Z", "from": {"id": "bot"},
        "channelData": {"streamType": "streaming", "streamSequence": 1, "streamId": stream}});
    let mut message = json!({"v": 1, "node": "another", "kind": "piece", "stream": stream,
        "frame": {"activities": [activity]}});
    change(&mut message);
    message.to_string()
}

/// The warnings of a node that is ready.
async fn warnings(node: &TestApp) -> Value {
    let (status, mut health) = answer(node.get("/readyz", "")).await;
    assert_eq!((status, &health["status"]), (StatusCode::OK, &json!("ok")));
    health["warnings"].take()
}

#[tokio::test]
async fn an_answer_is_right_while_the_bus_is_gone_and_shown_again_when_it_is_back() {
    let mut redis = Redis::start();
    let [a, b] = nodes([redis.bus("default"), redis.bus("default")]);
    let conversation = a.conversation().await;
    let (mut here, mut elsewhere) = (reader(&a, &conversation).await, reader(&b, &conversation).await);
    redis.followed(&conversation.id, 2).await;
    let (sending, response) = post(&a, &conversation, None);
    let write = async {
        sending.delta("one ").await;
        assert_eq!(text(&elsewhere.activity().await), "one");
        redis.stop();
        sending.delta("two ").await;
        assert_eq!(here.texts(2).await, ["one", "one two"]);
        // The node serves on, and says what it does without.
        let warned = async { while warnings(&b).await == Value::Null {} };
        timeout(PATIENCE, warned).await.expect("the node finds out");
        assert!(warnings(&b).await[0].as_str().expect("a text").starts_with("bus: not connected"));
        redis.restart();
        redis.followed(&conversation.id, 2).await;
        assert_eq!(warnings(&b).await, Value::Null);
        sending.delta("three ").await;
        assert_eq!(text(&elsewhere.activity().await), "one two three");
        redis.stop();
        sending.done().await;
        for reader in [&mut here, &mut elsewhere] {
            let seen = until_message(reader).await;
            let last = seen.last().expect("a message");
            assert_eq!((text(last), &last["channelData"]["streamType"]), ("one two three ", &json!("final")));
        }
    };
    let ((status, body), ()) = tokio::join!(response, write);
    assert_eq!(status, StatusCode::CREATED, "{body}");
}

#[tokio::test]
async fn a_stream_whose_node_is_dead_is_withdrawn() {
    let redis = Redis::start();
    let quick = BusOptions { silent_after: Duration::from_millis(300), ..redis.bus("default") };
    let node = TestApp::with(|setup| setup.bus = quick);
    let conversation = node.conversation().await;
    let mut socket = node.open(&conversation).await;
    redis.followed(&conversation.id, 1).await;
    redis.publish(&conversation.id, &piece("s", "one", |_| {})).await;
    assert_eq!(text(&socket.activity().await), "one");
    let last = socket.activity().await;
    assert_eq!((&last["type"], text(&last)), (&json!("message"), ""));
    assert_eq!(last["channelData"], json!({"streamType": "final", "streamId": "s"}));
    // The node was not dead, but its pieces come too late.
    redis.publish(&conversation.id, &piece("s", "one two", |_| {})).await;
    redis.publish(&conversation.id, &piece("next", "of another", |_| {})).await;
    assert_eq!(socket.texts(1).await, ["of another"]);
    assert_eq!(node.history(&conversation, "").await["activities"], json!([]));
}

#[tokio::test]
async fn what_is_late_wrong_or_of_another_version_is_not_shown_and_costs_nothing_that_is_recorded() {
    let redis = Redis::start();
    let node = TestApp::with(|setup| setup.bus = redis.bus("default"));
    let conversation = node.conversation().await;
    let mut socket = node.open(&conversation).await;
    redis.followed(&conversation.id, 1).await;
    let last: Activity = serde_json::from_value(json!({"type": "message", "text": "whole", "from": {"id": "bot"},
        "channelData": {"streamType": "final", "streamId": "s"}}))
    .expect("an activity");
    let id = conversation.id.parse().expect("an id");
    node.store.append(&id, Batch::new(vec![last])).await.expect("a store").expect("a conversation");
    assert_eq!(socket.texts(1).await, ["whole"]);
    for message in [
        piece("s", "late", |_| {}),
        piece("v", "of another version", |message| message["v"] = json!(2)),
        piece("m", "recorded", |message| message["frame"]["activities"][0]["type"] = json!("message")),
        piece("k", "of another kind", |message| message["kind"] = json!("picture")),
        piece("f", "no frame", |message| message["frame"] = json!("}{")),
        piece("p", "behind what nobody said", |message| message["after"] = json!("900")),
        "no JSON".to_owned(),
    ] {
        redis.publish(&conversation.id, &message).await;
    }
    node.say(&conversation.id, "Hello").await;
    assert_eq!(seen_until(&mut socket, "Hello").await, [""; 0]);
    redis.publish(&conversation.id, &piece("n", "the end", |_| {})).await;
    assert_eq!(seen_until(&mut socket, "the end").await, [""; 0]);
    node.say(&conversation.id, "Bye").await;
    assert_eq!(socket.texts(1).await, ["Bye"]);
}

/// The lines of the server's log, until one contains this.
fn says(bus: &str, until: &str) -> Vec<String> {
    said_with(&[], bus, until)
}

fn said_with(environment: &[(&str, &Path)], bus: &str, until: &str) -> Vec<String> {
    let data = tempfile::tempdir().expect("a folder");
    let mut command = citewire(&["serve", "--bind", "127.0.0.1:0"]);
    command.envs(environment.iter().copied());
    command.env("CITEWIRE_DATA_DIR", data.path()).env("CITEWIRE_BUS_URL", bus).env("CITEWIRE_LOG", "trace");
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the command runs");
    let mut said = Vec::new();
    for line in BufReader::new(child.stderr.take().expect("a pipe")).lines() {
        said.push(line.expect("a line"));
        if said.last().is_some_and(|line| line.contains(until)) {
            break;
        }
    }
    child.kill().expect("the server runs");
    child.wait().expect("the server ends");
    said
}

#[test]
fn a_server_starts_without_its_bus_and_never_says_the_password() {
    let mut redis = Redis::start();
    for is_running in [true, false] {
        let said = says(&redis.url("hunter2-hunter2"), "the bus cannot be used");
        let all = said.join("\n");
        assert!(all.contains("livestreams are shown on all nodes that share the bus at redis://127.0.0.1:"), "{all}");
        assert!(
            all.contains("citewire is listening on ") && all.contains("the bus cannot be used"),
            "{is_running}: {all}"
        );
        assert!(!all.contains("hunter2"), "{all}");
        redis.stop();
    }
    let said = says("http://:hunter2@bus", "bus.url").join("\n");
    assert!(said.contains("a bus URL has the form redis://") && !said.contains("hunter2"), "{said}");
}

#[tokio::test]
async fn a_bus_by_tls_is_used_where_its_certificate_is_trusted_and_otherwise_said_to_lack_that() {
    const ROOT: &str = "CITEWIRE_BUS_ROOT_CERTIFICATE";
    let ((redis, root), data) = (Redis::start_encrypted(), tempfile::tempdir().expect("a folder"));
    let (url, trusted) = (redis.url(PASSWORD), root.to_str().expect("text"));
    // The system's roots are those of `SSL_CERT_FILE`, where that is set.
    for variable in [ROOT, "SSL_CERT_FILE"] {
        let serving = Serving::start(data.path(), &[("CITEWIRE_BUS_URL", &*url), (variable, trusted)]);
        let is_up = async {
            loop {
                let metrics = reqwest::get(format!("{}/metrics", serving.url)).await.expect("an answer");
                if metrics.text().await.expect("text").lines().any(|line| line == "citewire_bus_up 1") {
                    return;
                }
            }
        };
        timeout(Duration::from_secs(10), is_up).await.expect("it is used");
    }
    let (_other, another) = Redis::start_encrypted();
    for others in [&[(ROOT, &*another)][..], &[]] {
        let said = said_with(others, &url, "the bus cannot be used").join("\n");
        assert!(
            said.contains("from a root that bus.root_certificate names or the system trusts")
                && said.contains("invalid peer certificate"),
            "{said}"
        );
        assert!(!said.contains(PASSWORD), "{said}");
    }
    let plain = said_with(&[(ROOT, &root)], "redis://bus", "needs rediss://").join("\n");
    assert!(plain.contains("bus.root_certificate (CITEWIRE_BUS_ROOT_CERTIFICATE) needs rediss://"), "{plain}");
    for (file, reason) in
        [(root.with_extension("none"), "No such file"), (data.path().join("empty"), "in PEM is required")]
    {
        if !reason.starts_with("No") {
            std::fs::write(&file, "no certificate").expect("written");
        }
        let said = said_with(&[(ROOT, &file)], &url, reason).join("\n");
        assert!(said.contains(&format!("{ROOT} in the environment: {}: ", file.display())), "{said}");
    }
}
