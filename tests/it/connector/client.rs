//! Calls: their paths, their repetitions, their limits.

use std::time::Duration;

use citewire::channels::azure_bot::{ConnectorOptions, Refusal, RefusalKind};
use citewire::clock::Clock as _;
use citewire::metrics::Metrics;
use serde_json::{Map, Value, json};

use super::{Flavour, Mishap, Scene};

fn message() -> Map<String, Value> {
    let activity =
        json!({"type": "message", "text": "hi", "conversation": {"id": "a:1", "conversationType": "personal"}});
    activity.as_object().expect("an object").clone()
}

impl Scene {
    async fn reply(&self) -> Result<Option<String>, Refusal> {
        self.client.reply(&self.place(), "q/1", &message()).await
    }

    /// How long was waited for a call to end.
    async fn waited(&self) -> (Result<Option<String>, Refusal>, Duration) {
        let begun = self.clock.now();
        let outcome = self.reply().await;
        (outcome, (self.clock.now() - begun).to_std().expect("time goes on"))
    }
}

#[tokio::test]
async fn point_08_every_call_has_its_path_and_ids_stay_in_their_segment() {
    let mut scene = Scene::new(Flavour::Teams).await;
    let id = scene.reply().await.expect("taken").expect("an id");
    scene.client.send(&scene.place(), &message()).await.expect("taken");
    scene.client.update(&scene.place(), &id, &message()).await.expect("taken");
    scene.conversation = json!({"id": "19:a/../b?c#d%2F@thread.tacv2;messageid=1"});
    scene.client.send(&scene.place(), &message()).await.ok();
    let seen = scene.service.seen();
    let calls: Vec<_> = seen.iter().map(|seen| seen.call.as_str()).collect();
    assert_eq!(
        calls,
        [
            "POST /emea/v3/conversations/a%3A1/activities/q%2F1",
            "POST /emea/v3/conversations/a%3A1/activities",
            "PUT /emea/v3/conversations/a%3A1/activities/1700000000001%7C1",
            "POST /emea/v3/conversations/19%3Aa%2F..%2Fb%3Fc%23d%252F%40thread.tacv2%3Bmessageid%3D1/activities",
        ]
    );
    for odd in [".", "..", ""] {
        let refusal = scene.client.reply(&scene.place(), odd, &message()).await.expect_err("no path");
        assert_eq!(refusal.kind, RefusalKind::Denied, "{odd:?}");
    }
    assert_eq!(scene.service.seen().len(), 4, "nothing else was called");
}

#[tokio::test]
async fn point_09_what_passes_is_called_again_and_everything_else_is_for_good() {
    for (status, calls, kind) in [
        (400, 1, RefusalKind::Malformed),
        (403, 1, RefusalKind::Denied),
        (404, 1, RefusalKind::Denied),
        (405, 1, RefusalKind::Unsupported),
        (409, 1, RefusalKind::Denied),
        (412, 4, RefusalKind::Unavailable),
        (413, 1, RefusalKind::TooLarge),
        (429, 4, RefusalKind::Throttled),
        (500, 2, RefusalKind::Faulty),
        (501, 1, RefusalKind::Unsupported),
        (502, 4, RefusalKind::Unavailable),
        (503, 4, RefusalKind::Unavailable),
        (504, 4, RefusalKind::Unavailable),
    ] {
        let scene = Scene::new(Flavour::Teams).await;
        scene.service.plan(move |_, _| Some((Mishap::status(status), false)));
        let refusal = scene.reply().await.expect_err("refused");
        assert_eq!((refusal.kind, scene.service.seen().len()), (kind, calls), "{status}");
        assert!(refusal.to_string().starts_with(&format!("POST: {status} ServiceError: scripted")), "{refusal}");
        let scene = Scene::new(Flavour::Teams).await;
        scene.service.fail_first(vec![Mishap::status(status)]);
        assert_eq!(scene.reply().await.is_ok(), calls > 1, "{status}");
    }
}

#[tokio::test]
async fn refusals_are_counted_by_kind_and_calls_that_succeed_in_the_end_are_not() {
    let scene = Scene::new(Flavour::Teams).await;
    scene.service.fail_first(vec![Mishap::status(503)]);
    assert!(scene.reply().await.is_ok());
    scene.service.plan(|_, _| Some((Mishap::status(403), false)));
    assert!(scene.reply().await.is_err() && scene.reply().await.is_err());
    let metrics = Metrics::new();
    metrics.watch_channel(scene.client.figures());
    let text = metrics.text();
    let series: Vec<&str> = text.lines().filter(|line| line.starts_with("citewire_channel_refusals_total{")).collect();
    assert_eq!(series, [r#"citewire_channel_refusals_total{channel="connector",reason="denied"} 2"#]);
}

#[tokio::test]
async fn point_09_retry_after_is_honoured_in_seconds_and_as_a_time_and_has_a_limit() {
    for (value, at_least, at_most) in [
        ("7", 7, 8),
        ("Thu, 01 Jan 2026 00:00:11 GMT", 11, 12),
        ("Thu, 01 Jan 2025 00:00:00 GMT", 0, 1),
        ("86400", 30, 31),
        ("soon", 1, 3),
    ] {
        let scene = Scene::new(Flavour::Teams).await;
        scene.service.fail_first(vec![Mishap::With(429, "retry-after", value.to_owned(), String::new())]);
        let (outcome, waited) = scene.waited().await;
        assert!(outcome.is_ok(), "{value}");
        assert!((at_least..=at_most).contains(&waited.as_secs()), "{value}: {waited:?}");
    }
}

#[tokio::test]
async fn point_09_all_repetitions_have_one_limit_of_time() {
    let scene = Scene::new(Flavour::Teams).await;
    scene.service.plan(|_, _| Some((Mishap::With(503, "retry-after", "29".to_owned(), String::new()), false)));
    let (outcome, waited) = scene.waited().await;
    assert_eq!(outcome.expect_err("refused").kind, RefusalKind::Unavailable);
    assert!(waited <= Duration::from_secs(60), "{waited:?}");
    assert_eq!(scene.service.seen().len(), 3);
}

#[tokio::test]
async fn point_09_the_id_of_the_operation_is_kept_for_the_log() {
    let scene = Scene::new(Flavour::Teams).await;
    let body = json!({"error": {"code": "BadSyntax", "message": "No."}}).to_string();
    scene.service.fail_first(vec![Mishap::With(400, "x-correlating-operationid", "op-1".to_owned(), body)]);
    let refusal = scene.reply().await.expect_err("refused");
    assert_eq!(refusal.to_string(), "POST: 400 BadSyntax: No. (operation op-1)");
}

#[tokio::test]
async fn an_update_of_a_stream_is_never_called_again_because_the_next_one_says_more() {
    let scene = Scene::new(Flavour::Teams).await;
    scene.service.plan(|_, _| Some((Mishap::status(503), false)));
    let mut typing = message();
    typing.insert("type".to_owned(), json!("typing"));
    scene.client.send(&scene.place(), &typing).await.expect_err("refused");
    assert_eq!(scene.service.seen().len(), 1);
}

#[tokio::test]
async fn a_call_without_an_answer_is_in_doubt_and_only_what_can_be_done_twice_is_done_again() {
    let options = || ConnectorOptions { call_limit: Duration::from_secs(1), ..ConnectorOptions::default() };
    for mishap in [Mishap::Close, Mishap::Silence, Mishap::Half] {
        let scene = Scene::with(Flavour::Teams, options()).await;
        let id = scene.reply().await.expect("taken").expect("an id");
        let broken = mishap.clone();
        scene.service.plan(move |n, _| (n == 1).then(|| (broken.clone(), true)));
        let refusal = scene.reply().await.expect_err("no answer");
        assert!(refusal.is_doubtful(), "{mishap:?}: {refusal}");
        assert_eq!(scene.service.seen().len(), 2, "{mishap:?}");
        let broken = mishap.clone();
        scene.service.plan(move |n, _| (n == 2).then(|| (broken.clone(), true)));
        scene.client.update(&scene.place(), &id, &message()).await.expect("the second one is answered");
        assert_eq!(scene.service.seen().len(), 4, "{mishap:?}");
    }
}

#[tokio::test]
async fn a_service_that_is_not_there_was_sent_nothing() {
    let scene = Scene::new(Flavour::Teams).await;
    let silent = tokio::net::TcpSocket::new_v4().expect("a socket");
    silent.bind("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let mut place = scene.place();
    let url = format!("http://{}/", silent.local_addr().expect("an address"));
    place.service_url = scene.client.hosts().check(&url).expect("trusted");
    let refusal = scene.client.send(&place, &message()).await.expect_err("nobody is there");
    assert_eq!((refusal.kind, refusal.is_doubtful()), (RefusalKind::Unavailable, false));
}

#[tokio::test]
async fn a_redirect_is_not_followed_with_the_token() {
    let (scene, other) = (Scene::new(Flavour::Teams).await, Scene::new(Flavour::Teams).await);
    let location = format!("{}v3/conversations/a%3A1/activities", other.service.url());
    scene.service.plan(move |_, _| Some((Mishap::With(307, "location", location.clone(), String::new()), false)));
    assert_eq!(scene.reply().await.expect_err("refused").kind, RefusalKind::Denied);
    assert_eq!((scene.service.seen().len(), other.service.seen().len()), (1, 0));
}

#[tokio::test]
async fn a_body_that_is_empty_or_odd_is_an_activity_without_an_id() {
    for (status, body) in [
        (200, Value::Null),
        (202, json!({})),
        (201, json!({"id": ""})),
        (201, json!({"id": 5})),
        (200, json!([])),
        (202, json!("x")),
    ] {
        let scene = Scene::new(Flavour::Teams).await;
        scene.service.fail_first(vec![Mishap::Json(status, body.clone())]);
        assert!(matches!(scene.reply().await, Ok(None)), "{status} {body}");
    }
}
