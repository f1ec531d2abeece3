//! The errors of Message entities (1.8) and of limits (1.2, 1.6): citewire's own messages meet none of them, and a message that
//! meets one all the same reaches its user with its sources in the text.

use std::sync::Arc;

use citewire::activity::Activity;
use citewire::channels::azure_bot::{ActivitySink as _, ConnectorOptions, ConnectorSink, RefusalKind};
use citewire::convert::{Conversion, convert};
use serde_json::{Value, json};

use super::{Flavour, Mishap, Scene, TEXT, pieces, sources, told};

/// A cited message of ours, changed into one that the service refuses.
fn changed(change: impl FnOnce(&mut Value)) -> Activity {
    let body = json!({"text": "a [1] b [2]", "sources": sources(2)}).to_string();
    let to_teams = Conversion::to(citewire::dialect::Dialect::Teams);
    let converted = convert(body.as_bytes(), &to_teams).expect("an activity");
    let mut wire = serde_json::to_value(&converted.activities[0]).expect("JSON");
    change(&mut wire);
    serde_json::from_value(wire).expect("an activity")
}

/// The refusal of the service for this activity.
async fn said(activity: Activity) -> (RefusalKind, String) {
    let scene = Scene::new(Flavour::Teams).await;
    let mut sink = ConnectorSink::new(Arc::clone(&scene.client), scene.place());
    let refusal = sink.send(activity).await.expect_err("refused");
    (refusal.kind, refusal.to_string())
}

#[tokio::test]
async fn error_multiple_root_message_entities() {
    let (kind, words) = said(changed(|wire| {
        let thing = wire["entities"][0].clone();
        wire["entities"].as_array_mut().expect("entities").push(thing);
    }))
    .await;
    assert_eq!(kind, RefusalKind::Malformed);
    assert!(words.contains("BadSyntax: Multiple root message entities"), "{words}");
}

#[tokio::test]
async fn error_parsing_the_message_entity() {
    let (kind, words) = said(changed(|wire| wire["entities"][0]["@context"] = json!("http://schema.org"))).await;
    assert_eq!((kind, words.contains("parsing message entity")), (RefusalKind::Malformed, true), "{words}");
}

#[tokio::test]
async fn error_more_than_twenty_citations() {
    let (kind, words) = said(changed(|wire| {
        let claim = wire["entities"][0]["citation"][0].clone();
        wire["entities"][0]["citation"] = json!(vec![claim; 21]);
    }))
    .await;
    assert_eq!((kind, words.contains("maximum limit of 20")), (RefusalKind::Malformed, true), "{words}");
}

#[tokio::test]
async fn errors_of_single_citations() {
    let at = |pointer: &'static str, value: Value| {
        changed(move |wire| *wire.pointer_mut(&format!("/entities/0/citation/0{pointer}")).expect("a member") = value)
    };
    let added = |member: &'static str, value: Value| {
        changed(move |wire| wire["entities"][0]["citation"][0]["appearance"][member] = value)
    };
    for (case, activity, words) in [
        ("appearance empty", at("/appearance", json!({})), "appearance property is empty"),
        ("name null", at("/appearance/name", json!(null)), "name is required"),
        ("name of 81", at("/appearance/name", json!("x".repeat(81))), "at most 80"),
        ("abstract of 500", at("/appearance/abstract", json!("x".repeat(500))), "provided length is '500'"),
        ("text without format", added("text", json!("{}")), "must either both be empty"),
        ("format without text", added("encodingFormat", json!("x")), "must either both be empty"),
        ("a fourth keyword", added("keywords", json!(["a", "b", "c", "d"])), "At most 3"),
        ("a keyword of 29", added("keywords", json!(["x".repeat(29)])), "28 characters"),
        ("position of 12 digits", at("/position", json!(123_456_789_012_u64)), "cannot be parsed"),
        ("position as a text", at("/position", json!("1")), "cannot be parsed"),
        ("label without a twin", added("usageInfo", json!({"@id": "_:a", "name": "A"})), "has no twin"),
    ] {
        let (kind, said) = said(activity).await;
        assert_eq!(kind, RefusalKind::Malformed, "{case}");
        assert!(said.contains(words), "{case}: {said}");
    }
}

#[tokio::test]
async fn what_citewire_makes_itself_meets_none_of_them() {
    let label = |n: usize| json!({"id": format!("l{}", n % 2), "name": format!("Label {}", n % 2), "priority": n % 2});
    let many: Vec<Value> = (1..=30)
        .map(|n| {
            json!({"title": "t".repeat(200), "content": "c".repeat(2000), "keywords": ["a".repeat(60), "b", "c", "d"],
                   "url": format!("https://docs.example/{n}"), "label": label(n), "icon": "PDF"})
        })
        .collect();
    let text: String = (1..=30).map(|n| format!("Point [{n}]. ")).collect();
    let mut conversion = Conversion::to(citewire::dialect::Dialect::Teams);
    conversion.options = serde_json::from_value(json!({"abstract_max": 480})).expect("options");
    let body = json!({"text": text, "sources": many}).to_string();
    let scene = Scene::new(Flavour::Teams).await;
    let converted = convert(body.as_bytes(), &conversion).expect("an activity");
    scene.answer().whole(converted).await.expect("taken");
    assert_eq!((scene.service.seen().len(), scene.chat()[0].claims().len()), (1, 20));
}

#[tokio::test]
async fn after_a_refused_citation_the_user_has_the_text_with_its_sources_in_it() {
    let words = "Error while parsing citation entity with id: 1";
    for group in [false, true] {
        let scene = Scene::new(Flavour::Teams).await;
        let scene = if group { scene.in_group() } else { scene };
        scene.service.plan(move |_, seen| {
            let cites = seen.body["entities"].to_string().contains("\"citation\"");
            cites.then(|| (Mishap::error(400, "BadSyntax", words), false))
        });
        assert_eq!(scene.answers(pieces(told())).await, None);
        let chat = scene.chat();
        let listed = format!("{TEXT}\n\n[1] Source 1: https://docs.example/1\n\n[2] Source 2: https://docs.example/2");
        assert_eq!((chat.len(), chat[0].text(), chat[0].growing), (1, listed.as_str(), false));
        assert_eq!(chat[0].claims().len(), 0);
    }
}

#[tokio::test]
async fn an_answer_in_a_group_chat_quotes_its_question_unless_the_service_knows_no_quotes() {
    for knows_quotes in [true, false] {
        let options = ConnectorOptions { quote_questions: true, ..ConnectorOptions::default() };
        let scene = Scene::with(Flavour::Teams, options).await.in_group();
        scene.service.plan(move |_, seen| {
            let quotes = seen.body["entities"].to_string().contains("quotedReply");
            (quotes && !knows_quotes).then(|| (Mishap::error(400, "BadSyntax", "Unknown entity"), false))
        });
        assert_eq!(scene.answers(pieces(told())).await, None);
        let seen = scene.service.seen();
        assert_eq!(seen.len(), if knows_quotes { 1 } else { 2 });
        let quote = json!({"type": "quotedReply", "quotedReply": {"messageId": "q/1"}});
        assert_eq!(seen[0].body["entities"][1], quote);
        assert_eq!(seen[0].body["text"], format!("<quoted messageId=\"q/1\"/> {TEXT}"));
        if !knows_quotes {
            assert_eq!((&seen[1].body["text"], &seen[1].body["entities"][1]), (&json!(TEXT), &Value::Null));
        }
        assert_eq!(seen[0].body["entities"][0]["citation"].as_array().map(Vec::len), Some(2));
    }
}

#[tokio::test]
async fn an_apology_in_a_group_is_for_the_user_who_asked_unless_the_service_does_not_take_that() {
    for (wanted, takes) in [(true, true), (true, false), (false, true)] {
        let options = ConnectorOptions { private_apologies: wanted, ..ConnectorOptions::default() };
        let scene = Scene::with(Flavour::Teams, options).await.in_group();
        scene.service.plan(move |_, seen| {
            let refused =
                seen.body["text"] != super::APOLOGY || seen.call.ends_with("?isTargetedActivity=true") && !takes;
            refused.then(|| (Mishap::error(400, "BadSyntax", "no"), false))
        });
        assert!(scene.answers(pieces(told())).await.is_some());
        let seen = scene.service.seen();
        let apologies: Vec<_> = seen.iter().filter(|seen| seen.body["text"] == super::APOLOGY).collect();
        let private = |call: &str| call.ends_with("/activities?isTargetedActivity=true");
        let ways: Vec<bool> = apologies.iter().map(|seen| private(&seen.call)).collect();
        let expected: &[bool] = match (wanted, takes) {
            (true, true) => &[true],
            (true, false) => &[true, false],
            (false, _) => &[false],
        };
        assert_eq!(ways, expected);
        assert_eq!(
            (&apologies[0].body["recipient"]["id"], apologies[0].body.get("replyToId").is_some()),
            (&json!("29:user"), !wanted)
        );
        let answered = seen.iter().filter(|seen| private(&seen.call) && seen.body["text"] != super::APOLOGY);
        assert_eq!(answered.count(), 0, "an answer is for all");
    }
}

#[tokio::test]
async fn the_emulator_that_takes_ten_citations_shows_an_answer_with_eleven() {
    for group in [false, true] {
        let scene = Scene::new(Flavour::Playground).await;
        let scene = if group { scene.in_group() } else { scene };
        let text: String = (1..=11).map(|n| format!("Point [{n}]. ")).collect();
        let events = vec![json!({"sources": sources(11)}), json!({"delta": text}), json!({"done": true})];
        assert_eq!(scene.answers(pieces(events)).await, None);
        let chat = scene.chat();
        assert_eq!((chat.len(), chat[0].growing), (1, false));
        assert!(
            chat[0].text().contains("Point [11].")
                && chat[0].text().contains("[11] Source 11: https://docs.example/11")
        );
    }
}

#[tokio::test]
async fn a_refusal_that_citations_are_not_to_blame_for_ends_with_one_apology() {
    let scene = Scene::new(Flavour::Teams).await.in_group();
    scene.service.plan(|_, seen| {
        let apology = seen.body["text"] == super::APOLOGY;
        (!apology).then(|| (Mishap::error(400, "BadSyntax", "no"), false))
    });
    assert!(scene.answers(pieces(told())).await.is_some_and(|cause| cause.contains("BadSyntax")));
    assert_eq!(scene.chat().iter().map(super::Bubble::text).collect::<Vec<_>>(), [super::APOLOGY]);
    assert_eq!(scene.service.seen().len(), 3);
}
