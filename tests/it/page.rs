use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::app::{TestApp, answer};

async fn session(app: &TestApp) -> Value {
    let (status, body) = answer(app.request(Method::POST, "/page/session").header("origin", &app.url)).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    body
}

#[tokio::test]
async fn the_page_runs_only_what_carries_its_nonce() {
    let app = TestApp::start();
    let mut nonces = Vec::new();
    for _ in 0..2 {
        let response = app.request(Method::GET, "/").send().await.expect("an answer");
        assert_eq!(response.status(), StatusCode::OK);
        let policy = response.headers()["content-security-policy"].to_str().expect("text").to_owned();
        assert_eq!(response.headers()["x-content-type-options"], "nosniff");
        assert!(response.headers().contains_key("referrer-policy"));
        let html = response.text().await.expect("text");
        let nonce =
            policy.split("script-src 'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).expect("a nonce");
        assert!(html.contains(nonce) && !html.contains("{{nonce}}"), "{html}");
        let host = app.url.trim_start_matches("http://");
        let expected = format!(
            "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self' \
             ws://{host} wss://{host} blob:; img-src 'self' blob: data:; script-src 'nonce-{nonce}' 'strict-dynamic'; \
             style-src 'nonce-{nonce}'"
        );
        assert_eq!(policy, expected);
        nonces.push(nonce.to_owned());
    }
    assert_ne!(nonces[0], nonces[1]);
}

#[tokio::test]
async fn the_parts_of_the_page_have_their_media_types() {
    let app = TestApp::start();
    for (path, media_type) in
        [("/page/page.css", "text/css; charset=utf-8"), ("/page/page.js", "text/javascript; charset=utf-8")]
    {
        let response = app.request(Method::GET, path).send().await.expect("an answer");
        assert_eq!(response.headers()[header::CONTENT_TYPE], media_type);
    }
}

#[tokio::test]
async fn without_a_bundle_the_answer_says_how_to_get_one() {
    let app = TestApp::start();
    let (status, body) = answer(app.request(Method::GET, "/page/webchat.js")).await;
    assert_eq!((status, &body["code"]), (StatusCode::NOT_FOUND, &json!("no_web_chat")));
    assert!(body["detail"].as_str().is_some_and(|detail| detail.contains("CITEWIRE_WEBCHAT_JS")), "{body}");
}

#[tokio::test]
async fn the_bundle_is_sent_whole_once_and_then_only_when_it_has_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("webchat.js");
    let script = "x".repeat(300_000);
    std::fs::write(&file, &script).expect("written");
    let app = TestApp::with(|setup| setup.http.webchat_js = Some(file.clone()));
    let fetch = |tag: Option<String>| {
        let request = app.request(Method::GET, "/page/webchat.js");
        tag.iter().fold(request, |request, tag| request.header("if-none-match", tag)).send()
    };
    let first = fetch(None).await.expect("an answer");
    assert_eq!(first.headers()[header::CONTENT_LENGTH], "300000");
    let tag = first.headers()["etag"].to_str().expect("text").to_owned();
    assert_eq!(first.text().await.expect("text"), script);
    assert_eq!(fetch(Some(tag.clone())).await.expect("an answer").status(), StatusCode::NOT_MODIFIED);
    std::fs::write(&file, "changed").expect("written");
    let changed = fetch(Some(tag)).await.expect("an answer");
    assert_eq!((changed.status(), changed.text().await.expect("text")), (StatusCode::OK, "changed".to_owned()));
}

#[tokio::test]
async fn a_session_is_for_the_page_of_this_very_server() {
    let app = TestApp::start();
    let body = session(&app).await;
    assert!(body["userId"].as_str().is_some_and(|id| id.starts_with("dl_")), "{body}");
    assert!(body["conversationId"].is_string() && body["expires_in"].is_u64(), "{body}");
    for origin in ["https://evil.example", "null", "http://127.0.0.1:1"] {
        let (status, body) = answer(app.request(Method::POST, "/page/session").header("origin", origin)).await;
        assert_eq!((status, &body["code"]), (StatusCode::FORBIDDEN, &json!("wrong_origin")), "{origin}");
    }
    assert_eq!(answer(app.request(Method::POST, "/page/session")).await.0, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn the_token_of_a_session_opens_its_conversation() {
    let app = TestApp::start();
    let body = session(&app).await;
    let (status, started) = app.start_as(body["token"].as_str().expect("a token"), json!({})).await;
    assert_eq!((status, &started["conversationId"]), (StatusCode::OK, &body["conversationId"]));
    let conversation = crate::app::Conversation::of(&started);
    app.post_text(&conversation, "hi").await;
    assert_eq!(app.history(&conversation, "").await["activities"][0]["from"]["id"], body["userId"]);
}

#[tokio::test]
async fn an_answer_sent_from_the_page_arrives_in_its_conversation() {
    let app = TestApp::start();
    let (_, started) = app.start_as(session(&app).await["token"].as_str().expect("a token"), json!({})).await;
    let conversation = crate::app::Conversation::of(&started);
    let mut socket = app.open(&conversation).await;
    let samples = answer(app.request(Method::GET, "/page/samples")).await.1;
    let sample = &samples[0];
    // The token that the client goes on with after the start is good for this too.
    let request = app.post("/page/answers", &conversation.token);
    let (status, body) = answer(request.json(&json!({"from": sample["from"], "answer": sample["input"]}))).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let activity = socket.activity().await;
    assert_eq!((&activity, &activity["id"]), (&body["activity"], &body["id"]));
    assert!(body["report"].is_object(), "{body}");
}

#[tokio::test]
async fn a_token_of_direct_line_sends_no_answers() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let (status, body) = answer(app.post("/page/answers", &conversation.token).json(&json!({"text": "x"}))).await;
    assert_eq!((status, &body["code"]), (StatusCode::FORBIDDEN, &json!("bad_token")));
}

#[tokio::test]
async fn every_sample_says_what_it_is() {
    let app = TestApp::start();
    let (status, samples) = answer(app.request(Method::GET, "/page/samples")).await;
    assert_eq!(status, StatusCode::OK);
    let samples = samples.as_array().expect("an array");
    assert!(!samples.is_empty());
    for sample in samples {
        for name in ["id", "title", "summary", "from"] {
            assert!(sample[name].is_string(), "{sample}");
        }
        // A stream is no JSON, so it comes as text.
        let is_stream = sample["id"].as_str().is_some_and(|id| id.contains("stream"));
        assert!(if is_stream { sample["input"].is_string() } else { sample["input"].is_object() }, "{sample}");
    }
}

#[tokio::test]
async fn on_loopback_another_host_is_refused() {
    let app = TestApp::start();
    for path in ["/", "/page/session", "/healthz", "/v1/activities", "/v3/directline/conversations"] {
        let (status, _) = answer(app.request(Method::GET, path).header("host", "evil.example")).await;
        assert_eq!(status, StatusCode::MISDIRECTED_REQUEST, "{path}");
    }
    assert_eq!(answer(app.request(Method::GET, "/healthz").header("host", "localhost")).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_server_without_the_page_has_none() {
    let app = TestApp::with(|setup| setup.http.page = false);
    for path in ["/", "/page/page.js", "/page/samples", "/help", "/help/README.md", "/llms.txt"] {
        assert_eq!(answer(app.request(Method::GET, path)).await.0, StatusCode::NOT_FOUND, "{path}");
    }
    assert_eq!(answer(app.request(Method::GET, "/healthz")).await.0, StatusCode::OK);
}

fn with_settings_page(page: bool) -> TestApp {
    TestApp::with(|setup| {
        setup.http.page = page;
        setup.http.admin_schema = Some(r#"{"definitions":{}}"#.into());
    })
}

#[tokio::test]
async fn the_settings_page_may_do_no_more_than_the_page() {
    let app = with_settings_page(true);
    let mut policies = Vec::new();
    for path in ["/", "/admin"] {
        let response = app.request(Method::GET, path).send().await.expect("an answer");
        assert_eq!(
            (response.status(), &response.headers()["cache-control"]),
            (StatusCode::OK, &"no-store".parse().expect("a value"))
        );
        let policy = response.headers()["content-security-policy"].to_str().expect("text").to_owned();
        let html = response.text().await.expect("text");
        let nonce = policy.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).expect("a nonce");
        assert!(html.contains(nonce) && !html.contains("{{"), "{html}");
        assert!(!html.contains("style=") && !html.contains("<style") && !html.contains("onclick"), "{html}");
        policies.push(policy.replace(nonce, "N"));
    }
    assert_eq!(policies[0], policies[1]);
    for (path, media_type) in [
        ("/admin/admin.css", "text/css; charset=utf-8"),
        ("/admin/admin.js", "text/javascript; charset=utf-8"),
        ("/admin/schema.json", "application/json"),
    ] {
        let response = app.request(Method::GET, path).send().await.expect("an answer");
        assert_eq!(response.headers()[header::CONTENT_TYPE], media_type);
    }
    let (status, body) = answer(app.request(Method::GET, "/admin/other.js")).await;
    assert_eq!((status, &body["code"]), (StatusCode::NOT_FOUND, &json!("unknown_route")));
}

#[tokio::test]
async fn the_settings_page_is_there_only_with_the_page_and_where_it_is_wanted() {
    let link = |html: &str| html.contains(r#"<a href="/admin" >"#);
    for (app, page, admin) in [
        (TestApp::start(), true, false),
        (with_settings_page(true), true, true),
        (with_settings_page(false), false, false),
    ] {
        for (path, there) in [("/", page), ("/admin", admin), ("/admin/api.js", admin), ("/admin/schema.json", admin)] {
            let response = app.request(Method::GET, path).send().await.expect("an answer");
            let expected = if there { StatusCode::OK } else { StatusCode::NOT_FOUND };
            assert_eq!(response.status(), expected, "{path}");
            if path == "/" {
                assert_eq!(link(&response.text().await.expect("text")), admin);
            }
        }
    }
}

async fn preview(app: &TestApp, body: &Value) -> (StatusCode, Value) {
    let session = session(app).await;
    answer(app.post("/page/previews", session["token"].as_str().expect("a token")).json(body)).await
}

#[tokio::test]
async fn an_answer_is_previewed_in_every_form_and_sent_nowhere() {
    let app = TestApp::start();
    let sources = json!([{"title": "Leave", "url": "https://hr.example/leave"}, {"title": "Menu"}]);
    let given = json!({"text": "Leave is **30 days** [1] <b>now</b> [9].", "sources": sources});
    let (status, body) = preview(&app, &json!({"from": "citewire", "channel": "slack", "answer": given})).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let forms = body["forms"].as_array().expect("an array");
    for name in ["web-chat", "teams", "slack", "plain", "open-webui", "records"] {
        let form = forms.iter().find(|form| form["name"] == name).expect(name);
        assert!(form["output"].to_string().contains("30 days"), "{form}");
        assert!(form["report"].is_object(), "{form}");
    }
    let teams = forms.iter().find(|form| form["name"] == "teams").expect("teams");
    let html = teams["html"].as_str().expect("HTML");
    assert!(html.contains("<strong>30 days</strong>") && !html.contains("<b>"), "{html}");
    assert!(teams["findings"].is_array() && teams["report"]["unresolved"][0]["message"].is_string(), "{teams}");
    let plain = forms.iter().find(|form| form["name"] == "plain").expect("plain");
    assert!(plain["html"].is_null() && plain["findings"].is_null(), "{plain}");
}

#[tokio::test]
async fn a_preview_is_refused_as_an_answer_is() {
    let app = TestApp::start();
    let (status, body) = preview(&app, &json!({"answer": {"sources": "none"}})).await;
    assert_eq!((status, &body["code"]), (StatusCode::BAD_REQUEST, &json!("invalid_answer")), "{body}");
    let (status, _) = preview(&app, &json!({"answer": {"text": "x".repeat(300_000)}})).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    let app = TestApp::with(|setup| setup.http.page_answers = false);
    let (status, body) = preview(&app, &json!({"answer": {"text": "x"}})).await;
    assert_eq!((status, &body["code"]), (StatusCode::FORBIDDEN, &json!("no_page_answers")));
}

#[tokio::test]
async fn the_documentation_is_shown_and_leads_nowhere_else() {
    let app = TestApp::start();
    let get = |path: &str| app.request(Method::GET, path).send();
    let page = get("/help/start/run.md").await.expect("an answer");
    assert_eq!(page.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
    assert!(page.headers()["content-security-policy"].to_str().expect("text").contains("default-src 'none'"));
    let html = page.text().await.expect("text");
    for part in ["<h2 id=\"start\">", "/help/guides/assistants.md#the-settings-page", "/help/pictures/live-light.png"] {
        assert!(html.contains(part), "{part}");
    }
    assert!(!html.contains("{{") && !html.contains("<!-- not run"), "{html}");
    let picture = get("/help/pictures/live-light.png").await.expect("an answer");
    assert_eq!(
        (picture.status(), &picture.headers()[header::CONTENT_TYPE]),
        (StatusCode::OK, &"image/png".parse().expect("a value"))
    );
    assert_eq!(get("/help").await.expect("an answer").url().path(), "/help/README.md");
    for path in ["/help/../Cargo.toml", "/help/nothing.md", "/help/%2e%2e/%2e%2e/etc/passwd", "/help/start/run"] {
        let status = get(path).await.expect("an answer").status();
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
    }
    let app = TestApp::with(|setup| setup.http.page = false);
    assert_eq!(
        app.request(Method::GET, "/help/start/run.md").send().await.expect("an answer").status(),
        StatusCode::NOT_FOUND
    );
}

/// A coding assistant reads the list, then the pages that it names.
#[tokio::test]
async fn the_documentation_is_listed_for_programs_and_every_link_leads_to_markdown() {
    let app = TestApp::start();
    let get = async |path: &str| {
        let response = app.request(Method::GET, path).send().await.expect("an answer");
        let media_type = response.headers()[header::CONTENT_TYPE].to_str().expect("text").to_owned();
        (response.status(), media_type, response.text().await.expect("text"))
    };
    let (status, media_type, index) = get("/llms.txt").await;
    assert_eq!((status, media_type.as_str()), (StatusCode::OK, "text/plain; charset=utf-8"));
    assert!(index.starts_with("# citewire\n\n> "), "{index}");
    let links: Vec<&str> = index.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    assert!(links.len() > 40, "{links:?}");
    for link in links {
        let (status, media_type, text) = get(link).await;
        assert_eq!(status, StatusCode::OK, "{link}");
        assert!(
            link == "/openapi.json" || text.contains("# ") && media_type.starts_with("text/"),
            "{link}: {media_type}"
        );
    }
    for path in ["/llms/nothing.md", "/llms/pictures/live-light.png", "/llms/../Cargo.toml", "/llms/"] {
        assert_eq!(get(path).await.0, StatusCode::NOT_FOUND, "{path}");
    }
}

#[tokio::test]
async fn the_documentation_is_searched_without_a_script() {
    let app = TestApp::start();
    let search = |query: &str| app.request(Method::GET, &format!("/help/search?{query}")).send();
    let page = search("q=retention_hours").await.expect("an answer");
    assert_eq!(page.status(), StatusCode::OK);
    let policy = page.headers()["content-security-policy"].to_str().expect("text").to_owned();
    assert!(policy.contains("form-action 'self'") && policy.contains("default-src 'none'"), "{policy}");
    let html = page.text().await.expect("text");
    assert!(
        html.contains("value=\"retention_hours\"") && html.contains("href=\"/help/reference/settings.md"),
        "{html}"
    );
    for hostile in ["q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E", "q=%7B%7Bbody%7D%7D", "q=%00%FF&q=x", "", "q="] {
        let page = search(hostile).await.expect("an answer");
        assert_eq!(page.status(), StatusCode::OK, "{hostile}");
        let html = page.text().await.expect("text");
        assert!(!html.contains("<script>alert"), "{hostile}: {html}");
        assert_eq!(html.matches("<main").count(), 1, "{hostile}");
    }
}

#[tokio::test]
async fn a_browser_that_is_lost_gets_a_page_and_a_program_gets_json() {
    let app = TestApp::start();
    let browser = "text/html,application/xhtml+xml,*/*;q=0.8";
    let get = |path: &str, accept: &str| app.request(Method::GET, path).header("accept", accept).send();
    let page = get("/nothing", browser).await.expect("an answer");
    assert_eq!(
        (page.status(), &page.headers()[header::CONTENT_TYPE]),
        (StatusCode::NOT_FOUND, &"text/html; charset=utf-8".parse().expect("a value"))
    );
    assert!(page.headers()["content-security-policy"].to_str().expect("text").contains("default-src 'none'"));
    let html = page.text().await.expect("text");
    assert!(html.contains("There is no page here") && html.contains("href=\"/help/README.md\""), "{html}");
    for accept in ["*/*", "application/json", "application/problem+json"] {
        let (status, body) = answer(app.request(Method::GET, "/nothing").header("accept", accept)).await;
        assert_eq!((status, &body["code"]), (StatusCode::NOT_FOUND, &json!("unknown_route")), "{accept}");
    }
    let with_key = app.request(Method::GET, "/nothing").header("accept", browser).bearer_auth(crate::app::API_KEY);
    assert_eq!(answer(with_key).await.1["code"], "unknown_route");
    let (_, posted) = answer(app.request(Method::POST, "/nothing").header("accept", browser)).await;
    assert_eq!(posted["code"], "unknown_route");
}
