use std::io::Write as _;
use std::process::Stdio;

use citewire::calls::Call;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{API_KEY, TestApp, citewire};
use crate::samples::{input, samples};

/// What a call writes, or its error.
fn called(call: Call, body: &[u8], parameters: &Value) -> Vec<u8> {
    call.run(body, parameters.to_string().as_bytes()).unwrap_or_else(|error| error.to_json())
}

/// The body of the response; of an error, the members that calls give as well, in their order.
async fn posted(app: &TestApp, path: &str, body: Vec<u8>) -> Vec<u8> {
    let response = app.post(path, API_KEY).body(body).send().await.expect("a response");
    let status = response.status();
    let bytes = response.bytes().await.expect("a body").to_vec();
    if status == StatusCode::OK {
        return bytes;
    }
    let problem: Value = serde_json::from_slice(&bytes).expect("a problem");
    let members = ["code", "detail", "pointer", "event", "line"];
    let members = members.iter().filter_map(|name| Some(format!("{:?}:{}", name, problem.get(name)?)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(",")).into_bytes()
}

/// What the command prints for an input, without the end of the line.
fn printed(arguments: &[&str], body: &[u8]) -> Vec<u8> {
    let mut command = citewire(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("started");
    child.stdin.take().expect("a pipe").write_all(body).expect("written");
    child.wait_with_output().expect("ended").stdout.trim_ascii_end().to_vec()
}

fn same(got: &[u8], wanted: &[u8], name: &str) {
    assert_eq!(String::from_utf8_lossy(got), String::from_utf8_lossy(wanted), "{name}");
}

#[tokio::test]
async fn every_sample_gives_the_same_bytes_by_call_and_over_http() {
    let app = TestApp::start();
    let samples = samples();
    assert!(samples.len() > 100);
    for case in samples {
        let (name, body) = (case.display().to_string(), input(&case));
        for channel in ["web-chat", "teams", "slack-blocks"] {
            let path = format!("/v1/activities?channel={channel}");
            let got = called(Call::Convert, &body, &json!({"channel": channel}));
            same(&got, &posted(&app, &path, body.clone()).await, &name);
            let converted: Value = serde_json::from_slice(&got).expect("JSON");
            let Some(message) = converted["activities"].as_array().and_then(|all| all.last()) else { continue };
            if channel != "slack-blocks" {
                let asked = json!({"channel": channel, "activity": message}).to_string().into_bytes();
                let message = message.to_string().into_bytes();
                for (call, path) in [(Call::Check, "/v1/check"), (Call::Fix, "/v1/check?fix=true")] {
                    let got = called(call, &message, &json!({"channel": channel}));
                    same(&got, &posted(&app, path, asked.clone()).await, &name);
                }
            }
        }
        same(&called(Call::Records, &body, &json!({})), &posted(&app, "/v1/records", body.clone()).await, &name);
        // Over HTTP a member `answer` says that a manifest is wrapped.
        if serde_json::from_slice::<Value>(&body).is_ok_and(|value| value.get("answer").is_none()) {
            same(&called(Call::Prompt, &body, &json!({})), &posted(&app, "/v1/prompt", body.clone()).await, &name);
        }
    }
}

#[tokio::test]
async fn bad_parameters_are_refused_in_the_same_words_by_call_and_over_http() {
    let app = TestApp::start();
    let answer = json!({"text": "a [1]", "sources": [{"title": "A"}], "annotations": 5});
    for parameters in [
        json!({"channel": "fax"}),
        json!({"from": "nobody"}),
        json!({"from": 5}),
        json!({"chanel": "teams"}),
        json!({"options": {"nonsense": 1}}),
        json!({"options": {"image_hosts": [1]}}),
        json!({"options": {"require_grounding": "anchored"}}),
        json!({}),
    ] {
        let mut body = parameters.clone();
        body["answer"] = answer.clone();
        let wrapped = String::from_utf8(posted(&app, "/v1/activities", body.to_string().into()).await).expect("text");
        // Over HTTP the place is in the body, which wraps the answer.
        let wrapped = wrapped.replace("\"pointer\":\"/answer/", "\"pointer\":\"/");
        // And `report` is in the query, not beside the answer.
        let called =
            String::from_utf8(called(Call::Convert, answer.to_string().as_bytes(), &parameters)).expect("text");
        assert_eq!(called.replace("options, report\"", "options\""), wrapped, "{parameters}");
    }
}

#[test]
fn some_samples_give_the_same_bytes_by_call_and_by_command() {
    for case in samples().into_iter().step_by(12) {
        let (name, body) = (case.display().to_string(), input(&case));
        let converted =
            called(Call::Convert, &body, &json!({"channel": "teams", "options": {"updates": 0}, "report": false}));
        let printed_message = printed(&["convert", "--to", "teams"], &body);
        let one = [b"{\"activities\":[".as_slice(), &printed_message, b"]}"].concat();
        same(&one, &converted, &name);
        let arguments = ["check", "--channel", "teams", "--json"];
        same(
            &printed(&arguments, &printed_message),
            &called(Call::Check, &printed_message, &json!({"channel": "teams"})),
            &name,
        );
        let arguments = ["check", "--channel", "teams", "--fix", "--json"];
        same(
            &printed(&arguments, &printed_message),
            &called(Call::Fix, &printed_message, &json!({"channel": "teams"})),
            &name,
        );
    }
}
