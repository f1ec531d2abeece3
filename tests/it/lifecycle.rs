use citewire::channels::Retention;
use citewire::clock::Clock;
use futures_util::future::join_all;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::app::{API_KEY, DIRECT_LINE_SECRET, Serving, Socket, TestApp, answer, citewire};

#[tokio::test]
async fn a_running_server_is_live_and_ready() {
    let app = TestApp::start();
    for path in ["/healthz", "/readyz"] {
        assert_eq!(answer(app.request(Method::GET, path)).await, (StatusCode::OK, json!({"status": "ok"})));
        let head = app.request(Method::HEAD, path).send().await.expect("an answer");
        assert_eq!(head.status(), StatusCode::OK);
    }
}

#[tokio::test]
async fn a_shutdown_ends_with_sockets_open() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut sockets = Vec::new();
    for _ in 0..5 {
        let mut socket = app.open(&conversation).await;
        socket.ping().await;
        sockets.push(socket);
    }
    let ended = app.ended();
    let closed = async {
        for socket in &mut sockets {
            assert!(socket.close_code().await.is_some());
        }
    };
    tokio::time::timeout(Duration::from_secs(9), async { tokio::join!(ended, closed) }).await.expect("the server ends");
}

/// `/readyz` said that the server ends in the same instant in which sockets were closed, so that clients came back to it.
#[tokio::test]
async fn a_server_that_drains_says_so_and_goes_on_serving() {
    let mut app = TestApp::with(|setup| setup.http.drain = Duration::from_secs(3));
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    app.stop();
    while answer(app.get("/readyz", "")).await.0 != 503 {}
    assert_eq!(answer(app.get("/healthz", "")).await.0, 200);
    app.post_text(&conversation, "still here").await;
    assert_eq!(socket.texts(1).await, ["still here"]);
    assert_eq!(socket.close_code().await.map(u16::from), Some(1001));
}

#[tokio::test]
async fn a_shutdown_does_not_wait_for_clients_that_say_nothing() {
    let app = TestApp::with(|setup| setup.http.shutdown_grace = Duration::from_secs(1));
    let _silent = tokio::net::TcpStream::connect(app.address).await.expect("a connection");
    let conversation = app.conversation().await;
    // A socket whose client does not answer the closing.
    let socket = app.open(&conversation).await;
    tokio::time::timeout(Duration::from_secs(9), app.ended()).await.expect("the server ends");
    drop(socket);
}

/// Ten thousand are many more than a process may usually open before it asks for more.
#[tokio::test]
async fn ten_thousand_connections_from_one_address_that_say_nothing_keep_nobody_out() {
    const MANY: usize = 10_000;
    let files = rlimit::increase_nofile_limit(u64::MAX).expect("a limit of open files");
    assert!(files > MANY as u64 + 500, "this test needs {MANY} open files, and `ulimit -Hn` is {files}");
    let folder = tempfile::tempdir().expect("a folder");
    let secrets = [("CITEWIRE_API_KEY", API_KEY), ("CITEWIRE_DIRECT_LINE_SECRET", DIRECT_LINE_SECRET)];
    let serving = Serving::start(folder.path(), &secrets);
    let address = serving.url.strip_prefix("http://").expect("an address");
    let client = reqwest::Client::builder().build().expect("a client");
    let start = || client.post(format!("{}/v3/directline/conversations", serving.url)).bearer_auth(DIRECT_LINE_SECRET);
    let mut silent = Vec::with_capacity(MANY);
    while silent.len() < MANY {
        silent.push(TcpStream::connect(address).await.expect("a connection"));
        if silent.len() % 2_500 == 0 {
            let (status, started) = answer(start()).await;
            assert_eq!(status, StatusCode::CREATED, "{started}");
            let mut socket = Socket::open(started["streamUrl"].as_str().expect("a URL")).await;
            socket.ping().await;
        }
    }
    // Each of them is told so and let go, so that their number does not grow.
    let told = join_all(silent.iter_mut().map(async |connection| {
        let mut answer = String::new();
        connection.read_to_string(&mut answer).await.map(|_| answer)
    }));
    for answer in tokio::time::timeout(Duration::from_secs(60), told).await.expect("they are let go") {
        let answer = answer.expect("an orderly end");
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    }
    assert_eq!(serving.interrupt(), Some(0));
}

/// Log lines were once full of colour codes wherever they went.
#[test]
fn a_log_that_no_terminal_shows_has_no_colours() {
    let folder = tempfile::tempdir().expect("a folder");
    let serving = Serving::start(folder.path(), &[("CITEWIRE_LOG", "info")]);
    let logged = serving.said.iter().find(|line| line.contains(" INFO ")).expect("a line of the log");
    assert!(!logged.contains('\u{1b}'), "{logged}");
}

/// A connection and the head of the answer to a GET on it.
async fn get(address: SocketAddr, path: &str) -> (TcpStream, String) {
    let mut connection = TcpStream::connect(address).await.expect("a connection");
    let head = get_on(&mut connection, path).await;
    (connection, head)
}

async fn get_on(connection: &mut TcpStream, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    connection.write_all(request.as_bytes()).await.expect("sent");
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(connection.read_u8().await.expect("an answer"));
    }
    String::from_utf8(head).expect("text").to_lowercase()
}

#[tokio::test]
async fn a_server_with_as_many_connections_as_it_may_have_answers_those_who_watch_it() {
    let app = TestApp::with(|setup| (setup.http.workers, setup.http.max_connections) = (1, 4));
    let mut held = Vec::new();
    for _ in 0..4 {
        let (connection, head) = get(app.address, "/openapi.json").await;
        assert!(head.starts_with("http/1.1 200"), "{head}");
        held.push(connection);
    }
    // Silent connections keep no client out, however many they are.
    for _ in 0..200 {
        held.push(TcpStream::connect(app.address).await.expect("a connection"));
    }
    for path in ["/healthz", "/readyz", "/metrics"] {
        let (_, head) = get(app.address, path).await;
        assert!(head.starts_with("http/1.1 200") && head.contains("connection: close"), "{path}: {head}");
    }
    let (_, refused) = get(app.address, "/openapi.json").await;
    assert!(refused.starts_with("http/1.1 503") && refused.contains("retry-after: 5"), "{refused}");
    let figures = app.get("/metrics", API_KEY).send().await.expect("an answer").text().await.expect("text");
    let figure = |name: &str| {
        let line = figures.lines().find(|line| line.starts_with(name) && !line.starts_with('#')).expect("a figure");
        line.rsplit(' ').next().expect("a value").parse::<u64>().expect("a number")
    };
    assert_eq!(figure("citewire_connections_limit "), 4);
    assert!(figure("citewire_connections_beyond_limit_total ") >= 200, "{figures}");
    // A connection beyond the limit takes the place of one that has ended.
    let mut waiting = TcpStream::connect(app.address).await.expect("a connection");
    held.truncate(4);
    drop(held.remove(0));
    let served = loop {
        let head = get_on(&mut waiting, "/openapi.json").await;
        if head.starts_with("http/1.1 200") {
            break head;
        }
        waiting = TcpStream::connect(app.address).await.expect("a connection");
    };
    assert!(!served.contains("connection: close"), "{served}");
}

/// The limit of open files is often 1024 without its operator's knowledge.
#[test]
fn few_files_are_named_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let serving = Serving::start_with_files(1024, folder.path(), &[]);
    let warned = serving.said.iter().any(|line| line.contains("WARN") && line.contains("LimitNOFILE"));
    assert!(warned, "{:?}", serving.said);
    assert_eq!(serving.interrupt(), Some(0));
}

#[tokio::test]
async fn a_conversation_in_which_nothing_happens_expires() {
    let app = TestApp::start();
    let (idle, active) = (app.conversation().await, app.conversation().await);
    let mut socket = app.open(&idle).await;
    socket.ping().await;
    let retention =
        Retention::new(Arc::clone(&app.store), Arc::clone(&app.clock) as Arc<dyn Clock>, Duration::from_secs(3600));
    app.clock.advance(chrono::Duration::seconds(3599));
    app.say(&active.id, "still here").await;
    assert_eq!(retention.run_once().await.expect("a store"), 0);
    app.clock.advance(chrono::Duration::seconds(2));
    assert_eq!(retention.run_once().await.expect("a store"), 1);
    assert!(socket.close_code().await.is_some(), "its sockets are closed");
    assert_eq!(answer(app.get(&idle.path(""), DIRECT_LINE_SECRET)).await.0, StatusCode::NOT_FOUND);
    assert_eq!(answer(app.get(&active.path(""), DIRECT_LINE_SECRET)).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_port_that_is_taken_is_named() {
    let app = TestApp::start();
    let taken = std::process::Command::new(env!("CARGO_BIN_EXE_citewire"))
        .args(["serve", "--bind", &app.address.to_string()])
        .env("CITEWIRE_STORE_URL", "memory:")
        .env("CITEWIRE_API_KEY", "sixteen-or-more-characters")
        .env("CITEWIRE_DIRECT_LINE_SECRET", "another-sixteen-characters")
        .output()
        .expect("the command runs");
    assert_eq!(taken.status.code(), Some(2));
    let words = String::from_utf8(taken.stderr).expect("text");
    assert!(words.contains(&format!("cannot listen on {}", app.address)), "{words}");
}

/// Collectors of logs read an object a line, and what the server says at its start goes the same way.
#[tokio::test]
async fn a_log_in_json_has_an_object_a_line_and_auditors_lines_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = citewire(&["serve", "--bind", "127.0.0.1:0"]);
    server.env("CITEWIRE_DATA_DIR", folder.path()).env("CITEWIRE_ASSISTANT", "none");
    server.env("CITEWIRE_LOG", "info").env("CITEWIRE_LOG_FORMAT", "json");
    let mut child = server.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the command runs");
    let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
    let mut next = move || {
        let line = lines.next().expect("a line").expect("text");
        let object: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        for member in ["timestamp", "level", "target", "message"] {
            assert!(object[member].is_string(), "{member}: {object}");
        }
        object
    };
    let url = loop {
        let line = next();
        if let Some(url) = line["message"].as_str().expect("text").strip_prefix("citewire is listening on ") {
            break url.to_owned();
        }
    };
    let client = reqwest::Client::builder().build().expect("a client");
    let refused = client.post(format!("{url}/v1/check")).bearer_auth("a-key-that-nobody-has").send().await;
    assert_eq!(refused.expect("an answer").status(), StatusCode::UNAUTHORIZED);
    let audited = loop {
        let line = next();
        if line["target"] == "citewire::http::audit" {
            break line;
        }
    };
    assert_eq!((&audited["message"], &audited["code"]), (&json!("refused"), &json!("wrong_key")));
    assert_eq!((&audited["status"], &audited["path"]), (&json!(401), &json!("/v1/check")));
    assert!(audited["request.id"].is_string() && audited["level"] == "INFO", "{audited}");
    child.kill().expect("it ends");
    child.wait().expect("it ends");
}
