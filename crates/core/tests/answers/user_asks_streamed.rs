//! Complaints of users about streams, one test each; the numbers go on from `user_asks.rs`.

use citewire_core::activity::{Activity, Entity};
use citewire_core::answer::MarkerGrammar;
use citewire_core::cite::Incremental;
use citewire_core::convert::{Conversion, Options, convert};
use citewire_core::dialect::Dialect;
use citewire_core::ingest::{AnswerStream, StreamEvent};
use serde_json::{Value, json};

const STREAMING: [Dialect; 3] = [Dialect::WebChat, Dialect::Teams, Dialect::M365Copilot];

const TEXT: &str = "Leave is **30 days** [2], to be asked for in writing [1][2].\n\n- See [the portal](https://hr.example/portal)\n\
    - or `days[1]` [doc9], and [3] for the rest.\n\nThat is all there is to say about leave [1, 3].";

fn sources() -> Value {
    let source = |name: &str| json!({"title": name.to_uppercase(), "url": format!("https://docs.example/{name}")});
    json!([source("a"), source("b"), source("c")])
}

/// The native stream of the text above in pieces of this many characters, sources first.
fn stream(characters: usize) -> String {
    let text: Vec<char> = TEXT.chars().collect();
    let deltas = text.chunks(characters).map(|piece| json!({"delta": piece.iter().collect::<String>()}));
    let events = [json!({"sources": sources()})].into_iter().chain(deltas).chain([json!({"done": true})]);
    events.map(|event| format!("data: {event}\n\n")).collect()
}

fn activities(body: &str, dialect: Dialect, options: Value) -> Vec<Activity> {
    let mut conversion = Conversion::to(dialect);
    conversion.options = serde_json::from_value::<Options>(options).expect("options");
    convert(body.as_bytes(), &conversion).expect("activities").activities
}

fn wire(activity: &Activity) -> Value {
    serde_json::to_value(activity).expect("JSON")
}

fn claims(activity: &Activity) -> Value {
    wire(activity)["entities"][0]["citation"].clone()
}

fn text(activity: &Activity) -> &str {
    // Channels with a form of their own have the text in the Message thing.
    let thing = activity
        .entities
        .iter()
        .flatten()
        .find_map(|entity| if let Entity::Message(thing) = entity { thing.text.as_deref() } else { None });
    activity.text.as_deref().or(thing).expect("a text")
}

/// Everything that the rewrite of the growing text gives out before its end.
fn given_out(body: &str, dialect: Dialect) -> String {
    let mut rewrite = Incremental::new(MarkerGrammar::ALL, &dialect.rules());
    for event in AnswerStream::new(None).push(body.as_bytes()).expect("a stream") {
        if let StreamEvent::Sources(sources) = event {
            rewrite.add_sources(sources);
        } else if let StreamEvent::Text(delta) = event {
            rewrite.push(&delta);
        }
    }
    rewrite.shown().to_owned()
}

/// The list of sources disappeared from streamed messages as soon as the mark of machine-made text was switched off.
#[test]
fn ask_02_the_claims_of_a_streamed_message_do_not_depend_on_the_ai_label() {
    for dialect in STREAMING {
        let marked = activities(&stream(5), dialect, json!({}));
        let unmarked = activities(&stream(5), dialect, json!({"ai_label": false}));
        let (marked, unmarked) = (marked.last().expect("a message"), unmarked.last().expect("a message"));
        assert_eq!(claims(marked).as_array().map(Vec::len), Some(3), "{dialect}");
        assert_eq!(claims(marked), claims(unmarked), "{dialect}");
        let thing = &wire(unmarked)["entities"][0];
        assert!(thing.get("additionalType").is_none() && thing.get("keywords").is_none(), "{thing}");
    }
}

/// A text that was shown was changed later, and Teams ended the stream with an error.
#[test]
fn ask_04_each_update_begins_the_next_one_and_the_message() {
    for characters in [1, 2, 3, 5, 8, 13, 1_000] {
        for dialect in STREAMING {
            let activities = activities(&stream(characters), dialect, json!({"updates": 1_000}));
            let texts: Vec<&str> = activities.iter().map(text).collect();
            assert!(texts.len() > 1, "{dialect} {texts:?}");
            let (message, updates) = texts.split_last().expect("a message");
            assert!(updates.is_sorted_by(|one, next| next.starts_with(one) && next != one), "{dialect} {texts:?}");
            assert!(updates.last().is_some_and(|last| message.starts_with(last)), "{dialect} {texts:?}");
        }
    }
}

/// As soon as citations were set, the updates of a stream no longer showed in Web Chat.
#[test]
fn ask_24_with_sources_from_the_start_every_update_is_shown() {
    let body = stream(4);
    let activities = activities(&body, Dialect::WebChat, json!({"updates": 1_000}));
    let (_, updates) = activities.split_last().expect("a message");
    let all = given_out(&body, Dialect::WebChat);
    assert!(updates.len() >= 10, "{} updates", updates.len());
    assert_eq!(updates.last().map_or("", text).trim_end(), all.trim_end());
    for (n, update) in updates.iter().enumerate() {
        let update = wire(update);
        // Web Chat draws a `typing` activity when it has a text and is a part of the stream.
        let info = json!({"streamType": "streaming", "streamSequence": n + 1});
        assert_eq!((&update["type"], &update["channelData"]), (&json!("typing"), &info));
        assert!(update["text"].as_str().is_some_and(|text| !text.trim().is_empty()), "{update}");
        let kinds: Vec<_> =
            update["entities"].as_array().expect("entities").iter().map(|entity| &entity["type"]).collect();
        assert_eq!(kinds, ["streaminfo"]);
    }
}

/// Numbers were others when the answer was streamed, and invented ones showed.
#[test]
fn ask_29_a_streamed_answer_is_the_same_answer() {
    let whole = json!({"text": TEXT, "sources": sources()}).to_string();
    for dialect in Dialect::ALL {
        let expected = activities(&whole, dialect, json!({})).pop().expect("a message");
        for characters in [1, 3, 7, 1_000] {
            let streamed = activities(&stream(characters), dialect, json!({}));
            let last = streamed.last().expect("a message");
            assert_eq!((text(last), claims(last)), (text(&expected), claims(&expected)), "{dialect}");
            assert!(streamed.iter().all(|activity| !text(activity).contains("doc9")), "{dialect}");
        }
    }
}

/// Marks of citations wandered while the text was streamed.
#[test]
fn ask_31_a_marker_is_shown_whole_and_at_its_place_and_claims_come_with_the_message() {
    for characters in [1, 2, 7] {
        for dialect in STREAMING {
            let activities = activities(&stream(characters), dialect, json!({"updates": 1_000}));
            let (message, updates) = activities.split_last().expect("a message");
            for update in updates {
                assert_eq!(text(update).matches('[').count(), text(update).matches(']').count(), "{}", text(update));
                assert!(text(message).starts_with(text(update)), "{}", text(update));
                assert!(!wire(update).to_string().contains("Claim"), "{dialect}");
            }
            assert_eq!(claims(message).as_array().map(Vec::len), Some(3));
        }
    }
}

/// Marks of citations wandered: when nothing can be said for sure, Teams waits, and Web Chat shows the text without them.
#[test]
fn ask_31_a_marker_whose_source_is_not_known_yet_waits_for_the_message() {
    let events =
        [json!({"delta": "[1] Leave is 30 days [2]. "}), json!({"delta": "More."}), json!({"sources": sources()})];
    let body: String = events.iter().map(|event| format!("{event}\n")).collect();
    for dialect in [Dialect::Teams, Dialect::M365Copilot] {
        let activities = activities(&body, dialect, json!({}));
        let kinds: Vec<_> =
            activities.iter().map(|activity| wire(activity)["channelData"]["streamType"].clone()).collect();
        assert_eq!(kinds, ["informative", "final"], "{dialect}");
        assert_eq!(text(&activities[1]), "[1] Leave is 30 days [2]. More.");
    }
    let activities = activities(&body, Dialect::WebChat, json!({}));
    let (message, updates) = activities.split_last().expect("a message");
    assert!(updates.iter().all(|update| !text(update).contains('[')));
    assert!(text(message).starts_with("[1] Leave is 30 days [2]. More."));
}
