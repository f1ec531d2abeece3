//! The types of activities.

use super::code;
use super::findings::Findings;
use super::place::Place;

/// The types of Bot Framework's activity schema.
const KNOWN: [&str; 18] = [
    "command",
    "commandResult",
    "contactRelationUpdate",
    "conversationUpdate",
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

/// The type of an activity, which may be missing or unknown.
pub(super) fn check_type<'v>(place: &Place<'v>, findings: &mut Findings) -> &'v str {
    let kind = place.some_text("type").unwrap_or_default();
    if kind.is_empty() {
        findings.add(
            code::ACTIVITY_TYPE_MISSING,
            &place.at,
            "Without a `type` no client draws the activity. Write \"type\": \"message\".",
        );
    } else if !KNOWN.contains(&kind) {
        findings.add(
            code::ACTIVITY_TYPE_UNKNOWN,
            &place.at,
            "No client draws an activity of this `type`, and nothing else in it was checked. Write \"type\": \"message\".",
        );
    }
    kind
}
