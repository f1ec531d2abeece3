use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::app::{API_KEY, TestApp, answer, citewire};

fn leave() -> Value {
    json!({"text": "Leave is 30 days [1].", "sources": [{"title": "Leave policy", "content": "Leave is 30 days."}]})
}

/// The output of the command for this input.
fn printed(arguments: &[&str], input: &str) -> Value {
    let mut command = citewire(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the command runs");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("the command ends");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[tokio::test]
async fn the_routes_of_outputs_give_what_the_command_prints() {
    let app = TestApp::start();
    for (path, to) in [("/v1/open-webui", "open-webui"), ("/v1/assistanthub", "assistanthub")] {
        let expected = printed(&["convert", "--to", to], &leave().to_string());
        for body in [leave(), json!({"answer": leave(), "from": "citewire", "options": {}})] {
            let (status, written) = answer(app.post(path, API_KEY).json(&body)).await;
            assert_eq!((status, &written), (StatusCode::OK, &expected), "{path}");
        }
        let (status, problem) = answer(app.post(path, API_KEY).json(&json!({"answer": {}, "chanel": 1}))).await;
        assert_eq!((status, &problem["pointer"]), (StatusCode::BAD_REQUEST, &json!("/chanel")), "{problem}");
        let grounded = json!({"answer": {"text": "x"}, "options": {"require_grounding": "any"}});
        let (status, _) = answer(app.post(path, API_KEY).json(&grounded)).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    }
}

#[tokio::test]
async fn the_report_is_left_out_where_nobody_reads_it() {
    let app = TestApp::start();
    let (_, whole) = answer(app.post("/v1/activities", API_KEY).json(&leave())).await;
    let (status, bare) = answer(app.post("/v1/activities?report=false", API_KEY).json(&leave())).await;
    assert_eq!((status, &bare), (StatusCode::OK, &json!({"activities": whole["activities"]})));
    assert_eq!(whole["report"]["cited"][0]["at"], "/sources/0", "{whole}");
    let (_, asked) = answer(app.post("/v1/activities?report=true", API_KEY).json(&leave())).await;
    assert_eq!(asked, whole);
    let (status, problem) = answer(app.post("/v1/activities?report=no", API_KEY).json(&leave())).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("report: true or false")), "{problem}");
}

/// A whole answer had the form of Open WebUI, whatever was asked for.
#[tokio::test]
async fn a_whole_answer_for_slack_is_the_calls_of_its_stream() {
    let app = TestApp::start();
    let mut given = leave();
    given["sources"][0]["url"] = json!("https://x.example/leave");
    let (status, written) = answer(app.post("/v1/open-webui?events=slack", API_KEY).json(&given)).await;
    let source = json!({"type": "url", "url": "https://x.example/leave#:~:text=Leave%20is%2030%20days", "text": "[1] Leave policy"});
    let chunk =
        json!({"type": "task_update", "id": "sources", "title": "Sources", "status": "complete", "sources": [source]});
    let text = json!({"type": "markdown_text", "text": "Leave is 30 days [1]."});
    assert_eq!(status, StatusCode::OK);
    assert_eq!(
        written,
        json!({"calls": [
            {"method": "chat.startStream", "arguments": {"chunks": [text]}},
            {"method": "chat.stopStream", "arguments": {"chunks": [chunk]}},
        ]})
    );
}

#[tokio::test]
async fn an_answer_for_open_webui_comes_as_one_completion_event_where_that_is_wanted() {
    let app = TestApp::start();
    let (_, event) = answer(app.post("/v1/open-webui?events=completion", API_KEY).json(&leave())).await;
    assert_eq!((&event["type"], &event["data"]["done"]), (&json!("chat:completion"), &json!(true)));
    assert_eq!(event["data"]["content"], "Leave is 30 days [1].");
    assert_eq!(event["data"]["sources"][0]["document"], json!(["Leave is 30 days."]));
    let (status, _) = answer(app.post("/v1/open-webui?events=none", API_KEY).json(&leave())).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn the_route_of_prompts_gives_what_the_command_prints() {
    let app = TestApp::start();
    let manifest = json!({"messages": [{"role": "user", "content": "How long?"}], "sources": leave()["sources"]});
    let mut expected =
        printed(&["prompt", "--json", "--style", "tags", "--system", "Be brief."], &manifest.to_string());
    let body = json!({"answer": manifest, "options": {"style": "tags", "system": "Be brief."}});
    let (status, mut written) = answer(app.post("/v1/prompt", API_KEY).json(&body)).await;
    assert_eq!(status, StatusCode::OK, "{written}");
    let text = written.as_object_mut().expect("an object").remove("text").expect("a text");
    assert!(text.as_str().is_some_and(|text| text.contains("Leave is 30 days.")), "{text}");
    assert_eq!(written, expected.take());
    for (options, pointer) in [
        (json!({"style": "odd"}), "/options/style"),
        (json!({"max_bytes": 1, "max_tokens": 1}), "/options/max_tokens"),
        (json!({"no_such_option": 1}), "/options/no_such_option"),
    ] {
        let body = json!({"answer": {"sources": []}, "options": options});
        let (status, problem) = answer(app.post("/v1/prompt", API_KEY).json(&body)).await;
        assert_eq!((status, &problem["pointer"]), (StatusCode::BAD_REQUEST, &json!(pointer)), "{problem}");
    }
}

/// A request whose body is sent piece by piece.
struct Sending(TcpStream);

impl Sending {
    async fn begin(app: &TestApp, path: &str, media_type: &str) -> Self {
        let mut stream = TcpStream::connect(app.address).await.expect("a connection");
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {API_KEY}\r\nContent-Type: {media_type}\r\n\
             Transfer-Encoding: chunked\r\n\r\n",
            app.address
        );
        stream.write_all(head.as_bytes()).await.expect("sent");
        Self(stream)
    }

    async fn send(&mut self, piece: &str) {
        let chunk = format!("{:x}\r\n{piece}\r\n", piece.len());
        self.0.write_all(chunk.as_bytes()).await.expect("sent");
    }

    async fn event(&mut self, event: &Value) {
        self.send(&format!("data: {event}\n\n")).await;
    }

    async fn end(&mut self) {
        self.0.write_all(b"0\r\n\r\n").await.expect("sent");
    }

    /// Reads everything up to this text.
    async fn until(&mut self, end: &str) -> String {
        let mut read = Vec::new();
        while !String::from_utf8_lossy(&read).contains(end) {
            let byte = self.0.read_u8().await;
            read.push(byte.unwrap_or_else(|_| panic!("ended before {end:?}: {}", String::from_utf8_lossy(&read))));
        }
        String::from_utf8(read).expect("UTF-8")
    }
}

#[tokio::test]
async fn a_stream_is_answered_while_it_arrives() {
    let app = TestApp::start();
    for (path, end) in [
        ("/v1/open-webui", r#""type":"source""#),
        ("/v1/open-webui?events=events", r#""type":"source""#),
        ("/v1/open-webui?events=completion", r#""type":"chat:completion""#),
        ("/v1/assistanthub", r#""referenced_indices":[1]"#),
    ] {
        let mut sending = Sending::begin(&app, path, "text/event-stream").await;
        sending.event(&json!({"sources": leave()["sources"]})).await;
        sending.event(&json!({"delta": "Leave is"})).await;
        // The other half of the body is sent only after this half of the response has come.
        let first = sending.until("Leave is\"").await;
        assert!(first.starts_with("HTTP/1.1 200") && first.contains("text/event-stream"), "{first}");
        sending.event(&json!({"delta": " 30 days [1]."})).await;
        sending.event(&json!({"done": true})).await;
        sending.end().await;
        let rest = sending.until("data: [DONE]").await;
        assert!(rest.contains(" 30 days [1].") && rest.contains(end) && !rest.contains("\"error\""), "{path}: {rest}");
    }
}

#[tokio::test]
async fn json_lines_are_answered_while_they_arrive() {
    let app = TestApp::start();
    let mut sending = Sending::begin(&app, "/v1/open-webui", "application/x-ndjson").await;
    sending.send("{\"sources\":[{\"title\":\"A\"}]}\n{\"delta\":\"One\"}\n").await;
    sending.until("One\"").await;
    sending.send("{\"done\":true}\n").await;
    sending.end().await;
    let rest = sending.until("data: [DONE]").await;
    assert!(rest.contains("\"finish_reason\":\"stop\""), "{rest}");
}

#[tokio::test]
async fn a_stream_that_fails_in_the_middle_keeps_what_came_and_says_why() {
    let app = TestApp::with(|setup| setup.http.max_body_bytes = 1000);
    let mut sending = Sending::begin(&app, "/v1/open-webui", "text/event-stream").await;
    sending.event(&json!({"sources": leave()["sources"]})).await;
    sending.event(&json!({"delta": "Leave [1] is"})).await;
    sending.until(" is\"").await;
    sending.send(&format!(": {}\n\n", "x".repeat(2000))).await;
    sending.end().await;
    let rest = sending.until("data: [DONE]").await;
    assert!(rest.contains("\"event\":") && rest.contains("the body is longer than 1000 bytes"), "{rest}");
    assert!(!rest.contains("\"stop\""), "{rest}");
}

#[tokio::test]
async fn a_stream_that_is_unusable_from_its_beginning_has_a_status() {
    let app = TestApp::with(|setup| setup.http.max_body_bytes = 1000);
    for (body, status) in [(": nothing\n\n".to_owned(), 400), (format!(": {}\n\n", "x".repeat(2000)), 413)] {
        let post = app.post("/v1/open-webui", API_KEY).header("content-type", "text/event-stream");
        let (given, problem) = answer(post.body(body)).await;
        assert_eq!(given.as_u16(), status, "{problem}");
    }
}

#[tokio::test]
async fn a_client_that_goes_in_the_middle_leaves_the_server_well() {
    let app = TestApp::start();
    let mut sending = Sending::begin(&app, "/v1/open-webui", "text/event-stream").await;
    sending.event(&json!({"delta": "Leave is"})).await;
    sending.until("Leave is\"").await;
    drop(sending);
    let (status, _) = answer(app.post("/v1/open-webui", API_KEY).json(&leave())).await;
    assert_eq!(status, StatusCode::OK);
    // The server ends here, and would not if it still waited for the rest of the body.
}

#[test]
fn the_command_prints_events_as_they_arrive() {
    let mut command = citewire(&["convert", "--to", "open-webui", "--stream=events"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the command runs");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut line = || serde_json::from_str::<Value>(&lines.next().expect("a line").expect("text")).expect("JSON");
    write!(stdin, "data: {}\n\ndata: {}\n\n", json!({"sources": leave()["sources"]}), json!({"delta": "Leave [1] is"}))
        .expect("written");
    stdin.flush().expect("written");
    assert_eq!(line(), json!({"type": "message", "data": {"content": "Leave [1] is"}}));
    write!(stdin, "data: {}\n\n", json!({"done": true})).expect("written");
    drop(stdin);
    assert_eq!(line()["data"]["source"]["name"], "Leave policy");
    assert!(child.wait().expect("an end").success());
}
