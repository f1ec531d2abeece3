//! The operator's view of conversations behind Azure Bot Service.

use std::sync::Arc;
use std::time::Duration;

use citewire::activity::Activity;
use citewire::channels::Retention;
use citewire::channels::azure_bot::SubmittedFeedback;
use citewire::clock::Clock;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{CHAT, Scene, leave};
use crate::app::{API_KEY, answer, texts};

impl Scene {
    async fn get(&self, path: &str) -> (StatusCode, Value) {
        answer(self.app.get(path, API_KEY)).await
    }

    /// A user presses a thumb, as Teams or Agents Playground tells of it.
    async fn rates(&self, reaction: &str, form: &str, reply_to_id: Option<&str>) {
        let value = json!({"actionName": "feedback", "actionValue": {"reaction": reaction, "feedback": form}});
        let submitted = SubmittedFeedback::read(&value).expect("feedback");
        let from = json!({"id": "29:ann", "name": "Ann", "aadObjectId": "no guid"});
        assert!(self.records.rated(&self.id, submitted, Some(&from), reply_to_id, None).await.expect("a store"));
    }
}

#[tokio::test]
async fn they_are_listed_and_read_by_both_names() {
    let scene = Scene::teams().await;
    let embedded = scene.app.conversation().await;
    scene.hears("How long is leave?", "1700").await;
    let (_, list) = scene.get("/v1/conversations").await;
    let listed = |id: &str| {
        let all = list["conversations"].as_array().expect("a list");
        all.iter().find(|one| one["id"] == id).cloned().unwrap_or_else(|| panic!("{id} in {list}"))
    };
    let name = scene.reference.name().to_string();
    let one = listed(scene.id.as_str());
    assert_eq!((&one["name"], &one["activities"], &one["user"]["name"]), (&json!(name), &json!(1), &json!("Ann")));
    assert_eq!(listed(&embedded.id)["name"], Value::Null);
    for path in [scene.path(""), format!("/v1/conversations/{}", scene.id)] {
        let (status, history) = scene.get(&path).await;
        assert_eq!(
            (status, &history["name"], texts(&history)),
            (StatusCode::OK, &json!(name), vec!["How long is leave?".to_owned()])
        );
    }
    let exported = scene.app.get(&scene.path("/export"), API_KEY).send().await.expect("an answer");
    let lines = exported.text().await.expect("text");
    let line: Value = serde_json::from_str(lines.trim()).expect("one line");
    assert_eq!((&line["conversation"], &line["activity"]["serviceId"]), (&json!(scene.id), &json!("1700")));
}

#[tokio::test]
async fn feedback_is_listed_with_the_answer_that_it_is_about() {
    let scene = Scene::teams().await;
    let (_, delivered) = scene.deliver(&leave()).await;
    let sent = scene.service.chat(CHAT)[0].id.clone();
    scene.rates("like", r#"{"feedbackText":"Great \u00fc"}"#, Some(&sent)).await;
    scene.app.clock.advance(chrono::Duration::seconds(2));
    scene.rates("dislike", "", None).await;
    let (status, list) = scene.get(&scene.path("/feedback")).await;
    assert_eq!(status, StatusCode::OK, "{list}");
    let from = json!({"id": "29:ann", "name": "Ann", "aadObjectId": "no guid", "role": "user"});
    let first = &list["feedback"][0];
    let expected = json!({"answer": delivered["id"], "reply_to_id": sent, "from": from, "reaction": "like",
        "text": "Great ü", "details": null, "received": first["received"]});
    assert_eq!(first, &expected);
    let second = &list["feedback"][1];
    assert_eq!(
        (&second["answer"], &second["reply_to_id"], &second["text"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert!(first["received"].as_str() < second["received"].as_str(), "{list}");
    assert_eq!((&list["id"], &list["next"]), (&json!(scene.id), &Value::Null));
    assert_eq!(list["feedback"].as_array().map(Vec::len), Some(2));
    let (_, by_id) = scene.get(&format!("/v1/conversations/{}/feedback", scene.id)).await;
    assert_eq!(by_id, list);
    let (_, history) = scene.get(&scene.path("")).await;
    assert_eq!(texts(&history).len(), 1, "feedback is nothing that was said");
}

/// Users can be quicker than a disk.
#[tokio::test]
async fn feedback_that_comes_before_its_answer_is_recorded_is_about_it_all_the_same() {
    let scene = Scene::teams().await;
    scene.rates("like", "", Some("1701")).await;
    let (_, list) = scene.get(&scene.path("/feedback")).await;
    assert_eq!((&list["feedback"][0]["answer"], &list["feedback"][0]["reply_to_id"]), (&Value::Null, &json!("1701")));
    let ids = ["1701".to_owned()];
    let said = scene.records.said(&scene.id, &scene.reference, Activity::message("30 days."), &ids, None, None).await;
    let said = said.expect("a store").expect("known").recorded.remove(0);
    let (_, list) = scene.get(&scene.path("/feedback")).await;
    assert_eq!(list["feedback"][0]["answer"], json!(said.activity.id));
}

#[tokio::test]
async fn feedback_comes_in_pages() {
    let scene = Scene::teams().await;
    for number in 0..5 {
        scene.rates("like", &number.to_string(), None).await;
    }
    let (mut seen, mut query) = (Vec::new(), "?limit=2".to_owned());
    loop {
        let (status, page) = scene.get(&format!("{}{query}", scene.path("/feedback"))).await;
        assert_eq!(status, StatusCode::OK, "{page}");
        let feedback = page["feedback"].as_array().expect("a list");
        assert!(feedback.len() <= 2, "{page}");
        seen.extend(feedback.iter().map(|one| one["details"].clone()));
        let Some(next) = page["next"].as_str() else { break };
        query = format!("?limit=2&after={next}");
    }
    assert_eq!(seen, [0, 1, 2, 3, 4]);
    for query in ["?limit=0", "?limit=1001", "?after=x", "?after=-1"] {
        let (status, problem) = scene.get(&format!("{}{query}", scene.path("/feedback"))).await;
        assert_eq!((status, &problem["code"]), (StatusCode::BAD_REQUEST, &json!("invalid_parameter")), "{query}");
    }
}

#[tokio::test]
async fn feedback_of_a_conversation_that_has_none_is_an_empty_list() {
    let scene = Scene::teams().await;
    let embedded = scene.app.conversation().await.id;
    let (status, list) = scene.get(&format!("/v1/conversations/{embedded}/feedback")).await;
    assert_eq!((status, list), (StatusCode::OK, json!({"id": embedded, "feedback": [], "next": null})));
    let (status, problem) = scene.get("/v1/conversations/msteams%3Ano/feedback").await;
    assert_eq!((status, &problem["code"]), (StatusCode::NOT_FOUND, &json!("unknown_conversation")));
}

#[tokio::test]
async fn deleting_one_takes_everything_and_the_next_word_begins_it_anew() {
    let scene = Scene::teams().await;
    scene.deliver(&leave()).await;
    let sent = scene.service.chat(CHAT)[0].id.clone();
    scene.rates("like", "", Some(&sent)).await;
    let deleted = scene.app.request(Method::DELETE, &scene.path("")).bearer_auth(API_KEY).send().await;
    assert_eq!(deleted.expect("an answer").status(), StatusCode::NO_CONTENT);
    for rest in ["", "/export", "/feedback"] {
        assert_eq!(scene.get(&scene.path(rest)).await.0, StatusCode::NOT_FOUND, "{rest}");
    }
    assert_eq!(scene.deliver(&leave()).await.0, StatusCode::NOT_FOUND);
    scene.records.meet(&scene.reference).await.expect("a store");
    let (_, list) = scene.get(&scene.path("/feedback")).await;
    assert_eq!(list["feedback"], json!([]));
    assert_eq!(scene.deliver(&leave()).await.0, StatusCode::CREATED);
}

#[tokio::test]
async fn they_expire_as_all_others_do_and_feedback_keeps_them() {
    let scene = Scene::teams().await;
    let (store, clock) = (Arc::clone(&scene.app.store), Arc::clone(&scene.app.clock));
    let retention = Retention::new(store, clock as Arc<dyn Clock>, Duration::from_secs(3600));
    scene.app.clock.advance(chrono::Duration::minutes(50));
    scene.rates("like", "", None).await;
    scene.app.clock.advance(chrono::Duration::minutes(50));
    assert_eq!(retention.run_once().await.expect("a store"), 0);
    scene.app.clock.advance(chrono::Duration::minutes(20));
    assert_eq!(retention.run_once().await.expect("a store"), 1);
    assert_eq!(scene.deliver(&leave()).await.0, StatusCode::NOT_FOUND);
}
