//! Replies in the answer to a post.

use citewire::channels::direct_line::bot::BotDelivery;
use serde_json::json;

use crate::app::{Bot, Reaction, TestApp, texts};

fn with(bot: &Bot) -> TestApp {
    TestApp::with(|setup| {
        let mut binding = bot.binding();
        binding.options.delivery = BotDelivery::ExpectReplies;
        setup.bot = Some(binding);
    })
}

#[tokio::test]
async fn expected_replies_are_recorded_in_order() {
    let bot = Bot::acting(|told| match told["type"].as_str() {
        Some("conversationUpdate") => Reaction::Json(json!({"activities": [{"type": "message", "text": "welcome"}]})),
        _ => Reaction::Json(json!({"activities": [
            {"type": "typing"}, {"type": "message", "text": "1", "id": "", "from": {"id": "x"}}, "no activity",
            {"type": "message", "text": "2", "replyToId": told["id"]},
        ]})),
    });
    let app = with(&bot);
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    assert_eq!(socket.texts(1).await, ["welcome"]);
    let id = app.post_text(&conversation, "hi").await;
    assert_eq!(socket.texts(1).await, ["hi"]);
    let typing = socket.activity().await;
    assert_eq!(typing["type"], "typing");
    for text in ["1", "2"] {
        let got = socket.activity().await;
        assert_eq!((got["text"].as_str(), got["replyToId"].as_str()), (Some(text), Some(id.as_str())));
        assert_eq!(got["from"], json!({"id": "bot", "name": "Bot", "role": "bot"}));
    }
    let told = bot.activities(2).await;
    assert!(told.iter().all(|told| told["deliveryMode"] == "expectReplies"), "{told:?}");
    let history = app.history(&conversation, "").await;
    assert_eq!(texts(&history), ["welcome", "hi", "1", "2"]);
    assert_eq!(history["activities"][0].get("replyToId"), None);
}

#[tokio::test]
async fn a_bot_that_has_nothing_to_reply_replies_nothing() {
    for silent in [|| Reaction::Status(202), || Reaction::Text("{}"), || Reaction::Text(" \n")] {
        let bot = Bot::acting(move |told| match told["text"].as_str() {
            Some("last") => Reaction::Json(json!({"activities": [{"type": "message", "text": "end"}]})),
            _ => silent(),
        });
        let app = with(&bot);
        let conversation = app.conversation().await;
        let mut socket = app.open(&conversation).await;
        app.post_text(&conversation, "hi").await;
        app.post_text(&conversation, "last").await;
        assert_eq!(socket.texts(3).await, ["hi", "last", "end"]);
    }
}
