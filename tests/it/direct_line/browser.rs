//! Needs of browsers (rule DL-08).

use std::collections::BTreeSet;

use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::app::{DIRECT_LINE_SECRET, TestApp, answer};

const ORIGIN: &str = "https://page.example";

#[tokio::test]
async fn a_preflight_is_answered_before_anyone_asks_for_a_credential() {
    let app = TestApp::start();
    for path in ["/tokens/generate", "/conversations", "/conversations/c1/activities", "/conversations/c1"] {
        let request = app
            .request(Method::OPTIONS, &format!("/v3/directline{path}"))
            .header("origin", ORIGIN)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization,content-type,x-ms-bot-agent,x-requested-with");
        let response = request.send().await.expect("an answer");
        assert!(response.status().is_success(), "{path}");
        let list = |name: &str| -> BTreeSet<String> {
            let text = response.headers()[name].to_str().expect("text").to_lowercase();
            text.split(',').map(|item| item.trim().to_owned()).collect()
        };
        assert_eq!(response.headers()["access-control-allow-origin"], "*");
        assert_eq!(response.headers()["access-control-max-age"], "600");
        let methods = ["get", "post", "options"].map(str::to_owned).into();
        assert!(list("access-control-allow-methods").is_superset(&methods), "{path}");
        let headers = ["authorization", "content-type", "accept", "x-requested-with", "x-ms-bot-agent"];
        assert!(list("access-control-allow-headers").is_superset(&headers.map(str::to_owned).into()), "{path}");
    }
}

#[tokio::test]
async fn every_error_can_be_read_by_a_page() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let with_secret = |method, path: &str| app.request(method, path).bearer_auth(DIRECT_LINE_SECRET);
    for (request, expected) in [
        (app.request(Method::GET, &conversation.path("")), StatusCode::UNAUTHORIZED),
        (app.get(&conversation.path(""), "unknown"), StatusCode::FORBIDDEN),
        (with_secret(Method::GET, "/v3/directline/conversations/unknown"), StatusCode::NOT_FOUND),
        (with_secret(Method::GET, "/v3/directline/no-such-thing"), StatusCode::NOT_FOUND),
        (with_secret(Method::DELETE, &conversation.path("")), StatusCode::METHOD_NOT_ALLOWED),
        (with_secret(Method::POST, &conversation.path("/activities")).body("x"), StatusCode::BAD_REQUEST),
        (with_secret(Method::GET, &conversation.path("/activities?watermark=x")), StatusCode::BAD_REQUEST),
        (app.request(Method::GET, &conversation.path("/stream")), StatusCode::FORBIDDEN),
    ] {
        let response = request.header("origin", ORIGIN).send().await.expect("an answer");
        assert_eq!(response.status(), expected);
        // With the origin and credentials in place of this, any page could have called with cookies, had there been some.
        assert_eq!(response.headers()["access-control-allow-origin"], "*", "{expected}");
        assert!(!response.headers().contains_key("access-control-allow-credentials"), "{expected}");
        assert_eq!(response.headers()["content-type"], "application/json", "{expected}");
        let body: serde_json::Value = response.json().await.expect("JSON");
        for name in ["code", "message"] {
            assert!(body["error"][name].as_str().is_some_and(|text| !text.is_empty()), "{expected}: {body}");
        }
    }
}

#[tokio::test]
async fn a_session_id_for_sign_in_cards_is_given() {
    let app = TestApp::start();
    let request = app.request(Method::GET, "/v3/directline/session/getsessionid").header("origin", ORIGIN);
    let response = request.send().await.expect("an answer");
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()["access-control-allow-origin"], ORIGIN, "with cookies, * will not do");
    assert_eq!(response.headers()["access-control-allow-credentials"], "true");
    let body: serde_json::Value = response.json().await.expect("JSON");
    assert!(body["sessionId"].is_string(), "{body}");
}

#[tokio::test]
async fn streaming_extensions_are_not_spoken() {
    let app = TestApp::start();
    for path in ["/v3/directline/conversations/connect?token=x", "/conversations/connect?token=x"] {
        let url = format!("{}{path}", app.url.replace("http://", "ws://"));
        assert_eq!(crate::app::Socket::try_open(&url).await.err(), Some(404), "{path}");
    }
}

#[tokio::test]
async fn a_body_of_the_wrong_shape_is_refused_when_starting() {
    let app = TestApp::start();
    for path in ["/v3/directline/tokens/generate", "/v3/directline/conversations"] {
        for body in [json!([]), json!("x"), json!({"user": 5}), json!({"user": {"id": []}})] {
            let (status, answer) = answer(app.post(path, DIRECT_LINE_SECRET).json(&body)).await;
            assert_eq!(status, StatusCode::BAD_REQUEST, "{path} {body}");
            assert_eq!(answer["error"]["code"], "BadArgument");
        }
    }
}
