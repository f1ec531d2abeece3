use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use citewire::clock::{Clock as _, ManualClock};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::app::{Request, respond};

/// The reaction of the upstream to one call.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// Answers with a status and JSON.
    Json(u16, Value),
    /// Answers with a status, one more header, and text.
    With(u16, &'static str, String, String),
    /// Answers with the activity that was posted last, in a conversation, under this id.
    Echo(&'static str),
    /// Closes the connection.
    Close,
    /// Never answers.
    Silence,
    /// Begins an answer and never ends it.
    HalfAnswer,
    /// Answers for ever.
    Endless,
}

impl Reply {
    pub(crate) fn id(id: &str) -> Self {
        Self::Json(200, json!({ "id": id }))
    }

    pub(crate) fn error(status: u16, code: &str, message: &str) -> Self {
        Self::Json(status, json!({"error": {"code": code, "message": message}}))
    }

    /// A conversation in which nothing was posted.
    pub(crate) fn nothing() -> Self {
        Self::Json(200, json!({"activities": [], "watermark": null}))
    }

    pub(crate) fn token(token: &str) -> Self {
        Self::Json(200, json!({"conversationId": "c1", "token": token, "expires_in": 1800}))
    }
}

/// A call to the upstream.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Method and path below `/v3/directline`.
    pub(crate) call: String,
    pub(crate) bearer: String,
    pub(crate) head: String,
    pub(crate) body: Value,
    /// The time, by the clock of the test.
    pub(crate) at: DateTime<Utc>,
}

/// A server that does with each call what its script says.
pub(crate) struct Upstream {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    played: watch::Receiver<usize>,
    _tasks: JoinSet<()>,
}

const BASE: &str = "/v3/directline";

impl Upstream {
    pub(crate) async fn playing(clock: Arc<ManualClock>, script: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}{BASE}", listener.local_addr().expect("an address"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (tell, played) = watch::channel(0);
        let mut tasks = JoinSet::new();
        let noted = Arc::clone(&seen);
        tasks.spawn(async move {
            let mut script = script.into_iter();
            // Calls that hang must not keep the next one waiting.
            let mut hanging = Vec::new();
            loop {
                let (mut stream, _) = listener.accept().await.expect("a connection");
                let Some(request) = Request::read(&mut stream).await else { continue };
                noted.lock().expect("a lock").push(Seen::of(request, clock.now()));
                let unforeseen = || Reply::error(400, "Unforeseen", "the script is over");
                let reply = script.next().unwrap_or_else(unforeseen);
                let last_post = noted.lock().expect("a lock").iter().rev().find(|seen| seen.is_activity()).cloned();
                if play(&mut stream, reply, last_post).await {
                    hanging.push(stream);
                }
                tell.send_modify(|played| *played += 1);
            }
        });
        Self { url, seen, played, _tasks: tasks }
    }

    /// Waits until this many calls have been answered.
    pub(crate) async fn played(&self, count: usize) {
        self.played.clone().wait_for(|played| *played >= count).await.expect("the upstream plays on");
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("a lock").clone()
    }

    /// The calls in order; activities of conversation `c1` in short.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.call.replace("/conversations/c1/activities", "")).collect()
    }

    /// The time between each call and the one before.
    pub(crate) fn waits(&self) -> Vec<Duration> {
        let seen = self.seen();
        seen.windows(2).map(|pair| (pair[1].at - pair[0].at).to_std().expect("time goes on")).collect()
    }
}

impl Seen {
    fn of(request: Request, at: DateTime<Utc>) -> Self {
        let path = request.path.strip_prefix(BASE).unwrap_or(&request.path);
        Self {
            call: format!("{} {path}", request.method),
            bearer: request.bearer().unwrap_or_default().to_owned(),
            body: request.json(),
            head: request.head,
            at,
        }
    }

    fn is_activity(&self) -> bool {
        self.call.starts_with("POST") && self.call.ends_with("/activities")
    }
}

/// Does what the reply says; whether the connection is to stay open.
async fn play(stream: &mut TcpStream, reply: Reply, last_post: Option<Seen>) -> bool {
    let (status, header, body) = match reply {
        Reply::Json(status, body) => (status, "content-type: application/json".to_owned(), body.to_string()),
        Reply::With(status, name, value, body) => (status, format!("{name}: {value}"), body),
        Reply::Echo(id) => {
            let mut activity = last_post.expect("something was posted").body;
            activity["id"] = json!(id);
            let set = json!({"activities": [{"type": "message", "id": "other"}, activity], "watermark": "2"});
            (200, "content-type: application/json".to_owned(), set.to_string())
        }
        Reply::Close => return false,
        Reply::Silence => return true,
        Reply::HalfAnswer => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{\"id\"").await.ok();
            return true;
        }
        Reply::Endless => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await.ok();
            while stream.write_all(&[b' '; 1024]).await.is_ok() {}
            return false;
        }
    };
    respond(stream, status, &header, &body).await;
    false
}
