//! Uploading files (rule DL-07).

use std::time::Duration;

use citewire::channels::Retention;
use citewire::clock::Clock;
use reqwest::{Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::app::{Bot, Conversation, DIRECT_LINE_SECRET, Nodes, TestApp, answer};

const TEMPLATE: &str = "application/vnd.microsoft.activity";

/// A part: field name, file name, media type, content.
type Part<'a> = (&'a str, Option<&'a str>, &'a str, &'a [u8]);

fn multipart(request: RequestBuilder, parts: &[Part<'_>]) -> RequestBuilder {
    let mut body = Vec::new();
    for (field, file, media_type, content) in parts {
        let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
        let head = format!(
            "--b0und\r\nContent-Disposition: form-data; name=\"{field}\"{file}\r\nContent-Type: {media_type}\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--b0und--\r\n");
    request.header("content-type", "multipart/form-data; boundary=b0und").body(body)
}

fn upload(app: &TestApp, conversation: &Conversation, query: &str) -> RequestBuilder {
    app.post(&conversation.path(&format!("/upload{query}")), &conversation.token)
}

/// The one activity of the conversation, whose id was returned.
async fn recorded(app: &TestApp, conversation: &Conversation, request: RequestBuilder) -> Value {
    let (status, body) = answer(request).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let activity = app.history(conversation, "").await["activities"][0].take();
    assert_eq!(activity["id"], body["id"]);
    assert!(activity["id"].as_str().is_some_and(|id| !id.is_empty()));
    activity
}

/// The media type and bytes at the address of an attachment.
async fn fetch(app: &TestApp, attachment: &Value) -> (String, Vec<u8>) {
    let url = attachment["contentUrl"].as_str().expect("an address");
    let response = app.client.get(url).send().await.expect("an answer");
    assert_eq!(response.status(), StatusCode::OK, "{url}");
    let media_type = response.headers()["content-type"].to_str().expect("text").to_owned();
    (media_type, response.bytes().await.expect("a body").to_vec())
}

#[tokio::test]
async fn files_and_their_template_are_one_message() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let template = json!({"type": "message", "text": "two files", "from": {"id": "dl_ann"},
        "channelData": {"clientActivityID": "a1", "attachmentSizes": [3, 4]},
        "attachments": [{"contentType": "text/plain", "name": "a.txt", "thumbnailUrl": "data:,"},
            {"contentType": "image/png", "name": "b.png"}]});
    let template = template.to_string();
    let png = b"\x89PNG\r\n\r\n\0\xff--b0un";
    // The files come in another order than that of the template, as they do when a client reads them at once.
    let request = multipart(
        upload(&app, &conversation, "?userId=dl_ann"),
        &[
            ("activity", Some("blob"), TEMPLATE, template.as_bytes()),
            ("file", Some("b.png"), "image/png", png),
            ("file", Some("a.txt"), "application/octet-stream", b"abc"),
        ],
    );
    let message = recorded(&app, &conversation, request).await;
    assert_eq!((&message["text"], &message["from"]["id"]), (&json!("two files"), &json!("dl_ann")));
    assert_eq!(message["channelData"], json!({"clientActivityID": "a1", "attachmentSizes": [3, 4]}));
    let attachments = message["attachments"].as_array().expect("attachments");
    let described: Vec<_> = attachments.iter().map(|one| (one["name"].clone(), one["contentType"].clone())).collect();
    assert_eq!(described, [(json!("a.txt"), json!("text/plain")), (json!("b.png"), json!("image/png"))]);
    assert_eq!(attachments[0]["thumbnailUrl"], "data:,");
    assert_eq!(fetch(&app, &attachments[0]).await, ("text/plain".to_owned(), b"abc".to_vec()));
    assert_eq!(fetch(&app, &attachments[1]).await, ("image/png".to_owned(), png.to_vec()));
    assert_eq!(app.open(&conversation).await.activity().await, message, "the stream has the same");
}

#[tokio::test]
async fn files_that_come_again_with_their_template_are_kept_once() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let template = br#"{"type":"message","from":{"id":"dl_ann"},"channelData":{"clientActivityID":"a1"}}"#;
    let request = |file: &str| {
        let parts: [Part<'_>; 2] =
            [("activity", Some("blob"), TEMPLATE, template), ("file", Some("a.txt"), "text/plain", file.as_bytes())];
        multipart(upload(&app, &conversation, ""), &parts)
    };
    let first = recorded(&app, &conversation, request("one")).await;
    assert_eq!(recorded(&app, &conversation, request("one")).await, first);
    assert_eq!(app.history(&conversation, "").await["activities"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn files_without_a_template_are_a_message_of_the_user() {
    let app = TestApp::start();
    let conversation = app.conversation_of_nobody().await;
    let parts: [Part<'_>; 2] =
        [("file", Some("a.txt"), "text/plain", b"a"), ("file", Some("b.bin"), "application/x-b", b"")];
    let message = recorded(&app, &conversation, multipart(upload(&app, &conversation, "?userId=ben"), &parts)).await;
    assert_eq!((&message["type"], &message["from"]), (&json!("message"), &json!({"id": "ben", "role": "user"})));
    assert_eq!(message["attachments"][1]["name"], "b.bin");
    assert_eq!(fetch(&app, &message["attachments"][1]).await, ("application/x-b".to_owned(), Vec::new()));
}

#[tokio::test]
async fn a_file_by_itself_is_a_message_with_its_name() {
    let app = TestApp::start();
    let conversation = app.conversation_of_nobody().await;
    let request = upload(&app, &conversation, "?userId=ben")
        .header("content-type", "image/jpeg")
        .header("content-disposition", "name=\"file\"; filename=\"badjokeeel.jpg\"")
        .body("jpeg");
    let message = recorded(&app, &conversation, request).await;
    let attachment = &message["attachments"][0];
    assert_eq!((&attachment["name"], &attachment["contentType"]), (&json!("badjokeeel.jpg"), &json!("image/jpeg")));
    assert_eq!(message["from"]["id"], "ben");
    assert_eq!(fetch(&app, attachment).await.1, b"jpeg");
}

#[tokio::test]
async fn a_user_id_that_was_not_escaped_breaks_nothing() {
    let app = TestApp::start();
    for user in ["a/b", "a&b=c", "a+b", "a%b", "a?b", "../x", "a;b@c:d"] {
        let conversation = app.conversation_of_nobody().await;
        let template = json!({"type": "message", "from": {"id": user}}).to_string();
        let parts: [Part<'_>; 2] =
            [("activity", Some("blob"), TEMPLATE, template.as_bytes()), ("file", Some("a"), "text/plain", b"a")];
        let request = multipart(upload(&app, &conversation, &format!("?userId={user}")), &parts);
        assert_eq!(recorded(&app, &conversation, request).await["from"]["id"], user);
    }
}

#[tokio::test]
async fn the_limits_of_uploads_and_activities_are_two() {
    let app = TestApp::with(|setup| {
        setup.direct_line.max_activity_bytes = 2048;
        setup.direct_line.max_upload_bytes = 64 * 1024;
    });
    let conversation = app.conversation().await;
    let file = vec![b'x'; 32 * 1024];
    let parts: [Part<'_>; 1] = [("file", Some("a"), "text/plain", &file)];
    let (status, body) = answer(multipart(upload(&app, &conversation, "?userId=dl_ann"), &parts)).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let file = vec![b'x'; 128 * 1024];
    let parts: [Part<'_>; 1] = [("file", Some("a"), "text/plain", &file)];
    let request = multipart(upload(&app, &conversation, "?userId=dl_ann"), &parts);
    let response = request.header("origin", "https://a.example").send().await.expect("an answer, no reset");
    assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(response.headers()["access-control-allow-origin"], "*");
    let message = json!({"type": "message", "text": "x".repeat(4096)});
    assert_eq!(app.try_post(&conversation, &message).await.0, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(app.history(&conversation, "").await["activities"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn uploads_go_to_conversations_of_ones_own_that_exist() {
    let app = TestApp::start();
    let (own, other) = (app.conversation().await, app.conversation().await);
    let request = |path: &str, bearer: &str| app.post(path, bearer).header("content-type", "text/plain").body("a");
    let path = other.path("/upload?userId=dl_ann");
    assert_eq!(answer(request(&path, &own.token)).await.0, StatusCode::FORBIDDEN);
    let path = "/v3/directline/conversations/unknown/upload?userId=a";
    assert_eq!(answer(request(path, DIRECT_LINE_SECRET)).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn an_upload_that_cannot_be_read_leaves_nothing_behind() {
    let app = TestApp::start();
    let conversation = app.conversation_of_nobody().await;
    let multi = |body: &'static str| {
        let request = upload(&app, &conversation, "?userId=ben");
        request.header("content-type", "multipart/form-data; boundary=b0und").body(body)
    };
    for request in [
        multi(""),
        multi("--b0und--\r\n"),
        multi("no parts"),
        multipart(upload(&app, &conversation, "?userId=ben"), &[("activity", Some("blob"), TEMPLATE, b"{")]),
        multipart(upload(&app, &conversation, "?userId=ben"), &[("activity", Some("blob"), TEMPLATE, b"{}")]),
        multipart(upload(&app, &conversation, "?userId=ben"), &[("file", None, "text/plain", b"a".as_slice()); 65]),
        upload(&app, &conversation, "?userId=ben").header("content-type", "multipart/form-data").body("x"),
        // No client sends this type.
        upload(&app, &conversation, "").header("content-type", "text/plain").body("x"),
    ] {
        let (status, body) = answer(request).await;
        assert_eq!((status, body["error"]["code"].as_str()), (StatusCode::BAD_REQUEST, Some("BadArgument")), "{body}");
    }
    assert_eq!(app.history(&conversation, "").await["activities"], json!([]));
}

#[tokio::test]
async fn a_file_runs_nothing_and_is_gone_with_its_conversation() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let parts: [Part<'_>; 2] = [
        ("file", Some("a.html"), "text/html", b"<script>alert(1)</script>"),
        ("file", Some("b.png"), "image/png", b"png"),
    ];
    let message = recorded(&app, &conversation, multipart(upload(&app, &conversation, "?userId=x"), &parts)).await;
    let mut urls = Vec::new();
    for (at, disposition) in [(0, "attachment; filename=\"a.html\""), (1, "inline")] {
        let url = message["attachments"][at]["contentUrl"].as_str().expect("an address").to_owned();
        let response = app.client.get(&url).header("origin", "https://a.example").send().await.expect("an answer");
        let header = |name: &str| response.headers()[name].to_str().expect("text").to_owned();
        assert_eq!(header("content-disposition"), disposition);
        assert_eq!(
            (header("x-content-type-options").as_str(), header("access-control-allow-origin").as_str()),
            ("nosniff", "*")
        );
        assert!(header("content-security-policy").contains("sandbox"));
        urls.push(url);
    }
    let path = conversation.path("/attachments/00000000000000000000000000000000");
    assert_eq!(answer(app.request(Method::GET, &path)).await.0, StatusCode::NOT_FOUND);
    let retention =
        Retention::new(Arc::clone(&app.store), Arc::clone(&app.clock) as Arc<dyn Clock>, Duration::from_secs(3600));
    app.clock.advance(chrono::Duration::hours(2));
    retention.run_once().await.expect("a store");
    for url in urls {
        assert_eq!(app.client.get(url).send().await.expect("an answer").status(), StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn a_bot_is_told_of_files_at_an_address_that_it_can_reach() {
    let bot = Bot::quiet();
    let app = TestApp::with(|setup| {
        setup.nodes = Nodes::One;
        setup.bot = Some(bot.binding());
        setup.http.trusted_proxies = citewire::http::TrustedProxies::nearby();
    });
    let conversation = app.conversation().await;
    let request = upload(&app, &conversation, "?userId=dl_ann").header("x-forwarded-host", "chat.example");
    let message = recorded(&app, &conversation, request.header("content-type", "text/plain").body("abc")).await;
    let attachment = &message["attachments"][0];
    assert!(attachment["contentUrl"].as_str().is_some_and(|url| url.starts_with("http://chat.example/v3/")));
    let told = bot.activities(2).await;
    assert_eq!(fetch(&app, &told[1]["attachments"][0]).await.1, b"abc");
}
