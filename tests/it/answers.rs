use citewire::config::{Config, ConfigSources};
use reqwest::{StatusCode, header};
use serde_json::{Value, json};

use crate::app::{API_KEY, TestApp, answer};

const ACTIVITIES: &str = "/v1/activities";

fn leave() -> Value {
    json!({"text": "Leave is 30 days [1].", "sources": [{"title": "Leave policy", "url": "https://hr.example/leave"}]})
}

#[tokio::test]
async fn a_wrapped_answer_becomes_an_activity_with_a_report() {
    let app = TestApp::start();
    let body = json!({"from": "citewire", "channel": "webchat", "options": {}, "answer": leave()});
    let (status, body) = answer(app.post(ACTIVITIES, API_KEY).json(&body)).await;
    assert_eq!(status, StatusCode::OK, "{body}");
    let activity = body["activities"].as_array().and_then(|activities| activities.last()).expect("a message");
    assert_eq!((&activity["type"], &activity["textFormat"]), (&json!("message"), &json!("markdown")));
    assert!(activity["text"].as_str().is_some_and(|text| text.starts_with("Leave is 30 days [1]")), "{activity}");
    assert_eq!(activity["entities"][0]["citation"][0]["position"], "1", "{activity}");
    for delivered in ["id", "timestamp", "from", "conversation", "replyToId"] {
        assert_eq!(activity.get(delivered), None, "{delivered} is for delivery");
    }
    assert_eq!(body["report"]["cited"].as_array().map(Vec::len), Some(1), "{body}");
}

#[tokio::test]
async fn wrapped_and_raw_answers_give_the_same_bytes() {
    let app = TestApp::start();
    let wrapped = app.post(ACTIVITIES, API_KEY).json(&json!({"answer": leave()})).send().await.expect("an answer");
    let raw = app.post(&format!("{ACTIVITIES}?from=citewire&channel=directline"), API_KEY).json(&leave());
    let raw = raw.send().await.expect("an answer");
    assert_eq!((wrapped.status(), raw.status()), (StatusCode::OK, StatusCode::OK));
    assert_eq!(wrapped.bytes().await.expect("a body"), raw.bytes().await.expect("a body"));
}

#[tokio::test]
async fn a_delivered_answer_is_read_by_everyone_in_the_conversation() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let mut socket = app.open(&conversation).await;
    let path = format!("/v1/conversations/{}/answers", conversation.id);
    let (status, body) = answer(app.post(&path, API_KEY).json(&json!({"answer": leave()}))).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let activity = socket.activity().await;
    assert_eq!(activity["id"], body["id"]);
    assert_eq!((&activity["from"]["role"], &activity["channelId"]), (&json!("bot"), &json!("directline")));
    assert_eq!((&activity["conversation"]["id"], activity.get("replyToId")), (&json!(conversation.id), None));
    assert!(activity["timestamp"].is_string() && body["report"].is_object(), "{body}");
    assert_eq!(app.history(&conversation, "").await["activities"], json!([activity]));
}

#[tokio::test]
async fn an_idempotency_key_delivers_once() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let path = format!("/v1/conversations/{}/answers", conversation.id);
    let mut ids = Vec::new();
    for _ in 0..2 {
        let request = app.post(&path, API_KEY).header("idempotency-key", "k1").json(&leave());
        let (status, body) = answer(request).await;
        assert_eq!(status, StatusCode::CREATED, "{body}");
        ids.push(body["id"].clone());
    }
    assert_eq!(ids[0], ids[1]);
    assert_eq!(app.history(&conversation, "").await["activities"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn an_unknown_conversation_is_404_before_the_answer_is_looked_at() {
    let app = TestApp::start();
    for id in ["unknown", "%20", &"x".repeat(300)] {
        let (status, body) =
            answer(app.post(&format!("/v1/conversations/{id}/answers"), API_KEY).body("nonsense")).await;
        assert_eq!((status, &body["code"]), (StatusCode::NOT_FOUND, &json!("unknown_conversation")), "{id}");
    }
}

#[tokio::test]
async fn an_unknown_format_channel_member_or_option_is_400_with_its_place() {
    let app = TestApp::start();
    for (query, body, code, pointer) in [
        ("?from=nonsense", leave(), "unknown_format", None),
        ("?channel=nonsense", leave(), "unknown_channel", None),
        ("", json!({"answer": leave(), "from": "nonsense"}), "unknown_format", None),
        ("", json!({"answer": leave(), "channel": 5}), "invalid_member", Some("/channel")),
        ("", json!({"answer": leave(), "chanel": "webchat"}), "invalid_member", Some("/chanel")),
        ("", json!({"answer": leave(), "options": {"no_such": 1}}), "invalid_member", Some("/options/no_such")),
    ] {
        let (status, problem) = answer(app.post(&format!("{ACTIVITIES}{query}"), API_KEY).json(&body)).await;
        assert_eq!((status, problem["code"].as_str()), (StatusCode::BAD_REQUEST, Some(code)), "{problem}");
        assert_eq!(problem["pointer"].as_str(), pointer, "{problem}");
    }
}

/// `?form=openai-chat` was once ignored, and the answer read as something else.
#[tokio::test]
async fn an_unknown_query_parameter_is_400_with_the_nearest_name() {
    let app = TestApp::start();
    for (path, told) in [
        ("/v1/activities?form=citewire", "\"form\" is no query parameter of this route; do you mean from?"),
        ("/v1/activities?chanel=teams", "do you mean channel?"),
        ("/v1/records?pretty=1", "\"pretty\" is no query parameter of this route, which has: from"),
        ("/v1/prompt?style=numbered", "\"style\" is no query parameter of this route, which has none"),
        ("/v1/activities?channel=teams&to=slack", "channel and to are two names of one parameter: give one of them"),
    ] {
        let (status, problem) = answer(app.post(path, API_KEY).json(&leave())).await;
        assert_eq!(
            (status, problem["code"].as_str()),
            (StatusCode::BAD_REQUEST, Some("invalid_parameter")),
            "{problem}"
        );
        assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains(told)), "{path}: {problem}");
    }
    let text = async |query: &str| {
        let (status, body) = answer(app.post(&format!("{ACTIVITIES}{query}"), API_KEY).json(&leave())).await;
        assert_eq!(status, StatusCode::OK, "{query}: {body}");
        body["activities"][0]["text"].clone()
    };
    assert_eq!(text("?to=plain").await, text("?channel=plain").await);
    assert_ne!(text("?to=plain").await, text("").await);
}

#[tokio::test]
async fn a_fault_in_an_answer_is_400_with_its_pointer() {
    let app = TestApp::start();
    let wrong = json!({"text": 5});
    for (body, pointer) in [(wrong.clone(), "/text"), (json!({"answer": wrong}), "/answer/text")] {
        let (status, problem) = answer(app.post(ACTIVITIES, API_KEY).json(&body)).await;
        assert_eq!((status, problem["code"].as_str()), (StatusCode::BAD_REQUEST, Some("invalid_answer")), "{problem}");
        assert_eq!(problem["pointer"], pointer, "{problem}");
    }
}

#[tokio::test]
async fn required_grounding_that_is_missing_is_422_and_delivers_nothing() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let body = json!({"answer": {"text": "Believe me."}, "options": {"require_grounding": "any"}});
    for path in [ACTIVITIES.to_owned(), format!("/v1/conversations/{}/answers", conversation.id)] {
        let (status, problem) = answer(app.post(&path, API_KEY).json(&body)).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
        assert!(problem["code"].as_str().is_some_and(|code| code.starts_with("grounding_no_")), "{problem}");
    }
    assert_eq!(app.history(&conversation, "").await["activities"], json!([]));
}

#[tokio::test]
async fn a_problem_has_the_media_type_and_members_of_its_standard() {
    let app = TestApp::start();
    let response = app.post(ACTIVITIES, API_KEY).body("nonsense").send().await.expect("an answer");
    assert_eq!(response.headers()[header::CONTENT_TYPE], "application/problem+json");
    assert!(response.headers().contains_key("x-request-id"));
    let problem: Value = response.json().await.expect("JSON");
    assert_eq!(problem["status"], 400);
    for name in ["title", "detail", "code"] {
        assert!(problem[name].as_str().is_some_and(|text| !text.is_empty()), "{problem}");
    }
}

#[tokio::test]
async fn a_configured_label_is_found_by_the_id_in_the_metadata_of_a_source() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("citewire.toml");
    let label = "[[labels]]\nid = 'f42aa342-8706-4288-bd11-ebb85995028c'\nname = 'Secret'\ncolor = 'red'\n";
    std::fs::write(&file, label).expect("written");
    let sources = ConfigSources {
        file: Some(file),
        environment: [("CITEWIRE_DATA_DIR".to_owned(), folder.path().display().to_string())].into(),
        ..ConfigSources::default()
    };
    let config = Config::load(&sources).expect("a configuration");
    let app = TestApp::with(|setup| setup.http.labels = config.http.labels);
    let mut labelled = leave();
    labelled["sources"][0]["metadata"] = json!({"sensitivityLabelId": "F42AA342-8706-4288-BD11-EBB85995028C"});
    let (_, body) = answer(app.post(ACTIVITIES, API_KEY).json(&json!({"answer": labelled}))).await;
    let message = &body["activities"][0]["entities"][0];
    assert_eq!(message["citation"][0]["appearance"]["usageInfo"]["name"], "Secret", "{body}");
    assert_eq!(message["usageInfo"], json!({"@id": "_:f42aa342-8706-4288-bd11-ebb85995028c"}), "{body}");
}

/// A stream of two sentences, as server-sent events.
const STREAM: &str = "data: {\"sources\":[{\"title\":\"Leave policy\",\"url\":\"https://hr.example/leave\"}]}\n\n\
    data: {\"delta\":\"Leave is 30 da\"}\n\ndata: {\"delta\":\"ys [1]. Ask in writing.\"}\n\ndata: {\"done\":true}\n\n";

#[tokio::test]
async fn a_stream_becomes_updates_and_a_message_for_every_dialect() {
    let app = TestApp::start();
    for channel in ["web-chat", "msteams", "m365-copilot", "sms"] {
        let raw = app.post(&format!("{ACTIVITIES}?from=citewire&channel={channel}"), API_KEY);
        let (status, raw) = answer(raw.header("content-type", "text/event-stream").body(STREAM)).await;
        assert_eq!(status, StatusCode::OK, "{raw}");
        let wrapped = json!({"channel": channel, "answer": STREAM});
        let (_, wrapped) = answer(app.post(ACTIVITIES, API_KEY).json(&wrapped)).await;
        assert_eq!(raw, wrapped);
        let whole = json!({"channel": channel, "answer": {"text": "Leave is 30 days [1]. Ask in writing.",
            "sources": [{"title": "Leave policy", "url": "https://hr.example/leave"}]}});
        let (_, whole) = answer(app.post(ACTIVITIES, API_KEY).json(&whole)).await;
        let (message, updates) = raw["activities"].as_array().and_then(|all| all.split_last()).expect("a message");
        assert_eq!(message["text"], whole["activities"][0]["text"], "{channel}");
        assert_eq!(message["entities"][0], whole["activities"][0]["entities"][0], "{channel}");
        assert!(updates.len() <= 32 && updates.iter().all(|update| update["type"] == "typing"), "{channel}");
        assert_eq!((&raw["report"]["complete"], &raw["report"]["error"]), (&json!(true), &Value::Null));
    }
}

#[tokio::test]
async fn the_caller_says_how_many_updates_come_before_the_message() {
    let app = TestApp::start();
    let late: String = (0..40).map(|n| format!("{{\"delta\":\"[1] Word {n}. \"}}\n")).collect();
    let late = format!("{late}{{\"sources\":[{{}}]}}\n{{\"done\":true}}\n");
    for updates in [0, 1, 5] {
        for channel in ["web-chat", "teams"] {
            let body = json!({"channel": channel, "options": {"updates": updates}, "answer": late});
            let (status, body) = answer(app.post(ACTIVITIES, API_KEY).json(&body)).await;
            assert_eq!(status, StatusCode::OK, "{body}");
            let activities = body["activities"].as_array().expect("activities");
            assert!((1..=updates + 1).contains(&activities.len()), "{body}");
            let message = activities.last().expect("a message");
            let streamed = activities.len() > 1;
            assert_eq!(message["channelData"]["streamType"] == "final", streamed, "{message}");
            if channel == "teams" {
                assert_eq!(streamed, updates > 0, "an answer that is late is announced");
            }
        }
    }
}

#[tokio::test]
async fn a_provider_error_in_a_stream_is_an_answer_that_says_so() {
    let app = TestApp::start();
    let body =
        format!("{}data: {{\"error\":{{\"code\":503}}}}\n\n", &STREAM[..STREAM.find("data: {\"done").expect("an end")]);
    let (status, body) = answer(app.post(ACTIVITIES, API_KEY).body(body)).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!((&body["report"]["complete"], &body["report"]["error"]), (&json!(false), &json!({"code": "503"})));
}

#[tokio::test]
async fn a_fault_in_a_stream_is_refused_with_its_event_and_line() {
    let app = TestApp::start();
    let wrong = "data: {\"delta\":\"a\"}\n\n: ping\n\ndata: {\"delta\":5}\n\n";
    for (request, pointer) in [
        (app.post(ACTIVITIES, API_KEY).body(wrong), ""),
        (app.post(ACTIVITIES, API_KEY).json(&json!({"answer": wrong})), "/answer"),
    ] {
        let (status, problem) = answer(request).await;
        assert_eq!((status, &problem["code"]), (StatusCode::BAD_REQUEST, &json!("invalid_answer")), "{problem}");
        assert_eq!((&problem["event"], &problem["line"], &problem["pointer"]), (&json!(2), &json!(5), &json!(pointer)));
        assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains("/delta")), "{problem}");
    }
    let (status, problem) = answer(app.post(ACTIVITIES, API_KEY).body("data: [DONE]\n\n")).await;
    assert_eq!(
        (status, &problem["code"], problem.get("event")),
        (StatusCode::BAD_REQUEST, &json!("invalid_answer"), None)
    );
}

#[tokio::test]
async fn an_event_that_never_ends_is_413() {
    let app = TestApp::with(|setup| setup.http.max_body_bytes = 64 * 1024 * 1024);
    let body = format!("{STREAM}data: {}", "x".repeat(17 * 1024 * 1024));
    let (status, problem) = answer(app.post(ACTIVITIES, API_KEY).body(body)).await;
    assert_eq!((status, &problem["code"]), (StatusCode::PAYLOAD_TOO_LARGE, &json!("event_too_long")), "{problem}");
    assert_eq!((&problem["event"], &problem["line"]), (&json!(5), &json!(9)));
}

#[tokio::test]
async fn a_streamed_answer_is_delivered_as_one_message() {
    let app = TestApp::start();
    let conversation = app.conversation().await;
    let path = format!("/v1/conversations/{}/answers?channel=webchat", conversation.id);
    let (status, body) =
        answer(app.post(&path, API_KEY).header("content-type", "text/event-stream").body(STREAM)).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let history = app.history(&conversation, "").await;
    let activities = history["activities"].as_array().expect("activities");
    assert_eq!(
        (activities.len(), &activities[0]["type"], activities[0].get("channelData")),
        (1, &json!("message"), None)
    );
}
