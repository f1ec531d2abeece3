//! Checks one activity for Teams: its envelope and its content.

use serde_json::Value;

use super::super::Channel;
use super::super::activity::{check_channel_id, is_activity};
use super::super::activity_type::check_type;
use super::super::code;
use super::super::feedback;
use super::super::findings::Findings;
use super::super::markdown::{Markdown, has_extended_parts};
use super::super::message::{is_message_type, is_schema_thing};
use super::super::misplaced;
use super::super::place::{Place, excerpt};
use super::super::plain_markup;
use super::super::pointer::Pointer;
use super::super::provider_marker;
use super::super::stream_info::{self, Phase};
use super::super::suggested_actions;
use super::super::terms;
use super::super::wrapped;
use super::claim::Claim;
use super::length::utf16;
use super::markers::Markers;
use super::message;
use super::streamed::Streamed;

/// The size above which the service refuses a message, in bytes of UTF-16.
const REFUSED_BYTES: usize = 100 * 1024;

/// The largest size that the documentation recommends.
const ADVISED_BYTES: usize = 80 * 1024;

/// The longest text of an informative update, in characters.
const INFORMATIVE_CHARS: usize = 1_000;

/// Checks one activity. Returns its part in a livestream, if it belongs to one.
pub(in super::super) fn check<'v>(place: &Place<'v>, findings: &mut Findings) -> Option<Streamed<'v>> {
    if !is_activity(place, findings) {
        return None;
    }
    let kind = check_type(place, findings);
    terms::check_members(place, findings);
    check_channel_id(place, Channel::Teams, findings);
    let from_user = place.member("from").and_then(|from| from.text("role")) == Some("user");
    if !matches!(kind, "message" | "typing" | "") || from_user {
        return None;
    }
    let info = stream_info::read(place, Channel::Teams, findings);
    let phase = info.as_ref().map(|info| info.phase);
    let claims = check_entities(place, phase, findings);
    misplaced::check(place, findings);
    suggested_actions::check(place, findings);
    check_text(place, &claims, phase, findings);
    check_feedback(place, findings);
    feedback::check(place, findings);
    check_size(place, findings);
    Some(Streamed { place: place.clone(), info: info? })
}

fn check_entities<'v>(place: &Place<'v>, phase: Option<Phase>, findings: &mut Findings) -> Vec<Claim<'v>> {
    let Some(entities) = place.member("entities") else { return Vec::new() };
    let Value::Array(items) = entities.value else {
        findings.add(code::ENTITIES_NOT_LIST, &entities.at, "`entities` must be a list; nothing in it is read.");
        return Vec::new();
    };
    let places: Vec<_> =
        items.iter().enumerate().map(|(index, item)| Place::new(item, entities.at.index(index))).collect();
    for odd in places.iter().filter(|entity| entity.object().is_none()) {
        wrapped::check(odd, findings);
    }
    places.iter().filter(|entity| is_schema_thing(entity.value)).for_each(|thing| terms::check(thing, findings));
    let is_update = phase.is_some_and(|phase| phase != Phase::Final);
    message::check(&places, is_update, findings)
}

fn check_text(place: &Place<'_>, claims: &[Claim<'_>], phase: Option<Phase>, findings: &mut Findings) {
    let text = match place.member("text") {
        Some(written) if !written.value.is_string() => {
            findings.add(
                code::TEXT_NOT_STRING,
                &written.at,
                "`text` must be a string; nothing can be drawn from this.",
            );
            return;
        }
        written => written.and_then(|written| written.value.as_str()).unwrap_or_default(),
    };
    let at = place.at.key("text");
    if phase == Some(Phase::Informative) {
        if text.chars().count() > INFORMATIVE_CHARS || text.len() > 1024 {
            findings.add(
                code::TEAMS_INFORMATIVE_TOO_LONG,
                &at,
                "Teams refuses an informative update above 1 KB or 1000 characters. Say it in one line.",
            );
        }
        return;
    }
    let is_message = phase.is_none() && place.text("type") == Some("message");
    if is_message && text.trim().is_empty() && place.many("attachments").is_empty() {
        findings.add(
            code::TEAMS_MESSAGE_EMPTY,
            &place.at,
            "Teams refuses a message that has neither text nor attachments: users see nothing. Give it a `text`.",
        );
    }
    check_format(place, text, !claims.is_empty(), findings);
    if place.text("type") == Some("message") {
        check_extended(place, text, findings);
    }
    let markdown = Markdown::read(text);
    check_definitions(&markdown, &at, findings);
    let is_label = |label: &str| claims.iter().any(|claim| claim.place.text("position") == Some(label));
    provider_marker::check(text, &markdown.prose, is_label, &at, findings);
    let markers = Markers::of(text);
    markers.check(claims, phase != Some(Phase::Streaming), &at, findings);
    let is_message = |entity: &Place<'_>| entity.text("type").is_some_and(is_message_type);
    let messages: Vec<_> = place.many("entities").into_iter().filter(is_message).collect();
    if !messages.is_empty() && messages.iter().all(|message| message.many("citation").is_empty()) {
        markers.check_unclaimed(&at, findings);
    }
}

fn check_format(place: &Place<'_>, text: &str, has_claims: bool, findings: &mut Findings) {
    let Some(format) = place.member("textFormat") else { return };
    match format.value.as_str() {
        Some("markdown" | "extendedmarkdown") => {}
        Some("plain") if !has_claims => plain_markup::check(text, &format, findings),
        Some("xml") if !has_claims => {}
        Some(known @ ("plain" | "xml")) => findings.add(
            code::TEAMS_TEXT_FORMAT,
            &format.at,
            format!(
                "Citations are documented for Markdown and extended Markdown; whether users see them in {known:?} is not. \
                 Write \"markdown\"."
            ),
        ),
        Some(_) | None => findings.add(
            code::TEAMS_TEXT_FORMAT,
            &format.at,
            format!("Teams has no format {}. Write \"markdown\".", excerpt(&format.value.to_string())),
        ),
    }
}

/// Extended Markdown is a format of its own
/// (<https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages>, preview of August 2026).
fn check_extended(place: &Place<'_>, text: &str, findings: &mut Findings) {
    let format = place.member("textFormat");
    if format.as_ref().is_none_or(|format| format.value != "extendedmarkdown") && has_extended_parts(text) {
        findings.add(
            code::TEAMS_EXTENDED_FORMAT_MISSING,
            &format.map_or(place.at.clone(), |format| format.at),
            "The text has a table, a formula, a task list or an image, which Teams draws as raw text in this format. Write \
             \"textFormat\": \"extendedmarkdown\", a preview of Microsoft, or say it in words, a list or a link.",
        );
    }
}

fn check_definitions(markdown: &Markdown, at: &Pointer, findings: &mut Findings) {
    for definition in &markdown.definitions {
        findings.add(
            code::TEAMS_DEFINITION_IN_TEXT,
            at,
            format!(
                "[{}] is defined in the text: Teams draws the definition as raw text, or makes a link of the marker in \
                 place of a citation. Leave it out; the claim says where the number leads.",
                excerpt(&definition.label)
            ),
        );
    }
}

fn check_feedback(place: &Place<'_>, findings: &mut Findings) {
    let Some(data) = place.member("channelData") else { return };
    let old = data.member("feedbackLoopEnabled");
    let kinds = ["type", "feedbackLoopType"].into_iter().filter_map(|key| data.member(key));
    if let Some((meant, kind)) = kinds.into_iter().find_map(|kind| Some((feedback::kind(kind.value)?, kind)))
        && old.as_ref().is_some_and(|old| old.value == true)
        && data.member("feedbackLoop").is_none()
    {
        findings.add(
            code::TEAMS_FEEDBACK_INVALID,
            &kind.at,
            format!(
                "Nobody reads this beside `feedbackLoopEnabled`, so users get Teams' own form, whatever it says. Write \
                 \"feedbackLoop\": {{\"type\": {meant:?}}} in place of both."
            ),
        );
    }
    let Some(written) = data.member("feedbackLoop") else { return };
    if !matches!(written.member("type").and_then(|kind| kind.value.as_str()), Some("default" | "custom")) {
        findings.add(
            code::TEAMS_FEEDBACK_INVALID,
            &written.at,
            "Users see no thumbs, or thumbs that open nothing. Write {\"type\": \"default\"}, or \"custom\" with a dialog \
             of your own.",
        );
    }
    if let Some(old) = old {
        findings.add(
            code::TEAMS_FEEDBACK_TWICE,
            &old.at,
            "The older form stands beside `feedbackLoop`, and which one wins is not documented. Leave it out.",
        );
    }
}

fn check_size(place: &Place<'_>, findings: &mut Findings) {
    // Base64 images are left out, because Teams counts them separately.
    let images = place
        .many("attachments")
        .iter()
        .filter_map(|attachment| attachment.text("contentUrl"))
        .fold(0, |bytes, address| if address.starts_with("data:") { bytes + 2 * address.len() } else { bytes });
    let bytes = (2 * utf16(&place.value.to_string())).saturating_sub(images);
    if bytes > REFUSED_BYTES {
        findings.add(
            code::TEAMS_MESSAGE_TOO_LARGE,
            &place.at,
            format!(
                "The message takes {bytes} bytes as UTF-16; Teams refuses more than {REFUSED_BYTES} with 413, and users \
                 see nothing. Cut the text or send fewer passages."
            ),
        );
    } else if bytes > ADVISED_BYTES {
        findings.add(
            code::TEAMS_MESSAGE_LARGE,
            &place.at,
            format!(
                "The message takes {bytes} bytes as UTF-16, and what delivery adds counts too. Stay within \
                 {ADVISED_BYTES}, as the documentation asks."
            ),
        );
    }
}
