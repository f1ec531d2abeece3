//! A server that plays the part of a model: it answers with what a test hands it, cut and ended as the test wants.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;
use socket2::SockRef;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Barrier, watch};
use tokio::task::JoinSet;

use crate::app::{Request, header};

/// The event behind the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// The body ends as it should.
    End,
    /// Nothing happens any more, until the other side goes.
    Stall,
    /// The connection breaks.
    Reset,
    /// The body comes again and again.
    Repeat,
}

/// The answer to one call.
#[derive(Clone, Debug)]
pub(crate) struct Play {
    status: u16,
    headers: Vec<String>,
    body: Vec<u8>,
    /// The reply that is made of the call, in place of the body.
    reply: Option<fn(&Value) -> Vec<u8>>,
    /// The number of bytes that go out at once.
    piece: usize,
    /// Behind the body others are waited for, and then this is said.
    held: Option<(Arc<Barrier>, Vec<u8>)>,
    then: Then,
    /// Whether there is an answer at all.
    silent: bool,
}

impl Play {
    /// A body of this type with the status 200.
    pub(crate) fn of(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![format!("content-type: {content_type}")];
        Self {
            status: 200,
            headers,
            body: body.into(),
            reply: None,
            piece: usize::MAX,
            held: None,
            then: Then::End,
            silent: false,
        }
    }

    pub(crate) fn events(body: impl Into<Vec<u8>>) -> Self {
        Self::of("text/event-stream; charset=utf-8", body)
    }

    pub(crate) fn json(body: &Value) -> Self {
        Self::of("application/json", body.to_string())
    }

    /// Nothing: the connection is taken, and then happens what is said.
    pub(crate) fn nothing(then: Then) -> Self {
        Self { silent: true, then, ..Self::of("x", "") }
    }

    /// Events that are made of the body of the call.
    pub(crate) fn replying(reply: fn(&Value) -> Vec<u8>) -> Self {
        Self { reply: Some(reply), ..Self::events("") }
    }

    pub(crate) fn status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    pub(crate) fn header(mut self, line: &str) -> Self {
        self.headers.push(line.to_owned());
        self
    }

    pub(crate) fn cut(self, piece: usize) -> Self {
        Self { piece, ..self }
    }

    /// Behind the body the others are waited for; then the rest is said.
    pub(crate) fn held(self, others: &Arc<Barrier>, rest: impl Into<Vec<u8>>) -> Self {
        Self { held: Some((Arc::clone(others), rest.into())), ..self }
    }

    pub(crate) fn then(self, then: Then) -> Self {
        Self { then, ..self }
    }
}

/// A call that was made.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Method and path with query.
    pub(crate) call: String,
    head: String,
    pub(crate) body: Value,
}

impl Seen {
    fn of(request: Request) -> Self {
        let body = request.json();
        let Request { method, path, head, .. } = request;
        Self { call: format!("{method} {path}"), head, body }
    }

    /// A header; an empty text without it.
    pub(crate) fn header(&self, name: &str) -> String {
        header(&self.head, name).unwrap_or_default().to_owned()
    }
}

/// A server that plays its answers one after the other, and refuses when there are no more.
pub(crate) struct Model {
    pub(crate) url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    /// The number of calls so far.
    called: watch::Receiver<usize>,
    /// The number of connections that the other side has left while the model had more to say.
    left: watch::Receiver<usize>,
    _tasks: JoinSet<()>,
}

impl Model {
    pub(crate) async fn playing(plays: impl IntoIterator<Item = Play>) -> Self {
        Self::at(TcpListener::bind("127.0.0.1:0").await.expect("a port"), plays)
    }

    /// A model at a port that is bound already.
    pub(crate) fn at(listener: TcpListener, plays: impl IntoIterator<Item = Play>) -> Self {
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (tell, left) = watch::channel(0);
        let (count, called) = watch::channel(0);
        let (noted, mut plays) = (Arc::clone(&seen), plays.into_iter().collect::<Vec<_>>().into_iter());
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (mut stream, _) = listener.accept().await.expect("a connection");
                stream.set_nodelay(true).expect("no delay");
                let Some(request) = Request::read(&mut stream).await else { continue };
                let call = Seen::of(request);
                let over = || Play::of("text/plain", "the play is over").status(400);
                let (mut play, tell) = (plays.next().unwrap_or_else(over), tell.clone());
                if let Some(reply) = play.reply {
                    play.body = reply(&call.body);
                }
                noted.lock().expect("a lock").push(call);
                count.send_modify(|calls| *calls += 1);
                connections.spawn(async move {
                    if perform(&mut stream, play).await.is_err() {
                        tell.send_modify(|left| *left += 1);
                    }
                });
            }
        });
        Self { url, seen, called, left, _tasks: tasks }
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().expect("a lock").clone()
    }

    /// The only call.
    pub(crate) fn call(&self) -> Seen {
        let seen = self.seen();
        assert_eq!(seen.len(), 1, "{seen:?}");
        seen[0].clone()
    }

    /// Waits until this many calls have come.
    pub(crate) async fn was_called(&self, count: usize) {
        self.called.clone().wait_for(|calls| *calls >= count).await.expect("the model plays on");
    }

    /// Waits until the other side has left so many connections.
    pub(crate) async fn was_left(&self, count: usize) {
        self.left.clone().wait_for(|left| *left >= count).await.expect("the model plays on");
    }
}

/// Says what the play says; an error when the other side has gone before.
async fn perform(stream: &mut TcpStream, play: Play) -> std::io::Result<()> {
    let Play { status, headers, body, piece, held, then, silent, .. } = play;
    if !silent {
        let head = format!(
            "HTTP/1.1 {status} X\r\n{}\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n",
            headers.join("\r\n")
        );
        stream.write_all(head.as_bytes()).await?;
        loop {
            for piece in body.chunks(piece.clamp(1, body.len().max(1))) {
                let chunk = [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat();
                stream.write_all(&chunk).await?;
            }
            if then != Then::Repeat {
                break;
            }
        }
    }
    if let Some((others, rest)) = held {
        others.wait().await;
        if !rest.is_empty() {
            stream.write_all(&[format!("{:x}\r\n", rest.len()).as_bytes(), &rest, b"\r\n"].concat()).await?;
        }
    }
    match then {
        Then::End if silent => {}
        Then::End => stream.write_all(b"0\r\n\r\n").await?,
        Then::Stall | Then::Repeat => {
            // Returns when the other side has gone.
            let mut rest = Vec::new();
            stream.read_to_end(&mut rest).await?;
            return Err(std::io::ErrorKind::ConnectionAborted.into());
        }
        Then::Reset => SockRef::from(&*stream).set_linger(Some(Duration::ZERO))?,
    }
    Ok(())
}
