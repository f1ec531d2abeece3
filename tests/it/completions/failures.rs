//! Failures, and what clients see of them.

use std::time::Duration;

use citewire::http::HttpOptions;
use citewire::upstream::UpstreamError;
use reqwest::{StatusCode, header};
use serde_json::{Value, json};

use super::scripted::{
    Events, Scripted, Step, complete, completed, content, delta, events, finish_reasons, joined, question,
    question_for, sources, streamed,
};
use crate::app::{API_KEY, TestApp, answer};

fn host() -> String {
    "rag.example".to_owned()
}

fn stalled() -> UpstreamError {
    UpstreamError::Stalled { host: host(), silence: Duration::from_secs(60) }
}

fn busy() -> UpstreamError {
    let message = "slow down".to_owned();
    UpstreamError::Status { host: host(), status: 429, message, retry_after: Some(Duration::from_secs(7)) }
}

fn broken() -> UpstreamError {
    UpstreamError::Status { host: host(), status: 500, message: "key sk-of-the-back-end".to_owned(), retry_after: None }
}

fn too_long() -> UpstreamError {
    UpstreamError::TooLong { host: host(), limit: 5 }
}

/// The error of a response, which has OpenAI's members and no others.
fn error(body: &Value) -> &Value {
    let error = &body["error"];
    let members: Vec<&String> = error.as_object().expect("an error").keys().collect();
    assert_eq!(members, ["code", "message", "param", "type"], "{body}");
    assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{body}");
    error
}

#[tokio::test]
async fn errors_have_the_shape_that_clients_of_openai_read() {
    let app = Scripted::saying(&[delta("x")]).serve();
    let post = |bearer: &str, body: &'static str| answer(app.post("/v1/chat/completions", bearer).body(body));
    for (response, status, code, param) in [
        (post("wrong", "{}").await, StatusCode::UNAUTHORIZED, "wrong_key", Value::Null),
        (post(API_KEY, "{").await, StatusCode::BAD_REQUEST, "not_json", Value::Null),
        (post(API_KEY, "{}").await, StatusCode::BAD_REQUEST, "invalid_value", json!("model")),
        (post(API_KEY, r#"{"model":"handbook"}"#).await, StatusCode::BAD_REQUEST, "invalid_value", json!("messages")),
        (
            post(API_KEY, r#"{"model":"handbook","messages":[{"role":"user","content":7}]}"#).await,
            StatusCode::BAD_REQUEST,
            "invalid_value",
            json!("messages[0].content"),
        ),
        (
            post(API_KEY, r#"{"model":"gpt","messages":[{"role":"user","content":"x"}]}"#).await,
            StatusCode::NOT_FOUND,
            "model_not_found",
            json!("model"),
        ),
        (
            answer(app.get("/v1/chat/completions", API_KEY)).await,
            StatusCode::METHOD_NOT_ALLOWED,
            "wrong_method",
            Value::Null,
        ),
        (answer(app.get("/v1/models/none", API_KEY)).await, StatusCode::NOT_FOUND, "model_not_found", json!("model")),
    ] {
        assert_eq!(response.0, status, "{}", response.1);
        let error = error(&response.1);
        assert_eq!((&error["code"], &error["param"]), (&json!(code), &param), "{error}");
        assert_eq!(error["type"], "invalid_request_error");
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_413_in_that_shape_too() {
    let app = TestApp::with(|setup| setup.http = HttpOptions { max_body_bytes: 10, ..setup.http.clone() });
    let (status, body) = complete(&app, &question(false)).await;
    assert_eq!((status, &error(&body)["code"]), (StatusCode::PAYLOAD_TOO_LARGE, &json!("body_too_long")));
}

#[tokio::test]
async fn a_back_end_that_fails_before_its_first_byte_gives_a_status_streamed_or_not() {
    for (fail, status, code) in [
        (stalled as fn() -> UpstreamError, StatusCode::GATEWAY_TIMEOUT, "upstream_timeout"),
        (busy, StatusCode::TOO_MANY_REQUESTS, "rate_limit_exceeded"),
        (broken, StatusCode::BAD_GATEWAY, "upstream_refused"),
        (too_long, StatusCode::BAD_GATEWAY, "upstream_unusable"),
    ] {
        for upstream in [Scripted::refusing(fail), Scripted::new(vec![Step::Fail(fail)])] {
            let app = upstream.serve();
            for stream in [false, true] {
                let request = app.post("/v1/chat/completions", API_KEY).json(&question(stream));
                let response = request.send().await.expect("an answer");
                assert_eq!(response.status(), status);
                let retry_after = response.headers().get(header::RETRY_AFTER).map(|wait| wait.to_str().expect("text"));
                assert_eq!(retry_after, (code == "rate_limit_exceeded").then_some("7"));
                let body: Value = response.json().await.expect("JSON");
                assert_eq!(error(&body)["code"], code);
                let said = body.to_string();
                assert!(!said.contains("rag.example") && !said.contains("sk-of"), "the client learns too much: {said}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_no_answer_is_502() {
    for body in ["<html>", "{\"a\":1}", ""] {
        let app = Scripted::bytes(None, body).serve();
        let (status, body) = complete(&app, &question(false)).await;
        assert_eq!((status, &error(&body)["code"]), (StatusCode::BAD_GATEWAY, &json!("upstream_unusable")));
    }
}

/// Trap 8: what has come stays, with its sources, and the page shows the message.
#[tokio::test]
async fn trap_8_a_stream_that_fails_ends_with_an_error_and_done() {
    let reported = Step::event(&json!({"error": {"code": "500", "message": "secret"}}));
    let cut = Step::Send(String::new());
    for (last, code) in
        [(Step::Fail(stalled), "upstream_timeout"), (reported, "upstream_failed"), (cut, "upstream_broke_off")]
    {
        let begun = [sources(), delta("Leave is long [2]. And "), delta("more")];
        let steps = begun.iter().map(Step::event).chain([last]).collect();
        let app = Scripted::new(steps).serve();
        let chunks = streamed(&app, &question(true)).await;
        assert_eq!(joined(&chunks), "Leave is long [1]. And more");
        assert_eq!(events(&chunks)[0]["data"]["source"]["name"], "Document b");
        assert_eq!(error(chunks.last().expect("a chunk"))["code"], code);
        assert_eq!(finish_reasons(&chunks), [""; 0]);
        assert!(!chunks.last().expect("a chunk").to_string().contains("secret"));
        // Readers of AssistantHub know it by the missing finish chunk (rule AH-06).
        let chunks = streamed(&app, &question_for(true, "assistanthub")).await;
        assert_eq!(joined(&chunks), "Leave is long [2]. And more");
        assert!(chunks.iter().all(|chunk| chunk.get("error").is_none() && chunk.get("citations").is_none()));
        assert_eq!(finish_reasons(&chunks), [""; 0]);
    }
}

/// A card for each document that was found stood below half a sentence.
#[tokio::test]
async fn a_stream_that_breaks_before_its_first_whole_marker_shows_no_source() {
    let reported = Step::event(&json!({"error": {"code": "500"}}));
    for last in [Step::Fail(broken), reported, Step::Send(String::new())] {
        let steps = [sources(), delta("Half an answer [doc1")].iter().map(Step::event).chain([last]).collect();
        let app = Scripted::new(steps).serve();
        for form in ["open-webui", "open-webui-links"] {
            let chunks = streamed(&app, &question_for(true, form)).await;
            assert_eq!(events(&chunks), [] as [Value; 0], "{form}");
            error(chunks.last().expect("a chunk"));
        }
    }
    let steps = [sources(), delta("Half an answer [doc1")].iter().map(Step::event).collect();
    let app = Scripted::new(steps).serve();
    for form in ["open-webui", "assistanthub"] {
        let whole = completed(&app, &question_for(false, form)).await;
        assert_eq!((whole.get("sources"), whole.get("citations")), (None, None), "{form}");
    }
}

#[tokio::test]
async fn a_whole_answer_that_fails_is_an_error_and_one_that_was_cut_says_so() {
    let begun = || vec![Step::event(&sources()), Step::event(&delta("Leave is long [2]."))];
    for last in [Step::Fail(broken), Step::event(&json!({"error": {"code": "500"}}))] {
        let mut steps = begun();
        steps.push(last);
        let (status, body) = complete(&Scripted::new(steps).serve(), &question(false)).await;
        assert_eq!(status, StatusCode::BAD_GATEWAY, "{body}");
        error(&body);
    }
    let app = Scripted::new(begun()).serve();
    let whole = completed(&app, &question(false)).await;
    assert_eq!((content(&whole), &whole["choices"][0]["finish_reason"]), ("Leave is long [1].", &json!("length")));
    let whole = completed(&app, &question_for(false, "assistanthub")).await;
    assert_eq!(whole["choices"][0]["finish_reason"], Value::Null);
}

#[tokio::test]
async fn an_answer_that_rests_on_nothing_is_not_shown_where_grounding_is_required() {
    let required = |options: &mut citewire::assistant::AssistantOptions| {
        options.convert = serde_json::from_value(json!({"require_grounding": "any"})).expect("options");
        options.refusal = "I do not know.".to_owned();
    };
    let app = Scripted::saying(&[sources(), delta("I guess it is 16 weeks.")]).serve_with(required);
    let whole = completed(&app, &question(false)).await;
    assert_eq!(content(&whole), "I do not know.");
    assert_eq!(whole["choices"][0]["finish_reason"], "content_filter");
    assert_eq!((whole.get("citations"), whole.get("sources")), (None, None));
    let chunks = streamed(&app, &question(true)).await;
    assert_eq!((joined(&chunks).as_str(), finish_reasons(&chunks)), ("I do not know.", vec!["content_filter"]));
    assert!(events(&chunks).is_empty());

    let app = Scripted::saying(&[sources(), delta("It is long [1].")]).serve_with(required);
    let chunks = streamed(&app, &question(true)).await;
    assert_eq!((joined(&chunks).as_str(), finish_reasons(&chunks)), ("It is long [1].", vec!["stop"]));

    // An answer that was cut is not known to be grounded.
    let steps = [sources(), delta("It is long [1].")].iter().map(Step::event).collect();
    let app = Scripted::new(steps).serve_with(required);
    let chunks = streamed(&app, &question(true)).await;
    assert_eq!((joined(&chunks), events(&chunks).len()), (String::new(), 0));
}

#[tokio::test]
async fn a_client_that_goes_away_ends_the_call_to_the_back_end() {
    let begun = || vec![Step::event(&sources()), Step::event(&delta("Leave is")), Step::Silence];
    let upstream = Scripted::new(begun());
    let app = upstream.serve();
    let mut reader = Events::open(&app, &question(true)).await;
    reader.chunk().await;
    assert_eq!(reader.chunk().await["choices"][0]["delta"]["content"], "Leave is");
    drop(reader);
    upstream.dropped(1).await;

    // A client that waits for a whole answer goes as well.
    let whole = question(false);
    tokio::select! {
        _ = complete(&app, &whole) => panic!("there is no answer"),
        _ = upstream.asked(2) => {}
    }
    upstream.dropped(2).await;
}

#[tokio::test]
async fn a_silent_back_end_does_not_make_a_silent_stream() {
    let upstream = Scripted::new(vec![Step::event(&sources()), Step::Wait, Step::event(&json!({"done": true}))]);
    let app = upstream.serve_commenting(Duration::from_millis(5));
    let mut reader = Events::open(&app, &question(true)).await;
    reader.chunk().await;
    for _ in 0..3 {
        assert!(reader.next().await.expect("a comment").starts_with(": "));
    }
    upstream.go_on();
    while reader.next().await.is_some_and(|event| event != "data: [DONE]") {}
}

#[tokio::test]
async fn a_shutdown_ends_what_is_being_told() {
    let upstream = Scripted::new(vec![Step::event(&sources()), Step::event(&delta("Leave is")), Step::Silence]);
    let mut app = upstream.serve();
    let mut reader = Events::open(&app, &question(true)).await;
    reader.chunk().await;
    app.stop();
    let chunks = reader.rest().await;
    assert_eq!(error(chunks.last().expect("a chunk"))["code"], "shutting_down");
    app.ended().await;
}

/// Each question is searched for and sent to a back end that may cost money.
#[tokio::test]
async fn what_is_larger_than_people_write_is_400_with_its_size() {
    let app = Scripted::saying(&[delta("x")]).serve();
    let part = json!({"type": "text", "text": "x"});
    let wrapped = |passage: &str| {
        format!("### Task:\nAnswer.\n<context>\n<source id=\"1\">{passage}</source>\n</context>\n\nHow long is leave?")
    };
    let task = |chat: &str| format!("### Task:\nJSON format: {{ \"title\": \"…\" }}\n{chat}");
    let of_user = |content: Value| json!([{"role": "user", "content": content}]);
    let late = json!([{"role": "user", "content": "x".repeat(9_000)}, {"role": "assistant", "content": "y"},
        {"role": "user", "content": "How long?"}]);
    for (messages, said) in [
        (of_user(json!("x".repeat(8_192))), None),
        (of_user(json!("x".repeat(8_193))), Some("8193 bytes; at most 8192")),
        (of_user(json!("x".repeat(15_000_000))), Some("15000000 bytes; at most 8192")),
        (of_user(json!(vec![part.clone(); 5_000])), Some("9999 bytes; at most 8192")),
        (of_user(json!(vec![part.clone(); 10_001])), Some("at most 10000 parts")),
        (of_user(json!(wrapped(&"x".repeat(100_000)))), None),
        (of_user(json!(wrapped(&"x".repeat(1_100_000)))), Some("at most 1048576")),
        (of_user(json!(task(&"x".repeat(100_000)))), None),
        (of_user(json!(task(&"x".repeat(1_100_000)))), Some("at most 1048576")),
        (
            json!([{"role": "system", "content": "x".repeat(1_100_000)}, {"role": "user", "content": "x"}]),
            Some("instructions"),
        ),
        (late, None),
    ] {
        let (status, body) = complete(&app, &json!({"model": "handbook", "messages": messages})).await;
        match said {
            None => assert_eq!(status, StatusCode::OK, "{body}"),
            Some(said) => {
                let error = error(&body);
                assert_eq!((status, &error["code"]), (StatusCode::BAD_REQUEST, &json!("invalid_value")), "{said}");
                assert!(error["message"].as_str().is_some_and(|message| message.contains(said)), "{said}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn errors_repeat_only_the_beginning_of_what_was_sent() {
    let app = Scripted::saying(&[delta("x")]).serve();
    let long = "ü".repeat(500_000);
    let ask = |member: &str, value: Value| {
        let mut request = question(false);
        request[member] = value;
        request
    };
    let checks = json!({"channel": long, "activity": {}});
    for (path, body) in [
        ("/v1/chat/completions", ask("model", json!(long))),
        ("/v1/chat/completions", ask("messages", json!([{"role": long, "content": "x"}]))),
        ("/v1/chat/completions", ask("citewire", json!({"citations": long}))),
        ("/v1/chat/completions", ask("citewire", json!({long.clone(): 1}))),
        ("/v1/activities", json!({"answer": {"a": 1}, "from": long})),
        ("/v1/activities", json!({"answer": {"a": 1}, "channel": long})),
        ("/v1/activities", json!({"answer": {"a": 1}, long.clone(): 1})),
        ("/v1/check", checks),
    ] {
        let (status, body) = answer(app.post(path, API_KEY).json(&body)).await;
        let size = body.to_string().len();
        assert!(status.is_client_error() && size < 3_000, "{path}: {status}, {size} bytes");
    }
}
