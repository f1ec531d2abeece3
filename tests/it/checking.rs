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

#[tokio::test]
async fn fix_returns_the_mended_activity_and_refuses_what_is_none() {
    let app = TestApp::start();
    let fused = json!({"type": "message", "text": "a[1][2].\n\n[1]: https://a.example/\n[2]: https://b.example/"});
    let (status, body) = answer(app.post("/v1/check?fix=true", API_KEY).json(&json!({"activity": fused}))).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    assert!(body["activity"]["text"].as_str().is_some_and(|text| text.starts_with("a[1]\u{200b}[2].")), "{body}");
    assert_eq!(body["changes"][0]["code"], "markers-fused");
    let (_, plain) = answer(app.post("/v1/check?fix=false", API_KEY).json(&json!({"activity": fused}))).await;
    assert!(plain.get("activity").is_none() && plain.get("changes").is_none(), "{plain}");
    let garbage = json!({"activity": {"a": 1}});
    let (status, body) = answer(app.post("/v1/check?fix=true", API_KEY).json(&garbage)).await;
    assert_eq!((status, &body["code"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!("not_an_activity")), "{body}");
    let (status, body) = answer(app.post("/v1/check?fix=yes", API_KEY).json(&garbage)).await;
    assert_eq!((status, &body["code"]), (StatusCode::BAD_REQUEST, &json!("invalid_parameter")), "{body}");
}

#[tokio::test]
async fn a_profile_adds_its_demands_over_http() {
    let app = TestApp::start();
    let entity = json!({"type": "https://schema.org/Message", "@type": "Message", "@context": "https://schema.org", "@id": "",
        "citation": [{"@type": "Claim", "position": 1, "appearance": {"@type": "DigitalDocument", "name": "A", "abstract": "B"}}]});
    let activity = json!({"type": "message", "text": "a [1]", "entities": [entity]});
    let codes =
        |body: &Value| body["findings"].as_array().map(|all| all.iter().map(|one| one["code"].clone()).collect());
    for (query, channel, expected) in [
        ("?profile=copilot-store", Value::Null, vec![json!("copilot-source-without-address")]),
        ("?profile=copilot-store&fix=true", json!("teams"), vec![json!("copilot-source-without-address")]),
        ("?profile=teams-extended", Value::Null, vec![]),
        ("", json!("teams"), vec![]),
    ] {
        let request = json!({"activity": activity, "channel": channel});
        let (status, body) = answer(app.post(&format!("/v1/check{query}"), API_KEY).json(&request)).await;
        assert_eq!((status, codes(&body)), (StatusCode::OK, Some(expected)), "{query} {body}");
    }
    let contradicting = json!({"activity": activity, "channel": "web-chat"});
    let (status, body) = answer(app.post("/v1/check?profile=copilot-store", API_KEY).json(&contradicting)).await;
    assert_eq!((status, &body["pointer"]), (StatusCode::BAD_REQUEST, &json!("/channel")), "{body}");
    let (status, body) =
        answer(app.post("/v1/check?profile=store", API_KEY).json(&json!({"activity": activity}))).await;
    assert_eq!((status, &body["code"]), (StatusCode::BAD_REQUEST, &json!("invalid_parameter")), "{body}");
}

#[test]
fn the_command_fixes_prints_other_forms_and_reads_logs() {
    let fused = json!({"type": "message", "text": "a[1][2].\n\n[1]: https://a.example/\n[2]: https://b.example/"});
    let output = run(&["--channel", "web-chat", "--fix"], fused.to_string().as_bytes());
    let mended: Value = serde_json::from_slice(&output.stdout).expect("JSON alone on stdout");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(mended["text"].as_str().is_some_and(|text| text.starts_with("a[1]\u{200b}[2].")), "{mended}");
    assert!(text(&output.stderr).contains("fixed markers-fused /text: "), "{}", text(&output.stderr));
    let output = run(&["--channel", "teams", "--fix"], b"{\"a\": 1}");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(1), b"".as_slice()));
    assert!(text(&output.stderr).contains("not-an-activity"), "{}", text(&output.stderr));
    let log = format!("{}\n{fused}\n", good());
    let output = run(&["--channel", "web-chat", "--output", "sarif"], log.as_bytes());
    let sarif: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &sarif["version"]), (Some(1), &json!("2.1.0")), "{sarif}");
    let output = run(&["--profile", "teams-extended", "--output", "junit"], good().to_string().as_bytes());
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("<testsuite "), "{}", text(&output.stdout));
}

/// The GitHub Action runs a command that exists, with the inputs that it declares.
#[test]
fn the_action_runs_the_check() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/action/action.yml");
    let action: Value = serde_saphyr::from_str(&std::fs::read_to_string(file).expect("the action")).expect("YAML");
    let step = &action["runs"]["steps"][0];
    for value in step["env"].as_object().expect("variables").values() {
        let name = value.as_str().and_then(|value| value.strip_prefix("${{ inputs.")?.strip_suffix(" }}"));
        assert!(action["inputs"].get(name.expect("an input")).is_some(), "{value}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (activity, sarif) = (folder.path().join("activity.json"), folder.path().join("out.sarif"));
    std::fs::write(&activity, good().to_string()).expect("written");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_citewire")).parent().expect("a folder");
    let status = Command::new("bash")
        .args(["-c", step["run"].as_str().expect("a command")])
        .env("PATH", format!("{}:{}", program.display(), std::env::var("PATH").expect("a path")))
        .env("FILE", &activity)
        .env("CHANNEL", action["inputs"]["channel"]["default"].as_str().expect("a channel"))
        .env("SARIF", &sarif)
        .status();
    assert!(status.expect("the command runs").success());
    let log: Value = serde_json::from_slice(&std::fs::read(sarif).expect("a log")).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
}
