//! Answers of a bot that carry their sources.

use citewire::channels::direct_line::bot::BotDelivery;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{API_KEY, BOT_SECRET, Bot, Reaction, TestApp, answer, texts};

fn with(bot: &Bot, delivery: BotDelivery) -> TestApp {
    TestApp::with(|setup| {
        let mut binding = bot.binding();
        binding.options.cite = true;
        binding.options.delivery = delivery;
        setup.bot = Some(binding);
    })
}

fn manifest() -> Value {
    json!({"text": "Leave is 30 days [1].", "sources": [{"title": "Leave", "url": "https://hr.example/leave"}]})
}

#[tokio::test]
async fn a_manifest_becomes_what_the_route_that_converts_makes_of_it() {
    let bot = Bot::quiet();
    let app = with(&bot, BotDelivery::Normal);
    let conversation = app.conversation().await;
    let path = format!("/v3/conversations/{}/activities", conversation.id);
    for body in [manifest(), json!({"from": "citewire", "answer": manifest(), "options": {"feedback": true}})] {
        let (_, converted) = answer(app.post("/v1/activities", API_KEY).json(&body)).await;
        let converted = &converted["activities"][0];
        let said = json!({"type": "message", "text": "old", "locale": "en-US", "channelData": {"citewire": body}});
        let (status, sent) = answer(app.post(&path, BOT_SECRET).json(&said)).await;
        assert_eq!(status, StatusCode::OK, "{sent}");
        let history = app.history(&conversation, "").await;
        let got = history["activities"].as_array().and_then(|all| all.last()).expect("an activity");
        for name in ["text", "textFormat", "entities"] {
            assert_eq!(got[name], converted[name], "{name}");
        }
        assert_eq!(got.get("channelData"), converted.get("channelData"));
        assert_eq!(got["locale"], "en-US");
    }
}

#[tokio::test]
async fn a_manifest_that_cannot_be_used_is_named_and_nothing_is_said() {
    let bot = Bot::quiet();
    let app = with(&bot, BotDelivery::Normal);
    let conversation = app.conversation().await;
    let path = format!("/v3/conversations/{}/activities", conversation.id);
    for bad in [json!(5), json!({"text": 5}), json!({"answer": {}, "option": {}})] {
        let said = json!({"type": "message", "text": "old", "channelData": {"citewire": bad}});
        let (status, body) = answer(app.post(&path, BOT_SECRET).json(&said)).await;
        assert_eq!((status, body["error"]["code"].as_str()), (StatusCode::BAD_REQUEST, Some("BadArgument")), "{bad}");
        assert!(body["error"]["message"].as_str().is_some_and(|text| text.contains("/channelData/citewire")), "{body}");
    }
    assert_eq!(app.history(&conversation, "").await["activities"], json!([]));
}

#[tokio::test]
async fn in_a_reply_what_the_bot_wrote_beside_it_is_said() {
    let bot = Bot::acting(|_| {
        let replies = json!([{"type": "message", "text": "plain", "channelData": {"citewire": {"text": 5}}}]);
        Reaction::Json(json!({ "activities": replies }))
    });
    let app = with(&bot, BotDelivery::ExpectReplies);
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    let got = socket.activity().await;
    assert_eq!((got["text"].as_str(), got.get("channelData")), (Some("plain"), None));
}

#[tokio::test]
async fn unless_switched_on_channel_data_is_passed_through() {
    let bot = Bot::quiet();
    let app = TestApp::with(|setup| setup.bot = Some(bot.binding()));
    let conversation = app.conversation().await;
    let path = format!("/v3/conversations/{}/activities", conversation.id);
    let said = json!({"type": "message", "text": "as it is", "channelData": {"citewire": manifest()}});
    assert_eq!(answer(app.post(&path, BOT_SECRET).json(&said)).await.0, StatusCode::OK);
    let history = app.history(&conversation, "").await;
    assert_eq!(texts(&history), ["as it is"]);
    assert_eq!(history["activities"][0]["channelData"], said["channelData"]);
}
