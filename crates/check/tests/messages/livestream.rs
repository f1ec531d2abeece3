//! Properties of livestreams: whatever a sender has to say, and when, the check of the channel accepts the activities.

use chrono::{DateTime, Duration, Utc};
use citewire_check::{Channel, check};
use citewire_core::activity::{Activity, ActivityId};
use citewire_core::convert::{Conversion, convert};
use citewire_core::dialect::{Dialect, Livestream, Stamps};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The events of an answer that is being made.
#[derive(Clone, Debug)]
struct Story {
    informative: Vec<String>,
    /// The text so far, as a place in the whole one, in characters; not always in order.
    updates: Vec<usize>,
    text: String,
    withdrawn: bool,
    feedback: bool,
    /// The duration of each step, in microseconds.
    pauses_us: Vec<u32>,
}

fn stories() -> impl Strategy<Value = Story> {
    let piece = prop::sample::select(vec![
        "Leave ",
        "is ",
        "30 days",
        " [1]",
        "[2]",
        "[1][2]",
        ".",
        " ",
        "\n\n",
        "語",
        "é",
        "👩‍👩‍👧",
    ]);
    let text = prop::collection::vec(piece, 1..24).prop_map(|pieces| format!("a{}", pieces.concat()));
    let informative = prop::collection::vec(prop_oneof!["\\PC{0,40}", "語{300,500}"], 0..4);
    let updates = prop::collection::vec(0_usize..80, 0..20);
    let pauses = prop::collection::vec(0_u32..1_500, 30);
    (informative, updates, text, any::<bool>(), any::<bool>(), pauses).prop_map(
        |(informative, updates, text, withdrawn, feedback, pauses_us)| Story {
            informative,
            updates,
            text,
            withdrawn,
            feedback,
            pauses_us,
        },
    )
}

fn message(dialect: Dialect, story: &Story) -> Activity {
    let source = |name: &str| json!({"title": name, "url": format!("https://docs.example/{name}"), "content": name});
    let answer = json!({"text": story.text, "sources": [source("a"), source("b")]});
    let mut conversion = Conversion::to(dialect);
    conversion.options.feedback = story.feedback;
    let converted = convert(answer.to_string().as_bytes(), &conversion).expect("an activity");
    converted.activities.into_iter().next_back().expect("a message")
}

/// The beginning of the finished text without its definitions, as a rewrite that holds back what may change gives it.
fn shown(message: &Activity, characters: usize) -> &str {
    let text = message.text.as_deref().unwrap_or_default();
    let text = text.split("\n\n[1]: ").next().unwrap_or_default();
    text.char_indices().nth(characters).map_or(text, |(end, _)| &text[..end])
}

/// The activities of a story, in order, before anything is sent.
fn told(dialect: Dialect, story: &Story) -> Vec<Activity> {
    let message = message(dialect, story);
    let mut stream = Livestream::new(dialect).expect("a channel with livestreams");
    let mut activities: Vec<_> = story.informative.iter().filter_map(|text| stream.informative(text)).collect();
    if story.updates.is_empty() {
        activities.extend(if story.withdrawn { stream.withdraw() } else { Some(stream.last(message)) });
        return activities;
    }
    let mut stream = stream.answer();
    for characters in &story.updates {
        activities.extend(stream.update(shown(&message, *characters)));
    }
    activities.extend(if story.withdrawn { stream.withdraw() } else { Some(stream.last(message)) });
    activities
}

/// The activities as an embedded Direct Line sends them.
fn sent_by_direct_line(activities: Vec<Activity>, story: &Story) -> Vec<Activity> {
    let mut now: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().expect("a time");
    let mut stamps = Stamps::after(Some(now));
    let id = |n: usize| ActivityId::from(format!("c|{n}"));
    let pauses = story.pauses_us.iter().cycle();
    let sent = activities.into_iter().zip(pauses).enumerate().map(|(n, (activity, pause))| {
        now += Duration::microseconds(i64::from(*pause));
        let mut activity = activity.with_stream_id(&id(0));
        activity.id = Some(id(n));
        activity.timestamp = Some(stamps.next(now));
        activity
    });
    sent.collect()
}

/// The activities as a client of Teams sends them: the first one is given its id when it has arrived.
fn sent_to_teams(activities: Vec<Activity>) -> Vec<Activity> {
    let given = ActivityId::from("a-1".to_owned());
    let named = |(n, activity): (usize, Activity)| if n == 0 { activity } else { activity.with_stream_id(&given) };
    activities.into_iter().enumerate().map(named).collect()
}

fn wire(activities: &[Activity]) -> Value {
    activities.iter().map(|activity| serde_json::to_value(activity).expect("JSON")).collect()
}

/// Codes and places of what is wrong with a stream.
fn faults(activities: &[Activity], channel: Channel) -> Vec<(&'static str, String)> {
    if activities.is_empty() {
        // A stream that is withdrawn before anything was shown has none.
        return Vec::new();
    }
    let findings = check(&wire(activities), channel).into_iter();
    // A note on the thumbs of the message, streamed or not.
    let findings = findings.filter(|finding| finding.code != "feedback-without-id");
    findings.map(|finding| (finding.code, finding.pointer)).collect()
}

proptest! {
    #[test]
    fn web_chat_accepts_every_stream_before_and_after_delivery(story in stories()) {
        let activities = told(Dialect::WebChat, &story);
        prop_assert_eq!(faults(&activities, Channel::WebChat), []);
        let sent = sent_by_direct_line(activities, &story);
        prop_assert_eq!(faults(&sent, Channel::WebChat), [], "{:#}", wire(&sent));
        let times: Vec<_> = sent.iter().map(|activity| activity.timestamp).collect();
        prop_assert!(times.is_sorted_by(|earlier, later| earlier < later));
    }

    #[test]
    fn teams_accepts_every_stream_before_and_after_delivery(story in stories()) {
        let story = Story { withdrawn: false, ..story };
        for dialect in [Dialect::Teams, Dialect::M365Copilot] {
            let activities = told(dialect, &story);
            prop_assert_eq!(faults(&activities, Channel::Teams), []);
            let sent = sent_to_teams(activities);
            prop_assert_eq!(faults(&sent, Channel::Teams), [], "{:#}", wire(&sent));
        }
    }

    #[test]
    fn every_update_has_a_text_and_only_the_last_activity_cites(story in stories()) {
        for dialect in [Dialect::WebChat, Dialect::Teams] {
            let activities = told(dialect, &Story { withdrawn: false, ..story.clone() });
            let (last, updates) = activities.split_last().expect("a message");
            for update in updates {
                prop_assert!(update.text.as_deref().is_some_and(|text| !text.trim().is_empty()));
                prop_assert!(update.is_ephemeral());
                prop_assert!(!wire(std::slice::from_ref(update)).to_string().contains("schema.org"));
            }
            let expected = message(dialect, &story);
            prop_assert_eq!(&last.text, &expected.text);
            prop_assert_eq!(last.entities.as_deref().and_then(<[_]>::first), expected.entities.as_deref().and_then(<[_]>::first));
        }
    }
}

#[test]
fn the_check_sees_a_final_that_does_not_continue_what_teams_shows() {
    let mut stream = Livestream::new(Dialect::Teams).expect("a stream").answer();
    let update = stream.update("Leave was").expect("something new");
    assert_eq!(stream.update("Leave is"), None);
    let sent = sent_to_teams(vec![update, stream.last(Activity::message("Leave is 30 days."))]);
    assert_eq!(faults(&sent, Channel::Teams), [("teams-stream-text-changed", "/1/text".to_owned())]);
}

#[test]
fn two_streams_of_one_conversation_are_told_apart_by_their_names() {
    let story = |text: &str| Story {
        informative: vec!["Looking it up …".into()],
        updates: vec![3, 80],
        text: text.into(),
        withdrawn: false,
        feedback: false,
        pauses_us: vec![0],
    };
    let told = ["Leave [1].", "Parking [2]."].map(|text| wire(&told(Dialect::WebChat, &story(text))));
    let mut stamps = Stamps::default();
    let mut sent = Vec::new();
    for stream in told {
        let activities: Vec<Activity> = serde_json::from_value(stream).expect("activities");
        let name = ActivityId::from(format!("c|{}", sent.len()));
        for activity in activities {
            let mut activity = activity.with_stream_id(&name);
            activity.id = Some(ActivityId::from(format!("c|{}", sent.len())));
            activity.timestamp = Some(stamps.next("2026-01-01T00:00:00Z".parse().expect("a time")));
            sent.push(activity);
        }
    }
    assert_eq!(sent.len(), 8);
    assert_eq!(faults(&sent, Channel::WebChat), []);
}

/// The examples of the documentation: what follows a heading, between fences.
fn example(heading: &str) -> Value {
    let document = include_str!("../../../../docs/reference/streaming.md");
    let section = document.split(heading).nth(1).expect("the heading");
    let block = section.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    serde_json::from_str(block).expect("JSON")
}

#[test]
fn the_documented_streams_are_what_is_made_and_the_check_accepts_them() {
    let source = json!({"title": "Leave policy", "url": "https://hr.contoso.example/leave"});
    let answer = json!({"text": "Leave is 30 days [1].", "sources": [source]}).to_string();
    let made = |dialect: Dialect| {
        let converted = convert(answer.as_bytes(), &Conversion::to(dialect)).expect("an activity");
        let mut stream = Livestream::new(dialect).expect("a stream");
        let mut activities: Vec<_> = stream.informative("Looking it up …").into_iter().collect();
        let mut stream = stream.answer();
        activities.extend(stream.update("Leave is 30 days"));
        let message = converted.activities.into_iter().next_back().expect("a message");
        activities.push(stream.last(message));
        activities
    };
    let mut stamps = Stamps::default();
    let delivered: Vec<_> = made(Dialect::WebChat)
        .into_iter()
        .zip(1..)
        .map(|(activity, n)| {
            let mut activity = activity.with_stream_id(&ActivityId::from("c|1".to_owned()));
            activity.id = Some(ActivityId::from(format!("c|{n}")));
            let now = format!("2026-01-02T03:04:0{}Z", n + 4);
            activity.timestamp = Some(stamps.next(now.parse().expect("a time")));
            activity
        })
        .collect();
    assert_eq!(wire(&delivered), example("## In Web Chat\n"));
    assert_eq!(check(&wire(&delivered), Channel::WebChat), []);
    let sent = sent_to_teams(made(Dialect::Teams));
    assert_eq!(wire(&sent), example("## In Teams\n"));
    assert_eq!(check(&wire(&sent), Channel::Teams), []);
}
