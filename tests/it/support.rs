//! Citations held against their passages, over HTTP and on the command line.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{API_KEY, Backend, TestApp, answer};

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

async fn converted(app: &TestApp, options: Value) -> (StatusCode, Value) {
    answer(app.post("/v1/activities", API_KEY).json(&json!({"answer": leave(), "options": options}))).await
}

#[tokio::test]
async fn a_report_has_the_verdict_of_each_citation_and_a_conflict_can_refuse_the_answer() {
    let app = TestApp::start();
    let (status, body) = converted(&app, json!({})).await;
    let line = &body["report"]["support"][0];
    assert_eq!(
        (status, &line["position"], &line["verdict"]),
        (StatusCode::OK, &json!(1), &json!("conflict")),
        "{body}"
    );
    assert_eq!(line["reasons"], json!([{"code": "number-missing", "text": "30 days"}]));
    assert_eq!(body["report"]["uncited_sentences"], 1);
    let (_, off) = converted(&app, json!({"require_support": "off"})).await;
    assert_eq!((&off["report"]["support"], &off["report"]["uncited_sentences"]), (&json!([]), &Value::Null));
    assert_eq!(off["activities"], body["activities"]);
    let (status, problem) = converted(&app, json!({"require_support": "refuse"})).await;
    assert_eq!((status, &problem["code"]), (StatusCode::UNPROCESSABLE_ENTITY, &json!("support_conflict")), "{problem}");
    let (status, problem) = converted(&app, json!({"require_support": "perhaps"})).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{problem}");
    for route in ["/v1/open-webui", "/v1/assistanthub", "/v1/records"] {
        let refused = json!({"answer": leave(), "options": {"require_support": "refuse"}});
        let (status, problem) = answer(app.post(route, API_KEY).json(&refused)).await;
        assert_eq!((status.as_u16(), &problem["code"]), (422, &json!("support_conflict")), "{route}: {problem}");
    }
}

#[tokio::test]
async fn records_have_the_claims_of_the_support_route_unless_they_are_off() {
    let app = TestApp::start();
    let (_, claims) = answer(app.post(SUPPORT, API_KEY).json(&leave())).await;
    let (_, records) = answer(app.post("/v1/records", API_KEY).json(&leave())).await;
    assert_eq!((&records["claims"], &records["text"]), (&claims["claims"], &claims["text"]));
    let off = json!({"answer": leave(), "options": {"require_support": "off"}});
    let (_, records) = answer(app.post("/v1/records", API_KEY).json(&off)).await;
    assert_eq!(records["claims"], json!([]));
    let reshaped = json!({"answer": leave(), "reshaped": "Thirty."});
    let (_, records) = answer(app.post("/v1/records", API_KEY).json(&reshaped)).await;
    assert_eq!(records["claims"], json!([]));
}

#[tokio::test]
async fn verdicts_and_reasons_are_counted_and_the_time_of_the_check_is_told() {
    let app = TestApp::start();
    converted(&app, json!({})).await;
    converted(&app, json!({"require_support": "off"})).await;
    converted(&app, json!({"require_support": "refuse"})).await;
    let text = app.request(reqwest::Method::GET, "/metrics").send().await.expect("an answer").text().await;
    let text = text.expect("text");
    for line in [
        r#"citewire_citations_support_total{verdict="conflict"} 1"#,
        r#"citewire_citations_support_total{verdict="verbatim"} 1"#,
        r#"citewire_support_reasons_total{reason="number-missing"} 1"#,
        "citewire_support_check_seconds_count 2",
        r#"citewire_conversions_total{format="auto",outcome="conflicting"} 1"#,
    ] {
        assert!(text.lines().any(|known| known == line), "{line}\n{text}");
    }
}

/// The messages of the bot to an assistant's answer with a conflict, under these options.
async fn shown(options: Value) -> Vec<Value> {
    let backend = Backend::new();
    let assistants = Backend::alone(backend.assistant("hr", |assistant| {
        assistant.convert = serde_json::from_value(options).expect("options");
        assistant.refusal = "I found nothing.".into();
    }));
    let app = TestApp::with(|setup| setup.assistants = Some(assistants));
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    app.post_text(&conversation, "How long is leave?").await;
    let body = backend.asked().await.begin();
    body.event(&json!({"sources": leave()["sources"]}));
    body.event(&json!({"delta": "Leave is 30 days a year [1]."}));
    body.done();
    let mut shown = Vec::new();
    while shown.last().is_none_or(|last: &Value| last["type"] != "message") {
        let activity = socket.activity().await;
        if activity["from"]["role"] != "user" {
            shown.push(activity);
        }
    }
    shown
}

#[tokio::test]
async fn in_a_conversation_a_refused_answer_is_never_shown_and_a_reported_one_is() {
    let refused = shown(json!({"require_support": "refuse"})).await;
    assert_eq!(refused.last().expect("a message")["text"], "I found nothing.");
    assert!(refused.iter().all(|activity| !activity.to_string().contains("30 days")), "{refused:?}");
    let reported = shown(json!({})).await;
    let text = reported.last().expect("a message")["text"].to_string();
    assert!(text.contains("Leave is 30 days a year [1].") && !text.contains("not confirmed"), "{text}");
}

/// [AISVS](https://github.com/OWASP/AISVS) 7.4.1 to 7.4.3: attribution, from retrieval alone, down to the chunk.
#[tokio::test]
async fn owasp_aisvs_7_4() {
    let app = TestApp::start();
    // The model gives the source another address, and lists a document of its own.
    let text = "The canteen opens at noon [1]. [Read more][9]\n\n[1]: https://evil.example/a \"Invented\"\n[9]: https://evil.example/b";
    let passage = "It closes at three. The canteen opens at noon.";
    let source = json!({"title": "Canteen", "url": "https://hr.example/canteen", "content": passage});
    let body = json!({"text": text, "sources": [source]});
    let (_, shown) = answer(app.post("/v1/activities", API_KEY).json(&body)).await;
    let claims = shown["activities"][0]["entities"][0]["citation"].as_array().expect("claims");
    assert_eq!((claims.len(), &claims[0]["appearance"]["name"]), (1, &json!("Canteen")));
    assert!(!shown["activities"][0].to_string().contains("evil.example/a"), "{shown}");
    let (_, support) = answer(app.post(SUPPORT, API_KEY).json(&body)).await;
    let quote = &support["claims"][0]["quotes"][0];
    let at = |name: &str| usize::try_from(quote[name].as_u64().expect("an offset")).expect("a usize");
    let words = &passage[at("start")..at("end")];
    assert!(quote["text"] == words && words.starts_with("The canteen opens at noon"), "{quote}");
    let bare = json!({"answer": {"text": "It opens at noon."}, "options": {"require_grounding": "any"}});
    let (status, _) = answer(app.post("/v1/activities", API_KEY).json(&bare)).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
}
