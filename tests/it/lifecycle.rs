use citewire::channels::Retention;
use citewire::clock::Clock;
use reqwest::{Method, StatusCode};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

use crate::app::{DIRECT_LINE_SECRET, TestApp, answer};

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
        .env("CITEWIRE_DIRECT_LINE_SECRET", "sixteen-or-more-characters")
        .output()
        .expect("the command runs");
    assert_eq!(taken.status.code(), Some(2));
    let words = String::from_utf8(taken.stderr).expect("text");
    assert!(words.contains(&format!("cannot listen on {}", app.address)), "{words}");
}
