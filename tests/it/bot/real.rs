//! A bot of the Agents SDK, as its users write them: `tests/bot/bot.mjs`. It has no credentials, and knows nothing of
//! citewire.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use citewire::channels::direct_line::bot::{BotDelivery, BotOptions};
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{Conversation, Socket, TestApp, answer, binding, texts};

/// The bot as a child process. It ends with the value.
struct RealBot {
    child: Child,
    port: u16,
}

impl RealBot {
    fn start() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bot");
        assert!(
            folder.join("node_modules/.package-lock.json").exists(),
            "the bot is not installed: run `npm ci --ignore-scripts` in {}, or `cargo xtask test tests`, which does it",
            folder.display()
        );
        let mut child = Command::new("node")
            .arg("bot.mjs")
            .current_dir(&folder)
            .env_remove("NODE_ENV")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let port = line.trim().parse().unwrap_or_else(|_| panic!("the bot did not start: {line:?}"));
        Self { child, port }
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    fn app(&self, change: impl FnOnce(&mut BotOptions)) -> TestApp {
        TestApp::with(|setup| {
            let mut binding = binding(&self.url("/api/messages"));
            change(&mut binding.options);
            setup.bot = Some(binding);
        })
    }
}

impl Drop for RealBot {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A conversation in which the bot has greeted its user.
async fn greeted(app: &TestApp) -> (Conversation, Socket) {
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    let welcome = socket.activity().await;
    assert_eq!((welcome["text"].as_str(), welcome.get("replyToId")), (Some("Welcome, dl_ann."), None));
    (conversation, socket)
}

#[tokio::test]
async fn a_real_bot_greets_and_answers_by_the_connector_and_in_replies() {
    let bot = RealBot::start();
    for delivery in [BotDelivery::Normal, BotDelivery::ExpectReplies] {
        let app = bot.app(|options| options.delivery = delivery);
        let (conversation, mut socket) = greeted(&app).await;
        let id = app.post_text(&conversation, "hello").await;
        assert_eq!(socket.texts(1).await, ["hello"]);
        for text in ["You said: hello", "Anything else?"] {
            let got = socket.activity().await;
            assert_eq!((got["text"].as_str(), got["replyToId"].as_str()), (Some(text), Some(id.as_str())));
            assert_eq!(got["from"], json!({"id": "bot", "name": "Bot", "role": "bot"}));
            assert_eq!(got.get("serviceUrl"), None);
        }
        assert_eq!(texts(&app.history(&conversation, "").await).len(), 4);
    }
}

#[tokio::test]
async fn a_real_bot_types_and_streams() {
    let bot = RealBot::start();
    let app = bot.app(|_| {});
    let (conversation, mut socket) = greeted(&app).await;
    app.post_text(&conversation, "typing").await;
    assert_eq!(socket.texts(1).await, ["typing"]);
    assert_eq!(
        (socket.activity().await["type"].as_str(), socket.texts(1).await),
        (Some("typing"), vec!["typed".to_owned()])
    );
    app.post_text(&conversation, "stream").await;
    assert_eq!(socket.texts(1).await, ["stream"]);
    let mut pieces: Vec<Value> = Vec::new();
    loop {
        let piece = socket.activity().await;
        let is_last = piece["type"] == "message";
        pieces.push(piece);
        if is_last {
            break;
        }
    }
    let kinds: Vec<_> =
        pieces.iter().map(|piece| piece["channelData"]["streamType"].as_str().expect("a type")).collect();
    assert_eq!((kinds.first(), kinds.last()), (Some(&"informative"), Some(&"final")));
    assert!(kinds.contains(&"streaming"), "{kinds:?}");
    let stream = &pieces[0]["id"];
    assert!(pieces.iter().all(|piece| piece["channelData"]["streamId"] == *stream), "{pieces:?}");
    assert_eq!(pieces.last().expect("a final")["text"], "One two three.");
    let history = texts(&app.history(&conversation, "").await);
    assert_eq!(history, ["Welcome, dl_ann.", "typing", "typed", "stream", "One two three."]);
}

#[tokio::test]
async fn a_real_bot_reads_files() {
    let bot = RealBot::start();
    let app = bot.app(|_| {});
    let (conversation, mut socket) = greeted(&app).await;
    let request = app
        .post(&conversation.path("/upload?userId=dl_ann"), &conversation.token)
        .header("content-type", "image/png")
        .header("content-disposition", "attachment; filename=\"a.png\"")
        .body(vec![7; 1234]);
    assert_eq!(answer(request).await.0, StatusCode::OK);
    assert_eq!(socket.activity().await["attachments"][0]["name"], "a.png");
    assert_eq!(socket.texts(1).await, ["a.png: 1234 bytes of image/png"]);
}

#[tokio::test]
async fn a_real_bot_comes_back_by_itself() {
    let bot = RealBot::start();
    let app = bot.app(|_| {});
    let (conversation, mut socket) = greeted(&app).await;
    app.post_text(&conversation, "later").await;
    assert_eq!(socket.texts(2).await, ["later", "I will come back."]);
    assert_eq!(answer(app.client.post(bot.url("/notify")).body("{}")).await.0, StatusCode::OK);
    let again = socket.activity().await;
    assert_eq!((again["text"].as_str(), again["from"]["id"].as_str()), (Some("Here I am again."), Some("bot")));
}

#[tokio::test]
async fn a_real_bot_that_carries_sources_is_cited() {
    let bot = RealBot::start();
    for delivery in [BotDelivery::Normal, BotDelivery::ExpectReplies] {
        let app = bot.app(|options| {
            options.delivery = delivery;
            options.cite = true;
        });
        let (conversation, mut socket) = greeted(&app).await;
        app.post_text(&conversation, "sources").await;
        assert_eq!(socket.texts(1).await, ["sources"]);
        let cited = socket.activity().await;
        let text = cited["text"].as_str().expect("a text");
        assert!(text.starts_with("Leave is 30 days [1]") && text.contains("https://hr.example/leave"), "{text}");
        assert_eq!(cited["entities"][0]["citation"][0]["appearance"]["name"], "Leave", "{cited}");
        assert!(cited["channelData"].get("citewire").is_none(), "{cited}");
    }
}

#[tokio::test]
async fn a_real_bot_whose_turn_fails_says_so_itself() {
    let bot = RealBot::start();
    let app = bot.app(|_| {});
    let (conversation, mut socket) = greeted(&app).await;
    app.post_text(&conversation, "fail").await;
    let read = socket.texts(3).await;
    assert_eq!((read[0].as_str(), read[1].as_str()), ("fail", "The agent encountered an error or bug."));
}
