//! Lines of the log for auditors.

use reqwest::{Method, RequestBuilder, Response};
use serde_json::json;

use crate::app::{API_KEY, TestApp};
use crate::outcomes::log;

async fn send(request: RequestBuilder) -> Response {
    request.send().await.expect("an answer")
}

/// The lines about a request.
fn lines(answer: &Response) -> Vec<String> {
    let id = answer.headers()["x-request-id"].to_str().expect("text");
    log::with(&format!("request.id=\"{id}\""))
}

/// A wrong key, a refused host, an export and a deleted conversation left no line.
#[tokio::test]
async fn a_refusal_an_export_and_a_deletion_have_a_line_with_caller_and_request() {
    log::keep();
    let app = TestApp::start();
    let conversation = app.conversation().await;
    app.post_text(&conversation, "A word that is nobody's business.").await;
    let path = format!("/v1/conversations/{}", conversation.id);
    let exported = send(app.request(Method::GET, &format!("{path}/export")).bearer_auth(API_KEY)).await;
    let deleted = send(app.request(Method::DELETE, &path).bearer_auth(API_KEY)).await;
    for (answer, what, path) in [(&exported, "exported", format!("{path}/export")), (&deleted, "deleted", path)] {
        let lines = lines(answer);
        assert_eq!(lines.len(), 1, "{lines:?}");
        for part in ["INFO", what, "client=\"127.0.0.1\"", "key=\"api_key\"", &format!("path=\"{path}\"")] {
            assert!(lines[0].contains(part), "{part}: {}", lines[0]);
        }
    }
    let wrong = app.request(Method::GET, "/v1/conversations?after=secret-word").bearer_auth("a-key-that-nobody-has");
    let foreign = app.request(Method::GET, "/").header("host", "evil.example");
    for (request, status, code) in [(wrong, 401, "wrong_key"), (foreign, 421, "wrong_host")] {
        let answer = send(request).await;
        let lines = lines(&answer);
        assert_eq!((answer.status().as_u16(), lines.len()), (status, 1), "{lines:?}");
        for part in ["refused", "key=\"-\"", &format!("status={status}"), &format!("code=\"{code}\"")] {
            assert!(lines[0].contains(part), "{part}: {}", lines[0]);
        }
        assert!(!lines[0].contains("secret-word") && !lines[0].contains("nobody-has"), "{}", lines[0]);
    }
}

/// With a line for each, a stranger could fill the disk through the log.
#[tokio::test]
async fn refusals_of_one_kind_from_one_caller_have_one_line_a_minute_that_counts_the_others() {
    log::keep();
    let app = TestApp::start();
    let refused = || send(app.request(Method::POST, "/v1/check").bearer_auth("a-key-that-nobody-has").json(&json!({})));
    let mut told = Vec::new();
    for _ in 0..5 {
        told.extend(lines(&refused().await));
    }
    app.clock.advance(chrono::Duration::minutes(1));
    told.extend(lines(&refused().await));
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("alike=0") && told[1].contains("alike=4"), "{told:?}");
}
