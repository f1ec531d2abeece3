//! The chat in pages of other sites: who gets the script and a session.

use std::sync::Arc;

use citewire::assistant::{AssistantRegistry, Assistants};
use citewire::http::EmbedOptions;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};

use crate::app::{Backend, Bot, TestApp, answer};

const SITE: &str = "https://www.contoso.example";

fn embed(anonymous: bool) -> EmbedOptions {
    EmbedOptions { origins: SITE.parse().expect("an origin"), anonymous, assistants: vec!["hr".to_owned()] }
}

fn offering(anonymous: bool) -> TestApp {
    TestApp::with(|setup| setup.http.embed = embed(anonymous))
}

fn ask(app: &TestApp, origin: &str) -> RequestBuilder {
    app.request(Method::POST, "/embed/session").header("origin", origin)
}

async fn refused(request: RequestBuilder) -> (StatusCode, String, String) {
    let (status, body) = answer(request).await;
    let text = |name: &str| body[name].as_str().expect("text").to_owned();
    (status, text("code"), text("detail"))
}

#[tokio::test]
async fn without_origins_there_is_no_script_and_the_answer_names_the_setting() {
    let app = TestApp::start();
    for request in [
        app.request(Method::GET, "/embed.js"),
        app.request(Method::GET, "/embed/webchat.js"),
        app.request(Method::POST, "/embed/session").header("origin", SITE),
    ] {
        let (status, code, detail) = refused(request).await;
        assert_eq!((status, code.as_str()), (StatusCode::NOT_FOUND, "embed_off"));
        assert!(detail.contains("embed.origins (CITEWIRE_EMBED_ORIGINS)"), "{detail}");
    }
}

#[tokio::test]
async fn the_script_is_served_to_other_sites_also_where_the_page_is_off() {
    let app = TestApp::with(|setup| {
        setup.http.embed = embed(false);
        setup.http.page = false;
    });
    let script = app.request(Method::GET, "/embed.js").send().await.expect("an answer");
    assert_eq!(script.status(), StatusCode::OK);
    assert_eq!(script.headers()["content-type"], "text/javascript; charset=utf-8");
    assert_eq!(script.headers()["cross-origin-resource-policy"], "cross-origin");
    let (status, body) = answer(app.request(Method::GET, "/embed/webchat.js")).await;
    assert_eq!((status, &body["code"]), (StatusCode::NOT_FOUND, &json!("no_web_chat")));
}

#[tokio::test]
async fn a_listed_site_gets_a_session_whose_token_no_other_site_may_use() {
    let app = offering(true);
    let response = ask(&app, SITE).send().await.expect("an answer");
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()["access-control-allow-origin"], SITE);
    assert_eq!(response.headers()["cache-control"], "no-store");
    let session: Value = response.json().await.expect("JSON");
    assert!(session["userId"].as_str().is_some_and(|user| user.starts_with("dl_")), "{session}");
    let token = session["token"].as_str().expect("a token");
    let path =
        format!("/v3/directline/conversations/{}/activities", session["conversationId"].as_str().expect("an id"));
    for (origin, status) in [(SITE, 200), ("https://evil.example", 403), (&*app.url, 403)] {
        let read = app.get(&path, token).header("origin", origin).send().await.expect("an answer");
        assert_eq!(read.status(), status, "{origin}");
    }
    let page = app.post("/page/answers", token).json(&json!({"answer": {"text": "Hello."}}));
    assert_eq!(page.send().await.expect("an answer").status(), StatusCode::FORBIDDEN, "it converts no answers");
}

#[tokio::test]
async fn a_site_that_is_not_listed_exactly_is_refused_and_shown_nothing() {
    let app = offering(true);
    for origin in ["https://contoso.example", "http://www.contoso.example", "https://www.contoso.example:8443", "null"]
    {
        let response = ask(&app, origin).send().await.expect("an answer");
        assert!(!response.headers().contains_key("access-control-allow-origin"), "{origin}");
        assert_eq!(response.status(), StatusCode::FORBIDDEN, "{origin}");
        let problem: Value = response.json().await.expect("a problem");
        let detail = problem["detail"].as_str().expect("words");
        assert!(detail.contains(origin) && detail.contains("embed.origins"), "{detail}");
    }
    let (status, code, detail) = refused(app.request(Method::POST, "/embed/session")).await;
    assert_eq!((status, code.as_str()), (StatusCode::FORBIDDEN, "wrong_origin"));
    assert!(detail.contains("no header Origin"), "{detail}");
}

#[tokio::test]
async fn browsers_are_told_beforehand_which_site_may_ask() {
    let app = offering(true);
    let preflight = |origin: &str| {
        let request = app.request(Method::OPTIONS, "/embed/session").header("origin", origin);
        let request = request.header("access-control-request-method", "POST");
        request.header("access-control-request-headers", "content-type").send()
    };
    let allowed = preflight(SITE).await.expect("an answer");
    assert_eq!(allowed.headers()["access-control-allow-origin"], SITE);
    assert!(!allowed.headers().contains_key("access-control-allow-credentials"), "no cookies are wanted");
    let foreign = preflight("https://evil.example").await.expect("an answer");
    assert!(!foreign.headers().contains_key("access-control-allow-origin"));
}

#[tokio::test]
async fn a_listed_site_without_anonymous_sessions_is_told_what_to_do() {
    let (status, code, detail) = refused(ask(&offering(false), SITE)).await;
    assert_eq!((status, code.as_str()), (StatusCode::FORBIDDEN, "embed_needs_token"));
    assert!(detail.contains("embed.anonymous") && detail.contains("data-token-url"), "{detail}");
}

#[tokio::test]
async fn an_address_starts_as_many_sessions_as_on_the_page() {
    let app = TestApp::with(|setup| {
        setup.http.embed = embed(true);
        setup.http.limits.page_sessions_per_minute = 1;
    });
    assert_eq!(answer(ask(&app, SITE)).await.0, StatusCode::OK);
    let page = app.request(Method::POST, "/page/session").header("origin", &app.url);
    assert_eq!(answer(page).await.0, StatusCode::TOO_MANY_REQUESTS, "one limit for both");
    let response = ask(&app, SITE).send().await.expect("an answer");
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
    let exposed = response.headers()["access-control-expose-headers"].to_str().expect("text").to_lowercase();
    assert!(response.headers().contains_key("retry-after") && exposed.contains("retry-after"));
}

/// An assistant for few people must not answer strangers who know its name.
#[tokio::test]
async fn visitors_choose_the_assistant_of_the_channel_or_a_listed_one() {
    let backend = Backend::new();
    let team = ["docs", "hr", "board"].map(|name| backend.assistant(name, |_| {}));
    let assistants = Arc::new(Assistants::new(AssistantRegistry::new(team, Some("docs".to_owned()))));
    let app = TestApp::with(|setup| {
        setup.http.embed = embed(true);
        setup.assistants = Some(assistants);
    });
    let wish = |name: &str| ask(&app, SITE).json(&json!({"assistant": name}));
    for (name, prefix) in [("docs", None), ("hr", Some("hr")), ("", None)] {
        let (status, session) = answer(wish(name)).await;
        assert_eq!((status, &session["answered"]), (StatusCode::OK, &json!(true)), "{name}: {session}");
        let id = session["conversationId"].as_str().expect("an id");
        assert_eq!(id.split_once('.').map(|(owner, _)| owner), prefix, "{name}");
    }
    for name in ["board", "nobody"] {
        let (status, code, detail) = refused(wish(name)).await;
        assert_eq!((status, code.as_str()), (StatusCode::FORBIDDEN, "assistant_not_offered"));
        assert!(detail.contains(name) && detail.contains("embed.assistants"), "{detail}");
    }
    let (_, session) = answer(wish("hr")).await;
    let id = session["conversationId"].as_str().expect("an id");
    let token = session["token"].as_str().expect("a token");
    let said = app.post(&format!("/v3/directline/conversations/{id}/activities"), token);
    let said = said.json(&json!({"type": "message", "text": "How long is leave?"}));
    assert_eq!(answer(said).await.0, StatusCode::OK);
    assert_eq!(backend.asked().await.turns(), ["user: how long is leave?"], "the assistant that was chosen is asked");
}

/// A visitor who has chosen an assistant is not to be answered by the bot.
#[tokio::test]
async fn beside_a_bot_a_chosen_assistant_answers_and_takes_no_files() {
    let bot = Bot::quiet();
    let backend = Backend::new();
    let team = ["docs", "hr"].map(|name| backend.assistant(name, |_| {}));
    let assistants = Arc::new(Assistants::new(AssistantRegistry::new(team, Some("docs".to_owned()))));
    let app = TestApp::with(|setup| {
        setup.http.embed = embed(true);
        setup.bot = Some(bot.binding());
        setup.assistants = Some(assistants);
    });
    let (_, unchosen) = answer(ask(&app, SITE)).await;
    assert_eq!((&unchosen["answered"], &unchosen["takesFiles"]), (&json!(true), &json!(true)));
    let (_, chosen) = answer(ask(&app, SITE).json(&json!({"assistant": "hr"}))).await;
    assert_eq!((&chosen["answered"], &chosen["takesFiles"]), (&json!(true), &json!(false)));
    let (status, code, _) = refused(ask(&app, SITE).json(&json!({"assistant": "docs"}))).await;
    assert_eq!((status, code.as_str()), (StatusCode::FORBIDDEN, "assistant_not_offered"));
}

#[tokio::test]
async fn a_body_that_is_no_wish_is_refused_by_its_place() {
    let app = offering(true);
    for (body, code, pointer) in [
        ("[]", "invalid_member", json!("")),
        (r#"{"assistant": 5}"#, "invalid_member", json!("/assistant")),
        ("{", "not_json", Value::Null),
    ] {
        let (status, problem) = answer(ask(&app, SITE).body(body)).await;
        assert_eq!((status, &problem["code"], &problem["pointer"]), (StatusCode::BAD_REQUEST, &json!(code), &pointer));
    }
}
