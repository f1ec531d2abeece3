//! [Microsoft Teams](https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-ai-bot-messages)
//! (`docs/guides/teams.md`).

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag};
use serde_json::json;

use super::reference_list::{self, Form};
use super::row::{Row, Stream};
use super::{MessageOptions, Pacing};
use crate::activity::{Activity, Entity};
use crate::cite::{Position, Rules, shorten};
use crate::graph::{GraphRules, Message, UsageInfo};
use crate::report::{Entry, Kind};
use crate::text::cut_at_word;
use crate::url::without_directives;

pub(super) const ROW: Row = Row {
    slug: "teams",
    channels: &["msteams"],
    rules: Rules::teams,
    graph_rules: GraphRules::teams,
    message,
    drawing: None,
    stream: Some(Stream::Growing),
    max_message_bytes: MAX_MESSAGE_BYTES,
    pacing: Pacing::TEAMS,
};

/// The message for Teams: numbers in the text, claims in the entity, and at most 80 KB in all.
fn message(text: String, message: Message, wishes: MessageOptions, entries: &mut Vec<Entry>) -> Activity {
    let mut activity = cited(text, message, wishes, entries);
    if wishes.feedback {
        activity.channel_data = Some(json!({"feedbackLoop": {"type": "default"}}));
    }
    activity
}

/// The message without members that only Teams itself takes.
pub(super) fn cited(mut text: String, message: Message, wishes: MessageOptions, entries: &mut Vec<Entry>) -> Activity {
    if wishes.self_contained {
        reference_list::append(&mut text, &message, Form::Markdown);
    }
    let (text, message) =
        if wishes.in_parts { (text, message) } else { within_limit(text, message, wishes.self_contained, entries) };
    let mut activity = Activity::message(text);
    if wishes.extended {
        activity = activity.in_extended_markdown();
    }
    activity.entities = Some(vec![Entity::Message(Box::new(message))]);
    activity
}

/// The message limit. Teams counts UTF-16 and refuses more than 100 KB; its documentation recommends at most 80.
const MAX_BYTES: usize = 80 * 1024;

/// Room for the members that delivery adds: ids, names, a time, `serviceUrl`.
const ENVELOPE_BYTES: usize = 4 * 1024;

/// The largest message before delivery.
pub(super) const MAX_MESSAGE_BYTES: usize = MAX_BYTES - ENVELOPE_BYTES;

/// The longest address that stays in an oversized message, in bytes of UTF-16.
const MAX_URL_BYTES: usize = 2 * 1024;

/// The least number of UTF-16 code units by which each step shortens a text.
const MIN_STEP_UTF16: usize = 64;

/// The longest label name and description in an oversized message, in UTF-16 code units.
const MAX_LABEL_NAME_UTF16: usize = 80;
const MAX_LABEL_DESCRIPTION_UTF16: usize = 160;

/// Shortens an oversized message. First it removes cards, cuts the label, and removes very long addresses. Then it cuts the
/// end of the text with the claims that are cited only there, but keeps half of the message for text. At last it drops
/// claims from the last one on. Each step is reported.
fn within_limit(mut text: String, mut message: Message, has_list: bool, entries: &mut Vec<Entry>) -> (String, Message) {
    let limit = MAX_MESSAGE_BYTES;
    for lighten in [without_cards, with_short_labels, without_sentences, without_long_urls] {
        if size(&text, &message) <= limit {
            return (text, message);
        }
        entries.extend(lighten(&mut message));
    }
    let before = text.len();
    loop {
        let size = size(&text, &message);
        // JSON escapes make some characters longer, so one step may not suffice; each step leaves less.
        let on_wire = utf16_bytes(&json!(text).to_string());
        let target = limit.saturating_sub(size - on_wire).max(limit / 2);
        if size <= limit || on_wire <= target {
            break;
        }
        let units = text.encode_utf16().count();
        let room = (units * target / on_wire).min(units.saturating_sub(MIN_STEP_UTF16));
        text = shorten(&text, room);
        message.citation.retain(|claim| text.contains(&marker(claim.position.position())));
    }
    if text.len() < before {
        let note = format!(
            "the message was larger than {} KB, so its text was cut from {before} to {} bytes; claims that are left: {}",
            MAX_BYTES / 1024,
            text.len(),
            message.citation.len()
        );
        entries.push(Entry::in_input(Kind::Cut, "message-size", "/text", note));
    }
    let mut left_out = Vec::new();
    while size(&text, &message) > limit
        && let Some(claim) = message.citation.pop()
    {
        left_out.push(claim.position.position());
    }
    if !left_out.is_empty() {
        let note = format!(
            "the message was larger than {} KB, so its last {} claims were left out",
            MAX_BYTES / 1024,
            left_out.len()
        );
        entries.push(Entry::in_input(Kind::Dropped, "claims-size", "", note));
        // A reference list in the text still explains the numbers.
        if !has_list {
            text = without_markers(text, &left_out);
        }
    }
    (text, message)
}

fn marker(position: Position) -> String {
    format!("[{position}]")
}

/// Removes the markers with these numbers and the blank before each. Markers in code stay.
fn without_markers(text: String, numbers: &[Position]) -> String {
    let code: Vec<Range<usize>> = Parser::new(&text)
        .into_offset_iter()
        .filter(|(event, _)| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))))
        .map(|(_, range)| range)
        .collect();
    let mut markers: Vec<(usize, usize)> = numbers
        .iter()
        .map(|number| marker(*number))
        .flat_map(|marker| text.match_indices(&marker).map(|(at, marker)| (at, marker.len())).collect::<Vec<_>>())
        .filter(|(at, _)| !code.iter().any(|range| range.contains(at)))
        .collect();
    markers.sort_unstable();
    let (mut kept, mut from) = (String::with_capacity(text.len()), 0);
    for (at, length) in markers {
        kept.push_str(&text[from..at]);
        from = at + length;
        if !text[from..].starts_with(char::is_alphanumeric) {
            kept.truncate(kept.strip_suffix(' ').unwrap_or(&kept).len());
        }
    }
    kept.push_str(&text[from..]);
    // A text of markers only stays, because a message needs a text.
    if kept.trim().is_empty() { text } else { kept }
}

/// Has the addresses of an oversized message lead to the documents instead of their sentences.
fn without_sentences(message: &mut Message) -> Vec<Entry> {
    let mut shortened = 0;
    for url in message.citation.iter_mut().filter_map(|claim| claim.appearance.url.as_mut()) {
        let bare = without_directives(url);
        if bare.len() < url.len() {
            (*url, shortened) = (bare.into(), shortened + 1);
        }
    }
    let note = format!("the message was too large with the sentences in {shortened} of its addresses");
    (shortened > 0).then(|| Entry::in_input(Kind::Dropped, "sentence-links", "", note)).into_iter().collect()
}

/// Removes addresses that are too long for an oversized message.
fn without_long_urls(message: &mut Message) -> Vec<Entry> {
    let mut entries = Vec::new();
    for claim in &mut message.citation {
        if claim.appearance.url.as_ref().is_some_and(|url| utf16_bytes(url) > MAX_URL_BYTES) {
            claim.appearance.url = None;
            let message = format!(
                "the address of {} is longer than {MAX_URL_BYTES} bytes, and the message was too large",
                marker(claim.position.position())
            );
            entries.push(Entry::in_input(Kind::Dropped, "long-url", "", message));
        }
    }
    entries
}

/// Cuts the label, which the message and its claims repeat, the same way everywhere, because Teams refuses different labels.
pub(super) fn with_short_labels(message: &mut Message) -> Vec<Entry> {
    let mut is_cut = false;
    let of_claims = message.citation.iter_mut().map(|claim| &mut claim.appearance.usage_info);
    for label in of_claims.chain([&mut message.usage_info]).flatten() {
        let UsageInfo::Node(node) = label else { continue };
        let texts =
            [(Some(&mut node.name), MAX_LABEL_NAME_UTF16), (node.description.as_mut(), MAX_LABEL_DESCRIPTION_UTF16)];
        for (text, max) in texts {
            let Some(text) = text else { continue };
            let kept = cut_at_word(text, max).into_owned();
            is_cut |= kept != *text;
            *text = kept;
        }
    }
    let note = format!(
        "the message was too large with its label, whose name was cut to {MAX_LABEL_NAME_UTF16} units and its description \
         to {MAX_LABEL_DESCRIPTION_UTF16}"
    );
    is_cut.then(|| Entry::in_input(Kind::Cut, "label-size", "", note)).into_iter().collect()
}

/// Removes the Adaptive Cards, which readers need least.
pub(super) fn without_cards(message: &mut Message) -> Vec<Entry> {
    let mut dropped = 0;
    for claim in &mut message.citation {
        if claim.appearance.encoding_format.take().is_some() {
            claim.appearance.text = None;
            dropped += 1;
        }
    }
    let note = format!("the message was too large with its {dropped} Adaptive Cards");
    (dropped > 0).then(|| Entry::in_input(Kind::Dropped, "card-size", "", note)).into_iter().collect()
}

/// The size on the wire in the count of Teams.
fn size(text: &str, message: &Message) -> usize {
    let wire = json!({"type": "message", "textFormat": "markdown", "text": text, "entities": [message]});
    utf16_bytes(&wire.to_string())
}

/// The size of a text in bytes of UTF-16.
pub(super) fn utf16_bytes(text: &str) -> usize {
    text.encode_utf16().count() * 2
}
