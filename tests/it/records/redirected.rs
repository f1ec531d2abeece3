use std::sync::{Arc, Mutex};

use reqwest::StatusCode;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::app::{API_KEY, TestApp, answer};

/// A host that counts who follows its links: `/to/…` leads to `/page`, everything else is a page.
struct Counter {
    url: String,
    seen: Arc<Mutex<Vec<String>>>,
    _tasks: JoinSet<()>,
}

impl Counter {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (mut tasks, noted) = (JoinSet::new(), Arc::clone(&seen));
        tasks.spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.expect("a connection");
                let mut request = vec![0; 4096];
                let length = stream.read(&mut request).await.expect("a request");
                let request = String::from_utf8_lossy(&request[..length]).into_owned();
                let call = request.split(" HTTP/").next().unwrap_or_default().to_owned();
                let head = if call.contains(" /to/") { "302 Found\r\nlocation: /page" } else { "200 OK" };
                noted.lock().expect("nobody failed").push(call);
                let reply = format!("HTTP/1.1 {head}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
                stream.write_all(reply.as_bytes()).await.expect("sent");
            }
        });
        Self { url, seen, _tasks: tasks }
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().expect("nobody failed").clone()
    }
}

fn cites(url: &str) -> Value {
    json!({"text": "a [1]", "sources": [{"title": "A", "url": url}]})
}

async fn source(app: &TestApp, url: &str) -> Value {
    let (status, records) = answer(app.post("/v1/records", API_KEY).json(&cites(url))).await;
    assert_eq!(status, StatusCode::OK, "{records}");
    records["sources"][0].clone()
}

#[tokio::test]
async fn the_route_follows_redirects_of_hosts_that_are_named() {
    let counter = Counter::start().await;
    let app = TestApp::with(|setup| {
        setup.http.redirectors = Arc::new("127.0.0.1".parse().expect("a host"));
        setup.egress.allow = "127.0.0.1".parse().expect("a host");
        setup.follow_redirects = true;
    });
    let (redirect, page) = (format!("{}/to/a", counter.url), format!("{}/page", counter.url));
    for _ in 0..2 {
        let found = source(&app, &redirect).await;
        assert_eq!((&found["url"], &found["redirect"]), (&json!(page), &json!(false)), "{found}");
        assert_eq!((&found["source_domain"], &found["raw"]["url"]), (&json!("127.0.0.1"), &json!(redirect)));
    }
    // The target that was found is remembered.
    assert_eq!(counter.seen(), ["HEAD /to/a", "HEAD /page"]);
}

#[tokio::test]
async fn the_route_calls_no_private_address_that_is_not_allowed() {
    let counter = Counter::start().await;
    let app = TestApp::with(|setup| {
        setup.http.redirectors = Arc::new("127.0.0.1".parse().expect("a host"));
        setup.follow_redirects = true;
    });
    let redirect = format!("{}/to/a", counter.url);
    let found = source(&app, &redirect).await;
    assert_eq!((&found["url"], &found["redirect"]), (&json!(redirect), &json!(true)));
    assert_eq!(counter.seen(), Vec::<String>::new());
}

#[tokio::test]
async fn nobody_is_called_where_following_is_off_and_other_hosts_are_pages() {
    let counter = Counter::start().await;
    let redirect = format!("{}/to/a", counter.url);
    let named = TestApp::with(|setup| {
        setup.http.redirectors = Arc::new("127.0.0.1".parse().expect("a host"));
        setup.egress.allow = "127.0.0.1".parse().expect("a host");
    });
    assert_eq!(source(&named, &redirect).await["redirect"], true);
    let unnamed = TestApp::with(|setup| {
        setup.egress.allow = "127.0.0.1".parse().expect("a host");
        setup.follow_redirects = true;
    });
    assert_eq!(source(&unnamed, &redirect).await["redirect"], false);
    assert_eq!(counter.seen(), Vec::<String>::new());
}
