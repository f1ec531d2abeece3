//! Compares the text with the claims. Web Chat draws a citation only if both agree, and shows each mismatch differently.

use std::collections::{BTreeMap, BTreeSet};

use super::address::{Scheme, is_same, parsed};
use super::claim::{self, Claim};
use super::code;
use super::definition::Definition;
use super::findings::Findings;
use super::link_label::{is_number, normal_label};
use super::lost_claim::Unread;
use super::markdown::Markdown;
use super::message::Message;
use super::place::excerpt;
use super::pointer::Pointer;

/// The claims of an activity.
#[derive(Clone, Copy)]
pub(super) struct Claims<'a, 'v> {
    pub(super) message: Option<&'a Message<'v>>,
    /// True if there is a Message entity that Web Chat cannot read, which has a finding of its own.
    pub(super) is_unread: bool,
    /// The claims that are not read, of such a Message entity or of the one that is read.
    pub(super) unread: &'a [Unread],
    /// The addresses that open the dialog of a claim which is an entity of its own.
    pub(super) roots: &'a BTreeSet<&'v str>,
}

/// Compares a text with its claims. `whole` is false for the updates of a livestream, whose text still grows.
pub(super) fn check(markdown: &Markdown, all: &Claims<'_, '_>, whole: bool, at: &Pointer, findings: &mut Findings) {
    let message = all.message;
    let claims = message.map_or(&[][..], |message| &message.claims.read[..]);
    let mut by_position: BTreeMap<&str, &Claim<'_>> = BTreeMap::new();
    for claim in claims {
        if let Some(position) = claim.position.as_deref() {
            by_position.entry(position).or_insert(claim);
        }
    }
    let listed: Vec<_> = markdown.listed().filter(|definition| !definition.loser).collect();
    let addresses: BTreeSet<String> = listed.iter().map(|definition| parsed(&definition.url)).collect();
    let is_address = |url: &str| addresses.contains(&parsed(url));
    let is_shown = |claim: &Claim<'_>| claim.appearance.as_ref().and_then(|shown| shown.url).is_some_and(is_address);
    claim::check_positions(claims, is_shown, findings);
    if let Some(Message { label: Some(label), .. }) = message
        && listed.is_empty()
        && whole
    {
        findings.add(
            code::LABEL_WITHOUT_CITATION,
            label,
            "The message's sensitivity label stands in the header of the reference list, and the text defines no \
             source: users do not see the label. Define at least one source.",
        );
    }
    let is_known = |label: &str| by_position.contains_key(label) || listed.iter().any(|found| found.label == label);
    let cited = cited_labels(markdown, is_known);
    for definition in &listed {
        let claim = by_position.get(definition.label.as_str()).copied();
        if claim.is_some() || !all.roots.contains(definition.url.as_str()) {
            check_definition(definition, claim, all, at, findings);
        }
        if !cited.contains(&definition.label) && whole {
            report_uncited(definition, markdown.coded.contains(&definition.label), at, findings);
        }
    }
    if whole {
        check_undefined(markdown, &by_position, all, at, findings);
        if message.is_some_and(|message| !message.has_citation) && all.unread.is_empty() && all.roots.is_empty() {
            check_unclaimed(markdown, at, findings);
        }
    }
}

fn report_uncited(definition: &Definition, is_in_code: bool, at: &Pointer, findings: &mut Findings) {
    let label = &definition.written;
    if is_in_code {
        findings.add(
            code::MARKER_IN_CODE,
            at,
            format!(
                "[{label}] stands in code only, where it is drawn as it is written: no badge leads to this source. Put the \
                 marker behind the code."
            ),
        );
    } else {
        findings.add(
            code::DEFINITION_UNCITED,
            at,
            format!("The text does not cite [{label}], but the reference list shows and counts it."),
        );
    }
}

/// The labels that markers of the text use, including markers that are not drawn.
fn cited_labels(markdown: &Markdown, is_known: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let joined = markdown.joined.iter().filter(|joined| joined.is_meant(|number| is_known(&number.to_string())));
    let joined = joined.flat_map(|joined| joined.numbers.iter().map(ToString::to_string));
    let links = markdown.links.iter().flat_map(|link| [normal_label(&link.label), normal_label(&link.text)]);
    links.chain(markdown.loose.iter().map(|loose| loose.label.clone())).chain(joined).collect()
}

fn check_definition(
    definition: &Definition,
    claim: Option<&Claim<'_>>,
    all: &Claims<'_, '_>,
    at: &Pointer,
    findings: &mut Findings,
) {
    let label = &definition.written;
    let opens_dialog = Scheme::of(&definition.url) == Scheme::Dialog;
    let appearance = claim.and_then(|claim| claim.appearance.as_ref());
    let unread = all.unread.iter().find(|unread| unread.position.as_ref() == Some(&definition.label));
    let claimed = appearance.and_then(|appearance| appearance.url).or(unread.and_then(|unread| unread.url.as_deref()));
    // A web address in the claim is one that the text should have, which is said of both.
    let is_dead =
        claimed.map(|url| Scheme::of(url) == Scheme::Dialog).unwrap_or(appearance.is_none() && !all.is_unread);
    if opens_dialog && is_dead {
        let (cause, remedy) = match claimed {
            Some(_) => (
                "its claim has no web address either; its entry in the list leads into the site that shows the chat",
                "Write the whole address in both, with `https://`; or leave `url` out and give the passage as `appearance.text`",
            ),
            None => (
                "no claim gives a passage for it; newer versions drop the entry from the list",
                "Add a claim with `appearance.text`, or write the whole address, with `https://`",
            ),
        };
        findings.add(
            code::CITATION_UNOPENABLE,
            at,
            format!(
                "Nothing happens when [{label}] is pressed: its address {:?} is no web address, and {cause}. {remedy}.",
                excerpt(&definition.url)
            ),
        );
    }
    let Some(claim) = claim else {
        if all.message.is_some_and(|message| !message.claims.read.is_empty()) {
            findings.add(
                code::DEFINITION_WITHOUT_CLAIM,
                at,
                format!(
                    "The reference list shows [{label}], {:?}, which no claim describes: it looks official, and may come \
                     from the answer itself. Add a claim with this position or remove the definition.",
                    excerpt(&definition.url)
                ),
            );
        }
        return;
    };
    let title = claim.name.or(appearance.and_then(|appearance| appearance.name)).or(definition.title.as_deref());
    if opens_dialog && title.is_none_or(str::is_empty) {
        findings.add(
            code::CITATION_WITHOUT_TITLE,
            &claim.at,
            format!("The entry [{label}] of the reference list is blank. Give the `appearance` a `name`."),
        );
    }
    let Some(appearance) = appearance else { return };
    match appearance.url {
        Some(url) if !is_same(url, &definition.url) => findings.add(
            code::URL_DIFFERS,
            &appearance.at.key("url"),
            format!(
                "In 4.18.1 the badge [{label}] leads to {:?} and the reference list to {:?}; newer versions follow the \
                 Markdown. Write the same address in both.",
                excerpt(&definition.url),
                excerpt(url)
            ),
        ),
        // A dialog that has the address as well is meant to open.
        None if !opens_dialog && !appearance.text.is_some_and(|text| leads_to(text, &definition.url)) => findings.add(
            code::APPEARANCE_URL_MISSING,
            &appearance.at,
            format!(
                "The badge [{label}] opens a page, its list entry a dialog without the way to it. Add the same `url` here, or \
                 a link to it to `text`."
            ),
        ),
        Some(_) | None => {}
    }
}

/// Whether a Markdown text has a link to this address, or the bare address between blanks, of which engines make a link.
fn leads_to(text: &str, address: &str) -> bool {
    let is_bare = || text.split_whitespace().any(|word| word.trim_matches(['(', ')', '.', ',', ';', ':']) == address);
    Markdown::read(text).links.iter().any(|link| !link.image && link.url == address) || is_bare()
}

/// Reports claims without a definition, which stay invisible, and markers without a definition, which stay text.
fn check_undefined(
    markdown: &Markdown,
    by_position: &BTreeMap<&str, &Claim<'_>>,
    all: &Claims<'_, '_>,
    at: &Pointer,
    findings: &mut Findings,
) {
    let defined: BTreeSet<&str> = markdown.definitions.iter().map(|definition| definition.label.as_str()).collect();
    // A definition that is drawn as text has its own finding. Further findings about it would hide the cause.
    let attempted: BTreeSet<&str> = markdown.attempts.iter().map(|attempt| attempt.label.as_str()).collect();
    let dropped = all.message.map_or(&[][..], |message| &message.claims.dropped[..]);
    let unread = all.unread.iter().chain(dropped);
    let unread = unread.filter_map(|unread| Some((unread.position.as_deref()?, &unread.at)));
    let unread: Vec<_> = unread.filter(|(position, _)| !by_position.contains_key(position)).collect();
    for (position, claim) in
        by_position.iter().map(|(position, claim)| (*position, &claim.at)).chain(unread.iter().copied())
    {
        if !defined.contains(position) && !attempted.contains(position) {
            findings.add(
                code::CLAIM_WITHOUT_DEFINITION,
                claim,
                format!(
                    "The text has no definition [{}], so users see nothing of this source. End the text with one \
                     definition for each claim.",
                    excerpt(position)
                ),
            );
        }
    }
    let is_claimed = all.message.is_some_and(|message| message.has_citation) || !all.unread.is_empty();
    if defined.is_empty() && !is_claimed {
        for entry in markdown.loose.iter().filter(|loose| loose.lists_source && is_number(&loose.label)) {
            findings.add(
                code::MARKER_WITHOUT_DEFINITION,
                at,
                format!(
                    "[{}] (byte {}) begins an entry of a list that users see as text, and no marker leads to it. Write it as a \
                     definition, with a colon behind `]`, and a blank line before the first.",
                    entry.label, entry.start
                ),
            );
        }
        return;
    }
    let counts_from_zero = by_position.contains_key("0") || unread.iter().any(|(position, _)| *position == "0");
    for loose in &markdown.loose {
        let label = loose.label.as_str();
        // `array[0]` is code.
        if label == "0" && loose.follows_word && !counts_from_zero {
            continue;
        }
        if is_number(label) && !defined.contains(label) && !attempted.contains(label) {
            findings.add(
                code::MARKER_WITHOUT_DEFINITION,
                at,
                format!(
                    "[{label}] (byte {}) is shown as plain text, because the message does not define it. Add the \
                     definition and its claim, or remove the marker.",
                    loose.start
                ),
            );
        }
    }
}

/// Reports markers of a message that describes no source at all. A number in brackets may mean something else there.
fn check_unclaimed(markdown: &Markdown, at: &Pointer, findings: &mut Findings) {
    if markdown.definitions.is_empty()
        && let Some(loose) = markdown.loose.iter().find(|loose| is_number(&loose.label))
    {
        findings.add(
            code::MARKER_WITHOUT_CLAIM,
            at,
            format!(
                "[{}] (byte {}) is plain text: the Message has no claims, and the text no definitions. If it cites a \
                 source, add both.",
                loose.label, loose.start
            ),
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::example::{assert_finds, cited, cited_with, cited_without, found};

    fn with_text(text: &str) -> serde_json::Value {
        cited_with("/text", json!(text))
    }

    #[test]
    fn claims_and_definitions_need_each_other() {
        let one = "Keep it[1].\n\n[1]: https://docs.example/1\n";
        assert_finds(&with_text(one), "claim-without-definition", "/entities/0/citation/1");
        let three = format!("{}[3]: https://docs.example/3\n", cited()["text"].as_str().expect("a text"));
        assert_finds(&with_text(&three), "definition-without-claim", "/text");
        assert_finds(&with_text(&three), "definition-uncited", "/text");
        let marker = |marker: &str| {
            cited()["text"].as_str().expect("a text").replace("Keep it", &format!("Keep it{marker}\u{200b}"))
        };
        for written in ["[7]", " [0]"] {
            assert_finds(&with_text(&marker(written)), "marker-without-definition", "/text");
        }
        assert_eq!(found(&with_text(&marker("[0]"))), []);
        let mut zero = with_text(&marker("[0]"));
        zero["entities"][0]["citation"][0]["position"] = json!(0);
        assert_finds(&zero, "marker-without-definition", "/text");
    }

    #[test]
    fn a_marker_in_code_is_no_badge() {
        let definitions = "\n\n[1]: https://docs.example/1 \"One\"\n[2]: cite:2 \"Two\"\n";
        for text in ["Keep `it[1]` so[2].", "Keep it[2].\n\n```\nit[1]\n```"] {
            let document = with_text(&format!("{text}{definitions}"));
            assert_eq!(found(&document), [("marker-in-code", "/text".to_owned())]);
        }
        assert_eq!(found(&with_text(&format!("Keep `it[1]` so[1] and[2].{definitions}"))), []);
    }

    #[test]
    fn both_addresses_lead_to_one_page() {
        let url = "/entities/0/citation/0/appearance/url";
        assert_finds(&cited_with(url, json!("https://docs.example/1/")), "url-differs", url);
        assert_eq!(found(&cited_with(url, json!("https://DOCS.example:443/1"))), []);
        let mut without = cited_without(url);
        without["entities"][0]["citation"][0]["appearance"]["text"] = json!("x");
        assert_finds(&without, "appearance-url-missing", "/entities/0/citation/0/appearance");
        let address = cited()["entities"][0]["citation"][0]["appearance"]["url"].clone();
        let text = format!("[docs.example](<{}>)\n\nThe passage.", address.as_str().expect("an address"));
        without["entities"][0]["citation"][0]["appearance"]["text"] = json!(&text);
        assert_eq!(found(&without), []);
        without["entities"][0]["citation"][0]["appearance"]["text"] =
            json!(format!("The page ({}). The passage.", address.as_str().expect("an address")));
        assert_eq!(found(&without), []);
        let another = text.replace(">)", "-2>)");
        without["entities"][0]["citation"][0]["appearance"]["text"] = json!(another);
        assert_finds(&without, "appearance-url-missing", "/entities/0/citation/0/appearance");
    }

    #[test]
    fn a_badge_without_address_needs_a_claim_with_a_title() {
        assert_finds(&cited_without("/entities/0/citation/1/appearance"), "citation-unopenable", "/text");
        let mut untitled = cited_without("/entities/0/citation/1/appearance/name");
        untitled["text"] = json!("Keep it[1]\u{200b}[2].\n\n[1]: https://docs.example/1\n[2]: cite:2\n");
        assert_finds(&untitled, "citation-without-title", "/entities/0/citation/1");
    }

    #[test]
    fn a_label_needs_a_definition_beside_it() {
        assert_finds(&with_text("Keep it."), "label-without-citation", "/entities/0/usageInfo");
    }

    #[test]
    fn numbers_in_brackets_of_an_uncited_text_are_just_text() {
        assert_eq!(found(&json!({"type": "message", "text": "a[7]"})), []);
        let list = json!({"type": "message", "text": "a[1]\n\nSources:\n[1] https://docs.example/1"});
        assert_eq!(found(&list), [("marker-without-definition", "/text".to_owned())]);
        let mut described = cited_with("/entities/0/citation", json!([]));
        described["text"] = json!("a[7]");
        described["entities"][0].as_object_mut().expect("a thing").remove("usageInfo");
        assert_eq!(found(&described), [("marker-without-claim", "/text".to_owned())]);
    }

    #[test]
    fn a_fault_is_reported_where_it_starts() {
        let literal = "Keep it[1]\u{200b}[2].\n[1]: https://docs.example/1\n[2]: cite:2\n";
        let mut document = with_text(literal);
        document["entities"][0].as_object_mut().expect("a thing").remove("usageInfo");
        assert_eq!(
            found(&document),
            [("definition-literal", "/text".to_owned()), ("definition-literal", "/text".to_owned()),]
        );
    }
}
