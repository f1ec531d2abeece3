//! The operator's view of the conversations of the embedded channel.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::app::{API_KEY, DIRECT_LINE_SECRET, TestApp, answer, texts};

const CONVERSATIONS: &str = "/v1/conversations";

fn ids(list: &Value) -> Vec<&str> {
    let conversations = list["conversations"].as_array().expect("a list");
    conversations.iter().map(|one| one["id"].as_str().expect("an id")).collect()
}

#[tokio::test]
async fn the_list_goes_from_the_latest_to_the_oldest_page_by_page() {
    let app = TestApp::start();
    let (status, empty) = answer(app.get(CONVERSATIONS, API_KEY)).await;
    assert_eq!((status, empty), (StatusCode::OK, json!({"conversations": [], "next": null})));
    let mut started = Vec::new();
    for number in 0..5 {
        let conversation = app.conversation().await;
        app.post_text(&conversation, &format!("Grüße {number} 😀")).await;
        started.push(conversation.id);
    }
    let (mut seen, mut query) = (Vec::new(), "?limit=2".to_owned());
    loop {
        let (_, page) = answer(app.get(&format!("{CONVERSATIONS}{query}"), API_KEY)).await;
        assert!(ids(&page).len() <= 2, "{page}");
        seen.extend(ids(&page).into_iter().map(str::to_owned));
        let Some(next) = page["next"].as_str() else { break };
        query = format!("?limit=2&after={next}");
    }
    // Of one millisecond, ids decide.
    assert_eq!(seen.len(), 5);
    seen.sort_unstable();
    started.sort_unstable();
    assert_eq!(seen, started);
    let (_, list) = answer(app.get(CONVERSATIONS, API_KEY)).await;
    let one = &list["conversations"][0];
    assert_eq!((&one["activities"], &one["user"]["role"]), (&json!(1), &json!("user")), "{one}");
    assert!(one["active"].as_str() >= one["created"].as_str(), "{one}");
}

#[tokio::test]
async fn a_conversation_is_read_exported_and_deleted_with_its_stream() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    for number in 0..450 {
        app.say(&conversation.id, &number.to_string()).await;
    }
    let path = format!("{CONVERSATIONS}/{}", conversation.id);
    let (_, first) = answer(app.get(&format!("{path}?limit=300"), API_KEY)).await;
    assert_eq!((texts(&first).len(), &first["watermark"]), (300, &json!("299")));
    let (_, rest) = answer(app.get(&format!("{path}?limit=300&watermark=299"), API_KEY)).await;
    assert_eq!((texts(&rest).len(), &texts(&rest)[0], &rest["watermark"]), (150, &"300".to_owned(), &json!("449")));

    let exported = app.get(&format!("{path}/export"), API_KEY).send().await.expect("an answer");
    assert_eq!(exported.headers()["content-type"], "application/x-ndjson");
    let text = exported.text().await.expect("all of it");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 450);
    for (number, line) in lines.iter().enumerate() {
        assert_eq!((&line["watermark"], &line["conversation"]), (&json!(number.to_string()), &json!(conversation.id)));
        assert_eq!(line["activity"]["text"], number.to_string());
    }

    let mut socket = app.open(&conversation).await;
    let deleted = app.request(Method::DELETE, &path).bearer_auth(API_KEY).send().await.expect("an answer");
    assert_eq!(deleted.status(), StatusCode::NO_CONTENT);
    assert_eq!(socket.close_code().await.map(u16::from), Some(1000));
    for (method, path) in [
        (Method::GET, path.clone()),
        (Method::DELETE, path.clone()),
        (Method::GET, format!("{path}/export")),
        (Method::GET, format!("{CONVERSATIONS}/no such one")),
    ] {
        let (status, problem) = answer(app.request(method, &path).bearer_auth(API_KEY)).await;
        assert_eq!((status, &problem["code"]), (StatusCode::NOT_FOUND, &json!("unknown_conversation")), "{path}");
    }
    let (status, _) = answer(app.get(&conversation.path("/activities"), DIRECT_LINE_SECRET)).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_parameter_that_cannot_be_read_is_named() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let one = format!("/{}", conversation.id);
    for (rest, word) in [
        ("?limit=0", "limit"),
        ("?limit=1001", "limit"),
        ("?limit=-1", "limit"),
        ("?limit=many", "limit"),
        ("?after=x", "after"),
        ("?after=5.a%20b", "after"),
        ("?after=99999999999999999999.c", "after"),
        (&*format!("{one}?limit=x"), "limit"),
        (&*format!("{one}?watermark=x"), "watermark"),
    ] {
        let (status, problem) = answer(app.get(&format!("{CONVERSATIONS}{rest}"), API_KEY)).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{rest}: {problem}");
        assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains(word)), "{rest}: {problem}");
    }
}
