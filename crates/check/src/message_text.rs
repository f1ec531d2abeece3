//! Checks the text of one message for Web Chat, with its format and its claims.

use std::collections::BTreeSet;

use super::agreement::{self, Claims};
use super::code;
use super::findings::Findings;
use super::lost_claim::Unread;
use super::markdown::Markdown;
use super::message::{self, Message};
use super::place::{Place, excerpt};
use super::plain_markup;
use super::root_claim;
use super::stream_info::Phase;
use super::text;
use super::wrapped;

/// The members of an activity that its text is held against.
pub(super) struct Known<'a, 'v> {
    pub(super) kind: &'v str,
    pub(super) phase: Option<Phase>,
    pub(super) has_attachments: bool,
    /// The positions of the claims.
    pub(super) positions: &'a BTreeSet<String>,
    pub(super) message: Option<&'a Message<'v>>,
    /// The claims that are not read.
    pub(super) unread: &'a [Unread],
}

/// The labels of a text.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// The labels that the text defines.
    pub(super) defined: BTreeSet<String>,
    /// The numbers in brackets that are not links.
    pub(super) loose: BTreeSet<String>,
}

/// Checks the text of a message.
pub(super) fn check(place: &Place<'_>, known: &Known<'_, '_>, findings: &mut Findings) -> Labels {
    let Known { kind, phase, message, .. } = *known;
    let written = place.text("text");
    let withdrawn = phase == Some(Phase::Final) && written.unwrap_or_default().is_empty();
    if phase == Some(Phase::Informative) || withdrawn {
        return Labels::default();
    }
    if kind == "typing" && phase.is_none() {
        let unknown_phase = place.member("channelData").is_some_and(|data| data.member("streamType").is_some());
        if written.is_some() && !unknown_phase {
            findings.add(
                code::TYPING_WITH_TEXT,
                &place.at.key("text"),
                "Web Chat draws a typing activity that has a text as a message, which stays. Leave the text out, or add the \
                 metadata of a livestream.",
            );
        }
        return Labels::default();
    }
    let text = written.unwrap_or_default();
    let at = place.at.key("text");
    check_emptiness(place, known, findings);
    text::check_encoding(text, &at, findings);
    let markdown = Markdown::read(text);
    let has_citations =
        !markdown.definitions.is_empty() || message.is_some_and(|message| !message.claims.read.is_empty());
    if let Some(format) = place.member("textFormat") {
        if matches!(format.value.as_str(), Some("plain" | "xml")) {
            if has_citations {
                findings.add(
                    code::TEXT_FORMAT_PLAIN,
                    &format.at,
                    "The text is drawn as it stands: no citations, no reference list, no label, and the definitions as \
                     raw text. Write \"textFormat\": \"markdown\".",
                );
            } else {
                plain_markup::check(text, &format, findings);
            }
            return Labels::default();
        }
        if format.value != "markdown" {
            findings.add(
                code::TEXT_FORMAT_UNUSUAL,
                &format.at,
                format!("Web Chat reads {} as Markdown. Write \"markdown\".", excerpt(&format.value.to_string())),
            );
        }
    }
    let positions: BTreeSet<_> = known.positions.iter().map(String::as_str).collect();
    text::check(text, &markdown, &positions, &at, findings);
    // A Message entity that Web Chat cannot read has its own finding.
    let is_thing = |entity: &Place<'_>| message::is_schema_thing(entity.value) || wrapped::holds_message(entity.value);
    let has_things = place.many("entities").iter().any(is_thing);
    if !has_things && markdown.listed().next().is_some() {
        findings.add(
            code::MESSAGE_MISSING,
            &at,
            "The sources are listed with the titles of the definitions; there are no labels, no passages and no \
             interpreter. Add a Message thing when you have them.",
        );
    }
    let whole = phase != Some(Phase::Streaming);
    agree(place, &markdown, known, whole, findings);
    Labels {
        defined: markdown.definitions.into_iter().map(|definition| definition.label).collect(),
        loose: markdown.loose.into_iter().map(|loose| loose.label).collect(),
    }
}

/// Compares the text with the claims of the activity.
fn agree(place: &Place<'_>, markdown: &Markdown, known: &Known<'_, '_>, whole: bool, findings: &mut Findings) {
    let Known { message, unread, .. } = *known;
    let roots = root_claim::check(place, markdown, known.positions, findings);
    let is_message = |entity: &Place<'_>| {
        entity.text("type").is_some_and(message::is_message_type) || wrapped::holds_message(entity.value)
    };
    let is_unread = message.is_none() && place.many("entities").iter().any(is_message);
    let claims = Claims { message, is_unread, unread, roots: &roots };
    agreement::check(markdown, &claims, whole, &place.at.key("text"), findings);
}

/// Reports a message that has nothing to draw.
fn check_emptiness(place: &Place<'_>, known: &Known<'_, '_>, findings: &mut Findings) {
    let has_text = place.text("text").is_some_and(|text| !text.trim().is_empty());
    let has_actions = place.member("suggestedActions").is_some_and(|list| !list.many("actions").is_empty());
    let has_abstract = known.message.is_some_and(|message| message.has_abstract);
    if known.kind == "message" && !has_text && !has_actions && !known.has_attachments {
        let told = if has_abstract {
            "The message has only an `abstract`: newer versions show it as a step, and users of 4.18.1 see nothing. Give it \
             a `text` as well."
        } else {
            "The message has neither text nor attachments nor suggested actions: users see nothing, or an empty bubble. \
             Give it a `text`."
        };
        findings.add(code::MESSAGE_EMPTY, &place.at, told);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::example::{assert_finds, cited_with, found};

    #[test]
    fn plain_text_shows_no_citations_and_odd_formats_are_noted() {
        for format in ["plain", "xml"] {
            assert_finds(&cited_with("/textFormat", json!(format)), "text-format-plain", "/textFormat");
        }
        assert_finds(&cited_with("/textFormat", json!("Markdown")), "text-format-unusual", "/textFormat");
        assert_eq!(found(&json!({"type": "message", "text": "x[1](y)", "textFormat": "plain"})), []);
    }

    #[test]
    fn a_message_without_anything_to_draw_is_found() {
        for empty in [json!(null), json!(""), json!(" \n")] {
            assert_eq!(found(&json!({"type": "message", "text": empty})), [("message-empty", String::new())]);
        }
        let mut without_claims = cited_with("/entities/0/citation", json!([]));
        without_claims["text"] = json!("");
        assert_finds(&without_claims, "message-empty", "");
        for drawn in [
            json!({"type": "message", "attachments": [{"contentType": "image/png"}]}),
            json!({"type": "message", "suggestedActions": {"actions": [{"type": "imBack", "title": "Yes"}]}}),
            json!({"type": "message", "from": {"role": "user"}}),
            json!({"type": "event"}),
        ] {
            assert_eq!(found(&drawn), [], "{drawn}");
        }
    }

    #[test]
    fn a_typing_indicator_has_no_text() {
        assert_eq!(found(&json!({"type": "typing", "text": "…"})), [("typing-with-text", "/text".into())]);
        assert_eq!(found(&json!({"type": "typing"})), []);
    }
}
