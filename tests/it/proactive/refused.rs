use std::sync::Arc;

use reqwest::{StatusCode, header};
use serde_json::{Value, json};

use super::{CHAT, Scene, escaped, leave};
use crate::app::{API_KEY, TestApp, answer};
use crate::connector::{Flavour, Mishap};

/// Status and code of the problem, and its words.
async fn problem(scene: &Scene) -> (u16, String, String) {
    let response = scene.answers().json(&leave()).send().await.expect("an answer");
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/problem+json");
    let status = response.status();
    let problem: Value = response.json().await.expect("JSON");
    assert_eq!(problem["status"], status.as_u16());
    let words = |name: &str| problem[name].as_str().unwrap_or_else(|| panic!("{problem}")).to_owned();
    assert!(!problem.to_string().contains("token-1"), "{problem}");
    (status.as_u16(), words("code"), words("detail"))
}

#[tokio::test]
async fn a_conversation_in_which_nobody_has_spoken_is_unknown() {
    let scene = Scene::teams().await;
    for name in ["msteams:19:other", "agent:x:y", "azure:msteams:AAAA", "webchat:", ":", "msteams:%"] {
        for content_type in ["application/json", "text/event-stream"] {
            let request = scene.app.post(&format!("/v1/conversations/{}/answers", escaped(name)), API_KEY);
            let (status, body) = answer(request.header("content-type", content_type).body(leave().to_string())).await;
            assert_eq!((status, &body["code"]), (StatusCode::NOT_FOUND, &json!("unknown_conversation")), "{name}");
        }
    }
    assert!(scene.service.seen().is_empty() && scene.service.asked().is_empty());
}

#[tokio::test]
async fn a_stored_service_that_is_not_trusted_gets_neither_the_answer_nor_a_token() {
    for url in [
        "https://evil.test/",
        "https://botframework.com.evil.test/",
        "https://smba.trafficmanager.net:8443/",
        "http://smba.trafficmanager.net/",
        "https://u:p@smba.trafficmanager.net/",
        "https://10.0.0.1/",
        "nonsense",
    ] {
        let scene = Scene::of(Flavour::Teams, |reference| reference.service_url = Some(url.to_owned())).await;
        let (status, code, detail) = problem(&scene).await;
        assert_eq!((status, code.as_str()), (409, "service_url_untrusted"), "{url}: {detail}");
        assert!(scene.service.asked().is_empty() && scene.recorded().await.is_empty());
    }
}

#[tokio::test]
async fn a_side_that_cannot_be_called_is_not_called() {
    let scene = Scene::of(Flavour::Teams, |reference| reference.service_url = None).await;
    let (status, code, _) = problem(&scene).await;
    assert_eq!((status, code.as_str()), (409, "no_service_url"));
}

#[tokio::test]
async fn without_a_bot_the_conversation_is_known_and_cannot_be_answered() {
    let scene = Scene::teams().await;
    let store = Arc::clone(&scene.app.store);
    let app = TestApp::going_on(store, Arc::clone(&scene.app.clock), |_| {});
    for content_type in ["application/json", "text/event-stream"] {
        let request = app.post(&scene.path("/answers"), API_KEY).header("content-type", content_type);
        let (status, body) = answer(request.body(leave().to_string())).await;
        assert_eq!((status, &body["code"]), (StatusCode::CONFLICT, &json!("no_azure_bot")), "{body}");
        assert!(body["detail"].as_str().is_some_and(|detail| detail.contains("azure_bot")), "{body}");
    }
}

#[tokio::test]
async fn what_the_service_refuses_is_told_with_its_words_and_nothing_is_recorded() {
    for (status, code, expected, problem_code) in [
        (403, "BotNotInConversationRoster", 502, "connector_refused"),
        (404, "ConversationNotFound", 502, "connector_refused"),
        (405, "MethodNotAllowed", 502, "connector_refused"),
        (500, "ServiceError", 502, "connector_refused"),
        (503, "ServiceUnavailable", 502, "connector_unavailable"),
        (413, "MessageSizeTooBig", 422, "activity_too_long"),
        (429, "429", 429, "connector_busy"),
    ] {
        let scene = Scene::teams().await;
        scene.service.plan(move |_, _| Some((Mishap::error(status, code, "Scripted."), false)));
        let (got, said, detail) = problem(&scene).await;
        assert_eq!((got, said.as_str()), (expected, problem_code), "{status}: {detail}");
        assert!(detail.contains(code) && detail.contains("Scripted."), "{detail}");
        assert!(scene.recorded().await.is_empty(), "{status}");
    }
}

// The service is that of any agent. Its words went to the log and to the caller with the answer in them.
#[tokio::test]
async fn what_the_service_repeats_of_the_answer_is_not_told() {
    let scene = Scene::teams().await;
    scene.service.plan(|_, seen| {
        let text = seen.body["text"].as_str().expect("a text");
        Some((Mishap::error(403, "Forbidden", &format!("Not this: {text}")), false))
    });
    let (_, _, detail) = problem(&scene).await;
    assert!(detail.contains("403 Forbidden: Not this: ****"), "{detail}");
    assert!(!detail.contains("30 days"), "{detail}");
}

#[tokio::test]
async fn how_long_the_service_wants_to_be_left_alone_is_passed_on() {
    for (given, passed_on) in [(Some("17"), "17"), (None, "10")] {
        let scene = Scene::teams().await;
        scene.service.plan(move |_, _| {
            let busy = match given {
                Some(given) => Mishap::With(429, "retry-after", given.to_owned(), String::new()),
                None => Mishap::status(429),
            };
            Some((busy, false))
        });
        let response = scene.answers().json(&leave()).send().await.expect("an answer");
        assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(response.headers()[header::RETRY_AFTER], passed_on);
    }
}

// A connection that broke off had the code of a service that is down: who went by the code sent the answer twice.
#[tokio::test]
async fn a_service_that_does_not_answer_leaves_doubt_and_says_so() {
    for (mishap, is_taken, expected, problem_code) in [
        (Mishap::Silence, false, 504, "connector_timeout"),
        (Mishap::Close, true, 502, "connector_doubtful"),
        (Mishap::Half, true, 504, "connector_timeout"),
    ] {
        let scene = Scene::teams().await;
        scene.service.plan(move |_, _| Some((mishap.clone(), is_taken)));
        let (status, code, detail) = problem(&scene).await;
        assert_eq!((status, code.as_str()), (expected, problem_code), "{detail}");
        assert!(detail.contains("the answer may have been delivered"), "{detail}");
        assert_eq!(scene.service.seen().len(), 1, "nobody who has asked for nothing is told of it");
        assert_eq!(
            scene.service.chat(CHAT).len(),
            usize::from(is_taken),
            "readers have what the code says they may have"
        );
    }
}

#[tokio::test]
async fn a_login_service_that_refuses_is_named_without_the_secret() {
    let scene = Scene::teams().await;
    scene.service.plan_tokens(|_| Some(Mishap::Json(401, json!({"error": "invalid_client"}))));
    let (status, code, detail) = problem(&scene).await;
    assert_eq!((status, code.as_str()), (502, "connector_no_token"), "{detail}");
    assert!(detail.contains("invalid_client") && !detail.contains("the-app-secret"), "{detail}");
    assert!(scene.service.seen().is_empty());
}

#[tokio::test]
async fn a_key_of_a_refused_answer_is_free_for_the_next_try() {
    let scene = Scene::teams().await;
    scene.service.fail_first(vec![Mishap::status(403)]);
    let request = || answer(scene.answers().header("idempotency-key", "k").json(&leave()));
    assert_eq!(request().await.0, StatusCode::BAD_GATEWAY);
    assert_eq!(request().await.0, StatusCode::CREATED);
    assert_eq!((scene.service.chat(CHAT).len(), scene.recorded().await.len()), (1, 1));
}

#[tokio::test]
async fn an_answer_without_words_or_grounding_is_refused_before_anything_is_sent() {
    let scene = Scene::teams().await;
    let ungrounded = json!({"answer": {"text": "Believe me."}, "options": {"require_grounding": "any"}});
    for (body, code) in [(json!({"text": " "}), "empty_answer"), (ungrounded, "grounding_no_tools")] {
        let (status, problem) = scene.deliver(&body).await;
        assert_eq!((status, &problem["code"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!(code)), "{problem}");
    }
    let (status, problem) = scene.deliver(&json!({"answer": {"text": 5}})).await;
    assert_eq!((status, &problem["pointer"]), (StatusCode::BAD_REQUEST, &json!("/answer/text")), "{problem}");
    assert!(scene.service.seen().is_empty() && scene.recorded().await.is_empty());
}

#[tokio::test]
async fn a_failed_answer_does_not_hold_up_the_next_one() {
    let scene = Scene::teams().await;
    scene.service.fail_first(vec![Mishap::status(403)]);
    assert_eq!(scene.deliver(&leave()).await.0, StatusCode::BAD_GATEWAY);
    assert_eq!(scene.deliver(&leave()).await.0, StatusCode::CREATED);
}
