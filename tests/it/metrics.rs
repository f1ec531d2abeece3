//! `GET /metrics`.

use std::sync::Arc;
use std::time::Duration;

use citewire::clock::{Clock, ManualClock};
use citewire::http::{ApiKey, LimitOptions, Scope};
use citewire::secret::Secret;
use citewire::store::{SqliteStore, StoreLimits};
use citewire::upstream::UpstreamError;
use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::app::{API_KEY, Backend, DIRECT_LINE_SECRET, Socket, TestApp};

/// The figures of a server.
async fn text(app: &TestApp) -> String {
    let answer = app.request(Method::GET, "/metrics").send().await.expect("an answer");
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["content-type"], "text/plain; version=0.0.4");
    answer.text().await.expect("text")
}

/// The value of a series; 0 where nothing was counted.
fn value(text: &str, series: &str) -> f64 {
    let value = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    value.map_or(0.0, |value| value.parse().expect("a number"))
}

async fn until_message_of_bot(socket: &mut Socket) {
    loop {
        let activity = socket.activity().await;
        if activity["type"] == "message" && activity["from"]["role"] != "user" {
            return;
        }
    }
}

async fn convert(app: &TestApp, body: &serde_json::Value) -> StatusCode {
    let request = app.post("/v1/activities", API_KEY).json(body);
    request.send().await.expect("an answer").status()
}

#[tokio::test]
async fn requests_are_counted_by_method_route_and_class_of_status() {
    let app = TestApp::start();
    for path in ["/v1/models/a-secret", "/v1/models/b", "/nowhere/a-secret"] {
        app.get(path, API_KEY).send().await.expect("an answer");
    }
    let text = text(&app).await;
    assert_eq!(value(&text, r#"citewire_http_requests_total{method="GET",route="/v1/models/{id}",status="4xx"}"#), 2.0);
    assert_eq!(value(&text, r#"citewire_http_requests_total{method="GET",route="other",status="4xx"}"#), 1.0);
    let timed = r#"citewire_http_request_duration_seconds_count{method="GET",route="/v1/models/{id}"}"#;
    assert_eq!(value(&text, timed), 2.0);
    assert!(!text.contains("a-secret"), "{text}");
}

#[tokio::test]
async fn conversions_are_counted_by_format_and_outcome_with_their_claims_and_markers() {
    let app = TestApp::start();
    let source = json!({"title": "Leave policy", "url": "https://hr.example/leave"});
    let good = json!({"text": "Leave is 30 days [1], or not [7].", "sources": [source]});
    assert_eq!(convert(&app, &good).await, 200);
    assert_eq!(convert(&app, &json!({"from": "citewire", "answer": good})).await, 200);
    let bare = json!({"answer": {"text": "No source.", "sources": []}, "options": {"require_grounding": "any"}});
    assert_eq!(convert(&app, &bare).await, 422);
    assert_eq!(convert(&app, &json!({"from": "azure-oyd", "answer": {"choices": 1}})).await, 400);
    let text = text(&app).await;
    for (series, expected) in [
        (r#"citewire_conversions_total{format="auto",outcome="converted"}"#, 1.0),
        (r#"citewire_conversions_total{format="citewire",outcome="converted"}"#, 1.0),
        (r#"citewire_conversions_total{format="auto",outcome="ungrounded"}"#, 1.0),
        (r#"citewire_conversions_total{format="azure-oyd",outcome="unusable"}"#, 1.0),
        ("citewire_claims_total", 2.0),
        ("citewire_unresolved_markers_total", 2.0),
    ] {
        assert_eq!(value(&text, series), expected, "{series}\n{text}");
    }
}

#[tokio::test]
async fn open_sockets_are_counted() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    socket.ping().await;
    assert_eq!(value(&text(&app).await, "citewire_sockets_open"), 1.0);
}

#[tokio::test]
async fn calls_that_a_limit_refuses_are_counted_by_limit() {
    let app = TestApp::with(|setup| {
        setup.http.limits = LimitOptions::NONE;
        setup.http.limits.failed_credentials_per_minute = 2;
    });
    for _ in 0..5 {
        app.get("/v1/models", "a-key-that-nobody-has").send().await.expect("an answer");
    }
    assert_eq!(value(&text(&app).await, r#"citewire_rate_limited_total{limit="failed_credentials"}"#), 3.0);
}

/// Figures tell a stranger how much a company asks, and of which assistants.
#[tokio::test]
async fn elsewhere_than_on_loopback_the_figures_need_a_key_with_their_scope() {
    let key = |name: &str, scope| ApiKey {
        name: name.to_owned(),
        secrets: vec![Secret::parse(&format!("the-secret-of-{name}")).expect("a secret")],
        scopes: [scope].into(),
    };
    let mut app = TestApp::with(|setup| {
        setup.http.bind = "0.0.0.0:0".parse().expect("an address");
        setup.http.page_answers = false;
        setup.http.keys.extend([key("prometheus", Scope::Metrics), key("back-office", Scope::Convert)]);
    });
    app.url = format!("http://127.0.0.1:{}", app.address.port());
    let status = async |bearer: Option<&str>| {
        let request = app.request(Method::GET, "/metrics");
        let request = bearer.iter().fold(request, reqwest::RequestBuilder::bearer_auth);
        request.send().await.expect("an answer").status().as_u16()
    };
    for (bearer, expected) in [
        (None, 401),
        (Some(DIRECT_LINE_SECRET), 401),
        (Some("the-secret-of-back-office"), 403),
        (Some("the-secret-of-prometheus"), 200),
        (Some(API_KEY), 200),
    ] {
        assert_eq!(status(bearer).await, expected, "{bearer:?}");
    }
}

/// A proxy on this machine calls from loopback for people who are elsewhere.
#[tokio::test]
async fn on_loopback_the_figures_are_open_to_programs_here_and_not_to_what_a_proxy_passes_on() {
    let app = TestApp::start();
    for (header, of) in [("x-forwarded-for", "192.0.2.7"), ("via", "1.1 proxy"), ("origin", "https://evil.example")] {
        let answer = app.request(Method::GET, "/metrics").header(header, of).send().await.expect("an answer");
        assert_eq!(answer.status(), StatusCode::UNAUTHORIZED, "{header}");
    }
    let foreign = app.request(Method::GET, "/metrics").header("host", "evil.example").send().await;
    assert_eq!(foreign.expect("an answer").status(), StatusCode::MISDIRECTED_REQUEST);
    let wrong = app.get("/metrics", "a-key-that-nobody-has").send().await.expect("an answer");
    assert_eq!(wrong.status(), StatusCode::UNAUTHORIZED, "a key that is shown is judged");
    assert!(text(&app).await.contains("citewire_build_info{version="));
}

#[tokio::test]
async fn an_answer_of_an_assistant_is_counted_on_its_way() {
    let backend = Backend::new();
    let assistants = Backend::alone(backend.assistant("hr", |_| {}));
    let app = TestApp::with(|setup| setup.assistants = Some(assistants));
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    socket.ping().await;
    app.post_text(&conversation, "How long is leave?").await;
    let body = backend.asked().await.begin();
    body.event(&json!({"sources": [{"title": "Leave policy", "url": "https://hr.example/leave"}]}));
    body.event(&json!({"delta": "Leave is 30 days [1] a "}));
    while socket.activity().await["channelData"]["streamType"] != "streaming" {}
    let during = text(&app).await;
    assert_eq!(value(&during, "citewire_live_streams_open"), 1.0, "{during}");
    assert_eq!(value(&during, r#"citewire_queue_entries{queue="turns"}"#), 0.0);
    assert_eq!(value(&during, r#"citewire_queue_entries{queue="assistant"}"#), 1.0);
    assert_eq!(value(&during, "citewire_live_first_update_seconds_count"), 1.0);
    let calls = r#"citewire_backend_calls_total{assistant="hr",kind="other",outcome="answered"}"#;
    assert_eq!(value(&during, calls), 1.0, "{during}");
    body.event(&json!({"delta": "year [4]."}));
    body.done();
    until_message_of_bot(&mut socket).await;
    let after = text(&app).await;
    assert_eq!(value(&after, r#"citewire_conversions_total{format="citewire",outcome="converted"}"#), 1.0, "{after}");
    assert_eq!(value(&after, "citewire_claims_total"), 1.0);
    assert_eq!(value(&after, "citewire_unresolved_markers_total"), 1.0);
    // A turn ends behind its message: readers may have that before the place is free.
    while value(&text(&app).await, r#"citewire_queue_entries{queue="assistant"}"#) > 0.0 {}
}

#[tokio::test]
async fn a_question_without_an_answer_is_counted_by_why() {
    let backend = Backend::new();
    let assistants = Backend::alone(backend.assistant("hr", |_| {}));
    let app = TestApp::with(|setup| setup.assistants = Some(assistants));
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    socket.ping().await;
    app.post_text(&conversation, "How long is leave?").await;
    let (host, silence) = ("rag.example".to_owned(), Duration::from_secs(30));
    backend.asked().await.fail(UpstreamError::Stalled { host, silence });
    let series = r#"citewire_backend_calls_total{assistant="hr",kind="other",outcome="stalled"}"#;
    until_message_of_bot(&mut socket).await;
    assert_eq!(value(&text(&app).await, series), 1.0);
}

/// The store of a real server; one in memory has no groups.
#[tokio::test]
async fn groups_that_the_store_commits_are_counted_with_their_changes() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Arc::new(ManualClock::at("2026-01-01T00:00:00Z".parse().expect("a time")));
    let path = folder.path().join("citewire.db");
    let store = SqliteStore::open(&path, StoreLimits::on_disk(), Arc::clone(&clock) as Arc<dyn Clock>).await;
    let app = TestApp::going_on(Arc::new(store.expect("a store")), clock, |_| {});
    let before = text(&app).await;
    assert!(before.contains(r#"citewire_store_group_duration_seconds_count{outcome="failed"} 0"#), "{before}");
    let conversation = app.conversation().await;
    app.post_text(&conversation, "Hello").await;
    let after = text(&app).await;
    let (groups, changes) =
        (r#"citewire_store_group_duration_seconds_count{outcome="committed"}"#, "citewire_store_changes_total");
    assert!(value(&after, groups) >= 2.0 && value(&after, changes) >= 2.0, "{after}");
    assert_eq!(value(&after, r#"citewire_queue_entries{queue="store"}"#), 0.0);
}

/// A proxy on this machine may pass on neither the host that was called nor who called.
#[tokio::test]
async fn with_a_public_url_the_figures_need_a_key_also_on_loopback() {
    let app = TestApp::with(|setup| setup.http.public_url = Some("https://bot.example".parse().expect("a URL")));
    let open = app.request(Method::GET, "/metrics").send().await.expect("an answer");
    assert_eq!(open.status(), StatusCode::UNAUTHORIZED);
    let known = app.get("/metrics", API_KEY).send().await.expect("an answer");
    assert_eq!(known.status(), StatusCode::OK);
}
