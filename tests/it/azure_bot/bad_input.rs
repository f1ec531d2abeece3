//! Faulty posts, and how they are answered.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::scene::{GROUP, PATH, Scene};
use crate::app::{API_KEY, TestApp, answer};
use crate::connector::Flavour;

/// Posts bytes as JSON and expects this status and this code.
async fn refused(scene: &Scene, body: impl Into<reqwest::Body>, status: StatusCode, code: &str) {
    let request = scene.request().header("content-type", "application/json; charset=utf-8").body(body);
    let (got, said) = answer(request).await;
    assert_eq!((got, said["error"]["code"].as_str()), (status, Some(code)), "{said}");
    assert!(said["error"]["message"].as_str().is_some_and(|words| !words.is_empty()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_is_no_activity_is_refused_in_the_shape_of_the_bot_framework() {
    let scene = Scene::new().await;
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    for body in [
        "",
        "{",
        "[]",
        "null",
        "\"message\"",
        "{}",
        r#"{"type":""}"#,
        r#"{"type":5,"conversation":{"id":"c"}}"#,
        r#"{"type":"message"}"#,
        r#"{"type":"message","conversation":null}"#,
        r#"{"type":"message","conversation":{"id":""}}"#,
        r#"{"type":"message","conversation":{"id":["c"]}}"#,
        deep.as_str(),
    ] {
        refused(&scene, body.to_owned(), StatusCode::BAD_REQUEST, "BadArgument").await;
    }
    refused(&scene, vec![0xff, 0xfe, 0x7b], StatusCode::BAD_REQUEST, "BadArgument").await;
    assert!(scene.backend.is_idle().await);
}

/// 256 KiB of a stranger were read and parsed before anybody looked at his token.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_stranger_is_refused_before_his_body_is_read() {
    let scene = Scene::new().await;
    for authorization in [None, Some("Bearer not.a.token")] {
        // A body that is parsed is refused with 400.
        let request = scene.app.request(Method::POST, PATH).header("content-type", "application/json").body("{");
        let request = request.header("x-forwarded-for", "192.0.2.1");
        let request = authorization.iter().fold(request, |request, value| request.header("authorization", *value));
        assert_eq!(answer(request).await.0, StatusCode::UNAUTHORIZED, "{authorization:?}");
    }
    assert!(scene.backend.is_idle().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_body_of_a_megabyte_is_too_long() {
    let scene = Scene::new().await;
    let long = scene.message("1", &"x".repeat(1024 * 1024)).to_string();
    refused(&scene, long, StatusCode::PAYLOAD_TOO_LARGE, "MessageSizeTooBig").await;
    let just = scene.message("1", &"x".repeat(255 * 1024));
    scene.hand_in(&just).await;
    assert_eq!(scene.backend.asked().await.ask.turns[0].text.len(), 255 * 1024);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_body_of_another_type_is_not_read_as_an_activity() {
    let scene = Scene::new().await;
    let body = scene.message("1", "hi").to_string();
    for media_type in [
        None,
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
        Some("multipart/form-data; boundary=x"),
        Some("application/jsonx"),
        Some(""),
    ] {
        let request = scene.request().body(body.clone());
        let request = media_type.into_iter().fold(request, |request, kind| request.header("content-type", kind));
        let (status, said) = answer(request).await;
        assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{media_type:?}: {said}");
        assert_eq!(said["error"]["code"], "UnsupportedMediaType");
    }
    let shouted = scene.request().header("content-type", "APPLICATION/JSON").body(body);
    assert_eq!(shouted.send().await.expect("an answer").status(), StatusCode::ACCEPTED);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn no_other_method_is_taken_and_a_probe_gets_a_status() {
    let scene = Scene::new().await;
    for method in [Method::GET, Method::HEAD, Method::OPTIONS, Method::PUT, Method::PATCH, Method::DELETE] {
        let response = scene.app.request(method.clone(), PATH).send().await.expect("an answer");
        assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED, "{method}");
        assert!(response.headers().get("access-control-allow-origin").is_none());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn without_a_bot_there_is_nothing_here_and_it_is_said_how_to_set_one() {
    let app = TestApp::start();
    let (status, said) = answer(app.request(Method::POST, PATH).json(&json!({"type": "message"}))).await;
    assert_eq!((status, said["error"]["code"].as_str()), (StatusCode::NOT_FOUND, Some("NotFound")));
    let words = said["error"]["message"].as_str().expect("words");
    assert!(words.contains("CITEWIRE_AZURE_BOT_APP_ID") && words.contains("azure_bot.anonymous"), "{words}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_activity_without_a_service_or_with_a_bad_one_is_refused() {
    let scene = Scene::new().await;
    for url in [
        Value::Null,
        json!(""),
        json!(5),
        json!("https://evil.test/"),
        json!("http://10.0.0.7/"),
        json!("https://10.0.0.7/"),
        json!("https://169.254.169.254/latest/meta-data/"),
        json!("http://smba.trafficmanager.net/"),
        json!("https://botframework.com.evil.test/"),
        json!("https://127.0.0.1.evil.test/"),
        json!("file:///etc/passwd"),
        json!("not an address"),
    ] {
        let mut activity = scene.message("1", "hi");
        activity["serviceUrl"] = url.clone();
        let (status, said) = scene.post(&activity).await;
        assert_eq!((status, said["error"]["code"].as_str()), (StatusCode::BAD_REQUEST, Some("BadArgument")), "{url}");
        assert!(!said.to_string().contains("evil"), "{said}");
    }
    assert!(scene.backend.is_idle().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_channel_that_nobody_knows_gets_what_web_chat_gets() {
    let scene = Scene::with(Flavour::WebChat, |_| {}).await;
    for (id, channel) in [("1", json!("fax")), ("2", Value::Null), ("3", json!({"id": "x"})), ("4", json!("a/b?c"))] {
        let mut activity = scene.message(id, "hi");
        activity["channelId"] = channel;
        activity["conversation"] = json!({"id": format!("c{id}")});
        scene.hand_in(&activity).await;
        scene.answer_next("Hello [1].").await;
        scene.service.called(id.parse().expect("a number")).await;
        let text = scene.chat(&format!("c{id}")).remove(0).text().to_owned();
        assert_eq!(text, "Hello [1].\n\n[1]: https://hr.contoso.example/book \"Handbook\"");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_token_of_another_route_opens_nothing_here_and_one_of_azure_nothing_there() {
    let scene = Scene::guarded().await;
    for bearer in [API_KEY, "sixteen-or-more-characters"] {
        let (status, _) = scene.post_as(&format!("Bearer {bearer}"), &scene.message("1", "hi")).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED);
    }
    let token = scene.channel_token().replace("Bearer ", "");
    let (status, _) = answer(scene.app.get("/v1/conversations", &token)).await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    assert_eq!(scene.chat(GROUP).len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn calls_without_a_token_come_from_this_machine_alone() {
    let scene = Scene::new().await;
    let activity = scene.message("1", "hi");
    for (name, value) in [("x-forwarded-for", "203.0.113.9"), ("via", "1.1 proxy"), ("forwarded", "for=203.0.113.9")] {
        let (status, said) = answer(scene.request().header(name, value).json(&activity)).await;
        assert_eq!(
            (status, said["error"]["code"].as_str()),
            (StatusCode::UNAUTHORIZED, Some("Unauthorized")),
            "{name}"
        );
    }
    // Another name that leads here is refused before anything else.
    let (status, _) = answer(scene.request().header("host", "bot.example").json(&activity)).await;
    assert_eq!(status, StatusCode::MISDIRECTED_REQUEST);
    assert!(scene.backend.is_idle().await);
}
