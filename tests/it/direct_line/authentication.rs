//! Credentials and tokens (rule DL-01).

use chrono::Duration;
use citewire::activity::ConversationId;
use citewire::channels::direct_line::{TokenKind, Tokens};
use citewire::clock::{Clock, CountingIds};
use citewire::secret::Secret;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::app::{API_KEY, DIRECT_LINE_SECRET, TestApp, answer};

const GENERATE: &str = "/v3/directline/tokens/generate";
const REFRESH: &str = "/v3/directline/tokens/refresh";

/// Every call that a token opens, for this conversation.
fn calls(id: &str) -> Vec<(Method, String)> {
    let conversation = format!("/v3/directline/conversations/{id}");
    vec![
        (Method::POST, REFRESH.to_owned()),
        (Method::POST, "/v3/directline/conversations".to_owned()),
        (Method::GET, conversation.clone()),
        (Method::GET, format!("{conversation}/activities")),
        (Method::POST, format!("{conversation}/activities")),
    ]
}

#[tokio::test]
async fn a_call_without_authorization_is_401() {
    let app = TestApp::start();
    for (method, path) in calls("c1").into_iter().chain([(Method::POST, GENERATE.to_owned())]) {
        let (status, body) = answer(app.request(method, &path)).await;
        assert_eq!(
            (status, body["error"]["code"].as_str()),
            (StatusCode::UNAUTHORIZED, Some("Unauthorized")),
            "{path}"
        );
    }
}

#[tokio::test]
async fn another_scheme_or_an_empty_bearer_is_401() {
    let app = TestApp::start();
    for value in ["Basic YTpi", "Bearer", "Bearer ", DIRECT_LINE_SECRET] {
        let request = app.request(Method::POST, GENERATE).header("authorization", value);
        assert_eq!(answer(request).await.0, StatusCode::UNAUTHORIZED, "{value:?}");
    }
}

#[tokio::test]
async fn an_unknown_bearer_is_403() {
    let app = TestApp::start();
    for bearer in ["unknown", API_KEY, "a.b.c"] {
        for (method, path) in calls("c1") {
            let (status, body) = answer(app.request(method, &path).bearer_auth(bearer)).await;
            assert_eq!((status, body["error"]["code"].as_str()), (StatusCode::FORBIDDEN, Some("BadToken")), "{path}");
        }
    }
}

#[tokio::test]
async fn an_expired_token_is_403_token_expired_everywhere() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    app.clock.advance(Duration::seconds(1800));
    for (method, path) in calls(&conversation.id) {
        let (status, body) = answer(app.request(method, &path).bearer_auth(&conversation.token)).await;
        assert_eq!((status, body["error"]["code"].as_str()), (StatusCode::FORBIDDEN, Some("TokenExpired")), "{path}");
    }
}

#[tokio::test]
async fn only_the_secret_generates_tokens() {
    let app = TestApp::start();
    let grant = app.generate(json!({})).await;
    assert!(grant["conversationId"].is_string() && grant["expires_in"].is_u64(), "{grant}");
    let token = grant["token"].as_str().expect("a token");
    assert_eq!(answer(app.post(GENERATE, token).json(&json!({}))).await.0, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn generate_takes_no_body_and_names_in_any_case() {
    let app = TestApp::start();
    assert_eq!(answer(app.post(GENERATE, DIRECT_LINE_SECRET)).await.0, StatusCode::OK);
    app.generate(json!({})).await;
    for parameters in
        [json!({"User": {"Id": "dl_1"}}), json!({"user": {"id": "dl_1"}}), json!({"USER": {"ID": "dl_1"}})]
    {
        let grant = app.generate(parameters.clone()).await;
        assert_eq!(claims(&grant)["user"], "dl_1", "{parameters}");
    }
}

#[tokio::test]
async fn the_user_of_the_token_replaces_the_sender() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    app.post_activity(
        &conversation,
        &json!({"type": "message", "text": "hi", "from": {"id": "mallory", "role": "bot"}}),
    )
    .await;
    let from = &app.history(&conversation, "").await["activities"][0]["from"];
    assert_eq!((&from["id"], &from["role"]), (&json!("dl_ann"), &json!("user")));
}

#[tokio::test]
async fn a_token_names_its_user_in_a_claim() {
    let app = TestApp::start();
    assert_eq!(claims(&app.generate(json!({"user": {"id": "dl_ann"}})).await)["user"], "dl_ann");
    assert_eq!(claims(&app.generate(json!({})).await).get("user"), None);
}

#[tokio::test]
async fn refresh_gives_another_token_that_works() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let (status, grant) = answer(app.post(REFRESH, &conversation.token)).await;
    assert_eq!((status, &grant["conversationId"]), (StatusCode::OK, &json!(conversation.id)));
    let token = grant["token"].as_str().expect("a token");
    assert_ne!(token, conversation.token);
    assert_eq!(answer(app.get(&conversation.path("/activities"), token)).await.0, StatusCode::OK);
    assert_eq!(claims(&grant)["user"], "dl_ann");
}

#[tokio::test]
async fn an_unknown_or_expired_token_is_not_refreshed() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    assert_eq!(answer(app.post(REFRESH, "unknown")).await.0, StatusCode::FORBIDDEN);
    app.clock.advance(Duration::seconds(1800));
    assert_eq!(answer(app.post(REFRESH, &conversation.token)).await.0, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn the_old_token_is_good_until_it_expires_by_itself() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    app.clock.advance(Duration::seconds(900));
    let (_, grant) = answer(app.post(REFRESH, &conversation.token)).await;
    app.clock.advance(Duration::seconds(899));
    assert_eq!(answer(app.get(&conversation.path("/activities"), &conversation.token)).await.0, StatusCode::OK);
    app.clock.advance(Duration::seconds(1));
    assert_eq!(answer(app.get(&conversation.path("/activities"), &conversation.token)).await.0, StatusCode::FORBIDDEN);
    let renewed = grant["token"].as_str().expect("a token");
    assert_eq!(answer(app.get(&conversation.path("/activities"), renewed)).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_token_is_of_no_use_in_another_conversation() {
    let app = TestApp::start();
    let (mine, theirs) = (app.conversation().await, app.conversation().await);
    for (method, path) in calls(&theirs.id).into_iter().filter(|(_, path)| path.contains(&theirs.id)) {
        let request = app.request(method, &path).bearer_auth(&mine.token);
        let (status, body) = answer(request.json(&json!({"type": "message", "text": "hi"}))).await;
        assert_eq!((status, body["error"]["code"].as_str()), (StatusCode::FORBIDDEN, Some("BadToken")), "{path}");
    }
    assert_eq!(app.history(&theirs, "").await["activities"], json!([]));
}

#[tokio::test]
async fn tokens_last_half_an_hour() {
    let app = TestApp::start();
    assert!(app.generate(json!({})).await["expires_in"].as_u64().expect("seconds") >= 1800);
}

#[tokio::test]
async fn a_stream_credential_opens_no_call_and_a_token_opens_no_stream() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let credential = conversation.stream_url.split("&t=").nth(1).expect("a credential");
    assert_eq!(answer(app.get(&conversation.path("/activities"), credential)).await.0, StatusCode::FORBIDDEN);
    let url = conversation.stream_url.replace(credential, &conversation.token);
    assert_eq!(crate::app::Socket::try_open(&url).await.err(), Some(403));
}

#[tokio::test]
async fn a_token_outlives_a_restart_with_the_same_secret() {
    let app = TestApp::start();
    let secret = Secret::parse(DIRECT_LINE_SECRET).expect("a secret");
    let before = Tokens::new(&secret, Arc::clone(&app.clock) as Arc<dyn Clock>, Arc::new(CountingIds::default()));
    let id: ConversationId = "from-before-the-restart".parse().expect("an id");
    let token = before.issue(TokenKind::Token, id, None, Vec::new(), 1800).expect("a token");
    assert_eq!(app.start_as(&token, json!({})).await.0, StatusCode::CREATED);
}

/// The claims of a token, in anything that has one.
pub(super) fn claims(grant: &Value) -> Value {
    let token = grant["token"].as_str().expect("a token");
    let payload = token.split('.').nth(1).expect("a payload");
    serde_json::from_slice(&base64_url(payload)).expect("JSON")
}

/// Base64 with the alphabet for URLs, without padding (RFC 4648, section 5): what a page does to read a token.
fn base64_url(text: &str) -> Vec<u8> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.bytes() {
        let value = alphabet.iter().position(|letter| *letter == byte).expect("base64");
        bits = (bits << 6) | u32::try_from(value).expect("six bits");
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).expect("a byte"));
        }
    }
    bytes
}

/// A token that was made for the pages of one site started conversations from any other.
#[tokio::test]
async fn a_token_with_trusted_origins_is_good_from_pages_of_these_sites_and_from_programs() {
    let app = TestApp::start();
    let wished =
        json!({"user": {"id": "dl_ann"}, "trustedOrigins": ["https://good.example/", "http://localhost:3000"]});
    let granted = app.generate(wished).await;
    let token = granted["token"].as_str().expect("a token");
    let from = |request: RequestBuilder, origin: Option<&str>| match origin {
        Some(origin) => request.header("origin", origin).send(),
        None => request.send(),
    };
    for (origin, status) in [
        (Some("https://evil.example"), 403),
        (Some("https://good.example.evil.example"), 403),
        (Some("null"), 403),
        (Some("https://good.example"), 201),
        (Some("http://localhost:3000"), 200),
        (None, 200),
    ] {
        let start = app.post("/v3/directline/conversations", token).json(&json!({}));
        assert_eq!(from(start, origin).await.expect("an answer").status(), status, "{origin:?}");
    }
    let renewed: Value =
        app.post("/v3/directline/tokens/refresh", token).send().await.expect("an answer").json().await.expect("JSON");
    let renewed = renewed["token"].as_str().expect("a token");
    let id = granted["conversationId"].as_str().expect("an id");
    let read = || app.get(&format!("/v3/directline/conversations/{id}/activities"), renewed);
    assert_eq!(
        from(read(), Some("https://evil.example")).await.expect("an answer").status(),
        403,
        "a renewed one, too"
    );
    assert_eq!(from(read(), Some("https://good.example")).await.expect("an answer").status(), 200);
    let (_, started) = app.start_as(token, json!({})).await;
    let stream = started["streamUrl"].as_str().expect("an address").replacen("ws", "http", 1);
    let refused = from(app.client.get(&stream), Some("https://evil.example")).await.expect("an answer");
    assert_eq!(refused.status(), 403, "the stream, too");
    assert!(refused.text().await.expect("words").contains("trustedOrigins"));
}

/// A token for the user `admin` was made, which Azure's enhanced authentication refuses.
#[tokio::test]
async fn with_the_setting_users_have_ids_that_begin_with_dl() {
    let app = TestApp::with(|setup| setup.direct_line.require_dl_ids = true);
    let generate = |id: &str| {
        let request = app.post("/v3/directline/tokens/generate", DIRECT_LINE_SECRET);
        answer(request.json(&json!({"user": {"id": id}})))
    };
    let (status, body) = generate("admin").await;
    assert_eq!((status.as_u16(), body["error"]["code"].as_str()), (400, Some("BadArgument")), "{body}");
    assert_eq!(generate("dl_ann").await.0, 200);
    let conversation = app.conversation_of_nobody().await;
    for (id, expected) in [("citewire", 400), ("dl_ann", 200)] {
        let message = json!({"type": "message", "from": {"id": id}, "text": "Hello."});
        assert_eq!(app.try_post(&conversation, &message).await.0, expected, "{id}");
    }
}
