//! Posts from one citewire to another.

use citewire::channels::direct_line_client::{Binding, Credential};
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::secret;
use crate::app::{API_KEY, Conversation, DIRECT_LINE_SECRET, TestApp, answer};

fn leave() -> Value {
    json!({"text": "Leave is 30 days [1].", "sources": [{"title": "Leave policy", "url": "https://hr.example/leave"}]})
}

/// A citewire whose conversations of these ids are in another one.
fn bound_to(other: &TestApp, credential: Credential, conversations: &str) -> TestApp {
    TestApp::with(|setup| {
        setup.binding = Some(Binding {
            url: format!("{}/v3/directline", other.url).parse().expect("an address"),
            credential,
            user: "hr-bot".to_owned(),
            conversations: conversations.parse().expect("conversations"),
        });
    })
}

async fn deliver(app: &TestApp, id: &str) -> (StatusCode, Value) {
    answer(app.post(&format!("/v1/conversations/{id}/answers"), API_KEY).json(&json!({"answer": leave()}))).await
}

async fn only_activity(app: &TestApp, conversation: &Conversation) -> Value {
    let history = app.history(conversation, "").await;
    let activities = history["activities"].as_array().expect("activities");
    assert_eq!(activities.len(), 1, "{history}");
    activities[0].clone()
}

#[tokio::test]
async fn with_the_secret_an_answer_appears_as_the_bots() {
    let other = TestApp::start();
    let conversation = other.conversation().await;
    let mut socket = other.open(&conversation).await;
    let app = bound_to(&other, Credential::Secret(secret(DIRECT_LINE_SECRET)), "*");
    let (status, body) = deliver(&app, &conversation.id).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let activity = socket.activity().await;
    assert_eq!((&activity["id"], &activity["from"]), (&body["id"], &json!({"id": "hr-bot", "role": "bot"})));
    assert!(activity["text"].as_str().is_some_and(|text| text.contains("[1]: https://hr.example/leave")), "{activity}");
    assert_eq!(activity["entities"][0]["citation"][0]["appearance"]["name"], "Leave policy");
    assert_eq!(body["report"]["cited"].as_array().map(Vec::len), Some(1), "{body}");
    assert_eq!(only_activity(&other, &conversation).await, activity);
}

#[tokio::test]
async fn with_a_token_an_answer_appears_as_the_users() {
    let other = TestApp::start();
    let conversation = other.conversation().await;
    let app = bound_to(&other, Credential::Token(secret(&conversation.token)), &conversation.id);
    let (status, body) = deliver(&app, &conversation.id).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let activity = only_activity(&other, &conversation).await;
    assert_eq!((&activity["id"], &activity["from"]), (&body["id"], &json!({"id": "dl_ann", "role": "user"})));
}

#[tokio::test]
async fn a_token_that_has_expired_there_is_a_refusal() {
    let other = TestApp::start();
    let conversation = other.conversation().await;
    let app = bound_to(&other, Credential::Token(secret(&conversation.token)), &conversation.id);
    other.clock.advance(chrono::Duration::seconds(1800));
    let (status, problem) = deliver(&app, &conversation.id).await;
    assert_eq!((status, &problem["code"]), (StatusCode::BAD_GATEWAY, &json!("direct_line_refused")), "{problem}");
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("403 TokenExpired")), "{problem}");
}

#[tokio::test]
async fn an_idempotency_key_delivers_once_there_too() {
    let other = TestApp::start();
    let conversation = other.conversation().await;
    let app = bound_to(&other, Credential::Secret(secret(DIRECT_LINE_SECRET)), "*");
    let path = format!("/v1/conversations/{}/answers", conversation.id);
    let deliver = || answer(app.post(&path, API_KEY).header("idempotency-key", "k1").json(&leave()));
    let ((first, one), (second, two)) = tokio::join!(deliver(), deliver());
    let (third, three) = deliver().await;
    assert_eq!([first, second, third], [StatusCode::CREATED; 3]);
    assert_eq!((&one["id"], &two["id"]), (&three["id"], &three["id"]));
    only_activity(&other, &conversation).await;
}

#[tokio::test]
async fn conversations_of_our_own_stay_here_unless_they_are_named() {
    let other = TestApp::start();
    let app = bound_to(&other, Credential::Secret(secret(DIRECT_LINE_SECRET)), "*, named");
    let own = app.conversation().await;
    let (status, body) = deliver(&app, &own.id).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    assert_eq!(only_activity(&app, &own).await["id"], body["id"]);
    // The conversation was not started there, but it is looked for there.
    let (status, problem) = deliver(&app, "named").await;
    assert_eq!(status, StatusCode::BAD_GATEWAY, "{problem}");
}

#[tokio::test]
async fn a_conversation_that_is_not_bound_is_unknown() {
    let other = TestApp::start();
    let there = other.conversation().await;
    let app = bound_to(&other, Credential::Secret(secret(DIRECT_LINE_SECRET)), "hr-*");
    let (status, problem) = deliver(&app, &there.id).await;
    assert_eq!((status, &problem["code"]), (StatusCode::NOT_FOUND, &json!("unknown_conversation")), "{problem}");
}

#[tokio::test]
async fn a_refusal_there_is_a_502_that_says_what_was_refused() {
    let other = TestApp::start();
    let app = bound_to(&other, Credential::Secret(secret(DIRECT_LINE_SECRET)), "*");
    let (status, problem) = deliver(&app, "unknown").await;
    assert_eq!((status, &problem["code"]), (StatusCode::BAD_GATEWAY, &json!("direct_line_refused")), "{problem}");
    let detail = problem["detail"].as_str().expect("words");
    assert!(detail.contains("POST ") && detail.contains("/conversations/unknown/activities: 404 NotFound"), "{detail}");
}

#[tokio::test]
async fn a_key_that_is_wrong_there_stays_unseen_here() {
    let other = TestApp::start();
    let conversation = other.conversation().await;
    let wrong = "this-is-not-the-secret-there";
    let app = bound_to(&other, Credential::Secret(secret(wrong)), "*");
    let (status, problem) = deliver(&app, &conversation.id).await;
    assert_eq!(status, StatusCode::BAD_GATEWAY);
    let problem = problem.to_string();
    assert!(problem.contains("403 BadToken") && !problem.contains(wrong), "{problem}");
    assert_eq!(other.history(&conversation, "").await["activities"], json!([]));
}
