//! Starting a conversation (rule DL-02).

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::app::{Conversation, DIRECT_LINE_SECRET, Nodes, Socket, TestApp, answer};

const START: &str = "/v3/directline/conversations";

#[tokio::test]
async fn a_start_gives_all_that_a_client_needs() {
    let app = TestApp::start();
    let grant = app.generate(json!({})).await;
    let (status, body) = app.start_as(grant["token"].as_str().expect("a token"), json!({"user": {}})).await;
    assert_eq!(status, StatusCode::CREATED);
    assert_eq!(body["conversationId"], grant["conversationId"]);
    assert!(body["token"].is_string() && body["expires_in"].is_u64(), "{body}");
    assert!(body["streamUrl"].as_str().is_some_and(|url| url.starts_with("ws://")), "{body}");
}

#[tokio::test]
async fn the_same_token_again_finds_the_same_conversation() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    app.post_text(&conversation, "hi").await;
    let (status, body) = app.start_as(&conversation.token, json!({})).await;
    assert_eq!(status, StatusCode::OK);
    let again = Conversation::of(&body);
    assert_eq!(again.id, conversation.id);
    assert_ne!(again.stream_url, conversation.stream_url);
    assert_eq!(app.open(&again).await.texts(1).await, ["hi"]);
}

#[tokio::test]
async fn a_start_takes_every_kind_of_empty_body() {
    let app = TestApp::start();
    for body in [r#"{"user":{}}"#, r#"{"user":{},"locale":"de-DE"}"#, "{}", "", "  "] {
        let request = app.post(START, DIRECT_LINE_SECRET).header("content-type", "application/json").body(body);
        assert_eq!(answer(request).await.0, StatusCode::CREATED, "{body:?}");
    }
    assert_eq!(answer(app.post(START, DIRECT_LINE_SECRET)).await.0, StatusCode::CREATED);
}

#[tokio::test]
async fn the_user_of_the_start_becomes_the_user_of_the_conversation() {
    let app = TestApp::start();
    let grant = app.generate(json!({})).await;
    let token = grant["token"].as_str().expect("a token");
    let (_, body) = app.start_as(token, json!({"user": {"id": "alice"}})).await;
    // The token from before the start as well as the one that came with it.
    for token in [token.to_owned(), Conversation::of(&body).token] {
        let conversation = Conversation { token, ..Conversation::of(&body) };
        app.post_activity(&conversation, &json!({"type": "message", "text": "hi", "from": {"id": "bob"}})).await;
    }
    let history = app.history(&Conversation::of(&body), "").await;
    assert_eq!(history["activities"][0]["from"]["id"], "alice");
    assert_eq!(history["activities"][1]["from"]["id"], "alice");
}

#[tokio::test]
async fn a_user_in_the_token_outweighs_the_user_of_the_start() {
    let app = TestApp::start();
    let grant = app.generate(json!({"user": {"id": "dl_ann"}})).await;
    let (_, body) = app.start_as(grant["token"].as_str().expect("a token"), json!({"user": {"id": "mallory"}})).await;
    let conversation = Conversation::of(&body);
    app.post_text(&conversation, "hi").await;
    assert_eq!(app.history(&conversation, "").await["activities"][0]["from"]["id"], "dl_ann");
}

#[tokio::test]
async fn a_client_sees_no_conversation_update() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    app.post_activity(&conversation, &json!({"type": "conversationUpdate", "membersAdded": [{"id": "dl_ann"}]})).await;
    app.post_text(&conversation, "after").await;
    assert_eq!(socket.activity().await["text"], "after");
    assert_eq!(app.history(&conversation, "").await["activities"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn the_stream_url_names_the_host_that_the_client_can_reach() {
    let public = TestApp::with(|setup| setup.http.public_url = "https://bot.example".parse().ok());
    let (_, body) = public.start_as(DIRECT_LINE_SECRET, json!({})).await;
    assert!(Conversation::of(&body).stream_url.starts_with("wss://bot.example/v3/directline/conversations/"), "{body}");

    let app = TestApp::alone();
    let request = app.request(Method::POST, START).bearer_auth(DIRECT_LINE_SECRET);
    let request = request.header("host", "localhost:1234").header("x-forwarded-proto", "https");
    let (_, body) = answer(request.header("x-forwarded-host", "evil.example")).await;
    assert!(Conversation::of(&body).stream_url.starts_with("ws://localhost:1234/"), "{body}");

    let trusting = TestApp::with(|setup| {
        setup.nodes = Nodes::One;
        setup.http.trusted_proxies = citewire::http::TrustedProxies::nearby();
    });
    let request = trusting.request(Method::POST, START).bearer_auth(DIRECT_LINE_SECRET);
    let request = request.header("x-forwarded-proto", "https").header("x-forwarded-host", "bot.example");
    let (_, body) = answer(request).await;
    assert!(Conversation::of(&body).stream_url.starts_with("wss://bot.example/"), "{body}");
}

#[tokio::test]
async fn two_conversations_never_mix() {
    let app = TestApp::start();
    let (one, two) = (app.conversation().await, app.conversation().await);
    let (mut first, mut second) = (app.open(&one).await, app.open(&two).await);
    for number in 0..20 {
        app.post_text(&one, &format!("one {number}")).await;
        app.post_text(&two, &format!("two {number}")).await;
    }
    let expected = |name: &str| (0..20).map(|number| format!("{name} {number}")).collect::<Vec<_>>();
    assert_eq!(first.texts(20).await, expected("one"));
    assert_eq!(second.texts(20).await, expected("two"));
    assert_eq!(crate::app::texts(&app.history(&one, "").await), expected("one"));
    let url = two.stream_url.replace(&two.id, &one.id);
    assert_eq!(Socket::try_open(&url).await.err(), Some(403), "a credential is for one conversation");
}
