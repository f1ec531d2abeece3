//! Citations held against their passages, over HTTP and on the command line.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{API_KEY, TestApp, answer};

const SUPPORT: &str = "/v1/support";

fn leave() -> Value {
    json!({"text": "Leave is 30 days a year [1]. The canteen opens at noon [2]. Ask Anna first.", "sources": [
        {"title": "Leave", "content": "Employees have 25 days of leave a year."},
        {"title": "Canteen", "content": "The canteen opens at noon and closes at three."}]})
}

fn check(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_citewire"));
    command.args(["check", "--support"]).args(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command runs");
    child.stdin.take().expect("a pipe").write_all(input).ok();
    child.wait_with_output().expect("the command ends")
}

#[tokio::test]
async fn each_citation_has_a_verdict_with_its_reasons() {
    let app = TestApp::start();
    let (status, body) = answer(app.post(SUPPORT, API_KEY).json(&leave())).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let text = body["text"].as_str().expect("a text");
    let claim = &body["claims"][0];
    assert_eq!(
        (&claim["verdict"], &claim["positions"], &claim["unit"]),
        (&json!("conflict"), &json!([1]), &json!("utf8"))
    );
    let reason = &claim["reasons"][0];
    assert_eq!(
        (&reason["code"], &reason["text"], &reason["position"]),
        (&json!("number-missing"), &json!("30 days"), &json!(1))
    );
    let place = |value: &Value, name: &str| usize::try_from(value[name].as_u64().expect("an offset")).expect("a usize");
    assert_eq!(&text[place(reason, "start")..place(reason, "end")], "30 days");
    let quote = &body["claims"][1]["quotes"][0];
    assert_eq!(
        (&body["claims"][1]["verdict"], &quote["text"]),
        (&json!("verbatim"), &json!("The canteen opens at noon"))
    );
    assert_eq!(body["uncited"], 1);
    let (status, body) = answer(app.post(SUPPORT, API_KEY).json(&json!({"answer": leave()}))).await;
    assert_eq!((status, body["claims"].as_array().map(Vec::len)), (StatusCode::OK, Some(2)), "{body}");
    let (status, body) = answer(app.post(SUPPORT, API_KEY).json(&json!({"unknown": 1}))).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
}

#[test]
fn the_command_says_the_verdicts_and_fails_with_an_alarm() {
    let body = leave().to_string();
    let told = check(&[], body.as_bytes());
    let text = String::from_utf8_lossy(&told.stdout).into_owned();
    assert_eq!(told.status.code(), Some(1), "{text}");
    assert!(text.contains("conflict: Leave is 30 days a year [1]\n  number-missing [1]: 30 days\n"), "{text}");
    assert!(text.ends_with("1 verbatim, 1 conflict; 1 sentences without a citation\n"), "{text}");
    let json: Value = serde_json::from_slice(&check(&["--json"], body.as_bytes()).stdout).expect("JSON");
    assert_eq!(json["claims"][0]["verdict"], "conflict");
    let fine =
        json!({"text": "The canteen opens at noon [1].", "sources": [{"content": "The canteen opens at noon."}]});
    assert_eq!(check(&[], fine.to_string().as_bytes()).status.code(), Some(0));
    let unusable = check(&[], b"{");
    assert_eq!((unusable.status.code(), unusable.stdout.len()), (Some(2), 0));
}
