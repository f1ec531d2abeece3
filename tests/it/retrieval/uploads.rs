//! Uploaded documents with vectors, in the real command: what users get, and what the log says.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

use super::meaning::Meaning;
use crate::app::{API_KEY, answer, citewire};

/// The longest wait for a line of the log.
const PATIENCE: Duration = Duration::from_secs(20);

/// The configuration, where a server has one.
const CONFIG: &str = "citewire.toml";

const COMPLETE: &str = "the vectors of the documents are complete";

/// A server, and what it logs.
struct Server {
    data: TempDir,
    meaning: Meaning,
    child: Child,
    lines: UnboundedReceiver<String>,
    url: String,
    client: Client,
}

/// Starts the command; returns its address, and all else that it logs, also before it listens.
async fn start(data: &TempDir) -> (Child, UnboundedReceiver<String>, String) {
    let mut command = citewire(&["serve", "--bind", "127.0.0.1:0"]);
    command.env("CITEWIRE_DATA_DIR", data.path()).env("CITEWIRE_API_KEY", API_KEY).env("CITEWIRE_ASSISTANT", "none");
    // Assistants of the store may call it only where the operator allows it.
    if data.path().join(CONFIG).exists() {
        command.env("CITEWIRE_CONFIG", data.path().join(CONFIG));
    }
    command.env("CITEWIRE_EGRESS_ALLOW_HOSTS", "127.0.0.1").env("CITEWIRE_LOG", "citewire=info");
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the command runs");
    let stderr = child.stderr.take().expect("a pipe");
    let (tell, lines) = unbounded_channel();
    let (tell_url, mut url) = unbounded_channel();
    thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            match line.strip_prefix("citewire is listening on ") {
                Some(url) => drop(tell_url.send(url.to_owned())),
                None => drop(tell.send(line)),
            }
        }
    });
    let url = timeout(PATIENCE, url.recv()).await.ok().flatten().expect("the command listens");
    (child, lines, url)
}

/// The next line with these words.
async fn next(lines: &mut UnboundedReceiver<String>, words: &str) -> String {
    let mut passed = Vec::new();
    loop {
        let line = timeout(PATIENCE, lines.recv()).await.ok().flatten();
        let line = line.unwrap_or_else(|| panic!("the server says nothing like {words:?}: {passed:#?}"));
        if line.contains(words) {
            return line;
        }
        passed.push(line);
    }
}

impl Server {
    async fn start() -> Self {
        let data = tempfile::tempdir().expect("a folder");
        let (child, lines, url) = start(&data).await;
        let client = Client::builder().build().expect("a client");
        Self { data, meaning: Meaning::begin().await, child, lines, url, client }
    }

    async fn restart(&mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
        (self.child, self.lines, self.url) = start(&self.data).await;
    }

    async fn call(&self, method: Method, path: &str, body: impl Into<reqwest::Body>) -> (StatusCode, Value) {
        let url = format!("{}{path}", self.url);
        answer(self.client.request(method, url).bearer_auth(API_KEY).body(body)).await
    }

    /// Makes an assistant whose embeddings server behaves like this.
    async fn assistant(&self, name: &str, behavior: &str, model: &str) {
        let embeddings = json!({"url": format!("{}/{behavior}/v1", self.meaning.url), "model": model});
        let settings = json!({"documents": {"embeddings": embeddings, "min_score": 0.9}});
        let (status, problem) = self.call(Method::PUT, &format!("/v1/assistants/{name}"), settings.to_string()).await;
        assert!(status.is_success(), "{problem}");
    }

    async fn upload(&self, assistant: &str, name: &str, text: &'static str) {
        let path = format!("/v1/assistants/{assistant}/documents/{name}");
        let (status, document) = self.call(Method::PUT, &path, text).await;
        assert_eq!((status, &document["state"]), (StatusCode::CREATED, &json!("ready")), "{document}");
    }

    async fn ask(&self, assistant: &str, question: &str) -> String {
        let body = json!({"model": assistant, "messages": [{"role": "user", "content": question}]});
        let request = self.client.post(format!("{}/v1/chat/completions", self.url)).bearer_auth(API_KEY);
        let (status, answered) = answer(request.json(&body)).await;
        assert_eq!(status, StatusCode::OK, "{answered}");
        answered["choices"][0]["message"]["content"].as_str().expect("a text").to_owned()
    }

    async fn said(&mut self, words: &str) -> String {
        next(&mut self.lines, words).await
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

const LEAVE: &str = "# Leave\n\nLeave is 30 days a year.\n";
const FOOD: &str = "# Food\n\nThe canteen opens at noon.\n";
const PARAPHRASE: &str = "How long is my vacation?";
const NOTHING: &str = "The documents say nothing about this.";

#[tokio::test]
async fn vectors_outlive_a_restart_and_go_with_their_model_and_their_document() {
    let mut server = Server::start().await;
    server.assistant("hr", "fine", "small").await;
    server.said(COMPLETE).await;
    server.upload("hr", "leave.md", LEAVE).await;
    server.said(COMPLETE).await;
    server.upload("hr", "food.md", FOOD).await;
    server.said(COMPLETE).await;
    let answered = server.ask("hr", PARAPHRASE).await;
    assert!(answered.contains("Leave is 30 days a year. [1]"), "{answered}");
    assert_eq!(server.ask("hr", "How many moons does Mars have?").await, NOTHING);

    server.restart().await;
    let line = server.said(COMPLETE).await;
    assert!(line.contains("passages=2") && line.contains("computed=0"), "{line}");
    assert!(server.ask("hr", PARAPHRASE).await.contains("30 days"));
    assert_eq!(server.meaning.passages("small").len(), 2, "each passage was sent once");

    server.assistant("hr", "fine", "large").await;
    let line = server.said(COMPLETE).await;
    assert!(line.contains("computed=2"), "{line}");
    assert!(server.ask("hr", PARAPHRASE).await.contains("30 days"));
    assert_eq!(server.meaning.passages("large").len(), 2);

    let (status, _) = server.call(Method::DELETE, "/v1/assistants/hr/documents/leave.md", "").await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    assert_eq!(server.ask("hr", PARAPHRASE).await, NOTHING);
    server.upload("hr", "leave.md", LEAVE).await;
    let line = server.said(COMPLETE).await;
    assert!(line.contains("computed=1"), "nothing was left of the deleted document: {line}");
}

#[tokio::test]
async fn vectors_of_a_folder_outlive_a_change_of_settings() {
    let data = tempfile::tempdir().expect("a folder");
    let meaning = Meaning::begin().await;
    let home = data.path().to_owned();
    let write = |name: &str, text: &str| std::fs::write(home.join(name), text).expect("written");
    let (folder, url) = (data.path().join("documents"), meaning.url.clone());
    std::fs::create_dir(&folder).expect("a folder");
    let settings = |more: &str| {
        let embeddings = format!("{{ url = '{url}/fine/v1', model = 'small' }}");
        format!(
            "[assistants.hr]\n{more}\ndocuments = {{ folder = '{}', embeddings = {embeddings} }}\n",
            folder.display()
        )
    };
    write("documents/leave.md", LEAVE);
    write("documents/food.md", FOOD);
    write(CONFIG, &settings(""));
    let (child, lines, url) = start(&data).await;
    let mut server = Server { data, meaning, child, lines, url, client: Client::builder().build().expect("a client") };
    let line = server.said(COMPLETE).await;
    assert!(line.contains("passages=2") && line.contains("computed=2"), "{line}");
    write(CONFIG, &settings("greeting = 'Hello'"));
    let line = server.said(COMPLETE).await;
    assert!(line.contains("passages=2") && line.contains("computed=0"), "{line}");
    write("documents/food.md", "# Food\n\nThe canteen opens at noon, and has lunch.\n");
    let line = server.said(COMPLETE).await;
    assert!(line.contains("passages=2") && line.contains("computed=1"), "only the changed file: {line}");
    let passages = server.meaning.passages("small");
    assert_eq!(passages.len(), 3, "{passages:?}");
}

#[tokio::test]
async fn while_the_server_is_down_words_are_searched_and_later_everything_is_made_up_for() {
    let mut server = Server::start().await;
    server.assistant("hr", "fine", "small").await;
    server.said(COMPLETE).await;
    server.meaning.break_down(true);
    server.upload("hr", "leave.md", LEAVE).await;
    let line = server.said("vectors of documents could not be computed").await;
    assert!(line.contains("status 500") && line.contains("out of memory") && line.contains("words alone"), "{line}");
    assert!(server.ask("hr", "How many days of leave a year?").await.contains("30 days"));
    server.meaning.break_down(false);
    server.upload("hr", "food.md", FOOD).await;
    server.said("the embeddings server computes vectors again").await;
    assert!(server.ask("hr", PARAPHRASE).await.contains("30 days"));
}

#[tokio::test]
async fn each_failure_of_a_question_has_its_line_in_the_log_once() {
    let mut server = Server::start().await;
    for (behavior, words) in [
        ("throttled", "127.0.0.1 answered with status 429: too many; it asks to wait 60 s"),
        ("malformed", "127.0.0.1 answered with what is not a list of embeddings (line 1, column 18)"),
        ("page", "127.0.0.1 answered with text/html where JSON or an event stream was expected"),
        ("fewer", "127.0.0.1 answered with 0 vectors, and not with one for each of 1 texts"),
        ("wide", "127.0.0.1 answered with a vector of 5 dimensions where 4 are expected; check model and dimensions"),
        ("silent", "127.0.0.1 did not answer within 5 s"),
    ] {
        server.assistant(behavior, behavior, "small").await;
        server.said(COMPLETE).await;
        server.upload(behavior, "leave.md", LEAVE).await;
        server.said(COMPLETE).await;
        assert!(server.ask(behavior, "How many days of leave a year?").await.contains("30 days"), "{behavior}");
        let line = server.said("a question got no vector").await;
        assert!(line.contains(words) && line.contains("words alone"), "{behavior}: {line}");
        // The service is left alone for a while: no other question waits for it.
        let calls = server.meaning.calls().len();
        assert!(server.ask(behavior, "How many days of leave a year?").await.contains("30 days"), "{behavior}");
        assert_eq!(server.meaning.calls().len(), calls, "{behavior}");
        while let Ok(line) = server.lines.try_recv() {
            assert!(!line.contains("got no vector"), "{behavior}: said twice");
        }
    }
}

#[tokio::test]
async fn a_model_gets_no_passage_below_the_threshold_and_required_grounding_refuses_its_answer() {
    let mut server = Server::start().await;
    let url = format!("{}/fine/v1", server.meaning.url);
    let settings = json!({
        "options": {"require_grounding": "any"},
        "refusal": "Nothing to go by.",
        "upstream": {"kind": "openai", "url": url, "model": "chat"},
        "documents": {"embeddings": {"url": url, "model": "small"}, "min_score": 0.9},
    });
    let (status, problem) = server.call(Method::PUT, "/v1/assistants/hr", settings.to_string()).await;
    assert_eq!(status, StatusCode::CREATED, "{problem}");
    server.said(COMPLETE).await;
    server.upload("hr", "leave.md", LEAVE).await;
    server.said(COMPLETE).await;
    for (question, has_passage, expected) in
        [(PARAPHRASE, true, "It is 30 days [1]."), ("How many moons does Mars have?", false, "Nothing to go by.")]
    {
        assert_eq!(server.ask("hr", question).await, expected);
        let asked = server.meaning.calls().into_iter().rfind(|call| call.body["model"] == "chat").expect("a call");
        assert_eq!(asked.body["messages"].to_string().contains("Leave is 30 days"), has_passage, "{}", asked.body);
    }
}

#[tokio::test]
async fn settings_that_cannot_work_are_refused_with_their_place() {
    let server = Server::start().await;
    let url = "https://models.example/v1";
    for (documents, expected) in [
        (json!({"min_score": 1.5}), "documents.min_score: the value must be 0 to 1"),
        (json!({"embeddings": {"url": url}}), "documents.embeddings: missing field `model`"),
        (json!({"embeddings": {"url": url, "model": ""}}), "documents.embeddings: model: this must not be empty"),
        (json!({"embeddings": {"url": "x", "model": "m"}}), "documents.embeddings.url: an http or https URL"),
        (
            json!({"embeddings": {"url": url, "model": "m", "batch": 300}}),
            "documents.embeddings: batch: the value must be 1 to 256",
        ),
        (json!({"reranker": {"url": url, "model": "m", "key_env": "NONE"}}), "documents.reranker: key_env: "),
        (json!({"reranker": {"url": url, "model": "m", "top": 0}}), "documents.reranker.top: "),
    ] {
        let settings = json!({ "documents": documents }).to_string();
        let (status, problem) = server.call(Method::PUT, "/v1/assistants/hr", settings).await;
        let detail = problem["detail"].as_str().expect("a detail");
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
        assert!(detail.contains(expected), "{detail}");
    }
    // The name of AssistantHub.
    let settings = json!({"EnableRag": true, "RetrievalScoreThreshold": 0.3}).to_string();
    assert_eq!(server.call(Method::PUT, "/v1/assistants/hub", settings).await.0, StatusCode::CREATED);
}
