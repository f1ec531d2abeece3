//! The back end of an assistant, or a bot, played by a test.

use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::app::Request;

/// The longest wait for a question that must come.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Model {
    pub(crate) url: String,
    questions: Mutex<mpsc::UnboundedReceiver<Asked>>,
    _task: JoinSet<()>,
}

/// A question, and the way to its answer.
pub(crate) struct Asked {
    /// The question of a user; empty for a bot.
    pub(crate) question: String,
    pub(crate) request: Request,
    pub(crate) stream: TcpStream,
}

impl Model {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/ask", listener.local_addr().expect("an address"));
        let (tell, questions) = mpsc::unbounded_channel();
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut calls = JoinSet::new();
            loop {
                let (mut stream, _) = listener.accept().await.expect("a connection");
                let tell = tell.clone();
                calls.spawn(async move {
                    // A node may be killed while it asks.
                    let Some(request) = Request::read(&mut stream).await else { return };
                    let question = request.json()["question"].as_str().unwrap_or_default().to_owned();
                    drop(tell.send(Asked { question, request, stream }));
                });
            }
        });
        Self { url, questions: Mutex::new(questions), _task: task }
    }

    /// The next question.
    pub(crate) async fn asked(&self) -> Asked {
        let asked = timeout(PATIENCE, self.questions.lock().await.recv()).await;
        asked.expect("a question in time").expect("the server lives")
    }

    /// Answers everything: `to` and the question, word by word, with such pauses.
    pub(crate) async fn answer_all(&self, pause: Duration) {
        let mut answers = JoinSet::new();
        loop {
            let Some(mut asked) = self.questions.lock().await.recv().await else { return };
            answers.spawn(async move {
                asked.begin().await;
                let words = format!("to {} a word at a time", asked.question);
                for word in words.split_inclusive(' ') {
                    tokio::time::sleep(pause).await;
                    asked.say(word).await;
                }
                asked.done().await;
            });
        }
    }
}

impl Asked {
    pub(crate) async fn begin(&mut self) {
        self.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n".to_owned()).await;
    }

    pub(crate) async fn say(&mut self, text: &str) {
        self.event(&json!({"delta": text})).await;
    }

    pub(crate) async fn done(mut self) {
        self.event(&json!({"done": true})).await;
        self.stream.shutdown().await.ok();
    }

    /// Waits until the asking side wants no answer any more.
    pub(crate) async fn given_up(&mut self) {
        let closed = timeout(PATIENCE, self.stream.read(&mut [0])).await.expect("the connection ends in time");
        assert!(matches!(closed, Ok(0) | Err(_)));
    }

    /// The whole answer.
    pub(crate) async fn answer(mut self, text: &str) {
        self.begin().await;
        self.say(text).await;
        self.done().await;
    }

    async fn event(&mut self, event: &Value) {
        self.send(format!("data: {event}\n\n")).await;
    }

    async fn send(&mut self, text: String) {
        // The asking side may be gone.
        self.stream.write_all(text.as_bytes()).await.ok();
    }
}
