//! Resuming after a broken connection (rule DL-05).

use citewire::http::LimitOptions;
use futures_util::future::join;
use reqwest::StatusCode;
use serde_json::json;

use crate::app::{Conversation, DIRECT_LINE_SECRET, TestApp, answer};

/// A conversation in which `0`, `1`, … were said.
async fn counted(app: &TestApp, count: usize) -> Conversation {
    let conversation = app.conversation().await;
    for number in 0..count {
        app.say(&conversation.id, &number.to_string()).await;
    }
    conversation
}

fn numbers(range: std::ops::Range<usize>) -> Vec<String> {
    range.map(|number| number.to_string()).collect()
}

#[tokio::test]
async fn a_reconnect_goes_on_after_the_watermark() {
    let app = TestApp::start();
    let conversation = counted(&app, 10).await;
    let again = app.reconnect(&conversation, "?watermark=3").await;
    assert_eq!(again.id, conversation.id);
    assert_ne!((&again.stream_url, &again.token), (&conversation.stream_url, &conversation.token));
    assert_eq!(app.open(&again).await.texts(6).await, numbers(4..10));
}

#[tokio::test]
async fn a_socket_cut_in_mid_burst_loses_nothing_and_doubles_nothing() {
    let app = TestApp::with(|setup| {
        setup.http.workers = 2;
        setup.http.limits = LimitOptions::NONE;
        setup.direct_line.max_sockets_per_conversation = 16;
    });
    let conversation = app.conversation().await;
    let burst = async {
        for number in 0..300 {
            app.post_text(&conversation, &number.to_string()).await;
        }
    };
    let reading = async {
        let mut seen = Vec::new();
        let mut current = conversation.clone();
        while seen.len() < 300 {
            let mut socket = app.open(&current).await;
            let mut watermark = String::new();
            for _ in 0..37.min(300 - seen.len()) {
                let set = socket.set().await;
                watermark = set["watermark"].as_str().expect("a watermark").to_owned();
                seen.push(set["activities"][0]["text"].as_str().expect("a text").to_owned());
            }
            // Cut without a goodbye, as a network does.
            drop(socket);
            current = app.reconnect(&current, &format!("?watermark={watermark}")).await;
        }
        seen
    };
    let ((), seen) = join(burst, reading).await;
    assert_eq!(seen, numbers(0..300));
}

#[tokio::test]
async fn an_empty_watermark_replays_all_and_none_only_what_is_new() {
    let app = TestApp::start();
    let conversation = counted(&app, 3).await;
    for query in ["?watermark=", "?watermark=-"] {
        let again = app.reconnect(&conversation, query).await;
        assert_eq!(app.open(&again).await.texts(3).await, numbers(0..3), "{query}");
    }
    let live = app.reconnect(&conversation, "").await;
    app.say(&conversation.id, "new").await;
    assert_eq!(app.open(&live).await.texts(1).await, ["new"]);
}

#[tokio::test]
async fn a_new_client_gets_exactly_what_follows_its_watermark() {
    let app = TestApp::start();
    let conversation = counted(&app, 5).await;
    let newcomer = Conversation { token: DIRECT_LINE_SECRET.to_owned(), ..conversation };
    let resumed = app.reconnect(&newcomer, "?watermark=1").await;
    let mut socket = app.open(&resumed).await;
    assert_eq!(socket.texts(3).await, numbers(2..5));
    app.say(&newcomer.id, "then").await;
    assert_eq!(socket.texts(1).await, ["then"]);
}

#[tokio::test]
async fn the_token_of_a_reconnect_works_everywhere() {
    let app = TestApp::start();
    let conversation = counted(&app, 1).await;
    let again = app.reconnect(&conversation, "").await;
    app.post_text(&again, "hi").await;
    app.history(&again, "").await;
    app.reconnect(&again, "").await;
    assert_eq!(answer(app.post("/v3/directline/tokens/refresh", &again.token)).await.0, StatusCode::OK);
    assert_eq!(app.start_as(&again.token, json!({})).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_reconnect_is_404_only_when_the_conversation_is_gone() {
    let app = TestApp::start();
    let conversation = counted(&app, 1).await;
    app.clock.advance(chrono::Duration::seconds(1799));
    let again = app.reconnect(&conversation, "").await;
    app.store.delete(&conversation.id.parse().expect("an id")).await.expect("deleted");
    assert_eq!(answer(app.get(&again.path(""), &again.token)).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_watermark_beyond_the_newest_counts_as_the_newest() {
    let app = TestApp::start();
    let conversation = counted(&app, 2).await;
    let again = app.reconnect(&conversation, "?watermark=999").await;
    let mut socket = app.open(&again).await;
    app.say(&conversation.id, "2").await;
    assert_eq!(socket.texts(1).await, ["2"]);
    assert_eq!(app.history(&conversation, "?watermark=999").await, json!({"activities": [], "watermark": "2"}));
}
