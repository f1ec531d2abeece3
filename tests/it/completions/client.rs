//! The official client of OpenAI, the npm package `openai`, as a child process: `tests/completions/openai.mjs`.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use citewire::upstream::UpstreamError;
use serde_json::{Value, json};
use tokio::process::Command;

use super::scripted::{Scripted, Step, delta, events, question, sources};
use crate::app::{API_KEY, TestApp};

/// The report of the client about one call.
async fn call(app: &TestApp, key: &str, method: &str, request: &Value) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/completions");
    assert!(
        folder.join("node_modules/.package-lock.json").exists(),
        "the client is not installed: run `npm ci --ignore-scripts` in {}, or `cargo xtask test tests`, which does it",
        folder.display()
    );
    let settings = json!({"url": format!("{}/v1", app.url), "key": key, "method": method, "request": request});
    let mut command = Command::new("node");
    command.arg("openai.mjs").arg(settings.to_string()).current_dir(&folder).env_remove("NODE_ENV");
    command.stdout(Stdio::piped()).kill_on_drop(true);
    let output = command.output().await.expect("node runs");
    assert!(output.status.success(), "the client failed");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn cited() -> Scripted {
    Scripted::saying(&[sources(), delta("Leave is"), delta(" long [3"), delta("].")])
}

#[tokio::test]
async fn the_client_of_openai_reads_a_whole_answer() {
    let app = cited().serve();
    let told = call(&app, API_KEY, "create", &question(false)).await;
    assert_eq!(told["answer"]["choices"][0]["message"]["content"], "Leave is long [1].", "{told}");
    assert_eq!(told["answer"]["citations"]["referenced_indices"], json!([1]));
}

#[tokio::test]
async fn the_client_of_openai_reads_a_stream_and_puts_the_answer_together() {
    let app = cited().serve();
    let mut request = question(true);
    request["stream_options"] = json!({"include_usage": true});
    let told = call(&app, API_KEY, "create", &request).await;
    let chunks = told["chunks"].as_array().unwrap_or_else(|| panic!("{told}"));
    assert_eq!(events(chunks)[0]["data"]["source"]["name"], "Document c");
    assert!(chunks.last().expect("chunks")["usage"]["total_tokens"].is_number());
    // Its helper for streams folds the chunks into one completion, and refuses what does not fit together.
    let told = call(&app, API_KEY, "stream", &request).await;
    assert_eq!(told["answer"]["choices"][0]["message"]["content"], "Leave is long [1].", "{told}");
    assert_eq!(told["answer"]["choices"][0]["finish_reason"], "stop");
}

#[tokio::test]
async fn the_client_of_openai_lists_and_reads_models() {
    let app = cited().serve();
    assert_eq!(call(&app, API_KEY, "models", &json!({})).await["models"], json!(["handbook"]));
    assert_eq!(call(&app, API_KEY, "model", &json!("handbook")).await["answer"]["owned_by"], "citewire");
}

#[tokio::test]
async fn the_client_of_openai_shows_why_it_was_refused() {
    let app = cited().serve();
    let mut unknown = question(false);
    unknown["model"] = json!("gpt");
    for (key, request, kind, status, code) in [
        (API_KEY, &unknown, "NotFoundError", 404, "model_not_found"),
        ("wrong", &unknown, "AuthenticationError", 401, "wrong_key"),
        (API_KEY, &json!({"model": "handbook", "messages": []}), "BadRequestError", 400, "invalid_value"),
    ] {
        let error = &call(&app, key, "create", request).await["error"];
        assert_eq!((&error["kind"], &error["status"], &error["code"]), (&json!(kind), &json!(status), &json!(code)));
        assert!(error["message"].as_str().is_some_and(|message| message.starts_with(&status.to_string())), "{error}");
    }
}

#[tokio::test]
async fn the_client_of_openai_notices_that_a_stream_fails() {
    let silent: fn() -> UpstreamError =
        || UpstreamError::Stalled { host: "rag.example".to_owned(), silence: Duration::from_secs(60) };
    let steps = vec![Step::event(&sources()), Step::event(&delta("Leave is")), Step::Fail(silent)];
    let app = Scripted::new(steps).serve();
    let error = &call(&app, API_KEY, "create", &question(true)).await["error"];
    assert_eq!((&error["kind"], &error["code"]), (&json!("APIError"), &json!("upstream_timeout")));
    assert!(error["message"].as_str().is_some_and(|message| message.contains("stopped sending")), "{error}");
}
