//! A message that is too large for its channel, in parts; and without the claims that a service refuses.

use citewire::activity::Activity;
use citewire::convert::{Conversion, convert};
use citewire::dialect::Dialect;
use serde_json::{Value, json};

/// The limit of these tests, in bytes of UTF-16.
const LIMIT: usize = 8 * 1024;

fn message(dialect: Dialect, text: &str) -> Activity {
    let body = json!({"text": text, "sources": super::sources(3)}).to_string();
    let mut conversion = Conversion::to(dialect);
    conversion.in_parts = true;
    conversion.options = serde_json::from_value(json!({"feedback": true})).expect("options");
    let converted = convert(body.as_bytes(), &conversion).expect("an activity");
    converted.activities.into_iter().next_back().expect("a message")
}

fn wire(part: &Activity) -> Value {
    serde_json::to_value(part).expect("JSON")
}

fn size(part: &Activity) -> usize {
    2 * wire(part).to_string().encode_utf16().count()
}

/// The text without its definitions, and how many there are.
fn body(part: &Activity) -> (String, usize) {
    let text = part.text.clone().unwrap_or_default();
    match text.split_once("\n\n[1]: ").or_else(|| text.split_once("\n\n[2]: ")).or_else(|| text.split_once("\n\n[3]: "))
    {
        Some((body, definitions)) => (body.to_owned(), definitions.lines().count()),
        None => (text, 0),
    }
}

fn positions(part: &Activity) -> Vec<String> {
    let claims = wire(part)["entities"][0]["citation"].clone();
    let claims = claims.as_array().cloned().unwrap_or_default();
    claims.iter().map(|claim| claim["position"].to_string().trim_matches('"').to_owned()).collect()
}

fn long() -> String {
    let paragraph = |n: usize| format!("{} [{n}].", "words ".repeat(250).trim_end());
    [1, 2, 2, 3, 1].map(paragraph).join("\n\n")
}

#[test]
fn a_message_that_fits_is_its_only_part() {
    for dialect in Dialect::ALL {
        let message = message(dialect, "Leave [1].");
        let mut entries = Vec::new();
        let parts = dialect.parts(message.clone(), dialect.max_message_bytes(), &mut entries);
        if dialect.is_drawn() {
            assert!(parts.len() == 1 && parts[0].text_format.as_deref() != Some("markdown"), "{dialect}");
        } else {
            assert_eq!(parts, [message]);
        }
        assert_eq!(entries, []);
    }
}

#[test]
fn each_part_is_whole_paragraphs_with_the_claims_of_its_numbers() {
    for dialect in [Dialect::Teams, Dialect::M365Copilot, Dialect::WebChat] {
        let mut entries = Vec::new();
        let parts = dialect.parts(message(dialect, &long()), LIMIT, &mut entries);
        assert!(parts.len() > 1 && parts.iter().all(|part| size(part) <= LIMIT), "{dialect}");
        let bodies: Vec<_> = parts.iter().map(|part| body(part).0).collect();
        assert_eq!(bodies.join("\n\n"), long(), "{dialect}");
        for part in &parts {
            let (text, definitions) = body(part);
            let named: Vec<_> = (1..=3).map(|n| n.to_string()).filter(|n| text.contains(&format!("[{n}]"))).collect();
            assert_eq!(positions(part), named, "{dialect}");
            assert_eq!(definitions, if dialect == Dialect::WebChat { named.len() } else { 0 }, "{dialect}");
        }
        assert_eq!(entries.iter().map(|entry| entry.code).collect::<Vec<_>>(), ["message-parts"]);
    }
}

#[test]
fn readers_are_asked_once_what_they_think() {
    for dialect in [Dialect::Teams, Dialect::WebChat] {
        let parts = dialect.parts(message(dialect, &long()), LIMIT, &mut Vec::new());
        let asks = |part: &Activity| {
            let wire = wire(part);
            wire["channelData"]["feedbackLoop"].is_object() || wire["entities"][0]["potentialAction"].is_array()
        };
        let asking: Vec<bool> = parts.iter().map(asks).collect();
        assert_eq!(asking.iter().filter(|asks| **asks).count(), 1, "{dialect}");
        assert_eq!(asking.last(), Some(&true), "{dialect}");
    }
}

#[test]
fn what_twelve_messages_do_not_hold_is_cut_and_told() {
    let mut entries = Vec::new();
    let parts = Dialect::Teams.parts(message(Dialect::Teams, &"word ".repeat(20_000)), LIMIT, &mut entries);
    assert_eq!(parts.len(), 12);
    assert!(parts.iter().all(|part| size(part) <= LIMIT));
    assert!(parts[11].text.as_deref().is_some_and(|text| text.ends_with("\n\n…")));
    let codes: Vec<_> = entries.iter().map(|entry| entry.code).collect();
    assert_eq!(codes, ["message-size", "message-parts"]);
}

#[test]
fn without_its_claims_a_message_lists_its_sources_once() {
    for dialect in [Dialect::Teams, Dialect::M365Copilot] {
        let cited = message(dialect, "Leave [1] [2].");
        let listed = dialect.listed(&cited).expect("something to leave out");
        assert_eq!(
            listed.text.as_deref(),
            Some("Leave [1] [2].\n\n[1] Source 1: https://docs.example/1\n\n[2] Source 2: https://docs.example/2")
        );
        assert_eq!((listed.entities.as_ref(), dialect.listed(&listed)), (None, None));
        let mut again = listed.clone();
        again.entities.clone_from(&cited.entities);
        assert_eq!(dialect.listed(&again).and_then(|twice| twice.text), listed.text);
    }
    let web_chat = message(Dialect::WebChat, "Leave [1].");
    assert_eq!(Dialect::WebChat.listed(&web_chat).and_then(|listed| listed.text), web_chat.text);
}
