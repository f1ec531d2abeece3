use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{API_KEY, TestApp, answer};

const RECORDS: &str = "/v1/records";

fn leave() -> Value {
    json!({"text": "Leave is 30 days [1].", "sources": [{"title": "Leave policy", "url": "https://hr.example/leave"}]})
}

fn convert(arguments: &[&str], input: &Value) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_citewire"));
    command.arg("convert").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command runs");
    child.stdin.take().expect("a pipe").write_all(input.to_string().as_bytes()).ok();
    child.wait_with_output().expect("the command ends")
}

fn printed(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[tokio::test]
async fn the_route_and_the_command_give_the_same_records() {
    let app = TestApp::start();
    let (status, records) = answer(app.post(RECORDS, API_KEY).json(&leave())).await;
    assert_eq!(status, StatusCode::OK, "{records}");
    assert_eq!((&records["cited"], &records["sources"][0]["source_domain"]), (&json!([1]), &json!("hr.example")));
    let output = convert(&["--to", "records"], &leave());
    assert_eq!((output.status.code(), printed(&output)), (Some(0), records.clone()));
    assert!(output.stdout.ends_with(b"}\n") && output.stderr.is_empty());
    for body in
        [json!({"answer": leave()}), json!({"answer": leave(), "from": "citewire", "channel": "teams", "options": {}})]
    {
        let (status, wrapped) = answer(app.post(RECORDS, API_KEY).json(&body)).await;
        assert_eq!((status, wrapped), (StatusCode::OK, records.clone()));
    }
}

#[tokio::test]
async fn a_stream_and_a_large_body_are_taken() {
    let app = TestApp::start();
    let filler = "w ".repeat(200 * 1024);
    let events = [
        json!({"sources": leave()["sources"]}),
        json!({"delta": filler}),
        json!({"delta": "a [1]"}),
        json!({"done": true}),
    ];
    let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let (status, records) = answer(app.post(&format!("{RECORDS}?from=citewire"), API_KEY).body(body)).await;
    assert_eq!(status, StatusCode::OK, "{records}");
    assert_eq!((&records["complete"], &records["cited"]), (&json!(true), &json!([1])));
    assert_eq!(records["sources"][0]["raw"], leave()["sources"][0]);
}

#[tokio::test]
async fn required_grounding_that_is_missing_is_422_with_its_reason() {
    let app = TestApp::start();
    for (given, code) in [
        (json!({"text": "Believe me."}), "grounding_no_tools"),
        (json!({"text": "Believe me.", "sources": [{"title": "A"}]}), "grounding_no_citations"),
    ] {
        let body = json!({"answer": given, "options": {"require_grounding": "extracted"}});
        let (status, _) = answer(app.post(RECORDS, API_KEY).json(&body)).await;
        assert_eq!(status == StatusCode::OK, given.get("sources").is_some(), "what was extracted need not be cited");
        for wanted in [json!(true), json!("any"), json!("anchored")] {
            let body = json!({"answer": given, "options": {"require_grounding": wanted}});
            let (status, problem) = answer(app.post(RECORDS, API_KEY).json(&body)).await;
            assert_eq!((status, &problem["code"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!(code)), "{problem}");
        }
    }
    let body = json!({"answer": leave(), "options": {"require_grounding": "anchored"}});
    assert_eq!(answer(app.post(RECORDS, API_KEY).json(&body)).await.0, StatusCode::OK);
}

/// Over HTTP, callers had to put the text of the second step into the records of the first by hand.
#[tokio::test]
async fn the_route_keeps_the_sources_of_the_first_step_and_scans_no_text_of_the_second() {
    let app = TestApp::start();
    let (_, first) = answer(app.post(RECORDS, API_KEY).json(&leave())).await;
    let chat = |content: &str, reason: &str| {
        json!({"object": "chat.completion", "choices": [
            {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": reason}]})
    };
    for (reshaped, text, complete) in [
        (json!("{\"days\": [1]}"), "{\"days\": [1]}", true),
        (chat("Days: [1]", "stop"), "Days: [1]", true),
        (chat("Days: [", "length"), "Days: [", true),
        (json!(null), first["text"].as_str().expect("text"), true),
    ] {
        let body = json!({"answer": leave(), "reshaped": reshaped});
        let (status, records) = answer(app.post(RECORDS, API_KEY).json(&body)).await;
        assert_eq!((status, &records["text"], &records["complete"]), (StatusCode::OK, &json!(text), &json!(complete)));
        assert_eq!((&records["sources"], &records["cited"]), (&first["sources"], &first["cited"]));
    }
    for (reshaped, pointer) in [(json!(5), "/reshaped"), (json!({"choices": []}), "/reshaped/choices")] {
        let body = json!({"answer": leave(), "reshaped": reshaped});
        let (status, problem) = answer(app.post(RECORDS, API_KEY).json(&body)).await;
        assert_eq!((status, &problem["pointer"]), (StatusCode::BAD_REQUEST, &json!(pointer)), "{problem}");
    }
    let (status, problem) =
        answer(app.post("/v1/activities", API_KEY).json(&json!({"answer": leave(), "reshaped": "x"}))).await;
    assert_eq!(
        (status, &problem["pointer"]),
        (StatusCode::BAD_REQUEST, &json!("/reshaped")),
        "an activity is of one step"
    );
}

#[tokio::test]
async fn what_is_wrong_with_a_request_is_said_as_for_activities() {
    let app = TestApp::start();
    for (body, code) in [
        (json!({"text": 5}), "invalid_answer"),
        (json!({"answer": leave(), "from": "nonsense"}), "unknown_format"),
        (json!({"answer": leave(), "options": {"no_such": 1}}), "invalid_member"),
    ] {
        let (status, problem) = answer(app.post(RECORDS, API_KEY).json(&body)).await;
        assert_eq!((status, problem["code"].as_str()), (StatusCode::BAD_REQUEST, Some(code)), "{problem}");
    }
    let (status, _) = answer(app.post(RECORDS, "another-key-that-is-wrong").json(&leave())).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
}

#[test]
fn the_command_prints_records_that_lack_grounding_and_exits_with_1() {
    for flag in ["--require-grounding", "--require-grounding=anchored", "--require-grounding=extracted"] {
        let output = convert(&["--to", "records", flag], &json!({"text": "Believe me."}));
        assert_eq!((output.status.code(), &printed(&output)["text"]), (Some(1), &json!("Believe me.")), "{flag}");
        let words = String::from_utf8(output.stderr).expect("text");
        assert!(words.contains("grounding") && words.lines().count() == 1, "{words}");
        assert_eq!(convert(&["--to", "records", flag], &leave()).status.code(), Some(0), "{flag}");
    }
}

#[test]
fn the_report_counts_what_a_search_in_vain_left() {
    let search = json!({"type": "web_search_call", "status": "completed"});
    let message = json!({"type": "message", "content": [{"type": "output_text", "text": "secret", "annotations": []}]});
    let input = json!({"object": "response", "status": "completed", "output": [search, message]});
    for (arguments, code) in [
        (&["--to", "records", "--report"][..], 0),
        (&["--to", "web-chat", "--report"], 0),
        (&["--to", "teams", "--report", "--require-grounding"], 1),
    ] {
        let output = convert(arguments, &input);
        let words = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(code), "{words}");
        assert!(
            words.contains("tools ran and no source was found: openai-responses in 1 parts, 1 of type web_search_call"),
            "{arguments:?}: {words}"
        );
        assert!(!words.contains("secret"), "{words}");
    }
    let output = convert(&["--to", "web-chat", "--report"], &leave());
    assert!(!String::from_utf8_lossy(&output.stderr).contains("no source was found"));
}

#[test]
fn redirects_are_followed_for_records_alone_and_nobody_is_called_without_one() {
    let refused = convert(&["--resolve-redirects"], &leave());
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--to records"));
    let output = convert(&["--to", "records", "--resolve-redirects"], &leave());
    assert_eq!((output.status.code(), output.stdout), (Some(0), convert(&["--to", "records"], &leave()).stdout));
}

#[tokio::test]
async fn ref_and_source_are_tracking_where_the_caller_says_so() {
    let app = TestApp::start();
    let cite = |start: usize, url: &str| json!({"type": "url_citation", "start_index": start, "end_index": start + 1, "url": url});
    let annotations =
        json!([cite(0, "https://news.example/a?ref=feed"), cite(2, "https://news.example/a?source=mail")]);
    let content = json!([{"type": "output_text", "text": "a b", "annotations": annotations}]);
    let given =
        json!({"object": "response", "status": "completed", "output": [{"type": "message", "content": content}]});
    for (wanted, count) in [(false, 2), (true, 1)] {
        let body = json!({"answer": given, "options": {"ref_is_tracking": wanted}});
        let (_, records) = answer(app.post(RECORDS, API_KEY).json(&body)).await;
        assert_eq!(records["sources"].as_array().map(Vec::len), Some(count), "{records}");
        let (_, converted) = answer(app.post("/v1/activities", API_KEY).json(&body)).await;
        assert_eq!(converted["report"]["cited"].as_array().map(Vec::len), Some(count), "{converted}");
        let flags: &[&str] = if wanted { &["--ref-is-tracking"] } else { &[] };
        assert_eq!(printed(&convert(&[flags, &["--to", "records"]].concat(), &given)), records);
        let activity = printed(&convert(flags, &given));
        assert_eq!(activity, converted["activities"][0]);
    }
}
