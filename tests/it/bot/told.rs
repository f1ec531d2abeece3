//! The requests to the bot.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{Bot, DIRECT_LINE_SECRET, Nodes, TestApp, answer, texts};

fn with(bot: &Bot) -> TestApp {
    TestApp::with(|setup| setup.bot = Some(bot.binding()))
}

fn members(update: &Value) -> Vec<&str> {
    let members = update["membersAdded"].as_array().expect("members");
    members.iter().map(|member| member["id"].as_str().expect("an id")).collect()
}

#[tokio::test]
async fn a_bot_is_told_once_of_a_user_who_is_known_at_the_start() {
    let bot = Bot::quiet();
    let app = with(&bot);
    let grant = app.generate(json!({"user": {"id": "dl_ann", "name": "Ann"}})).await;
    let token = grant["token"].as_str().expect("a token");
    let (status, started) = app.start_as(token, json!({"locale": "de-DE"})).await;
    assert_eq!(status, StatusCode::CREATED);
    let update = bot.activities(1).await.remove(0);
    assert_eq!((&update["type"], &update["locale"]), (&json!("conversationUpdate"), &json!("de-DE")));
    assert_eq!(members(&update), ["bot", "dl_ann"]);
    assert_eq!(update["conversation"]["id"], started["conversationId"]);
    assert_eq!((update["channelId"].as_str(), update["recipient"]["id"].as_str()), (Some("directline"), Some("bot")));
    assert!(update["id"].is_string() && update["timestamp"].is_string() && update["serviceUrl"].is_string());
    // Starting again, and speaking, tell nothing new.
    assert_eq!(app.start_as(token, json!({})).await.0, StatusCode::OK);
    let conversation = crate::app::Conversation::of(&started);
    app.post_text(&conversation, "hi").await;
    let told = bot.activities(2).await;
    assert_eq!((told[1]["type"].as_str(), told[1]["text"].as_str()), (Some("message"), Some("hi")));
    assert_eq!(texts(&app.history(&conversation, "").await), ["hi"], "clients see no update");
}

#[tokio::test]
async fn a_bot_is_told_of_other_users_when_they_first_speak() {
    let bot = Bot::quiet();
    let app = with(&bot);
    let conversation = app.conversation_of_nobody().await;
    for user in ["ben", "cleo", "ben", "cleo"] {
        let message = json!({"type": "message", "text": user, "from": {"id": user}});
        app.post_activity(&conversation, &message).await;
    }
    let told = bot.activities(6).await;
    let kinds: Vec<&str> = told.iter().map(|told| told["type"].as_str().expect("a type")).collect();
    let (update, message) = ("conversationUpdate", "message");
    assert_eq!(kinds, [update, message, update, message, message, message]);
    assert_eq!((members(&told[0]), members(&told[2])), (vec!["bot", "ben"], vec!["cleo"]));
    assert_eq!(texts(&app.history(&conversation, "").await), ["ben", "cleo", "ben", "cleo"]);
}

#[tokio::test]
async fn a_user_who_starts_what_was_begun_without_a_user_is_announced_once() {
    let bot = Bot::quiet();
    let app = with(&bot);
    let conversation = app.conversation_of_nobody().await;
    for _ in 0..2 {
        assert_eq!(app.start_as(&conversation.token, json!({"user": {"id": "ben"}})).await.0, StatusCode::OK);
    }
    app.post_activity(&conversation, &json!({"type": "message", "text": "hi"})).await;
    let told = bot.activities(2).await;
    assert_eq!((members(&told[0]), told[1]["text"].as_str()), (vec!["bot", "ben"], Some("hi")));
}

#[tokio::test]
async fn users_of_before_a_restart_are_not_announced_again() {
    let bot = Bot::quiet();
    // One node tells of two conversations in the order of the posts.
    let first = TestApp::with(|setup| (setup.nodes, setup.bot) = (Nodes::One, Some(bot.binding())));
    let known = first.conversation().await;
    let unknown = first.conversation_of_nobody().await;
    let by_ben = json!({"type": "message", "text": "1", "from": {"id": "ben"}});
    first.post_activity(&unknown, &by_ben).await;
    bot.told(3).await;
    let (store, clock) = (first.store.clone(), first.clock.clone());
    first.ended().await;
    let second = TestApp::going_on(store, clock, |setup| setup.bot = Some(bot.binding()));
    second.post_text(&known, "2").await;
    second.post_activity(&unknown, &by_ben).await;
    second.post_activity(&unknown, &json!({"type": "message", "text": "3", "from": {"id": "cleo"}})).await;
    let told = bot.activities(7).await;
    let kinds: Vec<&str> = told[3..].iter().map(|told| told["type"].as_str().expect("a type")).collect();
    assert_eq!(kinds, ["message", "message", "conversationUpdate", "message"]);
}

/// A client that gets no answer to a post cannot know whether it was recorded; when it asked again, the question was there twice.
#[tokio::test]
async fn a_post_that_comes_again_is_recorded_and_told_once() {
    let bot = Bot::quiet();
    let app = with(&bot);
    let conversation = app.conversation().await;
    let post = |text: &str| json!({"type": "message", "text": text, "channelData": {"clientActivityID": "a1"}});
    let first = app.post_activity(&conversation, &post("leave")).await;
    assert_eq!(app.post_activity(&conversation, &post("leave")).await, first);
    // Some clients give everything they say the same id.
    assert_ne!(app.post_activity(&conversation, &post("leave?")).await, first);
    assert_eq!(texts(&app.history(&conversation, "").await), ["leave", "leave?"]);
    let told = bot.activities(3).await;
    let said: Vec<_> = told.iter().filter_map(|activity| activity["text"].as_str()).collect();
    assert_eq!(said, ["leave", "leave?"]);
}

#[tokio::test]
async fn a_bot_gets_what_the_echo_has_and_where_to_answer() {
    let bot = Bot::quiet();
    let app = with(&bot);
    let conversation = app.conversation().await;
    let sent = json!({"type": "message", "text": "hi", "id": "mine", "serviceUrl": "https://evil.example/",
        "recipient": {"id": "x"}, "deliveryMode": "stream", "entities": [], "locale": "de-DE",
        "channelData": {"clientActivityID": "a1"}, "x-unknown": [1]});
    let id = app.post_activity(&conversation, &sent).await;
    let told = bot.told(2).await;
    assert_eq!(told[1].authorization, None, "bots without credentials refuse every token");
    let got = &told[1].activity;
    let echo = app.history(&conversation, "").await["activities"][0].take();
    for name in ["type", "id", "timestamp", "text", "from", "conversation", "channelId", "channelData", "x-unknown"] {
        assert_eq!(got[name], echo[name], "{name}");
    }
    assert_eq!((got["id"].as_str(), got["from"]["role"].as_str()), (Some(id.as_str()), Some("user")));
    assert_eq!(got["recipient"], json!({"id": "bot", "name": "Bot", "role": "bot"}));
    assert!(got["serviceUrl"].as_str().is_some_and(|url| url.starts_with(&app.url)), "{got}");
    assert_eq!((got.get("deliveryMode"), got.get("entities"), echo.get("serviceUrl")), (None, None, None));
}

#[tokio::test]
async fn a_bot_is_told_in_the_order_of_the_history() {
    let bot = Bot::quiet();
    let app = TestApp::with(|setup| {
        setup.bot = Some(bot.binding());
        setup.http.workers = 2;
    });
    let conversation = app.conversation().await;
    let sent: Vec<String> = (0..20).map(|number| number.to_string()).collect();
    futures_util::future::join_all(sent.iter().map(|text| app.post_text(&conversation, text))).await;
    let told = bot.activities(21).await;
    let told: Vec<&str> = told[1..].iter().map(|told| told["text"].as_str().expect("a text")).collect();
    assert_eq!(told, texts(&app.history(&conversation, "").await));
}

#[tokio::test]
async fn a_bot_hears_typing_and_events_but_neither_bots_nor_updates_of_clients() {
    let bot = Bot::quiet();
    let app = with(&bot);
    let conversation = app.conversation().await;
    for kind in ["conversationUpdate", "typing", "event", "endOfConversation"] {
        app.post_activity(&conversation, &json!({"type": kind})).await;
    }
    let as_bot = json!({"type": "message", "text": "an answer", "from": {"id": "other", "role": "bot"}});
    let (status, _) = answer(app.post(&conversation.path("/activities"), DIRECT_LINE_SECRET).json(&as_bot)).await;
    assert_eq!(status, StatusCode::OK);
    app.post_text(&conversation, "last").await;
    let told = bot.activities(5).await;
    let kinds: Vec<&str> = told.iter().map(|told| told["type"].as_str().expect("a type")).collect();
    assert_eq!(kinds, ["conversationUpdate", "typing", "event", "endOfConversation", "message"]);
    assert_eq!(members(&told[0]), ["bot", "dl_ann"], "that one is the channel's own");
}

#[tokio::test]
async fn a_bot_that_knows_a_token_is_shown_it() {
    let bot = Bot::quiet();
    let token = citewire::secret::Secret::parse("the-token-of-the-tests").expect("a secret");
    let app = TestApp::with(|setup| {
        let mut binding = bot.binding();
        binding.options.token = Some(token);
        setup.bot = Some(binding);
    });
    app.conversation().await;
    assert_eq!(bot.told(1).await[0].authorization.as_deref(), Some("Bearer the-token-of-the-tests"));
}

#[tokio::test]
async fn where_to_answer_never_depends_on_what_a_client_says() {
    let bot = Bot::quiet();
    let app = TestApp::with(|setup| {
        setup.bot = Some(bot.binding());
        setup.http.trusted_proxies = citewire::http::TrustedProxies::nearby();
    });
    let conversation = app.conversation().await;
    let request = app.post(&conversation.path("/activities"), &conversation.token).header("host", "evil.example");
    let request = request.header("x-forwarded-host", "evil.example").header("x-forwarded-proto", "https");
    let (status, _) = answer(request.json(&json!({"type": "message", "text": "hi"}))).await;
    assert_eq!(status, StatusCode::OK);
    let told = bot.activities(2).await;
    assert!(told[1]["serviceUrl"].as_str().is_some_and(|url| url.starts_with(&app.url)), "{}", told[1]);
}
