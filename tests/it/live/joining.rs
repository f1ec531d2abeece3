//! Readers that come in the middle of an answer. Web Chat 4.18.1 draws a bubble for each chunk of a stream whose first activity
//! it has missed.

use reqwest::StatusCode;
use serde_json::json;

use super::sending::{post, text, until_message};
use crate::app::TestApp;

#[tokio::test]
async fn a_reader_that_joins_or_comes_back_sees_the_first_activity_before_the_next_chunk() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    app.say(&conversation.id, "Hello").await;
    let mut early = app.open(&conversation).await;
    assert_eq!(early.texts(1).await, ["Hello"]);
    let (sending, response) = post(&app, &conversation, None);
    let write = async {
        sending.delta("one ").await;
        let first = early.activity().await;
        sending.delta("two ").await;
        early.activity().await;
        // A tab that is opened now, and the first one, whose socket broke.
        let mut tab = app.open(&app.reconnect(&conversation, "?watermark=-").await).await;
        drop(early);
        let mut again = app.open(&app.reconnect(&conversation, "?watermark=0").await).await;
        assert_eq!(tab.texts(1).await, ["Hello"]);
        sending.delta("three ").await;
        for reader in [&mut tab, &mut again] {
            assert_eq!(reader.activity().await, first);
            let chunk = reader.activity().await;
            assert_eq!((text(&chunk), &chunk["channelData"]["streamId"]), ("one two three", &first["id"]));
        }
        // A reader who comes before the end without another chunk gets the message alone.
        let mut last = app.open(&app.reconnect(&conversation, "?watermark=0").await).await;
        sending.done().await;
        for reader in [&mut tab, &mut again, &mut last] {
            let seen = until_message(reader).await;
            assert_eq!(seen.len(), 1, "{seen:?}");
            assert_eq!(seen[0]["channelData"], json!({"streamType": "final", "streamId": first["id"]}));
        }
    };
    let ((status, _), ()) = tokio::join!(response, write);
    assert_eq!(status, StatusCode::CREATED);
}
