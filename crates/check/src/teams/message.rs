//! Checks the root Message entity.

use serde_json::Value;

use super::super::code;
use super::super::findings::Findings;
use super::super::message::is_message_type;
use super::super::misplaced::has_parts;
use super::super::place::{CONTEXT, Place};
use super::claim::{self, Claim};
use super::label::MessageLabel;

const TYPE: &str = "https://schema.org/Message";
const AI_LABEL: &str = "AIGeneratedContent";

/// Reads the entities of an activity, and returns the claims of its Message. An update of a stream has no AI label yet.
pub(super) fn check<'v>(entities: &[Place<'v>], is_update: bool, findings: &mut Findings) -> Vec<Claim<'v>> {
    let mut first = None;
    for entity in entities {
        let kind = entity.member("type").and_then(|kind| kind.value.as_str());
        if kind == Some("https://schema.org/Claim") {
            findings.add(
                code::TEAMS_CLAIM_AT_ROOT,
                &entity.at,
                "A claim as an entity of its own is not read by Teams. Move it into `citation` of the Message.",
            );
        } else if kind.is_some_and(is_message_type)
            || entity.member("@type").and_then(|kind| kind.value.as_str()).is_some_and(is_message_type)
            || has_parts(entity.value)
        {
            match &first {
                None => first = Some(entity),
                Some(_) => findings.add(
                    code::TEAMS_MESSAGE_SECOND,
                    &entity.at,
                    "Teams refuses the whole message with 400, \"Multiple root message entities\": users see nothing. \
                     Put citations, AI label and sensitivity label into one entity.",
                ),
            }
        }
    }
    first.map(|entity| read(entity, is_update, findings)).unwrap_or_default()
}

/// Reads a Message entity without an activity around it.
pub(in super::super) fn check_bare(thing: &Place<'_>, findings: &mut Findings) {
    super::super::terms::check(thing, findings);
    read(thing, false, findings);
}

fn read<'v>(thing: &Place<'v>, is_update: bool, findings: &mut Findings) -> Vec<Claim<'v>> {
    for (key, wanted) in [("type", TYPE), ("@type", "Message"), ("@context", CONTEXT)] {
        let written = thing.member(key);
        if written.as_ref().is_none_or(|written| written.value != wanted) {
            let is_label = key == "@type" && written.as_ref().is_some_and(|kind| kind.value == "CreativeWork");
            let remedy = if is_label {
                "A label goes into `usageInfo` of a Message thing".to_owned()
            } else {
                format!("Write \"{key}\": {wanted:?}")
            };
            let at = written.map_or_else(|| thing.at.clone(), |written| written.at);
            findings.add(
                code::TEAMS_MESSAGE_MALFORMED,
                &at,
                format!("Teams cannot parse the entity and refuses the message, or ignores it. {remedy}."),
            );
        }
    }
    if let Some(id) = thing.member("@id").filter(|id| id.value != "") {
        findings.add(code::TEAMS_ID_NOT_EMPTY, &id.at, "The `@id` of the Message must be blank. Write \"@id\": \"\".");
    }
    check_ai_label(thing, is_update, findings);
    let label = MessageLabel::read(thing, findings);
    let Some(citation) = thing.member("citation") else { return Vec::new() };
    let Value::Array(items) = citation.value else {
        findings.add(
            code::TEAMS_CITATION_NOT_LIST,
            &citation.at,
            "`citation` must be a list; Teams refuses the message with 400. Write [ … ].",
        );
        return Vec::new();
    };
    let claims = items.iter().enumerate().map(|(index, item)| Place::new(item, citation.at.index(index)));
    claim::check(&citation, claims.collect(), &label, findings)
}

fn check_ai_label(thing: &Place<'_>, is_update: bool, findings: &mut Findings) {
    let Some(written) = thing.member("additionalType") else {
        let is_label = |_: &Place<'_>| thing.many("keywords").iter().any(|keyword| keyword.value == AI_LABEL);
        if let Some(keywords) = thing.member("keywords").filter(is_label).filter(|_| !is_update) {
            findings.add(
                code::TEAMS_AI_LABEL_MISPLACED,
                &keywords.at,
                "Teams does not look for the AI label in `keywords`: users are not told. Write \"additionalType\": \
                 [\"AIGeneratedContent\"].",
            );
        }
        return;
    };
    match written.value.as_array() {
        Some(kinds) if kinds.iter().any(|kind| kind == AI_LABEL) => {}
        Some(kinds) if kinds.is_empty() => findings.add(
            code::TEAMS_AI_LABEL_EMPTY,
            &written.at,
            "Microsoft's emulator of Teams refuses an empty list with 400, which SDKs send where no label is meant. Leave \
             `additionalType` out, or write [\"AIGeneratedContent\"].",
        ),
        Some(_) | None => findings.add(
            code::TEAMS_AI_LABEL_MALFORMED,
            &written.at,
            "Teams refuses the message with 400, and users see nothing: the label is a list, and its words cannot be chosen. Write \
             [\"AIGeneratedContent\"].",
        ),
    }
}
