//! Polling for activities (rule DL-06).

use reqwest::StatusCode;
use serde_json::json;

use crate::app::{TestApp, answer, texts};

#[tokio::test]
async fn without_a_watermark_the_whole_history_comes_in_order() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    assert_eq!(app.history(&conversation, "").await, json!({"activities": []}));
    let sent: Vec<String> = (0..100).map(|number| number.to_string()).collect();
    for text in &sent {
        app.say(&conversation.id, text).await;
    }
    for query in ["", "?watermark=", "?watermark=-"] {
        let set = app.history(&conversation, query).await;
        assert_eq!((texts(&set), &set["watermark"]), (sent.clone(), &json!("99")), "{query}");
    }
}

#[tokio::test]
async fn a_long_history_comes_in_pages() {
    let app = TestApp::with(|setup| setup.direct_line.page_size = 4);
    let conversation = app.conversation().await;
    for number in 0..10 {
        app.say(&conversation.id, &number.to_string()).await;
    }
    let (mut read, mut query) = (Vec::new(), String::new());
    loop {
        let set = app.history(&conversation, &query).await;
        let page = texts(&set);
        if page.is_empty() {
            break;
        }
        read.extend(page);
        query = format!("?watermark={}", set["watermark"].as_str().expect("a watermark"));
    }
    assert_eq!(read, (0..10).map(|number| number.to_string()).collect::<Vec<_>>());
}

#[tokio::test]
async fn the_returned_watermark_leads_to_what_is_new_and_nothing_else() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    app.post_text(&conversation, "one").await;
    let watermark = app.history(&conversation, "").await["watermark"].take();
    let query = format!("?watermark={}", watermark.as_str().expect("a string"));
    assert_eq!(app.history(&conversation, &query).await, json!({"activities": [], "watermark": watermark}));
    app.post_text(&conversation, "two").await;
    assert_eq!(texts(&app.history(&conversation, &query).await), ["two"]);
}

#[tokio::test]
async fn an_unreadable_watermark_is_400() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    for watermark in ["abc", "-1", "1.5", "0000a-42", "99999999999999999999999"] {
        for rest in ["/activities", ""] {
            let path = conversation.path(&format!("{rest}?watermark={watermark}"));
            let (status, body) = answer(app.get(&path, &conversation.token)).await;
            assert_eq!(
                (status, body["error"]["code"].as_str()),
                (StatusCode::BAD_REQUEST, Some("BadArgument")),
                "{path}"
            );
        }
    }
}

#[tokio::test]
async fn typing_is_not_in_the_history() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    app.post_activity(&conversation, &json!({"type": "typing"})).await;
    app.post_text(&conversation, "done").await;
    let set = app.history(&conversation, "").await;
    assert_eq!((texts(&set), &set["watermark"]), (vec!["done".to_owned()], &json!("0")));
}

#[tokio::test]
async fn echoes_come_in_order_with_the_ids_that_were_given() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut ids = Vec::new();
    for number in 0..5 {
        ids.push(app.post_text(&conversation, &number.to_string()).await);
    }
    let set = app.history(&conversation, "").await;
    let read: Vec<_> =
        set["activities"].as_array().expect("activities").iter().map(|activity| &activity["id"]).collect();
    assert_eq!(read, ids.iter().collect::<Vec<_>>());
}

#[tokio::test]
async fn watermarks_of_stream_and_history_are_the_same() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    for text in ["0", "1", "2"] {
        app.say(&conversation.id, text).await;
    }
    let set = socket.set().await;
    let query = format!("?watermark={}", set["watermark"].as_str().expect("a watermark"));
    assert_eq!(texts(&app.history(&conversation, &query).await), ["1", "2"]);
    let from_history = app.history(&conversation, "").await["watermark"].take();
    app.say(&conversation.id, "3").await;
    let query = format!("?watermark={}", from_history.as_str().expect("a watermark"));
    let again = app.reconnect(&conversation, &query).await;
    assert_eq!(app.open(&again).await.texts(1).await, ["3"]);
}

#[tokio::test]
async fn a_client_that_goes_leaves_a_readable_history() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let socket = app.open(&conversation).await;
    app.post_text(&conversation, "bye").await;
    drop(socket);
    assert_eq!(texts(&app.history(&conversation, "").await), ["bye"]);
}
