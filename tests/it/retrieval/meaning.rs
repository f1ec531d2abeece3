//! A server that plays embeddings server and reranker. The path before `/v1` says how it behaves.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::app::{Request, respond};

/// Words, and the concept that each of them stands for: a dimension of the vectors.
const CONCEPTS: [(&str, usize); 12] = [
    ("leave", 0),
    ("vacation", 0),
    ("holidays", 0),
    ("canteen", 1),
    ("lunch", 1),
    ("noon", 1),
    ("vpn", 2),
    ("certificate", 2),
    ("tunnel", 2),
    ("parental", 3),
    ("baby", 3),
    ("weeks", 3),
];

const DIMENSION: usize = 4;

/// The server; it ends with the value.
pub(super) struct Meaning {
    pub(super) url: String,
    calls: Arc<Mutex<Vec<Call>>>,
    is_broken: Arc<Mutex<bool>>,
    _tasks: JoinSet<()>,
}

/// A call that has come.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) path: String,
    pub(super) bearer: Option<String>,
    pub(super) body: Value,
}

impl Meaning {
    pub(super) async fn begin() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (calls, is_broken) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(false)));
        let (noted, broken) = (Arc::clone(&calls), Arc::clone(&is_broken));
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (mut stream, _) = listener.accept().await.expect("a connection");
                let (noted, broken) = (Arc::clone(&noted), Arc::clone(&broken));
                connections.spawn(async move {
                    let Some(request) = Request::read(&mut stream).await else { return };
                    let bearer = request.bearer().map(str::to_owned);
                    let call = Call { path: request.path.clone(), bearer, body: request.json() };
                    noted.lock().expect("a lock").push(call.clone());
                    let is_broken = *broken.lock().expect("a lock");
                    serve(&mut stream, &call, is_broken).await;
                });
            }
        });
        Self { url, calls, is_broken, _tasks: tasks }
    }

    /// Refuses everything from now on, or nothing.
    pub(super) fn break_down(&self, is_broken: bool) {
        *self.is_broken.lock().expect("a lock") = is_broken;
    }

    pub(super) fn calls(&self) -> Vec<Call> {
        self.calls.lock().expect("a lock").clone()
    }

    /// All passages, no questions, of which vectors were wanted from this model.
    pub(super) fn passages(&self, model: &str) -> Vec<String> {
        let calls = self.calls().into_iter().filter(|call| call.body["model"] == model);
        let texts = calls.flat_map(|call| texts(&call.body["input"]));
        texts.filter(|text| !text.contains('?')).collect()
    }
}

fn texts(list: &Value) -> Vec<String> {
    let texts = list.as_array().into_iter().flatten();
    texts.map(|text| text.as_str().expect("a text").to_owned()).collect()
}

/// How often each concept is named.
fn vector(text: &str, dimension: usize) -> Vec<f64> {
    let mut vector = vec![0.0; dimension];
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()) {
        if let Some((_, concept)) = CONCEPTS.iter().find(|(known, _)| *known == word) {
            vector[*concept] += 2.0;
        }
    }
    // Two texts without a concept in common still have something of each other.
    vector.iter_mut().for_each(|number| *number += 0.1);
    vector
}

fn embeddings(texts: &[String], dimension: usize) -> Value {
    // The last comes first: only the index says what belongs to what.
    let items = texts.iter().enumerate().rev();
    let data: Vec<Value> = items
        .map(|(index, text)| json!({"object": "embedding", "index": index, "embedding": vector(text, dimension)}))
        .collect();
    json!({"object": "list", "data": data, "model": "m", "usage": {"prompt_tokens": 1, "total_tokens": 1}})
}

/// Whatever is asked, parents come first.
fn results(body: &Value, shift: f64) -> Value {
    let judged = texts(&body["documents"]).into_iter().enumerate().map(|(index, text)| {
        let score = if text.contains("Parental") { 0.9 } else { 0.1 };
        json!({"index": index, "relevance_score": score + shift})
    });
    json!({"results": judged.collect::<Vec<_>>()})
}

async fn serve(stream: &mut TcpStream, call: &Call, is_broken: bool) {
    let inputs = texts(&call.body["input"]);
    let (behavior, route) = call.path.trim_start_matches('/').split_once("/v1/").unwrap_or(("", "unknown"));
    // Passages get their vectors; only questions fail.
    let fails = inputs.is_empty() || inputs.iter().any(|text| text.contains('?'));
    let json = "content-type: application/json";
    if route == "chat/completions" {
        let message = json!({"role": "assistant", "content": "It is 30 days [1]."});
        let body = json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
        return respond(stream, 200, json, &body.to_string()).await;
    }
    let fine = if route == "rerank" { results(&call.body, 0.0) } else { embeddings(&inputs, DIMENSION) };
    match behavior {
        _ if is_broken => respond(stream, 500, json, r#"{"error": {"message": "out of memory"}}"#).await,
        "throttled" if fails => respond(stream, 429, "retry-after: 60", r#"{"error": "too many"}"#).await,
        "malformed" if fails => respond(stream, 200, json, r#"{"data": [{"index""#).await,
        "page" if fails => respond(stream, 200, "content-type: text/html", "<html>").await,
        "fewer" if fails => respond(stream, 200, json, &json!({"data": [], "results": []}).to_string()).await,
        "wide" if fails => respond(stream, 200, json, &embeddings(&inputs, DIMENSION + 1).to_string()).await,
        "logits" => respond(stream, 200, json, &results(&call.body, -4.0).to_string()).await,
        "choosy" if inputs.len() > 1 || inputs.iter().any(|text| text.contains("canteen")) => {
            respond(stream, 413, json, r#"{"error": "input is too long"}"#).await;
        }
        "silent" if fails => {
            // The service waits until the other side goes.
            let mut rest = Vec::new();
            tokio::io::AsyncReadExt::read_to_end(stream, &mut rest).await.ok();
        }
        "cut" if fails => {
            stream.write_all(b"HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\n{").await.ok();
        }
        _ => respond(stream, 200, json, &fine.to_string()).await,
    }
}
