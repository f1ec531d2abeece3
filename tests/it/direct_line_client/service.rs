//! The service in front of upstreams that misbehave.

use std::sync::Arc;
use std::time::Duration;

use citewire::channels::direct_line_client::{Binding, Credential};
use citewire::clock::ManualClock;
use citewire::egress::{AllowedHosts, EgressOptions};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::net::TcpSocket;

use super::{Reply, SECRET, TOKEN, Upstream, egress, secret, token};
use crate::app::{API_KEY, TestApp, answer};

fn bound_to(url: &str) -> TestApp {
    bound_with(url, Credential::Secret(secret(SECRET)), Duration::from_secs(30))
}

fn bound_with(url: &str, credential: Credential, total_timeout: Duration) -> TestApp {
    TestApp::with(|setup| {
        // No host is allowed by name: the address stands in the URL.
        setup.egress = EgressOptions { allow: AllowedHosts::default(), total_timeout, ..egress() };
        setup.binding = Some(Binding {
            url: url.parse().expect("an address"),
            credential,
            user: "hr-bot".to_owned(),
            conversations: "c1".parse().expect("conversations"),
        });
    })
}

async fn deliver(app: &TestApp, text: &str) -> (StatusCode, Value) {
    answer(app.post("/v1/conversations/c1/answers", API_KEY).json(&json!({"text": text}))).await
}

async fn playing(script: Vec<Reply>) -> Upstream {
    // Time that passes for the server passes for no other part.
    let clock = ManualClock::at("2026-01-01T00:00:00Z".parse().expect("a time"));
    Upstream::playing(Arc::new(clock), script).await
}

async fn problem_with(script: Vec<Reply>) -> (u16, String, String) {
    let upstream = playing(script).await;
    problem_of(&bound_to(&upstream.url)).await
}

async fn problem_of(app: &TestApp) -> (u16, String, String) {
    let (status, problem) = deliver(app, "hi").await;
    let words = |name: &str| problem[name].as_str().unwrap_or_else(|| panic!("{problem}")).to_owned();
    assert_eq!(problem["status"], status.as_u16());
    (status.as_u16(), words("code"), words("detail"))
}

#[tokio::test]
async fn a_refusal_is_502_with_the_status_and_code_of_the_other_side() {
    let (status, code, detail) = problem_with(vec![Reply::error(400, "BadArgument", "No such thing.")]).await;
    assert_eq!((status, code.as_str()), (502, "direct_line_refused"));
    assert!(detail.ends_with("400 BadArgument: No such thing."), "{detail}");
}

#[tokio::test]
async fn an_answer_that_is_no_direct_line_is_502() {
    let html = Reply::With(200, "content-type", "text/html".to_owned(), "<html>".to_owned());
    let (status, code, detail) = problem_with(vec![html, Reply::nothing()]).await;
    assert_eq!((status, code.as_str()), (502, "direct_line_misunderstood"));
    assert!(detail.contains("the activity may have been delivered"), "{detail}");
}

#[tokio::test]
async fn a_silent_upstream_is_504() {
    let upstream = playing(vec![Reply::Silence; 20]).await;
    let app = bound_with(&upstream.url, Credential::Secret(secret(SECRET)), Duration::from_millis(200));
    let (status, code, detail) = problem_of(&app).await;
    assert_eq!((status, code.as_str()), (504, "direct_line_timeout"), "{detail}");
}

#[tokio::test]
async fn an_upstream_that_is_not_there_is_502() {
    let silent = TcpSocket::new_v4().expect("a socket");
    silent.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let url = format!("http://{}/v3/directline", silent.local_addr().expect("an address"));
    let (status, problem) = deliver(&bound_to(&url), "hi").await;
    assert_eq!((status, &problem["code"]), (StatusCode::BAD_GATEWAY, &json!("direct_line_unreachable")), "{problem}");
}

#[tokio::test]
async fn a_message_that_is_too_long_for_a_direct_line_is_422_and_not_sent() {
    let (status, problem) = deliver(&bound_to("http://127.0.0.1:9/v3/directline"), &"x".repeat(160_000)).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
    assert_eq!(problem["code"], "activity_too_long");
}

#[tokio::test]
async fn a_token_is_renewed_as_soon_as_the_server_runs() {
    let fresh = "a-fresh-token-for-the-next-hour";
    let upstream = playing(vec![Reply::token(fresh), Reply::id("c1|1")]).await;
    let app = bound_with(&upstream.url, token(), Duration::from_secs(30));
    upstream.played(1).await;
    let (status, body) = deliver(&app, "hi").await;
    assert_eq!((status, &body["id"]), (StatusCode::CREATED, &json!("c1|1")), "{body}");
    let seen = upstream.seen();
    assert_eq!((seen[0].call.as_str(), seen[0].bearer.as_str()), ("POST /tokens/refresh", TOKEN));
    let posted: Vec<_> = seen[1..].iter().map(|seen| seen.call.as_str()).collect();
    assert_eq!(posted, ["POST /conversations/c1/activities"]);
}
