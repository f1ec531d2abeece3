//! The embedded channel and its bot know nothing of conversations behind Azure Bot Service.

use std::sync::Arc;

use citewire::channels::direct_line_client::{Binding, Credential};
use citewire::secret::Secret;
use reqwest::{Method, StatusCode};
use serde_json::json;

use super::{Scene, leave};
use crate::app::{API_KEY, BOT_SECRET, Bot, DIRECT_LINE_SECRET, TestApp, answer};

#[tokio::test]
async fn direct_line_does_not_know_them_whoever_asks() {
    let scene = Scene::teams().await;
    scene.hears("How long is leave?", "1700").await;
    let token = scene.app.conversation().await.token;
    let id = &scene.id;
    let message = json!({"type": "message", "text": "hi", "from": {"id": "ann"}});
    for bearer in [DIRECT_LINE_SECRET, &token] {
        for (method, rest) in [
            (Method::GET, ""),
            (Method::GET, "/activities"),
            (Method::GET, "/activities?watermark=0"),
            (Method::POST, "/activities"),
            (Method::POST, "/upload?userId=ann"),
            (Method::GET, "/stream?t=x"),
            (Method::GET, "/stream/multimodal?t=x"),
        ] {
            let request = scene.app.request(method, &format!("/v3/directline/conversations/{id}{rest}"));
            let (status, body) = answer(request.bearer_auth(bearer).json(&message)).await;
            assert_eq!((status, &body["error"]["code"]), (StatusCode::NOT_FOUND, &json!("NotFound")), "{rest}: {body}");
        }
    }
    let file = format!("/v3/directline/conversations/{id}/attachments/x");
    assert_eq!(answer(scene.app.request(Method::GET, &file)).await.0, StatusCode::NOT_FOUND);
    assert_eq!(scene.recorded().await.len(), 1);
}

#[tokio::test]
async fn the_bot_of_the_embedded_channel_does_not_know_them() {
    let scene = Scene::teams().await;
    let bot = Bot::quiet();
    let store = Arc::clone(&scene.app.store);
    let app = TestApp::going_on(store, Arc::clone(&scene.app.clock), |setup| {
        setup.bot = Some(bot.binding());
    });
    let base = format!("/v3/conversations/{}", scene.id);
    for (method, rest) in [
        (Method::POST, "/activities"),
        (Method::POST, "/activities/a"),
        (Method::GET, "/members"),
        (Method::GET, "/members/29:ann"),
        (Method::GET, "/pagedmembers"),
        (Method::GET, "/activities/a/members"),
    ] {
        let request = app.request(method, &format!("{base}{rest}")).bearer_auth(BOT_SECRET);
        let (status, body) = answer(request.json(&json!({"type": "message", "text": "hi"}))).await;
        assert_eq!((status, &body["error"]["code"]), (StatusCode::NOT_FOUND, &json!("NotFound")), "{rest}: {body}");
    }
    assert!(scene.recorded().await.is_empty());
}

#[tokio::test]
async fn a_binding_to_another_direct_line_does_not_take_them() {
    let scene = Scene::teams().await;
    let store = Arc::clone(&scene.app.store);
    let answers = super::proactive(&scene.service, Arc::clone(&store), Arc::clone(&scene.app.clock));
    let app = TestApp::going_on(store, Arc::clone(&scene.app.clock), |setup| {
        setup.proactive = Some(answers);
        setup.binding = Some(Binding {
            // No server listens there.
            url: "http://127.0.0.1:9/v3/directline".parse().expect("an address"),
            credential: Credential::Secret(Secret::parse("the-secret-of-the-other-side").expect("a secret")),
            user: "citewire".to_owned(),
            conversations: "*".parse().expect("conversations"),
        });
    });
    let (status, body) = answer(app.post(&scene.path("/answers"), API_KEY).json(&leave())).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let unknown = "/v1/conversations/azure:msteams:AAAA/answers";
    assert_eq!(answer(app.post(unknown, API_KEY).json(&leave())).await.0, StatusCode::NOT_FOUND);
}
