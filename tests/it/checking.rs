use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{API_KEY, TestApp, answer};

const CHECK: &str = "/v1/check";

/// A message that Web Chat draws as it should.
fn good() -> Value {
    json!({"type": "message", "text": "Hello.", "textFormat": "markdown"})
}

/// A message with an image from somewhere else and a badge that leads nowhere.
fn broken() -> Value {
    json!({
        "type": "message", "textFormat": "markdown", "text": "Leave is 30 days [1].\n\n[1]: javascript:alert(1)",
        "entities": [{
            "@context": "https://schema.org", "@id": "wrong", "@type": "Message", "type": "https://schema.org/Message",
            "citation": [{"@type": "Claim", "position": "1", "appearance": {"@type": "DigitalDocument", "name": "A"}}]
        }]
    })
}

#[tokio::test]
async fn findings_come_with_code_severity_pointer_and_message() {
    let app = TestApp::start();
    let body = json!({"channel": "web-chat", "activity": broken()});
    let (status, body) = answer(app.post(CHECK, API_KEY).json(&body)).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let findings = body["findings"].as_array().expect("findings");
    assert!(findings.iter().any(|finding| finding["severity"] == "error"), "{body}");
    for finding in findings {
        for name in ["code", "severity", "pointer", "message"] {
            assert!(finding[name].is_string(), "{finding}");
        }
    }
    let (status, body) = answer(app.post(CHECK, API_KEY).json(&json!({"activity": good()}))).await;
    assert_eq!((status, body), (StatusCode::OK, json!({"findings": []})));
}

#[tokio::test]
async fn what_cannot_be_checked_is_400_with_its_place() {
    let app = TestApp::start();
    for (body, code, pointer) in [
        ("nonsense", "not_json", None),
        ("\u{feff}", "not_json", None),
        ("[]", "invalid_member", Some("")),
        ("{}", "invalid_member", Some("/activity")),
        (r#"{"activity":null}"#, "invalid_member", Some("/activity")),
        (r#"{"activity":{},"channel":5}"#, "invalid_member", Some("/channel")),
        (r#"{"activity":{},"chanel":"web-chat"}"#, "invalid_member", Some("/chanel")),
        (r#"{"activity":{},"channel":"nonsense"}"#, "unknown_channel", None),
    ] {
        let (status, problem) = answer(app.post(CHECK, API_KEY).body(body)).await;
        assert_eq!((status, problem["code"].as_str()), (StatusCode::BAD_REQUEST, Some(code)), "{body} {problem}");
        assert_eq!(problem["pointer"].as_str(), pointer, "{body}");
    }
    let (status, _) = answer(app.post(CHECK, API_KEY).body(b"{\"activity\":\"\xff\"}".to_vec())).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_large_activity_is_checked_and_one_over_the_limit_refused() {
    let app = TestApp::with(|setup| setup.http.max_body_bytes = 1024 * 1024);
    for (length, expected) in [(500_000, StatusCode::OK), (2_000_000, StatusCode::PAYLOAD_TOO_LARGE)] {
        let body = json!({"activity": {"type": "message", "text": "x".repeat(length)}});
        assert_eq!(answer(app.post(CHECK, API_KEY).json(&body)).await.0, expected);
    }
}

fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_citewire"));
    let mut child = command
        .arg("check")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    child.stdin.take().expect("a pipe").write_all(input).ok();
    child.wait_with_output().expect("the command ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[test]
fn the_command_exits_with_1_when_it_found_an_error_and_with_0_otherwise() {
    let output = run(&["--channel", "web-chat"], broken().to_string().as_bytes());
    let lines = text(&output.stdout);
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(1), b"".as_slice()), "{lines}");
    assert!(lines.lines().any(|line| line.starts_with("error ")) && !lines.contains('\u{1b}'), "{lines}");
    let output = run(&["-", "--channel", "webchat"], good().to_string().as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
}

#[test]
fn the_command_gives_the_same_findings_as_json() {
    let output = run(&["--channel", "web-chat", "--json"], broken().to_string().as_bytes());
    let findings: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.code(), Some(1));
    assert!(findings["findings"].as_array().is_some_and(|findings| !findings.is_empty()), "{findings}");
}

#[test]
fn what_convert_prints_has_no_error() {
    let answer =
        json!({"text": "Leave is 30 days [1].", "sources": [{"title": "Policy", "url": "https://hr.example/"}]});
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("answer.json");
    std::fs::write(&file, answer.to_string()).expect("written");
    for channel in ["web-chat", "teams"] {
        let mut convert = Command::new(env!("CARGO_BIN_EXE_citewire"));
        let converted = convert.args(["convert", "--to", channel]).arg(&file).output().expect("the command runs");
        let output = run(&["--channel", channel], &converted.stdout);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    }
}

#[tokio::test]
async fn the_channel_chooses_the_rules() {
    let app = TestApp::start();
    let activity = json!({
        "type": "message", "text": "a [1]",
        "entities": [{
            "@context": "https://schema.org", "@id": "", "@type": "Message", "type": "https://schema.org/Message",
            "citation": [{"@type": "Claim", "position": 1, "appearance": {
                "@type": "DigitalDocument", "name": "A", "url": "https://a.example/", "abstract": "x".repeat(481)}}]
        }]
    });
    let body = json!({"channel": "msteams", "activity": activity});
    let (status, body) = answer(app.post(CHECK, API_KEY).json(&body)).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let finding = &body["findings"][0];
    assert_eq!((&finding["code"], &finding["severity"]), (&json!("teams-abstract-too-long"), &json!("error")));
    assert_eq!(body["findings"].as_array().map(Vec::len), Some(1), "{body}");
}

#[test]
fn the_command_exits_with_2_on_what_it_cannot_read() {
    for (arguments, input) in [
        (&["--channel", "web-chat"][..], "nonsense"),
        (&["--channel", "web-chat"], ""),
        (&["--channel", "m365-copilot"], "{}"),
        (&["--channel", "nonsense"], "{}"),
        (&[], "{}"),
        (&["/no/such/file", "--channel", "web-chat"], "{}"),
    ] {
        let output = run(arguments, input.as_bytes());
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), b"".as_slice()), "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}
