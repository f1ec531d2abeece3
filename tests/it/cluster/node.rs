//! Real processes over one database, as a balancer would reach them: each at an address of its own.

use std::io::{BufRead as _, BufReader};
use std::ops::Deref;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use crate::app::{API_KEY, DIRECT_LINE_SECRET, Socket, answer, citewire, number};

/// The time without a heartbeat after which a node is dead in these tests. A long run can set another.
pub(crate) fn dead_after() -> Duration {
    Duration::from_millis(number("CITEWIRE_TEST_DEAD_AFTER_MILLISECONDS", 2000))
}

/// No call of a test takes longer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Nodes that share a database and their settings.
pub(crate) struct Cluster {
    environment: Vec<(String, String)>,
    folder: TempDir,
    started: AtomicUsize,
}

impl Cluster {
    pub(crate) fn over(url: &str) -> Self {
        let cluster = Self {
            environment: Vec::new(),
            folder: tempfile::tempdir().expect("a folder"),
            started: AtomicUsize::new(0),
        };
        let (heartbeat, dead_after) =
            ((dead_after() / 5).as_millis().to_string(), dead_after().as_millis().to_string());
        cluster
            .set("CITEWIRE_STORE_URL", url)
            .set("CITEWIRE_API_KEY", API_KEY)
            .set("CITEWIRE_DIRECT_LINE_SECRET", DIRECT_LINE_SECRET)
            .set("CITEWIRE_PUBLIC_URL", "http://balancer.example")
            .set("CITEWIRE_CLUSTER_HEARTBEAT_MILLISECONDS", &heartbeat)
            .set("CITEWIRE_CLUSTER_DEAD_AFTER_MILLISECONDS", &dead_after)
            .set("CITEWIRE_LIMITS_POSTS_PER_SECOND", "0")
            .set("CITEWIRE_DRAIN_SECONDS", "1")
            .set("CITEWIRE_WORKERS", "1")
            .set("CITEWIRE_ASSISTANT", "none")
    }

    pub(crate) fn set(mut self, name: &str, value: &str) -> Self {
        self.environment.retain(|(known, _)| known != name);
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds an assistant that asks this back end.
    pub(crate) fn asking(self, url: &str) -> Self {
        let upstream =
            json!({"kind": "http", "url": url, "limits": {"silence_seconds": 120, "first_byte_seconds": 120}});
        let helper = json!({"helper": {"failure": super::history::APOLOGY, "upstream": upstream}});
        self.set("CITEWIRE_ASSISTANTS", &helper.to_string()).set("CITEWIRE_ASSISTANT", "helper")
    }

    pub(crate) async fn start(&self) -> Node {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        Node::spawn(&self.folder.path().join(number.to_string()), &self.environment).await
    }

    pub(crate) async fn start_many<const N: usize>(&self) -> [Node; N] {
        let nodes = join_all((0..N).map(|_| self.start())).await;
        nodes.try_into().ok().expect("as many as were asked for")
    }
}

/// The address of a node.
#[derive(Clone, Debug)]
pub(crate) struct Door {
    pub(crate) url: String,
    client: reqwest::Client,
}

/// A node: one process.
pub(crate) struct Node {
    child: Child,
    door: Door,
    said: Arc<watch::Sender<Vec<String>>>,
}

impl Deref for Node {
    type Target = Door;

    fn deref(&self) -> &Door {
        &self.door
    }
}

impl Node {
    async fn spawn(folder: &Path, environment: &[(String, String)]) -> Self {
        std::fs::create_dir(folder).expect("a folder");
        let mut command = citewire(&["serve", "--bind", "127.0.0.1:0"]);
        command.env("CITEWIRE_DATA_DIR", folder).envs(environment.iter().map(|(name, value)| (name, value)));
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the command runs");
        let lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let said = Arc::new(watch::Sender::new(Vec::new()));
        let (tell, told) = oneshot::channel();
        let (hearing, mut tell) = (Arc::clone(&said), Some(tell));
        // Ends with the pipe, which ends with the process.
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let url = line.strip_prefix("citewire is listening on ").map(str::to_owned);
                hearing.send_modify(|said: &mut Vec<String>| said.push(line));
                if let Some(url) = url {
                    tell.take().map(|tell| tell.send(url));
                }
            }
        });
        let client = reqwest::Client::builder().timeout(PATIENCE).build().expect("a client");
        let Ok(url) = told.await else {
            let said = said.borrow().join("\n");
            panic!("the node did not start:\n{said}");
        };
        Self { child, door: Door { url, client }, said }
    }

    /// The lines of its log so far.
    pub(crate) fn said(&self) -> Vec<String> {
        self.said.borrow().clone()
    }

    /// How many lines of its log contain this.
    pub(crate) fn count(&self, words: &str) -> usize {
        self.said().iter().filter(|line| line.contains(words)).count()
    }

    /// Waits until this many lines of its log contain this.
    pub(crate) async fn says(&self, words: &str, times: usize) {
        let mut said = self.said.subscribe();
        let enough = said.wait_for(|said| said.iter().filter(|line| line.contains(words)).count() >= times);
        timeout(PATIENCE, enough).await.unwrap_or_else(|_| panic!("the log lacks {words:?}")).expect("it is read");
        assert_eq!(self.count(words), times, "{words:?}");
    }

    /// Waits until a line of its log contains all of these.
    pub(crate) async fn says_in_one_line(&self, words: &[&str]) {
        let mut said = self.said.subscribe();
        let has_all = |line: &String| words.iter().all(|words| line.contains(words));
        let there = said.wait_for(|said| said.iter().any(has_all));
        timeout(PATIENCE, there).await.unwrap_or_else(|_| panic!("no line has {words:?}")).expect("it is read");
    }

    pub(crate) fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status().expect("kill runs");
        assert!(sent.success());
    }

    /// Ends at once, without a word to anybody.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
    }

    /// Ends as an orchestrator ends it.
    pub(crate) async fn terminate(mut self) {
        self.signal("-TERM");
        let (code, _node) = tokio::task::spawn_blocking(move || (self.child.wait().expect("ended").code(), self))
            .await
            .expect("joined");
        assert_eq!(code, Some(0));
    }
}

impl Door {
    pub(crate) fn request(&self, method: Method, path: &str, bearer: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url)).bearer_auth(bearer)
    }

    pub(crate) fn get(&self, path: &str, bearer: &str) -> RequestBuilder {
        self.request(Method::GET, path, bearer)
    }

    pub(crate) fn post(&self, path: &str, bearer: &str) -> RequestBuilder {
        self.request(Method::POST, path, bearer)
    }
}

impl Drop for Node {
    #[expect(clippy::print_stderr, reason = "the logs of its nodes are what explains why a test failed")]
    fn drop(&mut self) {
        // Nothing is left behind, even when a test fails half-way.
        self.child.kill().ok();
        self.child.wait().ok();
        if std::thread::panicking() {
            eprintln!("the node at {} said:\n{}", self.url, self.said().join("\n"));
        }
    }
}

/// A conversation of the user `dl_ann`, and a token that is good for it on every node.
#[derive(Clone, Debug)]
pub(crate) struct Chat {
    pub(crate) id: String,
    pub(crate) token: String,
}

impl Chat {
    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/v3/directline/conversations/{}{rest}", self.id)
    }

    /// The id of what is recorded at a place.
    pub(crate) fn at(&self, place: u64) -> String {
        format!("{}|{place:07}", self.id)
    }
}

impl Door {
    pub(crate) async fn open_chat(&self) -> Chat {
        let body = json!({"user": {"id": "dl_ann"}});
        let (status, body) = answer(self.post("/v3/directline/conversations", DIRECT_LINE_SECRET).json(&body)).await;
        assert_eq!(status, StatusCode::CREATED, "{body}");
        let text = |name: &str| body[name].as_str().expect("text").to_owned();
        Chat { id: text("conversationId"), token: text("token") }
    }

    pub(crate) async fn try_say(&self, chat: &Chat, text: &str) -> (StatusCode, Value) {
        let body = json!({"type": "message", "text": text, "from": {"id": "dl_ann"}});
        answer(self.post(&chat.path("/activities"), &chat.token).json(&body)).await
    }

    /// Posts a message and returns its id.
    pub(crate) async fn say(&self, chat: &Chat, text: &str) -> String {
        let (status, body) = self.try_say(chat, text).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        body["id"].as_str().expect("an id").to_owned()
    }

    /// Everything in the conversation, page by page.
    pub(crate) async fn log(&self, chat: &Chat) -> Vec<Value> {
        let (mut activities, mut watermark) = (Vec::new(), String::new());
        loop {
            let path = chat.path(&format!("/activities?watermark={watermark}"));
            let (status, set) = answer(self.get(&path, &chat.token)).await;
            assert_eq!(status, StatusCode::OK, "{set}");
            let page = set["activities"].as_array().expect("activities");
            if page.is_empty() {
                return activities;
            }
            activities.extend(page.iter().cloned());
            watermark = set["watermark"].as_str().expect("a watermark").to_owned();
        }
    }

    pub(crate) async fn texts(&self, chat: &Chat) -> Vec<String> {
        let log = self.log(chat).await;
        log.iter().map(|activity| activity["text"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The address of a stream on this node, behind this place; the server names the balancer's.
    pub(crate) async fn stream_url(&self, chat: &Chat, after: Option<u64>) -> Result<String, reqwest::Error> {
        let watermark = after.map_or_else(|| "-".to_owned(), |place| place.to_string());
        let request = self.get(&chat.path(&format!("?watermark={watermark}")), &chat.token);
        let body: Value = request.send().await?.error_for_status()?.json().await?;
        let (_, rest) =
            body["streamUrl"].as_str().expect("a stream").split_once("//balancer.example").expect("the balancer");
        Ok(format!("{}{rest}", self.url.replacen("http", "ws", 1)))
    }

    pub(crate) async fn socket(&self, chat: &Chat, after: Option<u64>) -> Socket {
        Socket::open(&self.stream_url(chat, after).await.expect("a stream")).await
    }
}
