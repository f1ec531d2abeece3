//! Bots that do not answer.

use std::time::{Duration, Instant};

use citewire::channels::direct_line::bot::{BotBinding, BotDelivery};
use serde_json::{Value, json};
use tokio::net::TcpSocket;

use crate::app::{Bot, Reaction, Setup, TestApp, answer, binding, texts};

const SORRY: &str = "The bot did not answer. Please try again later.";

fn with(binding: BotBinding, change: impl FnOnce(&mut BotBinding)) -> TestApp {
    TestApp::with(|setup| {
        let mut binding = binding;
        change(&mut binding);
        setup.bot = Some(binding);
    })
}

/// An address that is taken, but where no server listens.
fn nobody() -> (TcpSocket, String) {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let address = socket.local_addr().expect("an address");
    (socket, format!("http://{address}/api/messages"))
}

/// The apology that a user reads, after the echo of the message.
async fn apology(app: &TestApp, text: &str) -> Value {
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    let id = app.post_text(&conversation, "hi").await;
    assert_eq!(socket.texts(1).await, ["hi"]);
    let apology = socket.activity().await;
    assert_eq!((apology["text"].as_str(), apology["replyToId"].as_str()), (Some(text), Some(id.as_str())));
    assert_eq!(apology["from"], json!({"id": "bot", "name": "Bot", "role": "bot"}));
    assert_eq!(app.history(&conversation, "").await["activities"][1], apology);
    apology
}

#[tokio::test]
async fn a_bot_that_cannot_be_reached_is_apologised_for() {
    let (_nobody, endpoint) = nobody();
    let app = with(binding(&endpoint), |_| {});
    assert_eq!(apology(&app, SORRY).await["channelData"], json!({"citewire": {"code": "bot_unreachable"}}));
}

#[tokio::test]
async fn a_bot_that_fails_or_refuses_is_apologised_for() {
    for status in [400, 401, 404, 429, 500, 502, 302] {
        let bot = Bot::acting(move |_| Reaction::Status(status));
        let app = with(bot.binding(), |_| {});
        assert_eq!(apology(&app, SORRY).await["channelData"]["citewire"]["code"], "bot_refused", "{status}");
        // A bot that was called is not called again: it may have done something already.
        bot.told(2).await;
    }
}

#[tokio::test]
async fn a_bot_that_takes_too_long_is_apologised_for_and_so_is_all_that_waits() {
    let bot = Bot::acting(|told| match told["type"].as_str() {
        Some("message") => Reaction::Silence,
        _ => Reaction::Status(200),
    });
    let app = with(bot.binding(), |binding| {
        binding.options.timeout = Duration::from_millis(300);
        binding.options.failure_text = "Nobody there.".to_owned();
    });
    let begun = Instant::now();
    assert_eq!(apology(&app, "Nobody there.").await["channelData"]["citewire"]["code"], "bot_timeout");
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    for text in ["1", "2"] {
        app.post_text(&conversation, text).await;
    }
    let mut read = socket.texts(4).await;
    read.sort();
    assert_eq!(read, ["1", "2", "Nobody there.", "Nobody there."]);
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn an_answer_that_is_no_reply_is_apologised_for() {
    for nonsense in ["<html>", "[]", r#"{"activities":5}"#, "5"] {
        let bot = Bot::acting(move |told| match told["type"].as_str() {
            Some("message") => Reaction::Text(nonsense),
            _ => Reaction::Status(202),
        });
        let app = with(bot.binding(), |binding| binding.options.delivery = BotDelivery::ExpectReplies);
        assert_eq!(apology(&app, SORRY).await["channelData"]["citewire"]["code"], "bot_misunderstood", "{nonsense}");
    }
}

#[tokio::test]
async fn a_slow_bot_does_not_hold_up_other_conversations() {
    let bot = Bot::acting(|told| match told["text"].as_str() {
        Some("slow") => Reaction::Silence,
        _ => Reaction::Json(json!({"activities": [{"type": "message", "text": "quick"}]})),
    });
    let app = TestApp::with(|setup| {
        let mut binding = bot.binding();
        binding.options.delivery = BotDelivery::ExpectReplies;
        binding.options.timeout = Duration::from_secs(18);
        setup.bot = Some(binding);
        setup.http.shutdown_grace = Duration::from_secs(1);
    });
    let (slow, quick) = (app.conversation().await, app.conversation().await);
    app.post_text(&slow, "slow").await;
    let mut socket = app.open(&quick).await;
    assert_eq!(socket.texts(1).await, ["quick"], "a greeting");
    let begun = Instant::now();
    app.post_text(&quick, "hi").await;
    assert_eq!(socket.texts(2).await, ["hi", "quick"], "the echo, the answer");
    assert!(begun.elapsed() < Duration::from_secs(9));
    // The server ends although the bot does not.
    tokio::time::timeout(Duration::from_secs(9), app.ended()).await.expect("the server ends");
}

#[tokio::test]
async fn what_does_not_fit_into_the_line_is_apologised_for() {
    let bot = Bot::acting(|_| Reaction::Silence);
    let app = with(bot.binding(), |binding| {
        binding.options.max_waiting = 1;
        binding.options.timeout = Duration::from_secs(18);
    });
    let conversation = app.conversation().await;
    bot.told(1).await;
    for text in ["1", "2"] {
        app.post_text(&conversation, text).await;
    }
    let history = app.history(&conversation, "").await;
    assert_eq!(texts(&history), ["1", "2", SORRY], "the first one waits");
    assert_eq!(history["activities"][2]["channelData"]["citewire"]["code"], "bot_busy");
    assert_eq!(history["activities"][2]["replyToId"], history["activities"][1]["id"]);
}

/// Messages that waited for the bot when the server ended got an apology, although the bot would have answered a moment
/// later.
#[tokio::test]
async fn what_waits_when_the_server_ends_is_sent_by_the_next_one() {
    let silent = Bot::acting(|told| match told["type"].as_str() {
        Some("message") => Reaction::Silence,
        _ => Reaction::Status(202),
    });
    let over = |bot: &Bot| {
        let binding = bot.binding();
        move |setup: &mut Setup| {
            setup.http.shutdown_grace = Duration::ZERO;
            setup.bot = Some(binding);
        }
    };
    let app = TestApp::with(over(&silent));
    let conversation = app.conversation().await;
    for text in ["1", "2"] {
        app.post_text(&conversation, text).await;
    }
    let sent = silent.activities(2).await.remove(1);
    let (store, clock) = (app.store.clone(), app.clock.clone());
    app.ended().await;
    let bot = Bot::acting(|_| Reaction::Status(202));
    let app = TestApp::going_on(store, clock, over(&bot));
    let told = bot.activities(2).await;
    assert_eq!((told[0]["id"].clone(), told[0]["text"].as_str()), (sent["id"].clone(), Some("1")), "the same activity");
    assert_eq!(told[1]["text"], "2");
    assert_eq!(texts(&app.history(&conversation, "").await), ["1", "2"]);
}

#[tokio::test]
async fn a_bot_that_has_answered_is_not_apologised_for() {
    let bot = Bot::acting(|told| match told["text"].as_str() {
        Some("hi") => Reaction::Silence,
        _ => Reaction::Status(202),
    });
    let app = with(bot.binding(), |binding| binding.options.timeout = Duration::from_secs(1));
    let conversation = app.conversation().await;
    app.post_text(&conversation, "hi").await;
    let told = bot.activities(2).await.remove(1);
    let base = told["serviceUrl"].as_str().expect("text");
    let url = format!("{base}v3/conversations/{}/activities", conversation.id);
    let reply = json!({"type": "message", "text": "hello", "replyToId": told["id"]});
    assert_eq!(answer(app.client.post(url).json(&reply)).await.0, 200);
    // The next one is told only after the first has timed out.
    app.post_text(&conversation, "there?").await;
    bot.told(3).await;
    assert_eq!(texts(&app.history(&conversation, "").await), ["hi", "hello", "there?"]);
}

#[tokio::test]
async fn a_bot_that_comes_up_late_is_told_of_the_user_with_the_first_post() {
    let (nobody, endpoint) = nobody();
    let app = with(binding(&endpoint), |_| {});
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    app.post_text(&conversation, "1").await;
    assert_eq!(socket.texts(2).await, ["1", SORRY], "nobody is there");
    let listener = nobody.listen(8).expect("the port is ours").into_std().expect("a listener");
    let bot = Bot::listening(listener, |_| Reaction::Status(202));
    app.post_text(&conversation, "2").await;
    let told = bot.activities(2).await;
    assert_eq!((told[0]["type"].as_str(), told[1]["text"].as_str()), (Some("conversationUpdate"), Some("2")));
}
