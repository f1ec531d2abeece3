//! Requests as they come over a connection, for servers that a test plays itself.

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A request with its body.
pub(crate) struct Request {
    pub(crate) method: String,
    /// The path with its query, as it was written.
    pub(crate) path: String,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// Reads the next one; `None` when the other side goes before all of it is there.
    pub(crate) async fn read(stream: &mut TcpStream) -> Option<Self> {
        let mut bytes = Vec::new();
        let end = loop {
            if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        };
        let head = String::from_utf8(bytes[..end].to_vec()).expect("text");
        let mut line = head.lines().next()?.split(' ');
        let (method, path) = (line.next()?.to_owned(), line.next()?.to_owned());
        let length = header(&head, "content-length").map_or(0, |length| length.parse().expect("a number"));
        while bytes.len() < end + length {
            if stream.read_buf(&mut bytes).await.ok()? == 0 {
                return None;
            }
        }
        Some(Self { method, path, body: bytes.split_off(end), head })
    }

    pub(crate) fn bearer(&self) -> Option<&str> {
        header(&self.head, "authorization")?.strip_prefix("Bearer ")
    }

    /// The body; `null` without one.
    pub(crate) fn json(&self) -> Value {
        if self.body.is_empty() { Value::Null } else { serde_json::from_slice(&self.body).expect("JSON") }
    }
}

/// The value of a header, which is there once at most.
pub(crate) fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let lines = head.lines().filter_map(|line| line.split_once(": "));
    let mut values = lines.filter(|(given, _)| given.eq_ignore_ascii_case(name)).map(|(_, value)| value);
    let value = values.next();
    assert_eq!(values.next(), None, "{name} is there once");
    value
}

/// Answers with a status, one more header and a text, and closes the connection. Who asked may be gone already.
pub(crate) async fn respond(stream: &mut TcpStream, status: u16, header: &str, body: &str) {
    let length = body.len();
    let text =
        format!("HTTP/1.1 {status} X\r\n{header}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
    stream.write_all(text.as_bytes()).await.ok();
    stream.shutdown().await.ok();
}
