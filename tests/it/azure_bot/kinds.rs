//! The reaction of the bot to each type of activity.

use citewire::channels::azure_bot::PublicName;
use citewire::channels::azure_bot::auth::Caller;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::scene::{FAILURE, GREETING, GROUP, Scene};
use crate::app::{API_KEY, answer};
use crate::connector::Flavour;
use crate::connector_auth::scene::AGENT;

fn people(ids: &[&str]) -> Value {
    ids.iter().map(|id| json!({"id": id})).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn whoever_comes_is_greeted_once_however_often_that_is_said() {
    let scene = Scene::new().await;
    for (kind, members) in [
        ("conversationUpdate", json!({"id": "1", "membersAdded": people(&["28:bot"])})),
        ("installationUpdate", json!({"id": "2", "action": "remove"})),
        ("installationUpdate", json!({"id": "3", "action": "add"})),
        ("conversationUpdate", json!({"id": "4", "membersAdded": people(&["29:ann", "28:bot"])})),
        ("conversationUpdate", json!({"id": "5", "membersAdded": people(&["29:bob"])})),
        ("conversationUpdate", json!({"id": "6", "membersRemoved": people(&["29:bob"])})),
    ] {
        scene.hand_in(&scene.activity(kind, &members)).await;
    }
    scene.hand_in(&scene.message("7", "hi")).await;
    scene.answer_next("Hello.").await;
    assert_eq!(scene.texts_after(2, GROUP).await, [GREETING, "Hello."]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_asks_nothing_is_taken_and_nothing_comes_of_it() {
    let scene = Scene::new().await;
    let of_a_card = json!({"id": "4", "value": {"choice": 1}});
    let echo = json!({"id": "5", "text": "hi", "from": {"id": "28:bot"}});
    for (kind, members) in [
        ("typing", json!({"id": "1"})),
        ("messageReaction", json!({"id": "2", "reactionsAdded": [{"type": "like"}]})),
        ("messageUpdate", json!({"id": "3", "text": "hi again"})),
        ("message", of_a_card),
        ("message", echo),
        ("event", json!({"id": "6", "name": "application/vnd.microsoft.meetingStart"})),
        ("somethingNobodyKnows", json!({"text": "hi"})),
        ("message", json!({"text": null})),
    ] {
        scene.hand_in(&scene.activity(kind, &members)).await;
    }
    scene.hand_in(&scene.message("7", "hi")).await;
    scene.answer_next("Hello.").await;
    assert_eq!(scene.texts_after(1, GROUP).await, ["Hello."]);
    assert!(scene.backend.is_idle().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_file_without_words_gets_a_friendly_line() {
    let scene = Scene::new().await;
    let file = json!({"id": "1", "text": "", "attachments": [{"contentType": "image/png", "contentUrl": "https://x"}]});
    scene.hand_in(&scene.activity("message", &file)).await;
    assert_eq!(scene.texts_after(1, GROUP).await, ["I can only read words. Please write your question."]);
    assert!(scene.backend.is_idle().await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_back_end_reads_what_the_user_has_written_and_what_was_said_before() {
    let scene = Scene::new().await;
    let bot = json!({"type": "mention", "mentioned": {"id": "28:bot", "name": "HR"}, "text": "<at>HR</at>"});
    let members = json!({"id": "1", "text": "<at>HR</at>&nbsp;is 20 &lt; 30?\n", "entities": [{"type": "clientInfo"}, bot],
        "attachments": [{"contentType": "text/html", "content": "<div>x</div>"}]});
    scene.hand_in(&scene.activity("message", &members)).await;
    let asked = scene.backend.asked().await;
    assert_eq!(asked.turns(), ["user: is 20 < 30?"]);
    let body = asked.begin();
    body.event(&json!({"sources": [{"title": "Sums", "url": "https://sums.example/"}]}));
    body.event(&json!({"delta": "It is [1]."}));
    body.done();
    scene.service.called(1).await;
    scene.hand_in(&scene.message("2", "Why?")).await;
    let turns = scene.backend.asked().await.turns();
    assert_eq!(
        turns,
        ["user: is 20 < 30?", "assistant: it is.", "user: why?"],
        "the numbers of an answer mean nothing later"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_answer_says_whom_it_answers_and_carries_its_claims() {
    let scene = Scene::new().await;
    scene.hand_in(&scene.message("1:q", "How long is leave?")).await;
    scene.answer_next("Leave is 30 days [1].").await;
    scene.service.called(1).await;
    let seen = scene.service.seen().remove(0);
    assert_eq!(seen.call, "POST /emea/v3/conversations/19%3Agroup%40thread.v2/activities/1%3Aq");
    let sent = &seen.body;
    let told = [&sent["from"]["id"], &sent["recipient"]["id"], &sent["replyToId"], &sent["channelId"], &sent["locale"]];
    assert_eq!(told, [&json!("28:bot"), &json!("29:ann"), &json!("1:q"), &json!("msteams"), &json!("en-US")]);
    assert_eq!(sent["conversation"]["tenantId"], "no guid");
    let bubble = scene.chat(GROUP).remove(0);
    assert_eq!((bubble.text(), bubble.claims().len()), ("Leave is 30 days [1].", 1));
    assert_eq!(bubble.claims()[0]["appearance"]["url"], "https://hr.contoso.example/book");
    assert_eq!(scene.service.faults(), Vec::<String>::new());
}

/// Teams may deliver it twice, and to two nodes.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_thumb_is_kept_with_the_answer_that_it_is_about() {
    let scene = Scene::together().await;
    scene.hand_in(&scene.message("1", "How long is leave?")).await;
    scene.answer_next("30 days [1].").await;
    scene.recorded(2).await;
    let told = scene.chat(GROUP).remove(0);
    let value = json!({"actionName": "feedback", "actionValue": {"reaction": "like", "feedback": "{\"feedbackText\":\"Thanks\"}"}});
    let pressed = json!({"id": "2", "name": "message/submitAction", "value": value, "replyToId": told.id});
    let invoke = scene.activity("invoke", &pressed);
    assert_eq!(scene.post(&invoke).await, (StatusCode::OK, json!({})));
    assert_eq!(scene.post(&invoke).await, (StatusCode::OK, json!({})), "it may come twice");
    let name = "msteams%3A19%3Agroup%40thread.v2";
    let kept = answer(scene.app.get(&format!("/v1/conversations/{name}/feedback"), API_KEY)).await;
    let kept = kept.1["feedback"].as_array().expect("feedback").clone();
    assert_eq!(kept.len(), 1, "{kept:?}");
    let said = [&kept[0]["reaction"], &kept[0]["text"], &kept[0]["from"]["id"], &kept[0]["reply_to_id"]];
    assert_eq!(said, [&json!("like"), &json!("Thanks"), &json!("29:ann"), &json!(told.id)]);
    // The answer is the second thing that was said.
    assert!(kept[0]["answer"].as_str().is_some_and(|id| id.ends_with("|0000001")), "{}", kept[0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_nobody_knows_to_do_is_not_implemented() {
    let scene = Scene::new().await;
    let other = json!({"actionName": "other", "actionValue": {}});
    for members in [
        json!({"id": "1", "name": "task/fetch"}),
        json!({"id": "2", "name": "signin/verifyState", "value": {}}),
        json!({"id": "3"}),
        json!({"id": "4", "name": "message/submitAction", "value": other}),
    ] {
        let (status, body) = scene.post(&scene.activity("invoke", &members)).await;
        assert_eq!((status, &body["error"]["code"]), (StatusCode::NOT_IMPLEMENTED, &json!("NotImplemented")), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_conversation_that_has_ended_waits_for_nothing_more() {
    let scene = Scene::new().await;
    scene.hand_in(&scene.message("1", "first")).await;
    let asked = scene.backend.asked().await;
    scene.hand_in(&scene.message("2", "second")).await;
    scene.hand_in(&scene.activity("endOfConversation", &json!({"id": "3", "code": "userCancelled"}))).await;
    asked.begin().abandoned().await;
    let mut elsewhere = scene.message("4", "elsewhere");
    elsewhere["conversation"]["id"] = json!("19:other@thread.v2");
    scene.hand_in(&elsewhere).await;
    let next = scene.backend.asked().await;
    assert_eq!(next.turns(), ["user: elsewhere"], "the second question was let go of");
    next.begin().done();
    scene.service.called(1).await;
    assert_eq!(scene.chat(GROUP).len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_agent_gets_its_answer_with_the_sources_in_the_text_and_then_its_user_back() {
    let scene = Scene::guarded().await;
    let mut question = scene.message("1", "How long is leave?");
    question["recipient"]["role"] = json!("skill");
    let (status, _) = scene.post_as(&scene.agent_token(), &question).await;
    assert_eq!(status, StatusCode::ACCEPTED);
    scene.answer_next("30 days [1].").await;
    scene.service.called(2).await;
    let seen = scene.service.seen();
    let text = seen[0].body["text"].as_str().expect("text");
    assert!(text.starts_with("30 days [1].") && text.contains("https://hr.contoso.example/book"), "{text}");
    assert_eq!(
        (&seen[1].body["type"], &seen[1].body["code"]),
        (&json!("endOfConversation"), &json!("completedSuccessfully"))
    );
    assert_eq!((&seen[1].body["conversation"]["id"], &seen[1].body["from"]["id"]), (&json!(GROUP), &json!("28:bot")));
    // The public name has the agent in it, since ids of conversations are the agent's own.
    let agent = Caller::Agent { app_id: AGENT.to_string() };
    let name = PublicName::new(&agent, "msteams", GROUP);
    assert!(scene.app.store.find(&name.id()).await.expect("a store").is_some());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_agent_whose_question_fails_is_told_so_and_gets_its_user_back() {
    let scene = Scene::guarded().await;
    scene.post_as(&scene.agent_token(), &scene.message("1", "How long is leave?")).await;
    scene.backend.asked().await.begin().done();
    scene.service.called(2).await;
    let seen = scene.service.seen();
    assert_eq!((&seen[0].body["text"], &seen[1].body["code"]), (&json!(FAILURE), &json!("unknown")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn in_copilot_an_answer_has_the_form_that_copilot_takes() {
    let scene = Scene::with(Flavour::Copilot, |setup| setup.assistant.convert.feedback = true).await;
    let mut question = scene.message("1", "How long is leave?");
    question["entities"] = json!([{"type": "ProductInfo", "id": "COPILOT"}]);
    question["conversation"] = json!({"id": "a:1", "conversationType": "personal"});
    scene.hand_in(&question).await;
    scene.answer_next("30 days [1].").await;
    scene.service.ended("a:1", 1).await;
    let bubble = scene.chat("a:1").remove(0);
    assert_eq!((bubble.text(), bubble.claims().len()), ("30 days [1].", 1));
    assert_eq!(bubble.claims()[0]["appearance"].get("image"), None);
    assert_eq!(bubble.activity["channelData"].get("feedbackLoop"), None, "feedback would go nowhere");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn every_activity_tells_where_an_answer_can_go_later() {
    let scene = Scene::new().await;
    scene.hand_in(&scene.activity("installationUpdate", &json!({"id": "1", "action": "add"}))).await;
    scene.service.called(1).await;
    let path = "/v1/conversations/msteams%3A19%3Agroup%40thread.v2/answers";
    let late = json!({"text": "News [1].", "sources": [{"title": "Intranet", "url": "https://news.example/"}]});
    let (status, body) = answer(scene.app.post(path, API_KEY).json(&late)).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    assert_eq!(scene.texts_after(2, GROUP).await, [GREETING, "News [1]."]);
    let seen = scene.service.seen().remove(1);
    assert_eq!(seen.call, "POST /emea/v3/conversations/19%3Agroup%40thread.v2/activities", "it answers nothing");
}

/// The part of the channel behind its colon went out with what came later, and not with what came at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn in_copilot_an_answer_that_comes_later_goes_the_way_of_one_that_was_asked_for() {
    let scene = Scene::with(Flavour::Copilot, |_| {}).await;
    let mut question = scene.message("1", "How long is leave?");
    question["channelId"] = json!("msteams:COPILOT");
    question["conversation"] = json!({"id": "a:1", "conversationType": "personal"});
    scene.hand_in(&question).await;
    scene.answer_next("30 days [1].").await;
    scene.service.ended("a:1", 1).await;
    let late = json!({"text": "News.", "sources": []});
    let (status, body) = answer(scene.app.post("/v1/conversations/msteams%3Aa%3A1/answers", API_KEY).json(&late)).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    let channels = scene.service.seen().into_iter().map(|seen| seen.body["channelId"].clone()).collect::<Vec<_>>();
    assert_eq!(channels, ["msteams", "msteams", "msteams"]);
    assert_eq!(scene.service.faults(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn answers_and_what_waits_are_in_the_figures() {
    let scene = Scene::alone().await;
    scene.hand_in(&scene.message("1", "hi")).await;
    scene.answer_next("Hello.").await;
    // The second question is asked when the first is done with.
    scene.hand_in(&scene.message("2", "hi")).await;
    scene.answer_next("Hello again.").await;
    let figures = scene.app.request(Method::GET, "/metrics").send().await.expect("an answer");
    let figures = figures.text().await.expect("text");
    assert!(figures.contains(r#"citewire_conversions_total{format="citewire",outcome="converted"} "#), "{figures}");
    assert!(figures.contains(r#"citewire_queue_entries{queue="azure_bot"} 0"#), "{figures}");
    assert!(figures.contains(r#"citewire_backend_calls_total{assistant="hr",kind="other",outcome="answered"}"#));
}
