//! The service in front of upstreams that misbehave.

use citewire::channels::direct_line_client::Binding;
use reqwest::StatusCode;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::net::TcpSocket;

use super::{Reply, Upstream, impatient, token};
use crate::app::{API_KEY, TestApp, answer};

fn bound_to(url: &str) -> TestApp {
    TestApp::with(|setup| {
        setup.egress = impatient();
        setup.egress.allow = "".parse().expect("no hosts");
        setup.binding = Some(Binding {
            url: url.parse().expect("an address"),
            credential: token(),
            user: "hr-bot".to_owned(),
            conversations: "c1".parse().expect("conversations"),
        });
    })
}

async fn deliver(app: &TestApp, text: &str) -> (StatusCode, Value) {
    answer(app.post("/v1/conversations/c1/answers", API_KEY).json(&json!({"text": text}))).await
}

async fn problem_with(script: Vec<Reply>) -> (u16, String, String) {
    // Time that passes here passes for nobody else.
    let clock = citewire::clock::ManualClock::at("2026-01-01T00:00:00Z".parse().expect("a time"));
    let upstream = Upstream::playing(Arc::new(clock), script).await;
    let (status, problem) = deliver(&bound_to(&upstream.url), "hi").await;
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
    assert!(detail.contains("whether the activity has arrived"), "{detail}");
}

#[tokio::test]
async fn a_silent_upstream_is_504() {
    let (status, code, detail) = problem_with(vec![Reply::Silence; 9]).await;
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
