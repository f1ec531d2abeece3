//! A server that publishes OpenID metadata and keys, and misbehaves when told to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::app::{Request, header, respond};

pub(crate) const CHANNEL_METADATA: &str = "/channel/metadata";
pub(crate) const CHANNEL_KEYS: &str = "/channel/keys";
pub(crate) const ENTRA_METADATA: &str = "/entra/metadata";
pub(crate) const ENTRA_KEYS: &str = "/entra/keys";

/// The response at a path.
#[derive(Clone, Debug)]
pub(crate) enum Page {
    /// A document.
    Json(Value),
    /// A status with one more header, and nothing else.
    Status(u16, String),
    /// Text that goes on for ever.
    Endless,
    /// Nothing, ever.
    Silence,
    /// A document, once [`Publisher::release`] was called.
    Held(Value),
}

/// A server on a port of its own.
pub(crate) struct Publisher {
    url: String,
    pages: Arc<Mutex<BTreeMap<String, Page>>>,
    asked: watch::Sender<Vec<String>>,
    released: watch::Sender<bool>,
    _server: JoinSet<()>,
}

impl Publisher {
    /// A server that has nothing to give yet.
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let pages: Arc<Mutex<BTreeMap<String, Page>>> = Arc::default();
        let (asked, released) = (watch::Sender::default(), watch::Sender::default());
        let mut server = JoinSet::new();
        let (given, seen, release) = (Arc::clone(&pages), asked.clone(), released.subscribe());
        server.spawn(async move {
            let mut calls = JoinSet::new();
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                calls.spawn(answer(stream, Arc::clone(&given), seen.clone(), release.clone()));
            }
        });
        Self { url, pages, asked, released, _server: server }
    }

    /// The address of a path.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    pub(crate) fn put(&self, path: &str, page: Page) {
        self.pages.lock().expect("a lock").insert(path.to_owned(), page);
    }

    /// Publishes metadata that leads to keys of this server.
    pub(crate) fn put_metadata(&self, metadata: &str, keys: &str) {
        let json = json!({"jwks_uri": self.at(keys), "id_token_signing_alg_values_supported": ["RS256"]});
        self.put(metadata, Page::Json(json));
    }

    pub(crate) fn put_keys(&self, path: &str, keys: &[Value]) {
        self.put(path, Page::Json(json!({ "keys": keys })));
    }

    /// Lets go of what is held.
    pub(crate) fn release(&self) {
        self.released.send_replace(true);
    }

    /// How often a path was asked for.
    pub(crate) fn count(&self, path: &str) -> usize {
        self.asked.borrow().iter().filter(|asked| *asked == path).count()
    }

    /// Waits until a path was asked for.
    pub(crate) async fn asked_for(&self, path: &str) {
        let mut asked = self.asked.subscribe();
        asked.wait_for(|asked| asked.iter().any(|asked| asked == path)).await.expect("the server goes on");
    }
}

async fn answer(
    mut stream: TcpStream,
    pages: Arc<Mutex<BTreeMap<String, Page>>>,
    asked: watch::Sender<Vec<String>>,
    mut released: watch::Receiver<bool>,
) {
    let Some(Request { path, head, .. }) = Request::read(&mut stream).await else { return };
    assert_eq!(header(&head, "authorization"), None);
    asked.send_modify(|asked| asked.push(path.clone()));
    let page = pages.lock().expect("a lock").get(&path).cloned();
    let (status, header, body) = match page {
        None => (404, "x-nothing: 1".to_owned(), String::new()),
        Some(Page::Json(json)) => (200, "content-type: application/json".to_owned(), json.to_string()),
        Some(Page::Status(status, header)) => (status, header, String::new()),
        Some(Page::Endless) => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await.ok();
            while stream.write_all(&[b' '; 4096]).await.is_ok() {}
            return;
        }
        Some(Page::Silence) => return std::future::pending().await,
        Some(Page::Held(json)) => {
            released.wait_for(|released| *released).await.expect("the test goes on");
            (200, "x-nothing: 1".to_owned(), json.to_string())
        }
    };
    respond(&mut stream, status, &header, &body).await;
}
