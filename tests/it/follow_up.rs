use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::app::{API_KEY, Backend, TestApp, answer};

fn source(title: &str, content: &str) -> Value {
    json!({"title": title, "url": format!("https://hr.example/{title}"), "content": content})
}

fn leave() -> Value {
    json!({"text": "Leave is 25 days a year [1]. The canteen opens at noon [2].", "sources": [
        source("Leave", "Leave is 25 days a year."), source("Canteen", "The canteen opens at noon.")]})
}

/// The addresses of the claims of a message, without what marks a sentence.
fn addresses(message: &Value) -> Vec<&str> {
    let claims = message["entities"][0]["citation"].as_array().map(Vec::as_slice).unwrap_or_default();
    let url = |claim: &Value| claim["appearance"]["url"].is_string();
    assert!(claims.iter().all(url), "{message}");
    claims.iter().filter_map(|claim| claim["appearance"]["url"].as_str()?.split('#').next()).collect()
}

/// The text of a message, without its definitions.
fn text(message: &Value) -> &str {
    message["text"].as_str().expect("a text").split("\n\n[1]:").next().unwrap_or_default()
}

async fn deliver(app: &TestApp, id: &str, media_type: &str, body: String) -> Value {
    let path = format!("/v1/conversations/{id}/answers");
    let (status, delivered) = answer(app.post(&path, API_KEY).header("content-type", media_type).body(body)).await;
    assert_eq!(status, StatusCode::CREATED, "{delivered}");
    delivered
}

/// The last message of a conversation.
async fn last(app: &TestApp, id: &str) -> Value {
    let (_, page) = answer(app.get(&format!("/v1/conversations/{id}"), API_KEY)).await;
    page["activities"].as_array().and_then(|activities| activities.last()).expect("a message").clone()
}

#[tokio::test]
async fn delivered_answers_lead_to_what_readers_of_the_conversation_saw() {
    let app = TestApp::start();
    let [here, elsewhere] = [app.conversation().await.id, app.conversation().await.id];
    deliver(&app, &here, "application/json", leave().to_string()).await;
    let whole = json!({"text": "In short: it opens at noon [2]."});
    let stream = "data: {\"delta\": \"In short: it opens \"}\n\ndata: {\"delta\": \"at noon [2].\"}\n\ndata: {\"done\": true}\n\n";
    for (media_type, body) in [("application/json", whole.to_string()), ("text/event-stream", stream.to_owned())] {
        let delivered = deliver(&app, &here, media_type, body.clone()).await;
        let message = last(&app, &here).await;
        assert_eq!(
            (text(&message), addresses(&message)),
            ("In short: it opens at noon [1].", vec!["https://hr.example/Canteen"])
        );
        let notes = delivered["report"]["notes"].as_array().expect("notes");
        assert!(notes.iter().any(|note| note["code"] == "earlier-source"), "{delivered}");
        assert_eq!(delivered["report"]["support"][0]["verdict"], "supported-words");
        deliver(&app, &elsewhere, media_type, body).await;
        let message = last(&app, &elsewhere).await;
        assert_eq!((text(&message), addresses(&message).len()), ("In short: it opens at noon [2].", 0));
    }
    let own =
        json!({"text": "Parking is free [1], and [3] nothing.", "sources": [source("Parking", "Parking is free.")]});
    let delivered = deliver(&app, &here, "application/json", own.to_string()).await;
    assert_eq!(addresses(&last(&app, &here).await), ["https://hr.example/Parking"]);
    assert_eq!(delivered["report"]["unresolved"].as_array().map(Vec::len), Some(1), "{delivered}");
}

#[tokio::test]
async fn an_assistant_speaks_of_sources_of_its_earlier_answer() {
    let backend = Backend::new();
    let assistants = Backend::alone(backend.assistant("hr", |_| {}));
    let app = TestApp::with(|setup| setup.assistants = Some(assistants));
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    let turns = [
        ("How long is leave?", json!(leave()["sources"]), leave()["text"].clone()),
        (
            "Summarise that.",
            json!([source("Parking", "Parking is free.")]),
            json!("Parking is free [1], and it opens at noon [2]."),
        ),
    ];
    let mut messages = Vec::new();
    for (question, sources, words) in turns {
        app.post_text(&conversation, question).await;
        let body = backend.asked().await.begin();
        body.event(&json!({"sources": sources}));
        body.event(&json!({"delta": words}));
        body.done();
        loop {
            let activity = socket.activity().await;
            if activity["from"]["role"] != "user" && activity["type"] == "message" {
                break messages.push(activity);
            }
        }
    }
    assert_eq!(addresses(&messages[1]), ["https://hr.example/Parking", "https://hr.example/Canteen"]);
    assert_eq!(text(&messages[1]), "Parking is free [1], and it opens at noon [2].");
}
