//! The client of Web Chat, botframework-directlinejs 0.15.8, as a child process: `tests/client/client.mjs`.

use std::path::Path;
use std::process::Stdio;

use citewire::clock::Clock as _;
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use super::authentication::claims;
use crate::app::{Conversation, TestApp, answer, sized};

/// Values of `ConnectionStatus` of the client.
const ONLINE: u8 = 2;
const EXPIRED_TOKEN: u8 = 3;
const ENDED: u8 = 5;

/// The client. Its process ends with the value.
struct RealClient {
    _child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl RealClient {
    fn start(app: &TestApp, settings: &Value) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/client");
        assert!(
            folder.join("node_modules/.package-lock.json").exists(),
            "the client is not installed: run `npm ci --ignore-scripts` in {}, or `cargo xtask test tests`, which does it",
            folder.display()
        );
        let mut settings = settings.clone();
        settings["domain"] = json!(format!("{}/v3/directline", app.url));
        let mut command = Command::new("node");
        command.arg("client.mjs").arg(settings.to_string()).current_dir(&folder).env_remove("NODE_ENV");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().expect("node runs");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        Self { input: child.stdin.take().expect("its input"), lines, _child: child }
    }

    async fn online(app: &TestApp, settings: &Value) -> Self {
        let mut client = Self::start(app, settings);
        client.until(|told| told["status"] == ONLINE).await;
        client
    }

    async fn tell(&mut self, command: &Value) {
        self.input.write_all(format!("{command}\n").as_bytes()).await.expect("it listens");
    }

    async fn post(&mut self, text: &str) {
        self.tell(&json!({"do": "post", "activity": {"type": "message", "text": text, "from": {"id": "dl_ann"}}}))
            .await;
    }

    async fn next(&mut self) -> Value {
        let line = self.lines.next_line().await.expect("text").expect("it goes on");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"))
    }

    /// The reports of the client up to the wanted one, which comes last.
    async fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut told = Vec::new();
        loop {
            told.push(self.next().await);
            if told.last().is_some_and(&is_it) {
                return told;
            }
        }
    }

    /// The texts of the activities up to `last`, which is the last one.
    async fn texts_until(&mut self, last: &str) -> Vec<String> {
        let told = self.until(|told| told["activity"]["text"] == last).await;
        texts(&told)
    }
}

fn texts(told: &[Value]) -> Vec<String> {
    told.iter().filter_map(|told| told["activity"]["text"].as_str()).map(str::to_owned).collect()
}

fn numbers(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|number| number.to_string()).collect()
}

fn with_token(conversation: &Conversation) -> Value {
    json!({"token": conversation.token})
}

#[tokio::test]
async fn what_is_posted_is_echoed_and_what_the_bot_says_comes_in_order() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut client = RealClient::online(&app, &with_token(&conversation)).await;
    for number in 0..100 {
        app.say(&conversation.id, &number.to_string()).await;
    }
    assert_eq!(client.texts_until("99").await, numbers(0..100));
    client.post("Grüße 😀").await;
    let (mut posted, mut echoed) = (Value::Null, Value::Null);
    while posted.is_null() || echoed.is_null() {
        let mut told = client.next().await;
        if told.get("posted").is_some() {
            posted = told["posted"].take();
        } else if told["activity"]["text"] == "Grüße 😀" {
            echoed = told["activity"]["id"].take();
        }
    }
    assert_eq!(posted, echoed);
    client.tell(&json!({"do": "end"})).await;
    client.until(|told| told["status"] == ENDED).await;
}

/// A pseudo-random number below `bound`; the same ones in every run.
fn draw(state: &mut u64, bound: u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) % bound
}

/// Each cut falls into a burst; the client then asks for what follows its watermark.
#[tokio::test]
async fn after_many_cuts_nothing_is_lost_doubled_or_out_of_order() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut settings = with_token(&conversation);
    settings["quick"] = json!(true);
    let mut client = RealClient::online(&app, &settings).await;
    let (mut random, mut said, mut heard) = (1, 0, Vec::new());
    for _ in 0..sized(100) {
        let (before, behind) = (1 + draw(&mut random, 6), 1 + draw(&mut random, 6));
        for part in [before, behind] {
            for _ in 0..part {
                app.say(&conversation.id, &said.to_string()).await;
                said += 1;
            }
            if part == before {
                client.tell(&json!({"do": "cut"})).await;
            }
        }
        let last = (said - 1).to_string();
        heard.extend(client.texts_until(&last).await);
    }
    assert_eq!(heard, numbers(0..said));
}

#[tokio::test]
async fn a_new_client_goes_on_after_a_watermark() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    for number in 0..10 {
        app.say(&conversation.id, &number.to_string()).await;
    }
    let mut settings = with_token(&conversation);
    settings["conversationId"] = json!(conversation.id);
    for (watermark, from) in [("6", 7), ("", 0)] {
        settings["watermark"] = json!(watermark);
        let mut client = RealClient::online(&app, &settings).await;
        assert_eq!(client.texts_until("9").await, numbers(from..10), "{watermark:?}");
    }
}

#[tokio::test]
async fn a_polling_client_sees_everything_once_and_in_order() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut settings = with_token(&conversation);
    settings["webSocket"] = json!(false);
    settings["pollingInterval"] = json!(200);
    let mut client = RealClient::online(&app, &settings).await;
    for number in 0..20 {
        app.say(&conversation.id, &number.to_string()).await;
    }
    assert_eq!(client.texts_until("19").await, numbers(0..20));
    client.post("last").await;
    let told = client.until(|told| told["activity"]["text"] == "last").await;
    assert_eq!(texts(&told), ["last"]);
}

#[tokio::test]
async fn files_come_back_under_their_names_byte_by_byte() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut client = RealClient::online(&app, &with_token(&conversation)).await;
    let file = |content: &str| json!({"name": "a.txt", "contentType": "text/plain", "contentUrl": format!("data:text/plain,{content}")});
    let activity = json!({"type": "message", "text": "two files", "from": {"id": "dl_ann"}, "channelData": {"x": [1]},
        "attachments": [file("one"), file("two")]});
    client.tell(&json!({"do": "post", "activity": activity})).await;
    let told = client.until(|told| told["activity"]["text"] == "two files").await;
    let echo = &told.last().expect("the echo")["activity"];
    assert_eq!(echo["channelData"], json!({"x": [1]}));
    let attachments = echo["attachments"].as_array().expect("a list");
    let names: Vec<_> = attachments.iter().map(|one| one["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["a.txt", "a (1).txt"]);
    for (attachment, content) in attachments.iter().zip(["one", "two"]) {
        let url = attachment["contentUrl"].as_str().expect("an address");
        let response = app.client.get(url).send().await.expect("an answer");
        assert_eq!((response.status(), response.text().await.expect("text")), (StatusCode::OK, content.to_owned()));
    }
}

#[tokio::test]
async fn a_renewed_token_carries_on_when_the_first_has_expired() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut client = RealClient::online(&app, &with_token(&conversation)).await;
    app.clock.advance(chrono::Duration::seconds(1_000));
    client.tell(&json!({"do": "renew"})).await;
    // The client got another token when it started, too.
    let least = app.clock.now().timestamp() + 1_800;
    client.until(|told| told.get("token").is_some() && claims(told)["exp"].as_i64() >= Some(least)).await;
    app.clock.advance(chrono::Duration::seconds(900));
    let (status, _) = answer(app.get(&conversation.path("/activities"), &conversation.token)).await;
    assert_eq!(status, StatusCode::FORBIDDEN);
    client.post("still here").await;
    client.until(|told| told["posted"].as_str().is_some_and(|id| id != "retry")).await;
}

#[tokio::test]
async fn an_expired_token_is_told_as_such() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut client = RealClient::online(&app, &with_token(&conversation)).await;
    app.clock.advance(chrono::Duration::seconds(1_801));
    client.post("too late").await;
    client.until(|told| told["status"] == EXPIRED_TOKEN).await;
}

#[tokio::test]
async fn a_message_that_is_too_long_is_refused_and_the_next_one_is_not() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut client = RealClient::online(&app, &with_token(&conversation)).await;
    client.post(&"x".repeat(300 * 1024)).await;
    let told = client.until(|told| told.get("refused").is_some()).await;
    assert_eq!(told.last().expect("an answer")["refused"], 413);
    client.post("short").await;
    client.until(|told| told["posted"].as_str().is_some_and(|id| id != "retry")).await;
}

#[tokio::test]
async fn two_tabs_see_the_same() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut tabs = [
        RealClient::online(&app, &with_token(&conversation)).await,
        RealClient::online(&app, &with_token(&conversation)).await,
    ];
    for number in 0..20 {
        app.say(&conversation.id, &number.to_string()).await;
    }
    for tab in &mut tabs {
        assert_eq!(tab.texts_until("19").await, numbers(0..20));
    }
    tabs[0].post("from one").await;
    for tab in &mut tabs {
        assert_eq!(tab.texts_until("from one").await, ["from one"]);
    }
}
