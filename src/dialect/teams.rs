//! Microsoft Teams (`docs/teams.md`).

use serde_json::json;

use super::Wishes;
use super::reference_list::{self, Form};
use crate::activity::{Activity, Entity};
use crate::cite::shorten;
use crate::graph::Message;
use crate::report::{Entry, Kind};

/// The message that Teams takes: numbers in the text, claims in the entity, and everything within 80 KB.
pub(super) fn message(text: String, message: Message, wishes: Wishes, entries: &mut Vec<Entry>) -> Activity {
    let mut activity = cited(text, message, wishes, entries);
    if wishes.feedback {
        activity.channel_data = Some(json!({"feedbackLoop": {"type": "default"}}));
    }
    activity
}

/// The message without what only Teams itself has.
pub(super) fn cited(mut text: String, message: Message, wishes: Wishes, entries: &mut Vec<Entry>) -> Activity {
    if wishes.self_contained {
        reference_list::append(&mut text, &message, Form::Markdown);
    }
    let (text, message) = if wishes.in_parts { (text, message) } else { within_limit(text, message, entries) };
    let mut activity = Activity::message(text);
    activity.entities = Some(vec![Entity::Message(Box::new(message))]);
    activity
}

/// Teams counts a message as UTF-16 and refuses it above 100 KB; its documentation asks to stay within 80.
const MAX_BYTES: usize = 80 * 1024;

/// What delivery adds: ids, names, a time, the address of the service.
const ENVELOPE_BYTES: usize = 4 * 1024;

/// The most that a message has before delivery adds something.
pub(super) const MAX_MESSAGE_BYTES: usize = MAX_BYTES - ENVELOPE_BYTES;

/// The longest address that stays in a message that is too large.
const MAX_URL_BYTES: usize = 2 * 1024;

/// How much shorter a text becomes with each step, at least.
const MIN_STEP_UTF16: usize = 64;

/// Shortens a message that is too large: first cards and very long addresses go, then the end of the text with the claims whose
/// markers stood there. The report says so.
fn within_limit(mut text: String, mut message: Message, entries: &mut Vec<Entry>) -> (String, Message) {
    let limit = MAX_MESSAGE_BYTES;
    if size(&text, &message) <= limit {
        return (text, message);
    }
    entries.extend(without_cards(&mut message));
    if size(&text, &message) <= limit {
        return (text, message);
    }
    for claim in &mut message.citation {
        if claim.appearance.url.as_ref().is_some_and(|url| utf16_bytes(url) > MAX_URL_BYTES) {
            claim.appearance.url = None;
            let message = format!(
                "the address of [{}] is longer than {MAX_URL_BYTES} bytes, and the message was too large",
                claim.position.position()
            );
            entries.push(Entry::in_input(Kind::Dropped, "long-url", "", message));
        }
    }
    let before = text.len();
    loop {
        let size = size(&text, &message);
        if size <= limit || text.is_empty() {
            break;
        }
        // JSON escapes make some characters longer than others, so one step may not be enough; each leaves less.
        let on_wire = utf16_bytes(&json!(text).to_string());
        let target = limit.saturating_sub(size - on_wire);
        let units = text.encode_utf16().count();
        let room = (units * target / on_wire).min(units.saturating_sub(MIN_STEP_UTF16));
        text = if target == 0 || room == 0 { String::new() } else { shorten(&text, room) };
        message.citation.retain(|claim| text.contains(&format!("[{}]", claim.position.position())));
    }
    if text.len() < before {
        let note = format!(
            "the message was larger than {} KB, so its text was cut from {before} to {} bytes; {} claims are left",
            MAX_BYTES / 1024,
            text.len(),
            message.citation.len()
        );
        entries.push(Entry::in_input(Kind::Cut, "message-size", "/text", note));
    }
    (text, message)
}

/// Takes the Adaptive Cards away, before anything that readers need more.
pub(super) fn without_cards(message: &mut Message) -> Option<Entry> {
    let mut dropped = 0;
    for claim in &mut message.citation {
        if claim.appearance.encoding_format.take().is_some() {
            claim.appearance.text = None;
            dropped += 1;
        }
    }
    let note = format!("the message was too large with its {dropped} Adaptive Cards");
    (dropped > 0).then(|| Entry::in_input(Kind::Dropped, "card-size", "", note))
}

/// The size on the wire as Teams counts it.
fn size(text: &str, message: &Message) -> usize {
    let wire = json!({"type": "message", "textFormat": "markdown", "text": text, "entities": [message]});
    utf16_bytes(&wire.to_string())
}

/// How much room a text takes in UTF-16.
pub(super) fn utf16_bytes(text: &str) -> usize {
    text.encode_utf16().count() * 2
}
