//! The Connector routes, as a bot calls them.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::app::{API_KEY, BOT_SECRET, Bot, Conversation, DIRECT_LINE_SECRET, Nodes, TestApp, answer, texts};

/// A conversation in which the user has said something, and what the bot was told of it.
async fn asked(bot: &Bot) -> (TestApp, Conversation, Value, Value) {
    asked_on(Nodes::Any, bot).await
}

async fn asked_on(nodes: Nodes, bot: &Bot) -> (TestApp, Conversation, Value, Value) {
    let app = TestApp::with(|setup| (setup.nodes, setup.bot) = (nodes, Some(bot.binding())));
    let conversation = app.conversation().await;
    app.post_text(&conversation, "hi").await;
    let mut told = bot.activities(2).await;
    let question = told.remove(1);
    (app, conversation, told.remove(0), question)
}

/// The address of a call, as SDKs make it from what the bot was told.
fn call(told: &Value, rest: &str) -> String {
    let (base, id) = (told["serviceUrl"].as_str().expect("text"), told["conversation"]["id"].as_str().expect("an id"));
    assert!(base.ends_with('/'), "{base}");
    format!("{base}v3/conversations/{id}{rest}")
}

fn reply_path(told: &Value) -> String {
    format!("/activities/{}", told["id"].as_str().expect("an id").replace('|', "%7C"))
}

async fn say(app: &TestApp, url: &str, activity: &Value) -> (StatusCode, Value) {
    answer(app.client.post(url).json(activity)).await
}

#[tokio::test]
async fn an_answer_comes_after_the_echo_and_names_what_it_answers() {
    let bot = Bot::quiet();
    let (app, conversation, _, question) = asked(&bot).await;
    let mut socket = app.open(&conversation).await;
    let reply = json!({"type": "message", "text": "hello", "from": {"id": "someone", "role": "user"},
        "recipient": {"id": "dl_ann"}, "serviceUrl": question["serviceUrl"], "channelId": "webchat",
        "conversation": {"id": "x"}, "id": "mine", "timestamp": "1999-01-01T00:00:00Z", "inputHint": "acceptingInput",
        "relatesTo": {"serviceUrl": question["serviceUrl"]}});
    let (status, body) = say(&app, &call(&question, &reply_path(&question)), &reply).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    assert_eq!(socket.texts(1).await, ["hi"]);
    let got = socket.activity().await;
    assert_eq!((&got["id"], &got["replyToId"]), (&body["id"], &question["id"]));
    assert_eq!((got["text"].as_str(), got["inputHint"].as_str()), (Some("hello"), Some("acceptingInput")));
    assert_eq!(got["from"], json!({"id": "bot", "name": "Bot", "role": "bot"}));
    assert_eq!((&got["channelId"], &got["conversation"]["id"]), (&json!("directline"), &json!(conversation.id)));
    assert!(got["timestamp"].as_str().is_some_and(|time| time.starts_with("2026")));
    assert_eq!((got.get("serviceUrl"), got.get("recipient")), (None, None));
    assert!(!got.to_string().contains("/bot/"), "a ticket is for the bot alone: {got}");
    assert_eq!(app.history(&conversation, "").await["activities"][1], got);
}

#[tokio::test]
async fn an_answer_to_an_update_answers_nothing_that_clients_know() {
    let bot = Bot::quiet();
    let (app, conversation, update, question) = asked(&bot).await;
    let greeting = json!({"type": "message", "text": "welcome", "replyToId": update["id"]});
    for rest in [reply_path(&update), "/activities".to_owned()] {
        assert_eq!(say(&app, &call(&update, &rest), &greeting).await.0, StatusCode::OK);
    }
    for foreign in ["c2|0000000", &format!("{}|0009999", conversation.id), "anything"] {
        let activity = json!({"type": "message", "text": "x", "replyToId": foreign});
        assert_eq!(say(&app, &call(&question, "/activities"), &activity).await.0, StatusCode::OK);
    }
    let history = app.history(&conversation, "").await;
    for activity in &history["activities"].as_array().expect("activities")[1..] {
        assert_eq!(activity.get("replyToId"), None, "{activity}");
    }
    assert_eq!(texts(&history).len(), 6);
}

/// One node shows pieces in the order of the calls. Two show each when they have it, and readers go by its number.
#[tokio::test]
async fn streamed_pieces_are_shown_and_the_final_is_kept() {
    let bot = Bot::quiet();
    let (app, conversation, _, question) = asked_on(Nodes::One, &bot).await;
    let mut socket = app.open(&conversation).await;
    let piece = |sequence: u32, stream: Option<&Value>, text: &str| {
        let mut entity = json!({"type": "streaminfo", "streamType": "streaming", "streamSequence": sequence});
        if let Some(stream) = stream {
            entity["streamId"] = stream.clone();
        }
        json!({"type": "typing", "text": text, "entities": [entity], "replyToId": question["id"]})
    };
    let url = call(&question, &reply_path(&question));
    let (_, first) = say(&app, &url, &piece(1, None, "Hel")).await;
    let stream = &first["id"];
    say(&app, &url, &piece(2, Some(stream), "Hello")).await;
    let entity = json!({"type": "streaminfo", "streamType": "final", "streamId": stream});
    let last = json!({"type": "message", "text": "Hello.", "entities": [entity], "replyToId": question["id"]});
    say(&app, &url, &last).await;
    assert_eq!(socket.texts(1).await, ["hi"]);
    for (text, kind) in [("Hel", "streaming"), ("Hello", "streaming"), ("Hello.", "final")] {
        let got = socket.activity().await;
        assert_eq!((&got["text"], &got["channelData"]["streamType"]), (&json!(text), &json!(kind)));
        assert_eq!((&got["channelData"]["streamId"], &got["entities"][0]["streamId"]), (stream, stream));
    }
    assert_eq!(texts(&app.history(&conversation, "").await), ["hi", "Hello."]);
}

#[tokio::test]
async fn a_bot_may_speak_without_being_asked() {
    let bot = Bot::quiet();
    let (app, conversation, _, question) = asked(&bot).await;
    let path = format!("/v3/conversations/{}/activities", conversation.id);
    for (number, request) in
        [app.client.post(call(&question, "/activities")), app.post(&path, BOT_SECRET)].into_iter().enumerate()
    {
        let (status, body) = answer(request.json(&json!({"type": "event", "name": number.to_string()}))).await;
        assert_eq!(status, StatusCode::OK, "{body}");
    }
    let history = app.history(&conversation, "").await;
    assert_eq!((&history["activities"][1]["name"], &history["activities"][2]["name"]), (&json!("0"), &json!("1")));
}

#[tokio::test]
async fn nobody_but_the_bot_speaks_as_the_bot() {
    let bot = Bot::quiet();
    let (app, conversation, _, question) = asked(&bot).await;
    let other = app.conversation().await;
    let path = format!("/v3/conversations/{}/activities", conversation.id);
    let message = json!({"type": "message", "text": "forged"});
    for bearer in [API_KEY, DIRECT_LINE_SECRET, &conversation.token, "the-bot-secret-of-somebody"] {
        let (status, body) = answer(app.post(&path, bearer).json(&message)).await;
        assert_eq!((status, body["error"]["code"].as_str()), (StatusCode::UNAUTHORIZED, Some("Unauthorized")));
    }
    assert_eq!(answer(app.request(Method::POST, &path).json(&message)).await.0, StatusCode::UNAUTHORIZED);
    // A ticket opens its own conversation, on the Connector routes, and creates none.
    let base = question["serviceUrl"].as_str().expect("text");
    let foreign = format!("{base}v3/conversations/{}/activities", other.id);
    assert_eq!(say(&app, &foreign, &message).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(say(&app, &format!("{base}v3/conversations"), &json!({})).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(say(&app, &format!("{base}v1/activities"), &json!({})).await.0, StatusCode::NOT_FOUND);
    let forged = call(&question, "/activities").replace("/bot/", "/bot/A");
    assert_eq!(say(&app, &forged, &message).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(texts(&app.history(&conversation, "").await), ["hi"]);
    assert_eq!(texts(&app.history(&other, "").await), Vec::<String>::new());
}

#[tokio::test]
async fn without_tickets_only_the_secret_opens() {
    let bot = Bot::quiet();
    let app = TestApp::with(|setup| {
        let mut binding = bot.binding();
        binding.options.tickets = false;
        setup.bot = Some(binding);
    });
    let conversation = app.conversation().await;
    let told = bot.activities(1).await.remove(0);
    assert_eq!(told["serviceUrl"], json!(format!("{}/", app.url)));
    let url = call(&told, "/activities");
    let message = json!({"type": "message", "text": "hi"});
    assert_eq!(say(&app, &url, &message).await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(answer(app.client.post(&url).bearer_auth(BOT_SECRET).json(&message)).await.0, StatusCode::OK);
    assert_eq!(texts(&app.history(&conversation, "").await), ["hi"]);
}

#[tokio::test]
async fn without_a_bot_its_routes_open_to_nobody() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let path = format!("/v3/conversations/{}/activities", conversation.id);
    let message = json!({"type": "message", "text": "hi"});
    assert_eq!(answer(app.post(&path, BOT_SECRET).json(&message)).await.0, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn what_is_wrong_with_a_call_is_said_in_the_shape_of_the_bot_framework() {
    let bot = Bot::quiet();
    let (app, conversation, _, question) = asked(&bot).await;
    let url = call(&question, "/activities");
    let unknown = "/v3/conversations/unknown/activities";
    let long = json!({"type": "message", "text": "x".repeat(2 * 1024 * 1024)}).to_string();
    for (request, status, code) in [
        (app.client.post(&url).body("{"), StatusCode::BAD_REQUEST, "BadArgument"),
        (app.client.post(&url).body("{}"), StatusCode::BAD_REQUEST, "BadArgument"),
        (app.client.post(&url).body(r#"{"type":"message","text":5}"#), StatusCode::BAD_REQUEST, "BadArgument"),
        (app.client.post(&url).body(long), StatusCode::PAYLOAD_TOO_LARGE, "MessageSizeTooBig"),
        (app.post(unknown, BOT_SECRET).body(r#"{"type":"message"}"#), StatusCode::NOT_FOUND, "NotFound"),
        (app.post(unknown, BOT_SECRET).body(r#"{"type":"typing"}"#), StatusCode::NOT_FOUND, "NotFound"),
        (app.client.put(format!("{url}/x")).body("{}"), StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed"),
        (app.client.delete(format!("{url}/x")), StatusCode::METHOD_NOT_ALLOWED, "MethodNotAllowed"),
    ] {
        let (got, body) = answer(request).await;
        assert_eq!((got, body["error"]["code"].as_str()), (status, Some(code)), "{body}");
        assert!(body["error"]["message"].as_str().is_some_and(|text| !text.is_empty()));
    }
    assert_eq!(texts(&app.history(&conversation, "").await), ["hi"]);
}

#[tokio::test]
async fn the_members_of_a_conversation_are_its_user_and_the_bot() {
    let bot = Bot::quiet();
    let (app, _, _, question) = asked(&bot).await;
    let (ann, bot) = (json!({"id": "dl_ann", "role": "user"}), json!({"id": "bot", "name": "Bot", "role": "bot"}));
    for (rest, expected) in [
        ("/members", json!([ann, bot])),
        ("/activities/x/members", json!([ann, bot])),
        ("/pagedmembers?pageSize=1", json!({"members": [ann, bot]})),
        ("/members/dl_ann", ann.clone()),
    ] {
        let got = answer(app.client.get(call(&question, rest))).await;
        assert_eq!(got, (StatusCode::OK, expected), "{rest}");
    }
    let (status, body) = answer(app.client.get(call(&question, "/members/nobody"))).await;
    assert_eq!((status, body["error"]["code"].as_str()), (StatusCode::NOT_FOUND, Some("NotFound")));
}

#[tokio::test]
async fn a_bot_begins_a_conversation_that_a_user_can_join() {
    let bot = Bot::quiet();
    let app = TestApp::with(|setup| setup.bot = Some(bot.binding()));
    let first = json!({"type": "message", "text": "news for you"});
    let parameters = json!({"isGroup": false, "bot": {"id": "bot"}, "members": [{"id": "dl_ann"}], "activity": first});
    let (status, begun) = answer(app.post("/v3/conversations", BOT_SECRET).json(&parameters)).await;
    assert_eq!(status, StatusCode::CREATED, "{begun}");
    let path = format!("/v3/directline/conversations/{}", begun["id"].as_str().expect("an id"));
    let (_, joined) = answer(app.get(&format!("{path}?watermark="), DIRECT_LINE_SECRET)).await;
    let conversation = Conversation::of(&joined);
    let message = app.open(&conversation).await.activity().await;
    assert_eq!((message["text"].as_str(), &message["id"]), (Some("news for you"), &begun["activityId"]));
    app.post_activity(&conversation, &json!({"type": "message", "text": "thanks"})).await;
    let told = bot.activities(1).await;
    assert_eq!(told[0]["from"]["id"], "dl_ann", "the bot knows whom it has begun with");
    for bad in [
        json!([]),
        json!({}),
        json!({"members": [{"id": "a"}, {"id": "b"}]}),
        json!({"members": [{"id": "bot"}]}),
        json!({"members": [{"id": "a"}], "isGroup": true}),
        json!({"members": [{"id": "a"}], "activity": {}}),
    ] {
        let (status, body) = answer(app.post("/v3/conversations", BOT_SECRET).json(&bad)).await;
        assert_eq!((status, body["error"]["code"].as_str()), (StatusCode::BAD_REQUEST, Some("BadArgument")), "{bad}");
    }
}
