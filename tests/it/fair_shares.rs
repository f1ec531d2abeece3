//! Shares of callers: one that takes much leaves the others theirs.

use std::time::Duration;

use citewire::channels::direct_line::DirectLineOptions;
use reqwest::{Method, StatusCode};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::app::{API_KEY, Conversation, TestApp, answer};

/// The longest wait for an event that must come.
const PATIENCE: Duration = Duration::from_secs(5);

/// A request of which only a part comes.
async fn begun(app: &TestApp, method: &str, path: &str, bearer: &str, length: usize, sent: &[u8]) -> TcpStream {
    let mut connection = TcpStream::connect(app.address).await.expect("a connection");
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {bearer}\r\ncontent-type: text/plain\r\n\
         content-length: {length}\r\n\r\n",
        app.address
    );
    connection.write_all(head.as_bytes()).await.expect("sent");
    connection.write_all(sent).await.expect("sent");
    connection
}

/// The status line of the answer.
async fn status(connection: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let read = async {
        while !head.contains(&b'\n') {
            assert!(connection.read_buf(&mut head).await.expect("an answer") > 0, "the connection has ended");
        }
    };
    timeout(PATIENCE, read).await.expect("an answer in time");
    String::from_utf8_lossy(&head).lines().next().unwrap_or_default().to_owned()
}

fn path(conversation: &Conversation) -> String {
    conversation.path("/upload?userId=dl_ann")
}

async fn upload(app: &TestApp, conversation: &Conversation, size: usize) -> (StatusCode, Value) {
    let request = app.post(&path(conversation), &conversation.token).header("content-type", "text/plain");
    timeout(PATIENCE, answer(request.body(vec![b'x'; size]))).await.expect("an answer in time")
}

#[tokio::test]
async fn slow_uploads_of_one_conversation_keep_nobody_waiting() {
    let app = TestApp::alone();
    let (slow, other) = (app.conversation().await, app.conversation().await);
    let mut connections = Vec::new();
    for _ in 0..2 {
        connections.push(begun(&app, "POST", &path(&slow), &slow.token, 1_000_000, b"x").await);
    }
    let mut third = begun(&app, "POST", &path(&slow), &slow.token, 1_000_000, b"x").await;
    // The first two may come behind it, on connections of their own.
    let refused = tokio::select! {
        line = status(&mut third) => line,
        line = async { let [first, second] = &mut connections[..] else { unreachable!("two") };
            tokio::select! { line = status(first) => line, line = status(second) => line } } => line,
    };
    assert!(refused.contains("429"), "{refused}");
    assert_eq!(upload(&app, &other, 1_000_000).await.0, StatusCode::OK);
    assert_eq!(upload(&app, &other, 1_000_000).await.0, StatusCode::OK);
}

#[tokio::test]
async fn slow_uploads_of_many_conversations_keep_nobody_waiting() {
    let app = TestApp::with(|setup| {
        setup.nodes = crate::app::Nodes::One;
        // However long this machine takes, the slow ones stay.
        setup.http.limits.upload_bytes_per_second = 0;
    });
    let mut connections = Vec::new();
    for _ in 0..20 {
        let slow = app.conversation().await;
        connections.push(begun(&app, "POST", &path(&slow), &slow.token, 16_000_000, &[b'x'; 10_000]).await);
    }
    let other = app.conversation().await;
    assert_eq!(upload(&app, &other, 1_000_000).await.0, StatusCode::OK);
    let metrics = app.get("/metrics", API_KEY).send().await.expect("an answer").text().await.expect("text");
    assert!(metrics.lines().any(|line| line == "citewire_uploads_open 20"), "{metrics}");
}

#[tokio::test]
async fn a_body_that_announces_itself_as_too_long_is_refused_before_it_comes() {
    let app = TestApp::alone();
    let conversation = app.conversation().await;
    for (method, path, bearer) in [
        ("POST", path(&conversation), conversation.token.as_str()),
        ("POST", conversation.path("/activities"), &conversation.token),
        ("POST", "/v1/activities".to_owned(), API_KEY),
        ("POST", "/v1/chat/completions".to_owned(), API_KEY),
    ] {
        for length in [1024 * 1024 * 1024, DirectLineOptions::default().max_upload_bytes + 1] {
            let mut connection = begun(&app, method, &path, bearer, length, b"").await;
            let line = status(&mut connection).await;
            assert!(line.contains("413"), "{path}: {line}");
        }
    }
}

/// A browser looks at nothing before it has sent everything, and a connection that is closed early looks to it like no answer.
#[tokio::test]
async fn a_client_that_sends_all_of_a_body_that_is_too_long_sees_the_answer() {
    let app = TestApp::alone();
    let conversation = app.conversation().await;
    let length = 40 * 1024 * 1024;
    let mut connection = begun(&app, "POST", &path(&conversation), &conversation.token, length, b"").await;
    for _ in 0..40 {
        connection.write_all(&vec![b'x'; 1024 * 1024]).await.expect("the connection is there");
    }
    assert!(status(&mut connection).await.contains("413"));
}

#[tokio::test]
async fn requests_for_files_are_limited_by_address_and_not_for_keys() {
    let app = TestApp::with(|setup| {
        setup.nodes = crate::app::Nodes::One;
        setup.http.limits.downloads_per_minute = 3;
    });
    let conversation = app.conversation().await;
    let (_, posted) = upload(&app, &conversation, 10).await;
    assert!(posted["id"].is_string(), "{posted}");
    let history = app.history(&conversation, "").await;
    let url = history["activities"][0]["attachments"][0]["contentUrl"].as_str().expect("an address").to_owned();
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(app.client.get(&url).send().await.expect("an answer").status().as_u16());
    }
    assert_eq!(statuses, [200, 200, 200, 429]);
    let missing = "/v1/documents/nobody.AAAAAAAAAAAAAAAAAAAAAA/download";
    assert_eq!(
        app.request(Method::GET, &format!("{missing}?expires=1&signature=x")).send().await.expect("an answer").status(),
        429
    );
    assert_eq!(app.get(missing, API_KEY).send().await.expect("an answer").status(), 404);
}
