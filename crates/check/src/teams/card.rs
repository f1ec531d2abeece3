//! Checks the Adaptive Card of a claim.

use serde_json::Value;

use super::super::code;
use super::super::findings::Findings;
use super::super::place::Place;

const MEDIA_TYPE: &str = "application/vnd.microsoft.card.adaptive";

/// The maximum nesting that is read.
const MAX_DEPTH: usize = 64;

/// Checks `text` and `encodingFormat`, which Teams takes only together.
pub(super) fn check(appearance: &Place<'_>, findings: &mut Findings) {
    let text = appearance.member("text").filter(|text| text.value != "");
    let format = appearance.member("encodingFormat").filter(|format| format.value != "");
    let (text, format) = match (text, format) {
        (None, None) => return,
        (Some(text), Some(format)) => (text, format),
        (Some(alone), None) | (None, Some(alone)) => {
            findings.add(
                code::TEAMS_CARD_INCOMPLETE,
                &alone.at,
                "Teams refuses `text` without `encodingFormat`, and the reverse, with 400: users see nothing. They are for \
                 an Adaptive Card only; put a passage into `abstract`.",
            );
            return;
        }
    };
    if format.value != MEDIA_TYPE {
        findings.add(
            code::TEAMS_CARD_INVALID,
            &format.at,
            format!("The only format that Teams takes here is {MEDIA_TYPE:?}."),
        );
    }
    let card: Option<Value> = text.value.as_str().and_then(|text| serde_json::from_str(text).ok());
    match card.filter(|card| card.get("type").is_some_and(|kind| kind == "AdaptiveCard")) {
        None => findings.add(
            code::TEAMS_CARD_INVALID,
            &text.at,
            "This is no Adaptive Card in JSON, and Teams refuses the message with 400. Put a passage into `abstract`.",
        ),
        Some(card) if is_interactive(&card, 0) => findings.add(
            code::TEAMS_CARD_INTERACTIVE,
            &text.at,
            "The card has inputs or actions, which a citation must not have; users cannot use them.",
        ),
        Some(_) => {}
    }
}

fn is_interactive(value: &Value, depth: usize) -> bool {
    match value {
        _ if depth > MAX_DEPTH => false,
        Value::Object(members) => {
            let kind = members.get("type").and_then(Value::as_str).unwrap_or_default();
            kind.starts_with("Action.")
                || kind.starts_with("Input.")
                || members.values().any(|member| is_interactive(member, depth + 1))
        }
        Value::Array(items) => items.iter().any(|item| is_interactive(item, depth + 1)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
