//! A body whose bytes the test sends when it likes.

use std::convert::Infallible;
use std::future::Future;

use bytes::Bytes;
use futures_util::stream;
use reqwest::{Body, StatusCode};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use crate::app::{API_KEY, Conversation, Socket, TestApp, answer};

/// The end of a body that the test holds.
pub(super) struct Sending(mpsc::Sender<Bytes>);

impl Sending {
    pub(super) async fn bytes(&self, bytes: impl Into<Bytes>) {
        self.0.send(bytes.into()).await.expect("the request goes on");
    }

    pub(super) async fn event(&self, event: Value) {
        self.bytes(format!("data: {event}\n\n")).await;
    }

    pub(super) async fn delta(&self, text: &str) {
        self.event(json!({"delta": text})).await;
    }

    /// The sign of a whole answer, and the end of the body.
    pub(super) async fn done(self) {
        self.event(json!({"done": true})).await;
    }
}

pub(super) fn sources() -> Value {
    json!({"sources": [
        {"title": "Leave policy", "url": "https://hr.example/leave"},
        {"title": "Handbook", "url": "https://hr.example/handbook"},
    ]})
}

pub(super) fn path(conversation: &Conversation) -> String {
    format!("/v1/conversations/{}/answers?from=citewire", conversation.id)
}

/// Posts an answer of which the test sends the bytes; the future is the response.
pub(super) fn post(
    app: &TestApp,
    conversation: &Conversation,
    key: Option<&str>,
) -> (Sending, impl Future<Output = (StatusCode, Value)> + use<>) {
    let (send, receive) = mpsc::channel::<Bytes>(1);
    let pieces = stream::unfold(receive, async |mut receive| {
        let bytes = receive.recv().await?;
        Some((Ok::<_, Infallible>(bytes), receive))
    });
    let mut request = app.post(&path(conversation), API_KEY).header("content-type", "text/event-stream");
    if let Some(key) = key {
        request = request.header("idempotency-key", key);
    }
    (Sending(send), answer(request.body(Body::wrap_stream(pieces))))
}

/// A request in the hand of the test: its connection can be cut.
pub(super) async fn raw(app: &TestApp, conversation: &Conversation) -> TcpStream {
    let mut stream = TcpStream::connect(app.address).await.expect("a connection");
    let head = format!(
        "POST {} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {API_KEY}\r\ncontent-type: text/event-stream\r\n\
         transfer-encoding: chunked\r\n\r\n",
        path(conversation),
        app.address
    );
    stream.write_all(head.as_bytes()).await.expect("sent");
    stream
}

/// Sends one piece of a chunked body.
pub(super) async fn chunk(stream: &mut TcpStream, event: Value) {
    let event = format!("data: {event}\n\n");
    stream.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes()).await.expect("sent");
}

/// Reads until a message, which is the last.
pub(super) async fn until_message(socket: &mut Socket) -> Vec<Value> {
    let mut seen = Vec::new();
    loop {
        let activity = socket.activity().await;
        let is_last = activity["type"] == "message";
        seen.push(activity);
        if is_last {
            return seen;
        }
    }
}

/// The text of an activity.
pub(super) fn text(activity: &Value) -> &str {
    activity["text"].as_str().unwrap_or_default()
}
