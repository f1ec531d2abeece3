//! Answers that are handed over in place of being sent, and what happens at the edges.

use std::sync::{Arc, Mutex};

use citewire::channels::azure_bot::{
    ActivitySink as _, Collected, ConnectorAnswer, ConnectorTexts, Ended, EventSink, RefusalKind,
};
use citewire::clock::CountingIds;
use citewire::convert::{Conversion, convert};
use citewire::dialect::{Dialect, Pacing};
use serde_json::{Value, json};

use super::{APOLOGY, Flavour, Mishap, Scene, TEXT, pieces, read, sources, told};

#[tokio::test]
async fn point_11_an_answer_to_expect_replies_is_one_message_in_the_body_and_calls_nobody() {
    let scene = Scene::new(Flavour::Teams).await;
    let kept = Collected::new(scene.place().address);
    let mut answer = ConnectorAnswer::begin(Box::new(kept.clone()), Dialect::Teams, Pacing::TEAMS, scene.eager());
    answer.inform("Looking it up …").await;
    let followed = answer.follow(scene.conversion(), read(pieces(told()))).await.expect("an answer");
    assert_eq!(followed.answered.ended, Ended::Whole);
    let activities = kept.take();
    assert_eq!(activities.len(), 1);
    assert_eq!((activities[0]["text"].as_str(), activities[0].get("channelData")), (Some(TEXT), None));
    assert_eq!(activities[0]["entities"][0]["citation"].as_array().map(Vec::len), Some(2));
    assert_eq!((scene.service.seen().len(), scene.service.asked().len()), (0, 0));
}

#[tokio::test]
async fn point_11_an_answer_as_events_is_streamed_under_a_name_of_ours_and_calls_nobody() {
    let scene = Scene::new(Flavour::Teams).await;
    let (sink, mut body) = EventSink::new(scene.place().address, Arc::new(CountingIds::default()));
    assert!(sink.can_stream());
    let mut answer = ConnectorAnswer::begin(Box::new(sink), Dialect::Teams, Pacing::EVENTS, scene.eager());
    answer.inform("Looking it up …").await;
    answer.follow(scene.conversion(), read(pieces(told()))).await.expect("an answer");
    let mut events = Vec::new();
    while let Some(event) = body.recv().await {
        let event = String::from_utf8(event.to_vec()).expect("text");
        let data = event.strip_prefix("event: activity\r\ndata: ").expect("an activity").trim_end().to_owned();
        events.push(serde_json::from_str::<Value>(&data).expect("JSON"));
    }
    assert_eq!(events.len(), 6);
    let name = events[0]["channelData"]["streamId"].clone();
    assert!(name.is_string() && events.iter().all(|event| event["channelData"]["streamId"] == name));
    assert_eq!((&events[5]["type"], &events[5]["text"]), (&json!("message"), &json!(TEXT)));
    assert_eq!((scene.service.seen().len(), scene.service.asked().len()), (0, 0));
}

#[tokio::test]
async fn a_whole_answer_is_one_message() {
    let scene = Scene::new(Flavour::Teams).await;
    let body = json!({"text": TEXT, "sources": sources(2)}).to_string();
    let converted = convert(body.as_bytes(), &scene.conversion()).expect("an activity");
    let answered = scene.answer().whole(converted).await.expect("taken");
    let chat = scene.chat();
    assert_eq!((chat.len(), chat[0].text(), answered.ids), (1, TEXT, vec![chat[0].id.clone()]));
}

#[tokio::test]
async fn a_whole_answer_ends_the_stream_that_was_begun_for_it() {
    let scene = Scene::new(Flavour::Teams).await;
    let body = json!({"text": TEXT, "sources": sources(2)}).to_string();
    let converted = convert(body.as_bytes(), &scene.conversion()).expect("an activity");
    let mut answer = scene.answer();
    answer.inform("Looking it up …").await;
    answer.whole(converted).await.expect("taken");
    let chat = scene.chat();
    assert_eq!((chat.len(), chat[0].text(), chat[0].growing), (1, TEXT, false));
    assert_eq!(scene.service.faults(), [] as [&str; 0]);
}

#[tokio::test]
async fn an_update_may_come_with_updates_of_its_conversion_which_are_left_out() {
    let scene = Scene::new(Flavour::Teams).await;
    let events: String = told().iter().map(|event| format!("data: {event}\n\n")).collect();
    let converted = convert(events.as_bytes(), &Conversion::to(Dialect::Teams)).expect("activities");
    assert!(converted.activities.len() > 1);
    scene.answer().whole(converted).await.expect("taken");
    assert_eq!(scene.service.seen().len(), 1);
}

#[tokio::test]
async fn when_nobody_knows_whether_the_answer_has_arrived_its_user_is_told_so_and_gets_no_second_one() {
    for taken in [true, false] {
        let scene = Scene::new(Flavour::Teams).await.in_group();
        scene.service.plan(move |n, _| (n == 0).then_some((Mishap::Close, taken)));
        assert!(scene.answers(pieces(told())).await.is_some());
        let chat = scene.chat();
        let doubt = ConnectorTexts::default().doubt;
        assert_eq!(chat.last().map(super::Bubble::text), Some(doubt.as_str()));
        assert_eq!(chat.iter().filter(|bubble| bubble.text() == TEXT).count(), usize::from(taken));
        assert!(chat.iter().all(|bubble| bubble.text() != APOLOGY));
    }
}

#[tokio::test]
async fn a_channel_that_takes_nothing_gets_the_answer_and_the_apology_once_each() {
    let scene = Scene::new(Flavour::Teams).await;
    scene.service.plan(|_, _| Some((Mishap::error(403, "BotNotInConversationRoster", "gone"), false)));
    assert!(scene.answers(pieces(told())).await.is_some());
    let sent: Vec<Value> = scene.service.seen().into_iter().map(|seen| seen.body["text"].clone()).collect();
    assert_eq!(sent, [json!("Looking it up …"), json!(TEXT), json!(APOLOGY)]);
    assert_eq!(scene.chat().len(), 0);
}

#[tokio::test]
async fn the_apology_of_a_stream_ends_it_behind_what_was_shown() {
    let scene = Scene::new(Flavour::Teams).await;
    let mut conversion = scene.conversion();
    conversion.options = serde_json::from_value(json!({"require_grounding": "any"})).expect("options");
    let mut answer = scene.answer();
    answer.inform("Looking it up …").await;
    let events = vec![json!({"delta": "Trust me."}), json!({"done": true})];
    let unanswered = answer.follow(conversion, read(pieces(events))).await.expect_err("refused");
    unanswered.answer.close(APOLOGY).await.expect("taken");
    let chat = scene.chat();
    assert_eq!((chat.len(), chat[0].text(), chat[0].growing), (1, APOLOGY, false));
    assert_eq!(scene.service.faults(), [] as [&str; 0]);
}

#[tokio::test]
async fn what_an_outlet_cannot_replace_it_says() {
    let scene = Scene::new(Flavour::WebChat).await;
    let mut sink = citewire::channels::azure_bot::ConnectorSink::new(Arc::clone(&scene.client), scene.place());
    let refusal = sink.replace("1", citewire::activity::Activity::message("x")).await.expect_err("not here");
    assert_eq!(refusal.kind, RefusalKind::Unsupported);
}

#[tokio::test]
async fn ask_17_wherever_streams_are_refused_the_answer_is_one_plain_message_with_all_citations() {
    for group in [true, false] {
        let scene = Scene::new(Flavour::Teams).await;
        let scene = if group { scene.in_group() } else { scene };
        let refused = Mishap::error(400, "BadArgument", "streaming api is not enabled");
        scene
            .service
            .plan(move |_, seen| seen.body["channelData"]["streamType"].is_string().then(|| (refused.clone(), false)));
        assert_eq!(scene.answers(pieces(told())).await, None);
        let chat = scene.chat();
        assert_eq!((chat.len(), chat[0].text(), chat[0].claims().len()), (1, TEXT, 2), "{group}");
    }
}

#[tokio::test]
async fn ask_35_the_bytes_that_reach_the_connector_hold_the_claims() {
    for flavour in [Flavour::Teams, Flavour::Copilot, Flavour::WebChat] {
        let scene = Scene::new(flavour).await;
        assert_eq!(scene.answers(pieces(told())).await, None);
        let last = scene.service.seen().pop().expect("a call").body;
        let claims = last["entities"][0]["citation"].as_array().cloned().unwrap_or_default();
        let named: Vec<_> = claims.iter().map(|claim| claim["appearance"]["name"].clone()).collect();
        assert_eq!(named, ["Source 1", "Source 2"], "{flavour:?}");
        assert_eq!(claims[0]["appearance"]["url"], "https://docs.example/1");
    }
}

/// The log lines of one thread.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("a lock").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn point_13_the_log_says_why_an_answer_went_another_way_and_holds_no_token_secret_or_text() {
    let kept = Kept::default();
    let writer = kept.clone();
    let lines = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_ansi(false);
    let _guard = tracing::subscriber::set_default(lines.with_writer(move || writer.clone()).finish());
    let scene = Scene::new(Flavour::Teams).await;
    scene.service.guard();
    scene.service.plan(|n, _| match n {
        1 => Some((Mishap::error(429, "token-1", "Bearer token-1"), false)),
        5 => Some((Mishap::error(400, "BadSyntax", "citation entity with id: 1 token-1"), false)),
        6 => Some((Mishap::status(503), false)),
        _ => None,
    });
    assert_eq!(scene.answers(pieces(told())).await, None);
    let log = String::from_utf8(kept.0.lock().expect("a lock").clone()).expect("text");
    let ours: Vec<_> = log.lines().filter(|line| line.contains("citewire_channels::azure_bot")).collect();
    assert!(ours.iter().any(|line| line.contains("POST: 400 BadSyntax") && line.contains("next=Listed")), "{ours:#?}");
    assert!(ours.iter().any(|line| line.contains("503")), "{ours:#?}");
    let text = ours.join("\n");
    for secret in ["token-1", super::APP_SECRET, "Leave is", "docs.example"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}
