//! A back end that acts by a script, and words for what a client does with it.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use citewire::assistant::{Assistant, AssistantOptions, AssistantRegistry, Assistants};
use citewire::ingest::Provider;
use citewire::output::ChatForm;
use citewire::upstream::{Ask, Reply, Upstream, UpstreamError};
use futures_util::{StreamExt as _, stream};
use reqwest::{Response, StatusCode};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use crate::app::{API_KEY, TestApp, answer};

/// The longest wait for an event that must come.
const PATIENCE: Duration = Duration::from_secs(10);

/// The next step of the back end.
#[derive(Clone)]
pub(crate) enum Step {
    /// Sends bytes.
    Send(String),
    /// Waits until the test lets it go on.
    Wait,
    /// Fails.
    Fail(fn() -> UpstreamError),
    /// Says nothing any more.
    Silence,
}

impl Step {
    /// An event of citewire's own format.
    pub(crate) fn event(event: &Value) -> Self {
        Self::Send(format!("data: {event}\n\n"))
    }
}

/// A back end that does the same with every question.
#[derive(Clone)]
pub(crate) struct Scripted {
    from: Option<Provider>,
    steps: Vec<Step>,
    refusal: Option<fn() -> UpstreamError>,
    pub(crate) has_model: bool,
    retrieves: bool,
    gate: Arc<Semaphore>,
    asked: Arc<watch::Sender<Vec<Ask>>>,
    dropped: Arc<watch::Sender<usize>>,
}

impl std::fmt::Debug for Scripted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Scripted")
    }
}

/// Counts the answers whose readers are gone.
struct Guard(Arc<watch::Sender<usize>>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.send_modify(|dropped| *dropped += 1);
    }
}

impl Scripted {
    pub(crate) fn new(steps: Vec<Step>) -> Self {
        Self {
            from: Some(Provider::Native),
            steps,
            refusal: None,
            has_model: true,
            retrieves: true,
            gate: Arc::new(Semaphore::new(0)),
            asked: Arc::new(watch::Sender::new(Vec::new())),
            dropped: Arc::new(watch::Sender::new(0)),
        }
    }

    /// A back end that answers with these events, and says that it is done.
    pub(crate) fn saying(events: &[Value]) -> Self {
        let done = json!({"done": true});
        Self::new(events.iter().chain([&done]).map(Step::event).collect())
    }

    /// A back end that answers with these bytes, whatever their format.
    pub(crate) fn bytes(from: Option<Provider>, body: &str) -> Self {
        Self { from, ..Self::new(vec![Step::Send(body.to_owned())]) }
    }

    /// Turns the search of the back end off: it gets the passages with the question.
    pub(crate) fn that_does_not_search(self) -> Self {
        Self { retrieves: false, ..self }
    }

    /// A back end that refuses to answer.
    pub(crate) fn refusing(refusal: fn() -> UpstreamError) -> Self {
        Self { refusal: Some(refusal), ..Self::new(Vec::new()) }
    }

    /// Lets it go on behind one wait.
    pub(crate) fn go_on(&self) {
        self.gate.add_permits(1);
    }

    /// The questions that it was asked, as soon as there are `count`.
    pub(crate) async fn asked(&self, count: usize) -> Vec<Ask> {
        let mut asked = self.asked.subscribe();
        let enough = timeout(PATIENCE, asked.wait_for(|asked| asked.len() >= count)).await;
        enough.expect("it is asked in time").expect("it lives").clone()
    }

    /// The number of questions so far.
    pub(crate) fn times_asked(&self) -> usize {
        self.asked.borrow().len()
    }

    /// Waits until this many answers have been let go of.
    pub(crate) async fn dropped(&self, count: usize) {
        let mut dropped = self.dropped.subscribe();
        let enough = timeout(PATIENCE, dropped.wait_for(|dropped| *dropped >= count)).await;
        enough.expect("the answer is let go of in time").expect("it lives");
    }

    /// A server with this back end behind the assistant `handbook`.
    pub(crate) fn serve(&self) -> TestApp {
        self.serve_with(|_| {})
    }

    pub(crate) fn serve_with(&self, change: impl FnOnce(&mut AssistantOptions)) -> TestApp {
        let mut options = AssistantOptions::default();
        change(&mut options);
        TestApp::with(|setup| setup.assistants = Some(team(self.assistant(options))))
    }

    /// A server whose completions have this form of citations where a request names none.
    pub(crate) fn serve_in_form(&self, form: ChatForm) -> TestApp {
        TestApp::with(|setup| {
            setup.assistants = Some(team(self.assistant(AssistantOptions::default())));
            setup.http.chat_citations = form;
        })
    }

    /// A server whose streams are never silent for longer.
    pub(crate) fn serve_commenting(&self, every: Duration) -> TestApp {
        TestApp::with(|setup| {
            setup.assistants = Some(team(self.assistant(AssistantOptions::default())));
            setup.http.comment_every = every;
        })
    }

    fn assistant(&self, options: AssistantOptions) -> Assistant {
        Assistant::new("handbook", options, Arc::new(self.clone()), Arc::default())
    }
}

#[async_trait]
impl Upstream for Scripted {
    async fn ask(&self, ask: Ask) -> Result<Reply, UpstreamError> {
        self.asked.send_modify(|asked| asked.push(ask));
        if let Some(refusal) = self.refusal {
            return Err(refusal());
        }
        let (gate, guard) = (Arc::clone(&self.gate), Guard(Arc::clone(&self.dropped)));
        let steps = stream::iter(self.steps.clone()).then(move |step| {
            let gate = Arc::clone(&gate);
            let _ = &guard;
            async move {
                match step {
                    Step::Send(bytes) => Some(Ok(Bytes::from(bytes))),
                    Step::Wait => {
                        gate.acquire().await.expect("it is open").forget();
                        None
                    }
                    Step::Fail(error) => Some(Err(error())),
                    Step::Silence => std::future::pending().await,
                }
            }
        });
        Ok(Reply::new(self.from, steps.filter_map(|piece| async { piece }).boxed()))
    }

    fn retrieves(&self) -> bool {
        self.retrieves
    }

    fn has_model(&self) -> bool {
        self.has_model
    }
}

/// Three documents.
pub(crate) fn sources() -> Value {
    let source = |id: &str, score: f64| {
        json!({"id": id, "title": format!("Document {id}"), "url": format!("https://docs.example/{id}"),
            "content": format!("Passage {id}."), "score": score})
    };
    json!({"sources": [source("a", 0.9), source("b", 0.5), source("c", 0.25)]})
}

pub(crate) fn delta(text: &str) -> Value {
    json!({"delta": text})
}

/// A request with one question.
pub(crate) fn question(stream: bool) -> Value {
    json!({"model": "handbook", "stream": stream, "messages": [{"role": "user", "content": "How long is leave?"}]})
}

/// A question for citations in this form.
pub(crate) fn question_for(stream: bool, form: &str) -> Value {
    let mut question = question(stream);
    question["citewire"] = json!({"citations": form});
    question
}

/// Asks, and takes the answer in as JSON.
pub(crate) async fn complete(app: &TestApp, request: &Value) -> (StatusCode, Value) {
    answer(app.post("/v1/chat/completions", API_KEY).json(request)).await
}

/// A whole completion that is well.
pub(crate) async fn completed(app: &TestApp, request: &Value) -> Value {
    let (status, body) = complete(app, request).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    body
}

/// The text of a whole completion.
pub(crate) fn content(whole: &Value) -> &str {
    whole["choices"][0]["message"]["content"].as_str().expect("a text")
}

/// A stream as it is read.
pub(crate) struct Events {
    response: Response,
    waiting: String,
}

impl Events {
    pub(crate) async fn open(app: &TestApp, request: &Value) -> Self {
        let response = app.post("/v1/chat/completions", API_KEY).json(request).send().await.expect("an answer");
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["content-type"], "text/event-stream; charset=utf-8");
        Self { response, waiting: String::new() }
    }

    /// The next event as it stands, comments as well; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<String> {
        loop {
            if let Some((event, rest)) = self.waiting.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.waiting = rest;
                return Some(event);
            }
            let chunk = self.response.chunk().await.expect("bytes");
            let Some(chunk) = chunk else {
                assert_eq!(self.waiting, "", "the last event has no end");
                return None;
            };
            self.waiting.push_str(std::str::from_utf8(&chunk).expect("text"));
        }
    }

    /// The next chunk.
    pub(crate) async fn chunk(&mut self) -> Value {
        let event = self.next().await.expect("an event");
        serde_json::from_str(event.strip_prefix("data: ").expect("data")).expect("JSON")
    }

    /// All chunks to the end of the stream, which has to say that it is one.
    pub(crate) async fn rest(mut self) -> Vec<Value> {
        let mut chunks = Vec::new();
        while let Some(event) = self.next().await {
            let data = event.strip_prefix("data: ").expect("data").to_owned();
            if data == "[DONE]" {
                assert_eq!(self.next().await, None, "nothing follows the end");
                return chunks;
            }
            chunks.push(serde_json::from_str(&data).expect("JSON"));
        }
        panic!("the stream does not say that it has ended: {chunks:?}");
    }
}

/// All chunks of a stream.
pub(crate) async fn streamed(app: &TestApp, request: &Value) -> Vec<Value> {
    Events::open(app, request).await.rest().await
}

/// The text of some chunks, joined.
pub(crate) fn joined(chunks: &[Value]) -> String {
    chunks.iter().filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str()).collect()
}

/// The events for Open WebUI among some chunks.
pub(crate) fn events(chunks: &[Value]) -> Vec<Value> {
    chunks.iter().filter_map(|chunk| chunk.get("event").cloned()).collect()
}

/// Why a stream says that it ended.
pub(crate) fn finish_reasons(chunks: &[Value]) -> Vec<&str> {
    chunks.iter().filter_map(|chunk| chunk["choices"][0]["finish_reason"].as_str()).collect()
}

fn team(assistant: Assistant) -> Arc<Assistants> {
    Arc::new(Assistants::new(AssistantRegistry::new([assistant], None)))
}
