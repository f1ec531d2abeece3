use std::sync::Arc;

use citewire::channels::azure_bot::ConnectorRecords;
use citewire::channels::azure_bot::auth::Caller;
use citewire::clock::Clock;
use citewire::store::{ConversationStore, SqliteStore, StoreLimits};
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::{CHAT, Scene, leave, proactive};
use crate::app::{API_KEY, TestApp, answer};
use crate::connector::{Flavour, Service};

#[tokio::test]
async fn an_answer_reaches_teams_by_the_name_of_the_conversation_and_by_its_id() {
    let scene = Scene::teams().await;
    scene.service.guard();
    let by_id = scene.app.post(&format!("/v1/conversations/{}/answers", scene.id), API_KEY);
    for request in [scene.answers(), by_id] {
        let (status, body) = answer(request.json(&leave())).await;
        assert_eq!(status, StatusCode::CREATED, "{body}");
        assert_eq!(body["report"]["cited"].as_array().map(Vec::len), Some(2));
    }
    let chat = scene.service.chat(CHAT);
    assert_eq!(chat.len(), 2);
    assert_eq!((chat[0].text(), chat[0].claims().len()), ("Leave is 30 days [1]. Ask before you go [2].", 2));
    assert_eq!(scene.service.faults(), Vec::<String>::new());
    let seen = scene.service.seen();
    assert_eq!(
        seen[0].call,
        "POST /emea/v3/conversations/19%3Aa%2Fb%3Fc%23d%252F%40thread.tacv2%3Bmessageid%3D1/activities"
    );
    let sent = &seen[0].body;
    assert_eq!((&sent["from"]["id"], &sent["recipient"]["id"]), (&json!("28:bot"), &json!("29:ann")));
    assert_eq!((&sent["conversation"]["tenantId"], &sent["locale"]), (&json!("t"), &json!("en-US")));
    assert_eq!((sent.get("replyToId"), sent.get("timestamp")), (None, None));
    let asked = scene.service.asked();
    assert_eq!(asked.len(), 1, "one token does for both");
    assert!(asked[0].contains("scope=https%3A%2F%2Fapi.botframework.com%2F.default"), "{}", asked[0]);
}

#[tokio::test]
async fn what_was_sent_is_recorded_with_both_ids_and_who_said_it() {
    let scene = Scene::teams().await;
    scene.hears("How long is leave?", "1700").await;
    let (_, body) = scene.deliver(&leave()).await;
    let recorded = scene.recorded().await;
    let of = |one: &Value| [&one["from"]["role"], &one["from"]["id"], &one["serviceId"]].map(Value::clone);
    assert_eq!(recorded.len(), 2);
    assert_eq!(of(&recorded[0]), [json!("user"), json!("29:ann"), json!("1700")]);
    let sent = &scene.service.chat(CHAT)[0];
    assert_eq!(of(&recorded[1]), [json!("bot"), json!("28:bot"), json!(sent.id)]);
    assert_eq!((&recorded[1]["id"], &recorded[1]["text"]), (&body["id"], &json!(sent.text())));
    assert_eq!(recorded[1]["id"], format!("{}|0000001", scene.id));
    assert_eq!(recorded[1]["channelId"], "msteams");
}

#[tokio::test]
async fn an_answer_is_written_for_the_channel_of_its_conversation_whatever_else_is_asked_for() {
    let definitions = "[1]: https://hr.example/leave";
    for (flavour, channel, copilot, defined) in [
        (Flavour::Teams, "msteams", false, false),
        (Flavour::Copilot, "msteams", true, false),
        (Flavour::WebChat, "webchat", false, true),
        (Flavour::WebChat, "something", false, true),
    ] {
        let scene = Scene::of(flavour, |reference| {
            reference.channel_id = channel.to_owned();
            reference.copilot = copilot;
        });
        let scene = scene.await;
        let wish = json!({"answer": leave(), "channel": if defined { "teams" } else { "web-chat" }, "options": {"feedback": true}});
        let (status, body) = scene.deliver(&wish).await;
        assert_eq!(status, StatusCode::CREATED, "{body}");
        let sent = &scene.service.chat(CHAT)[0];
        assert_eq!(sent.text().contains(definitions), defined, "{channel}: {}", sent.text());
        assert_eq!(sent.claims().len(), 2);
        let asks = sent.activity["channelData"].get("feedbackLoop").is_some();
        assert_eq!(asks, channel == "msteams" && !copilot, "{channel} {copilot}");
    }
}

#[tokio::test]
async fn another_agent_gets_the_sources_in_the_text_and_is_answered_with_a_token_for_it() {
    let app_id = "7d0ac3e4-2b5c-4f0f-9d34-0d3f3ab1c8a1";
    let agent = Caller::Agent { app_id: app_id.to_owned() };
    let scene = Scene::of(Flavour::WebChat, |reference| reference.caller = agent).await;
    assert_eq!(scene.reference.name().to_string(), format!("agent:{app_id}:{CHAT}"));
    let (status, body) = scene.deliver(&leave()).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let text = scene.service.chat(CHAT)[0].text().to_owned();
    assert!(text.contains("https://hr.example/leave"), "{text}");
    let asked = scene.service.asked();
    assert!(asked[0].contains(&format!("scope={app_id}%2F.default")), "{}", asked[0]);
}

#[tokio::test]
async fn a_repeated_key_sends_nothing_twice_even_at_the_same_time() {
    let scene = Scene::teams().await;
    let request = || answer(scene.answers().header("idempotency-key", "k1").json(&leave()));
    let (one, other) = tokio::join!(request(), request());
    let later = request().await;
    for (status, body) in [&one, &other, &later] {
        assert_eq!((*status, &body["id"]), (StatusCode::CREATED, &one.1["id"]), "{body}");
    }
    assert_eq!((scene.service.seen().len(), scene.recorded().await.len()), (1, 1));
    // The key is the caller's and no id of the service.
    let id = scene.service.chat(CHAT)[0].id.clone();
    let (_, body) = answer(scene.answers().header("idempotency-key", id).json(&leave())).await;
    assert_ne!(body["id"], one.1["id"]);
}

#[tokio::test]
async fn an_answer_goes_where_the_conversation_is_by_then() {
    let scene = Scene::teams().await;
    let elsewhere = Service::start(Flavour::Teams, Arc::clone(&scene.app.clock)).await;
    let mut moved = scene.reference.clone();
    moved.service_url = Some(elsewhere.url());
    scene.records.meet(&moved).await.expect("a store");
    let (status, body) = scene.deliver(&leave()).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    assert_eq!((scene.service.seen().len(), elsewhere.chat(CHAT).len()), (0, 1));
}

#[tokio::test]
async fn a_conversation_is_still_known_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = Scene::teams().await;
    let clock = Arc::clone(&scene.app.clock);
    let open = async || {
        let path = folder.path().join("citewire.db");
        let clock = Arc::clone(&clock) as Arc<dyn Clock>;
        let store = SqliteStore::open(&path, StoreLimits::on_disk(), clock).await.expect("a store");
        Arc::new(store) as Arc<dyn ConversationStore>
    };
    let store = open().await;
    let records = ConnectorRecords::new(Arc::clone(&store));
    records.meet(&scene.reference).await.expect("a store");
    store.close().await.expect("closed");
    let store = open().await;
    let answers = proactive(&scene.service, Arc::clone(&store), Arc::clone(&clock));
    let app = TestApp::going_on(Arc::clone(&store), Arc::clone(&clock), |setup| setup.proactive = Some(answers));
    let (status, body) = answer(app.post(&scene.path("/answers"), API_KEY).json(&leave())).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    assert_eq!(scene.service.chat(CHAT).len(), 1);
    app.ended().await;
    store.close().await.expect("closed");
}
