use std::time::Duration;

use futures_util::future::join_all;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::app::{API_KEY, Conversation, DIRECT_LINE_SECRET, TestApp, answer};

/// Every route that takes a body, with a credential that opens it.
async fn takers(app: &TestApp) -> (Conversation, Vec<(String, String)>) {
    let conversation = app.conversation().await;
    let page = answer(app.request(Method::POST, "/page/session").header("origin", &app.url)).await.1;
    let page_token = page["token"].as_str().expect("a token").to_owned();
    let takers = vec![
        ("/v1/activities".to_owned(), API_KEY.to_owned()),
        (format!("/v1/conversations/{}/answers", conversation.id), API_KEY.to_owned()),
        ("/page/answers".to_owned(), page_token),
        (conversation.path("/activities"), conversation.token.clone()),
        ("/v3/directline/conversations".to_owned(), DIRECT_LINE_SECRET.to_owned()),
        ("/v3/directline/tokens/generate".to_owned(), DIRECT_LINE_SECRET.to_owned()),
    ];
    (conversation, takers)
}

/// The status of an error whose body can be read.
async fn refusal(request: RequestBuilder) -> StatusCode {
    let (status, body) = answer(request).await;
    let code = if body["error"].is_object() { &body["error"]["code"] } else { &body["code"] };
    assert!(code.is_string(), "{status} {body}");
    status
}

#[tokio::test]
async fn what_is_not_json_or_has_the_wrong_type_is_400_on_every_route() {
    let app = TestApp::start();
    let (conversation, takers) = takers(&app).await;
    let bodies: [&[u8]; 12] = [
        b"nonsense",
        b"{",
        b"{\"text\":\"a\"",
        b"[]",
        b"5",
        b"\"text\"",
        b"{\"text\":\"\xff\xfe\",\"type\":\"\xff\",\"user\":\"\xff\"}",
        b"\x00\x01\x02",
        b"{\"text\":5,\"type\":5,\"user\":5}",
        b"{\"text\":[],\"type\":[],\"user\":[]}",
        b"{\"text\":{},\"type\":{},\"user\":{\"id\":{}}}",
        b"\xef\xbb\xbf{\"text\":5,\"type\":5,\"user\":5}",
    ];
    for (path, bearer) in &takers {
        for body in bodies {
            let request = app.post(path, bearer).header("content-type", "application/json").body(body.to_vec());
            let shown = String::from_utf8_lossy(body);
            assert_eq!(refusal(request).await, StatusCode::BAD_REQUEST, "{path} {shown}");
        }
    }
    assert_eq!(app.history(&conversation, "").await["activities"], json!([]), "nothing is stored");
}

#[tokio::test]
async fn null_and_missing_text_are_400_where_an_answer_is_wanted() {
    let app = TestApp::start();
    let (conversation, takers) = takers(&app).await;
    for (path, bearer) in takers.iter().take(3) {
        for body in
            ["", "null", "{}", r#"{"text":null}"#, r#"{"sources":[]}"#, r#"{"answer":null}"#, r#"{"answer":{}}"#]
        {
            assert_eq!(refusal(app.post(path, bearer).body(body)).await, StatusCode::BAD_REQUEST, "{path} {body}");
        }
    }
    assert_eq!(app.history(&conversation, "").await["activities"], json!([]));
}

#[tokio::test]
async fn ten_megabytes_are_an_answer_or_too_much_but_never_a_broken_connection() {
    let app = TestApp::start();
    let (_, takers) = takers(&app).await;
    let text = format!("{} [1]", "word ".repeat(2_000_000));
    let body = json!({"text": text, "type": "message", "sources": [{"url": "https://a.example/"}]}).to_string();
    for (path, bearer) in &takers {
        let (status, answer) = answer(app.post(path, bearer).body(body.clone())).await;
        // An answer of the page is as long as an activity at most: a visitor had 15 MB of his own converted.
        let expected = if path.starts_with("/v3") || path == "/page/answers" {
            StatusCode::PAYLOAD_TOO_LARGE
        } else if path == "/v1/activities" {
            StatusCode::OK
        } else {
            StatusCode::CREATED
        };
        assert_eq!(status, expected, "{path} {}", answer["detail"]);
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_413_and_the_connection_goes_on() {
    let app = TestApp::with(|setup| setup.http.max_body_bytes = 300 * 1024);
    let (conversation, takers) = takers(&app).await;
    let body = json!({"text": "x".repeat(2 * 1024 * 1024), "type": "message"}).to_string();
    for (path, bearer) in &takers {
        let response = app.post(path, bearer).body(body.clone()).send().await.expect("an answer, no reset");
        assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE, "{path}");
        assert_eq!(response.headers().get("connection"), None, "{path}");
    }
    assert_eq!(app.history(&conversation, "").await["activities"], json!([]));
}

#[tokio::test]
async fn a_body_without_a_length_is_held_to_the_same_limit() {
    let app = TestApp::with(|setup| setup.http.max_body_bytes = 300 * 1024);
    let head = format!(
        "POST /v1/activities HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {API_KEY}\r\n\
         Transfer-Encoding: chunked\r\n\r\n"
    );
    let mut request = head.into_bytes();
    for _ in 0..40 {
        request.extend_from_slice(b"8000\r\n");
        request.extend_from_slice(&[b' '; 0x8000]);
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"0\r\n\r\n");
    assert!(exchange(&app, &request).await.starts_with("HTTP/1.1 413"));
}

#[tokio::test]
async fn what_is_not_http_does_not_end_the_server() {
    let app = TestApp::start();
    for request in
        ["nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "POST /v1/activities HTTP/1.1\r\nContent-Length: x\r\n\r\n"]
    {
        let answer = exchange(&app, request.as_bytes()).await;
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
    assert_eq!(answer(app.request(Method::GET, "/healthz")).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_body_that_stops_arriving_is_408_and_lets_its_connection_go() {
    let app = TestApp::with(|setup| setup.http.body_timeout = Duration::from_millis(50));
    let (conversation, mut takers) = takers(&app).await;
    takers.push((conversation.path("/upload"), DIRECT_LINE_SECRET.to_owned()));
    let address = app.address;
    let answers = takers.iter().map(|(path, bearer)| async move {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {bearer}\r\nContent-Length: 5000\r\n\r\n{{"
        );
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        stream.write_all(head.as_bytes()).await.expect("sent");
        let mut answer = String::new();
        within(stream.read_to_string(&mut answer)).await.expect("an answer, and the end of the connection");
        (path, answer)
    });
    for (path, answer) in join_all(answers).await {
        assert!(answer.starts_with("HTTP/1.1 408"), "{path}: {answer}");
    }
}

/// The body of a caller who is not let in is useless, as is that of a call which has none; its first megabyte is read
/// all the same, so that the answer is seen. The rest of a body in chunks was once read on for as long as the client
/// sent.
#[tokio::test]
async fn a_body_that_never_ends_is_answered_and_cut_off() {
    let app = TestApp::with(|setup| setup.http.max_body_bytes = 300 * 1024);
    let address = app.address;
    let calls = [
        ("POST /v1/activities", API_KEY, "413"),
        ("POST /v1/activities", "unknown", "401"),
        ("POST /page/session", "unknown", "403"),
        ("POST /nowhere", API_KEY, "404"),
        ("GET /healthz", API_KEY, "200"),
    ];
    let answers = calls.map(async |(call, bearer, status)| {
        let head = format!(
            "{call} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {bearer}\r\n\
             Transfer-Encoding: chunked\r\n\r\n"
        );
        let (mut from, mut to) = TcpStream::connect(address).await.expect("a connection").into_split();
        to.write_all(head.as_bytes()).await.expect("sent");
        let mut chunk = b"40000\r\n".to_vec();
        chunk.extend_from_slice(&[b' '; 0x40000]);
        chunk.extend_from_slice(b"\r\n");
        let mut answer = vec![0; 4096];
        // The client goes on until it is answered, and then until it cannot.
        let endless = async { while to.write_all(&chunk).await.is_ok() {} };
        let (read, ()) = within(async { tokio::join!(from.read(&mut answer), endless) }).await;
        let answer = String::from_utf8_lossy(&answer[..read.expect("an answer before the end")]).into_owned();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{call}: {answer}");
    });
    join_all(answers).await;
    assert_eq!(answer(app.request(Method::GET, "/healthz")).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_header_of_a_megabyte_is_431_and_nobody_else_notices() {
    let app = TestApp::start();
    let head = format!("GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: {}\r\n\r\n", "x".repeat(1024 * 1024));
    let (mut from, mut to) = TcpStream::connect(app.address).await.expect("a connection").into_split();
    let mut answer = vec![0; 4096];
    // The server reads only the beginning, so that not all of it can be sent.
    let (read, _) = within(async { tokio::join!(from.read(&mut answer), to.write_all(head.as_bytes())) }).await;
    let answer = String::from_utf8_lossy(&answer[..read.expect("an answer before the end")]);
    assert!(answer.starts_with("HTTP/1.1 431"), "{answer}");
    assert_eq!(self::answer(app.request(Method::GET, "/healthz")).await.0, StatusCode::OK);
}

/// The result, in time: a server that keeps a connection for ever is found out.
async fn within<T>(something: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), something).await.expect("the server lets go")
}

/// Sends bytes and returns what comes back until the server has said something or closes.
async fn exchange(app: &TestApp, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(app.address).await.expect("a connection");
    stream.write_all(request).await.expect("sent");
    let mut answer = vec![0; 4096];
    let length = stream.read(&mut answer).await.unwrap_or(0);
    String::from_utf8_lossy(&answer[..length]).into_owned()
}

#[tokio::test]
async fn a_caller_who_is_not_let_in_gets_to_see_why_whatever_was_sent() {
    let app = TestApp::start();
    let (_, takers) = takers(&app).await;
    let body = json!({"text": "x".repeat(900_000), "type": "message"}).to_string();
    for (path, _) in &takers {
        let response = app.post(path, "unknown").body(body.clone()).send().await.expect("an answer, no reset");
        let refused = [StatusCode::UNAUTHORIZED, StatusCode::FORBIDDEN];
        assert!(refused.contains(&response.status()), "{path}");
        assert_eq!(response.headers().get("connection"), None, "{path}");
    }
    let path = "/v1/conversations/unknown/answers";
    let response = app.post(path, API_KEY).body(body).send().await.expect("an answer, no reset");
    assert_eq!((response.status(), response.headers().get("connection")), (StatusCode::NOT_FOUND, None));
}
