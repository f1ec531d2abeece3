//! Checks claims. Each is one citation, and its `position` matches the label of a link definition.

use std::collections::BTreeMap;

use super::address::Scheme;
use super::blank_nodes::{BlankNodes, unread_reference};
use super::claim_members;
use super::code;
use super::findings::Findings;
use super::interpreter;
use super::label;
use super::lost_claim::Unread;
use super::markdown::{Html, Markdown};
use super::place::{Place, excerpt, printed};
use super::pointer::Pointer;

/// A claim in the reading of Web Chat.
#[derive(Debug)]
pub(super) struct Claim<'v> {
    pub(super) at: Pointer,
    /// The position, compared with normalized Markdown labels. A position that cannot match any label is reported, and
    /// stored here in its intended form, so that other rules do not report consequences.
    pub(super) position: Option<String>,
    pub(super) name: Option<&'v str>,
    pub(super) appearance: Option<Appearance<'v>>,
}

/// The document that a claim shows.
#[derive(Debug)]
pub(super) struct Appearance<'v> {
    pub(super) at: Pointer,
    pub(super) name: Option<&'v str>,
    /// The address; `None` makes the entry a button that opens a dialog.
    pub(super) url: Option<&'v str>,
    /// The text of that dialog.
    pub(super) text: Option<&'v str>,
}

/// The claims of a Message entity.
#[derive(Debug, Default)]
pub(super) struct Claims<'v> {
    pub(super) read: Vec<Claim<'v>>,
    /// Claims that Web Chat drops, because of their type for instance.
    pub(super) dropped: Vec<Unread>,
}

/// Reads the claims of a Message entity, and reports those that Web Chat drops or shows wrongly.
pub(super) fn check<'v>(message: &Place<'v>, nodes: &BlankNodes<'v>, findings: &mut Findings) -> Claims<'v> {
    let mut claims = Claims::default();
    let mut interpreters = Vec::new();
    for (index, written) in message.many("citation").into_iter().enumerate() {
        let Some(place) = nodes.follow(written) else { continue };
        if let Some(id) = unread_reference(place.value) {
            findings.add_once(
                code::REFERENCE_DANGLING,
                &place.at,
                format!(
                    "This is a reference to the node {id:?}, which is never looked up: only blank nodes are, whose names \
                     start with `_:`. This claim is absent, with its title, label and passage. Write the whole claim here."
                ),
            );
            continue;
        }
        if !place.is_thing("this claim, with its title, label and passage,", findings) {
            claims.dropped.push(Unread::of(place.value, &place.at));
            continue;
        }
        if let Some(interpreter) = place.one("claimInterpreter").and_then(|found| nodes.follow(found)) {
            interpreter::check(&interpreter, findings);
            interpreters.push((index, interpreter));
        }
        claims.read.push(read(&place, nodes, findings));
    }
    interpreter::check_shown(&interpreters, findings);
    claims
}

fn read<'v>(place: &Place<'v>, nodes: &BlankNodes<'v>, findings: &mut Findings) -> Claim<'v> {
    let name = place.text("name");
    if name == Some("") {
        findings.add(
            code::CLAIM_NAME_EMPTY,
            &place.at.key("name"),
            "An empty name wins over all other titles: the reference list shows the host of the URL instead of a \
             title. Leave `name` out or fill it in.",
        );
    }
    let appearance = place.one("appearance").and_then(|found| nodes.follow(found));
    claim_members::check(place, appearance.as_ref(), &claim_members::WEB_CHAT, findings);
    if place.member("appearance").is_none() {
        findings.add(
            code::APPEARANCE_MISSING,
            &place.at,
            "Without `appearance` the entry shows the title and URL of the Markdown definition, and no label. Add an \
             `appearance` with `@type`, `name` and `url`.",
        );
    }
    let appearance = appearance.and_then(|found| read_appearance(&found, nodes, findings));
    Claim { at: place.at.clone(), position: position(place, findings), name, appearance }
}

fn position(place: &Place<'_>, findings: &mut Findings) -> Option<String> {
    let Some(written) = place.one("position") else {
        findings.add(
            code::POSITION_MISSING,
            &place.at,
            "A claim without `position` belongs to no citation: users see the title of the Markdown definition and no \
             label. Write the number of the marker as a string, \"1\".",
        );
        return None;
    };
    let Some(position) = printed(written.value) else {
        findings.add(
            code::POSITION_UNMATCHABLE,
            &written.at,
            "This is neither a string nor a number, so the claim belongs to no citation. Write \"1\".",
        );
        return None;
    };
    let mut meant = super::link_label::normal_label(&position);
    if meant.len() > 1 && meant.starts_with('0') && meant.bytes().all(|byte| byte.is_ascii_digit()) {
        meant = meant.trim_start_matches('0').to_owned();
    }
    if meant != position || meant.is_empty() {
        findings.add(
            code::POSITION_UNMATCHABLE,
            &written.at,
            format!(
                "No label equals {position:?}: labels are trimmed and lower-cased before they are compared, positions \
                 are not. Users see the Markdown title and no label. Write the bare number, \"1\"."
            ),
        );
    }
    Some(meant)
}

fn read_appearance<'v>(place: &Place<'v>, nodes: &BlankNodes<'v>, findings: &mut Findings) -> Option<Appearance<'v>> {
    if !place.is_thing("the title, link and label of this source", findings) {
        return None;
    }
    if let Some(written) = place.one("usageInfo")
        && let Some(body) = nodes.follow(written)
    {
        label::check(&body, findings);
    }
    let url = place.some_text("url");
    match url {
        Some(url) if Scheme::of(url) == Scheme::Dangerous => findings.add(
            code::APPEARANCE_SCHEME_UNSAFE,
            &place.at.key("url"),
            format!(
                "The reference list of 4.18.1 carries {:?} as a live link; newer versions drop the entry. Send `http` \
                 or `https` only.",
                excerpt(url)
            ),
        ),
        Some(_) => {}
        None => check_passage(place, findings),
    }
    Some(Appearance { at: place.at.clone(), name: place.text("name"), url, text: place.text("text") })
}

/// Checks the text of the dialog, which a source without a URL needs.
fn check_passage(place: &Place<'_>, findings: &mut Findings) {
    let Some(passage) = place.text("text") else {
        findings.add(
            code::PASSAGE_MISSING,
            &place.at,
            "A source without `url` opens a dialog with its `text`. There is no string `text`: pressing the citation \
             removes the whole Web Chat from the page, in every version. Add `text`, or a `url`.",
        );
        return;
    };
    if passage.trim().is_empty() {
        findings.add(
            code::PASSAGE_EMPTY,
            &place.at.key("text"),
            "Pressing the citation opens an empty dialog. Put the passage into `text`.",
        );
    }
    if is_card(passage) {
        findings.add(
            code::PASSAGE_CARD,
            &place.at.key("text"),
            "The dialog shows an Adaptive Card as the JSON that it is: only Teams draws one here. Put the words of the source into \
             `text`.",
        );
        return;
    }
    let markdown = Markdown::read(passage);
    let is_active = |html: &Html| html.is_block || super::raw_html::is_active_html(&passage[html.span.clone()]);
    if markdown.links.iter().any(|link| link.image) || markdown.html.iter().any(is_active) {
        findings.add(
            code::PASSAGE_ACTIVE,
            &place.at.key("text"),
            "The dialog draws this passage as Markdown with HTML: images are requested from their hosts at once, \
             elements that Web Chat does not know vanish, and so does text between blocks of HTML. Escape `<`, `&` and `![` in passages that are not Markdown.",
        );
    }
}

/// Whether a passage is an Adaptive Card as JSON.
pub(super) fn is_card(passage: &str) -> bool {
    passage.trim_start().starts_with('{')
        && serde_json::from_str(passage).is_ok_and(|card: serde_json::Value| card["type"] == "AdaptiveCard")
}

/// Reports claims whose position another claim has. `is_shown` tells whether the text shows the source of a claim all the same.
pub(super) fn check_positions(claims: &[Claim<'_>], is_shown: impl Fn(&Claim<'_>) -> bool, findings: &mut Findings) {
    let mut seen: BTreeMap<&str, &Pointer> = BTreeMap::new();
    for claim in claims {
        let Some(position) = claim.position.as_deref() else { continue };
        let Some(first) = seen.get(position) else {
            seen.insert(position, &claim.at);
            continue;
        };
        let at = claim.at.key("position");
        let first = first.as_str();
        if is_shown(claim) {
            let message = format!(
                "{first} has position {position:?} already and wins: of this source users see what the Markdown says, without the \
                 title and label of this claim. Number the claims without repetition."
            );
            findings.add(code::CLAIM_OVERRULED, &at, message);
        } else {
            let message = format!(
                "{first} has position {position:?} already and wins: this source is never shown, and its citations lead to the \
                 other one. Number the claims without repetition."
            );
            findings.add(code::POSITION_REPEATED, &at, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::example::{assert_finds, cited_with, cited_without, found};

    const FIRST: &str = "/entities/0/citation/0";
    const SECOND: &str = "/entities/0/citation/1";

    #[test]
    fn positions_must_be_there_once_and_match_a_label() {
        assert_finds(&cited_without(&format!("{FIRST}/position")), "position-missing", FIRST);
        let position = format!("{FIRST}/position");
        for odd in [json!(" 1"), json!("01"), json!({}), json!("")] {
            assert_finds(&cited_with(&position, odd), "position-unmatchable", &position);
        }
        let second = format!("{SECOND}/position");
        let mut repeated = cited_with(&second, json!("1"));
        assert_finds(&repeated, "position-repeated", &second);
        repeated["entities"][0]["citation"][1]["appearance"]["url"] = json!("https://docs.example/2");
        repeated["text"] = json!("a[1]\u{200b}[2].\n\n[1]: https://docs.example/1\n[2]: https://docs.example/2");
        assert_finds(&repeated, "claim-overruled", &second);
        for fine in [json!(1), json!(1.0), json!(["1"])] {
            assert_eq!(found(&cited_with(&position, fine)), []);
        }
    }

    #[test]
    fn nested_things_need_their_type() {
        assert_finds(&cited_without(&format!("{FIRST}/@type")), "nested-type-missing", FIRST);
        let appearance = format!("{SECOND}/appearance");
        assert_finds(&cited_without(&format!("{appearance}/@type")), "nested-type-missing", &appearance);
        let id = format!("{FIRST}/@id");
        assert_finds(&cited_with(&id, json!(7)), "nested-id-not-string", &id);
        let context = format!("{FIRST}/@context");
        assert_finds(&cited_with(&context, json!("http://schema.org")), "nested-context-wrong", &context);
        assert_finds(&cited_with(FIRST, json!("x")), "nested-not-object", FIRST);
    }

    #[test]
    fn a_claim_that_is_only_a_reference_is_named_as_one() {
        for id in ["_:x", "https://docs.example/1"] {
            assert_finds(&cited_with(FIRST, json!({"@id": id})), "reference-dangling", FIRST);
        }
    }

    #[test]
    fn a_dialog_needs_a_harmless_passage() {
        let appearance = format!("{SECOND}/appearance");
        let text = format!("{appearance}/text");
        assert_finds(&cited_without(&text), "passage-missing", &appearance);
        assert_finds(&cited_with(&text, json!(7)), "passage-missing", &appearance);
        assert_finds(&cited_with(&text, json!(" ")), "passage-empty", &text);
        assert_finds(&cited_with(&text, json!("<b onclick=\"x\">x</b> <img src=x>")), "passage-active", &text);
        assert_finds(&cited_with(&text, json!("<div>\nx\n</div>")), "passage-active", &text);
        assert_finds(&cited_with(&text, json!("x <sub>y</sub>")), "passage-active", &text);
        let card = json!({"type": "AdaptiveCard", "version": "1.6", "body": []});
        assert_finds(&cited_with(&text, json!(card.to_string())), "passage-card", &text);
        assert_eq!(found(&cited_with(&text, json!("**a** <b>x</b><br>y <!-- z -->"))), []);
    }

    #[test]
    fn members_in_the_wrong_place_are_found() {
        let label = format!("{FIRST}/usageInfo");
        let mut unlabelled = cited_without(&format!("{FIRST}/appearance/usageInfo"));
        unlabelled["entities"][0]["citation"][0]["usageInfo"] = json!({"@type": "CreativeWork", "name": "Secret"});
        assert_finds(&unlabelled, "claim-member-misplaced", &label);
        let text = format!("{FIRST}/text");
        assert_finds(&cited_with(&text, json!("x")), "claim-member-misplaced", &text);
        assert_finds(&cited_without(&format!("{FIRST}/appearance")), "appearance-missing", FIRST);
        let name = format!("{FIRST}/name");
        assert_finds(&cited_with(&name, json!("")), "claim-name-empty", &name);
    }

    #[test]
    fn a_dangerous_address_is_an_error_also_where_the_text_agrees() {
        let url = format!("{FIRST}/appearance/url");
        assert_finds(&cited_with(&url, json!("vbscript:x")), "appearance-scheme-unsafe", &url);
    }
}
