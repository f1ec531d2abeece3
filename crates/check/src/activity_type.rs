//! The types of activities.

use super::code;
use super::findings::Findings;
use super::place::Place;

/// The types of Bot Framework's activity schema, and the pause of transcripts, `delay`.
const KNOWN: [&str; 19] = [
    "command",
    "commandResult",
    "contactRelationUpdate",
    "conversationUpdate",
    "delay",
    "deleteUserData",
    "endOfConversation",
    "event",
    "handoff",
    "installationUpdate",
    "invoke",
    "invokeResponse",
    "message",
    "messageDelete",
    "messageReaction",
    "messageUpdate",
    "suggestion",
    "trace",
    "typing",
];

/// Whether an activity may have this type.
pub(super) fn is_known(kind: &str) -> bool {
    KNOWN.contains(&kind)
}

/// The type of an activity, which may be missing or unknown.
pub(super) fn check_type<'v>(place: &Place<'v>, findings: &mut Findings) -> &'v str {
    let kind = place.some_text("type").unwrap_or_default();
    if kind.is_empty() {
        findings.add(
            code::ACTIVITY_TYPE_MISSING,
            &place.at,
            "Without a `type` no client draws the activity. Write \"type\": \"message\".",
        );
    } else if !is_known(kind) {
        findings.add(
            code::ACTIVITY_TYPE_UNKNOWN,
            &place.at,
            "No client draws an activity of this `type`, and nothing else in it was checked. Write \"type\": \"message\".",
        );
    }
    kind
}
