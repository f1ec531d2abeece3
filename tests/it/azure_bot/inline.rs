//! Answers in the body of the response: `expectReplies` and `stream`. Nothing of them goes through the Connector
//! (rule EP-11).

use std::time::Duration;

use citewire::assistant::{AssistantRegistry, LinkMode};
use futures_util::StreamExt as _;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::scene::{FAILURE, GREETING, GROUP, Scene};
use crate::connector::Flavour;

/// Words of the operator, who was not heard while the bot had words of its own for this.
const BUSY: &str = "Everyone is asking. Come back after lunch.";

pub(super) fn with_mode(mut activity: Value, mode: &str) -> Value {
    activity["deliveryMode"] = json!(mode);
    activity
}

/// `type` and `text` or `code` of activities.
fn told(activities: &[Value]) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let words =
        |activity: &Value| if activity["text"].is_string() { text(&activity["text"]) } else { text(&activity["code"]) };
    activities.iter().map(|activity| (text(&activity["type"]), words(activity))).collect()
}

fn pair(kind: &str, words: &str) -> (String, String) {
    (kind.to_owned(), words.to_owned())
}

/// The events of a body: names and data.
fn events(body: &str) -> Vec<(String, Value)> {
    assert!(body.is_empty() || body.ends_with("\r\n\r\n"), "{body:?}");
    body.split("\r\n\r\n")
        .filter(|event| !event.is_empty())
        .map(|event| {
            let lines: Vec<&str> = event.split("\r\n").collect();
            assert_eq!(lines.len(), 2, "{event:?}");
            assert!(!event.replace("\r\n", "").contains(['\r', '\n']), "{event:?}");
            let name = lines[0].strip_prefix("event: ").expect("a name").to_owned();
            let data = lines[1].strip_prefix("data: ").expect("data");
            (name, serde_json::from_str(data).expect("JSON on one line"))
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn who_expects_replies_gets_them_in_the_response_and_the_connector_hears_nothing() {
    let scene = Scene::new().await;
    let question = with_mode(scene.message("1", "How long is leave?"), "expectReplies");
    let (replied, ()) = tokio::join!(scene.post(&question), scene.answer_next("30 days [1]."));
    let (status, body) = replied;
    assert_eq!(status, StatusCode::OK, "{body}");
    let activities = body["activities"].as_array().expect("activities");
    assert_eq!(told(activities), [pair("message", "30 days [1].")]);
    let reply = &activities[0];
    assert_eq!(
        (reply.get("id"), &reply["replyToId"], &reply["recipient"]["id"]),
        (None, &json!("1"), &json!("29:ann"))
    );
    assert!(reply["entities"][0]["citation"][0]["appearance"]["url"].is_string(), "{reply}");
    assert_eq!((scene.service.seen().len(), scene.service.asked().len()), (0, 0));
    // A repeated activity gets an empty response.
    assert_eq!(scene.post(&question).await, (StatusCode::OK, json!({"activities": []})));
}

/// Users behind Azure have no token of ours, and an address for the readers of a conversation here means nothing there.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn behind_azure_a_document_that_needs_a_credential_is_cited_with_its_passage() {
    let scene = Scene::new().await;
    let folder = crate::documents::folder(&[("leave.md", "# Leave\n\nAnnual leave is 30 days.\n")]);
    let library = crate::documents::library(&folder).await;
    for (mode, has_address) in [(LinkMode::Authenticated, false), (LinkMode::Public, true)] {
        let assistant = crate::documents::readers::linked("hr", mode, &library);
        scene.assistants.replace(AssistantRegistry::new([assistant], Some("hr".to_owned())));
        let question = scene.message(if has_address { "2" } else { "1" }, "How long is annual leave?");
        let (status, body) = scene.post(&with_mode(question, "expectReplies")).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        let appearance = &body["activities"][0]["entities"][0]["citation"][0]["appearance"];
        assert_eq!(appearance["name"], "Leave", "{body}");
        assert_eq!(appearance.get("url").is_some(), has_address, "{body}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn every_type_of_activity_is_answered_inline_when_replies_are_expected() {
    let scene = Scene::new().await;
    let came = with_mode(scene.activity("installationUpdate", &json!({"id": "1", "action": "add"})), "expectReplies");
    let (_, body) = scene.post(&came).await;
    assert_eq!(told(body["activities"].as_array().expect("activities")), [pair("message", GREETING)]);
    for kind in ["typing", "endOfConversation", "event"] {
        let nothing = with_mode(scene.activity(kind, &json!({"id": kind})), "expectReplies");
        assert_eq!(scene.post(&nothing).await, (StatusCode::OK, json!({"activities": []})), "{kind}");
    }
    let value = json!({"actionName": "feedback", "actionValue": {"reaction": "like", "feedback": ""}});
    let pressed = scene.activity("invoke", &json!({"id": "9", "name": "message/submitAction", "value": value}));
    let outcome = scene.post(&with_mode(pressed.clone(), "expectReplies")).await;
    assert_eq!(outcome, (StatusCode::OK, json!({"activities": [], "body": {}})));
    let body = scene.request().json(&with_mode(pressed, "stream")).send().await.expect("an answer").text().await;
    assert_eq!(events(&body.expect("text")), [("invokeResponse".to_owned(), json!({"status": 200, "body": {}}))]);
    assert_eq!(scene.service.seen().len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_service_need_not_be_named_where_nothing_goes_to_it_and_must_be_trusted_where_it_is() {
    let scene = Scene::new().await;
    let mut question = with_mode(scene.message("1", "hi"), "expectReplies");
    question["serviceUrl"] = json!("https://evil.test/");
    assert_eq!(scene.post(&question).await.0, StatusCode::BAD_REQUEST);
    question.as_object_mut().expect("an object").remove("serviceUrl");
    let (replied, ()) = tokio::join!(scene.post(&question), scene.answer_next("Hello."));
    assert_eq!(told(replied.1["activities"].as_array().expect("activities")), [pair("message", "Hello.")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn when_the_time_is_over_there_is_as_much_of_the_answer_as_there_is() {
    // Time enough for a busy machine to ask the back end.
    let scene = Scene::with(Flavour::Teams, |setup| setup.options.reply_within = Duration::from_secs(3)).await;
    let question = with_mode(scene.message("1", "hi"), "expectReplies");
    let half = async {
        let body = scene.backend.asked().await.begin();
        body.event(&json!({"delta": "Thirty"}));
        body.abandoned().await;
    };
    let (replied, ()) = tokio::join!(scene.post(&question), half);
    let activities = replied.1["activities"].as_array().expect("activities").clone();
    let broke_off = "The answer above is incomplete: it broke off while it was being written.";
    assert_eq!(told(&activities), [pair("message", "Thirty"), pair("message", broke_off)]);
    let second = with_mode(scene.message("2", "hi"), "expectReplies");
    let (replied, asked) = tokio::join!(scene.post(&second), scene.backend.asked());
    assert_eq!(told(replied.1["activities"].as_array().expect("activities")), [pair("message", FAILURE)]);
    drop(asked);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn who_waits_behind_others_is_told_in_time_and_not_answered_later() {
    let scene = Scene::with(Flavour::Teams, |setup| {
        setup.options.reply_within = Duration::from_millis(200);
        BUSY.clone_into(&mut setup.assistant.busy);
    })
    .await;
    scene.hand_in(&scene.message("1", "first")).await;
    let first = scene.backend.asked().await;
    let (status, body) = scene.post(&with_mode(scene.message("2", "second"), "expectReplies")).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(told(body["activities"].as_array().expect("activities")), [pair("message", BUSY)]);
    first.begin().done();
    scene.service.called(1).await;
    scene.hand_in(&scene.message("3", "third")).await;
    let asked = scene.backend.asked().await;
    assert_eq!(asked.turns().last().map(String::as_str), Some("user: third"));
    drop(asked);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_sender_who_went_away_without_its_answer_can_ask_again() {
    let scene = Scene::new().await;
    let question = with_mode(scene.message("1", "hi"), "expectReplies");
    let sent = scene.request().json(&question).send();
    let asked = tokio::select! {
        replied = sent => panic!("{replied:?}"),
        asked = scene.backend.asked() => asked,
    };
    asked.begin().abandoned().await;
    let (replied, ()) = tokio::join!(scene.post(&question), scene.answer_next("Hello."));
    assert_eq!(told(replied.1["activities"].as_array().expect("activities")), [pair("message", "Hello.")]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_agent_that_expects_replies_gets_its_user_back_with_them() {
    let scene = Scene::guarded().await;
    let question = with_mode(scene.message("1", "How long is leave?"), "expectReplies");
    let token = scene.agent_token();
    let (replied, ()) = tokio::join!(scene.post_as(&token, &question), scene.answer_next("30 days [1]."));
    let activities = replied.1["activities"].as_array().expect("activities").clone();
    assert_eq!(told(&activities)[1], pair("endOfConversation", "completedSuccessfully"));
    assert!(activities[0]["text"].as_str().is_some_and(|text| text.contains("https://hr.contoso.example/book")));
    assert_eq!(scene.service.seen().len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_stream_comes_as_events_while_the_answer_is_written() {
    let scene = Scene::guarded().await;
    let mut question = with_mode(scene.message("1", "How long is leave?"), "stream");
    question["channelId"] = json!("webchat");
    let request = scene.request().header("authorization", scene.agent_token()).json(&question);
    let response = request.send().await.expect("an answer");
    let content_type = response.headers()["content-type"].to_str().expect("text").to_owned();
    assert!(content_type.starts_with("text/event-stream"), "{content_type}");
    let body = scene.backend.asked().await.begin();
    body.event(&json!({"sources": [{"title": "Line\r\nend", "url": "https://hr.contoso.example/book"}]}));
    body.event(&json!({"delta": "30 days"}));
    let mut read = response.bytes_stream();
    let mut text = String::new();
    // The beginning is there before the end is written.
    while !text.contains("30 days") {
        text.push_str(std::str::from_utf8(&read.next().await.expect("more").expect("bytes")).expect("UTF-8"));
    }
    body.event(&json!({"delta": " [1].\n\nAsk\u{2028} first."}));
    body.done();
    while let Some(bytes) = read.next().await {
        text.push_str(std::str::from_utf8(&bytes.expect("bytes")).expect("UTF-8"));
    }
    let events = events(&text);
    assert!(events.iter().all(|(name, _)| name == "activity"));
    let kinds: Vec<&str> = events.iter().map(|(_, data)| data["type"].as_str().expect("a type")).collect();
    let (last, before) = kinds.split_last().expect("events");
    assert_eq!((*last, before.last(), before[0]), ("endOfConversation", Some(&"message"), "typing"));
    let stream = &events[0].1["entities"][0]["streamId"];
    let end = &events[events.len() - 2].1;
    assert_eq!((&end["channelData"]["streamType"], &end["channelData"]["streamId"]), (&json!("final"), stream));
    assert!(end["text"].as_str().is_some_and(|text| text.starts_with("30 days [1].\n\nAsk\u{2028} first.")), "{end}");
    assert_eq!(scene.service.seen().len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_reader_who_closes_the_stream_ends_the_turn() {
    let scene = Scene::new().await;
    let question = with_mode(scene.message("1", "hi"), "stream");
    let response = scene.request().json(&question).send().await.expect("an answer");
    let body = scene.backend.asked().await.begin();
    drop(response);
    body.abandoned().await;
    scene.hand_in(&scene.message("2", "hi")).await;
    scene.answer_next("Hello.").await;
    assert_eq!(scene.texts_after(1, GROUP).await, ["Hello."], "the line goes on");
}
