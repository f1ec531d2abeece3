//! Finds terms that nobody reads, at any depth of the entities. Every channel reads the same terms.

use serde_json::Value;

use super::code;
use super::feedback;
use super::findings::Findings;
use super::misplaced::is_claim;
use super::place::{Place, excerpt};
use super::pointer::Pointer;
use crate::context::{knows, terms};

/// The JSON-LD keywords that an activity may use.
pub(super) const KEYWORDS: &[&str] =
    &["@context", "@id", "@type", "@value", "@language", "@list", "@set", "@index", "type", "id"];

/// The maximum nesting that is read. The JSON parser stops at 128 levels.
const MAX_DEPTH: usize = 100;

/// The prefixes of schema.org's addresses.
const PREFIXES: [&str; 3] = ["https://schema.org/", "http://schema.org/", "schema:"];

/// Words of other formats, and the terms for which they stand.
const ALIASES: &[(&str, &str)] = &[
    ("title", "name"),
    ("link", "url"),
    ("href", "url"),
    ("uri", "url"),
    ("webUrl", "url"),
    ("sources", "citation"),
    ("references", "citation"),
    ("snippet", "abstract"),
    ("excerpt", "abstract"),
    ("summary", "abstract"),
    ("content", "text"),
    ("sensitivityLabel", "usageInfo"),
];

/// The members of an activity, by the Bot Framework's schema.
const MEMBERS: &[&str] = &[
    "action",
    "attachmentLayout",
    "attachments",
    "callerId",
    "channelData",
    "channelId",
    "code",
    "conversation",
    "deliveryMode",
    "entities",
    "expiration",
    "from",
    "historyDisclosed",
    "id",
    "importance",
    "inputHint",
    "label",
    "listenFor",
    "locale",
    "localTimestamp",
    "localTimezone",
    "membersAdded",
    "membersRemoved",
    "name",
    "properties",
    "reactionsAdded",
    "reactionsRemoved",
    "recipient",
    "relatesTo",
    "replyToId",
    "semanticAction",
    "serviceUrl",
    "speak",
    "suggestedActions",
    "summary",
    "text",
    "textFormat",
    "textHighlights",
    "timestamp",
    "topicName",
    "type",
    "value",
    "valueType",
];

/// The members of an activity that say where it belongs. Messages of other services have words like them: the `channel` of Slack is
/// no misspelt `channelId`.
const ROUTING: &[&str] = &["callerId", "channelId", "conversation", "serviceUrl"];

/// The members of an activity that no client shows.
const UNSEEN: &[&str] = &[
    "callerId",
    "channelId",
    "deliveryMode",
    "expiration",
    "listenFor",
    "localTimestamp",
    "localTimezone",
    "properties",
    "recipient",
    "relatesTo",
    "serviceUrl",
    "valueType",
];

/// Reports members of an activity that are almost known ones. Others are left alone: channels and bots have their own.
pub(super) fn check_members(activity: &Place<'_>, findings: &mut Findings) {
    for key in activity.object().into_iter().flat_map(|object| object.keys()) {
        if MEMBERS.contains(&key.as_str()) {
            continue;
        }
        if let Some(meant) = meant_member(key) {
            let effect = if UNSEEN.contains(&meant) { "" } else { ", so users miss what it says" };
            findings.add(
                code::MEMBER_MISSPELT,
                &activity.at.key(key),
                format!("Nobody reads {:?}{effect}. Is {meant:?} meant?", excerpt(key)),
            );
        }
    }
}

/// Reports the unknown terms of a thing of schema.org.
pub(super) fn check(thing: &Place<'_>, findings: &mut Findings) {
    walk(thing, 0, findings);
}

fn walk(place: &Place<'_>, depth: usize, findings: &mut Findings) {
    if depth > MAX_DEPTH {
        return;
    }
    match place.value {
        Value::Object(object) => {
            for (key, value) in object {
                let at = place.at.key(key);
                match key.as_str() {
                    "@context" => continue,
                    "@type" | "type" => check_type(value, &at, findings),
                    // Thumbs that are asked for in the wrong place have a finding of their own.
                    key if feedback::is_request(key) => continue,
                    key if !is_known(key) && !is_annotation(key) => {
                        if meant(key) == Some("citation") && holds_claims(value) {
                            findings.add(
                                code::CITATION_MISSPELT,
                                &at,
                                format!(
                                    "No client reads claims in {key:?}: users see no citations. Write \"citation\": [ … ]."
                                ),
                            );
                            continue;
                        }
                        unknown(key, &at, findings);
                        continue;
                    }
                    _ => {}
                }
                walk(&Place::new(value, at), depth + 1, findings);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                walk(&Place::new(item, place.at.index(index)), depth + 1, findings);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Whether a value is a claim or a list of some.
fn holds_claims(value: &Value) -> bool {
    value.as_array().map_or_else(|| is_claim(value), |all| all.iter().any(is_claim))
}

/// Whether a member of a thing is a keyword, a term or an address.
pub(super) fn is_known(key: &str) -> bool {
    KEYWORDS.contains(&key) || knows(key) || key.contains("://")
}

/// Whether a member says which value of a property an action takes or gives. Readers of JSON-LD skip such members.
fn is_annotation(key: &str) -> bool {
    ["-input", "-output"].iter().filter_map(|ending| key.strip_suffix(ending)).any(knows)
}

/// Whether a type is a term of schema.org, or the address of a vocabulary.
pub(super) fn is_known_type(kind: &str) -> bool {
    knows(bare(kind)) || bare(kind).contains("://")
}

/// A term without the address of schema.org.
fn bare(term: &str) -> &str {
    PREFIXES.iter().find_map(|prefix| term.strip_prefix(prefix)).unwrap_or(term)
}

fn check_type(value: &Value, at: &Pointer, findings: &mut Findings) {
    if let Some(kind) = value.as_str().filter(|kind| !is_known_type(kind)) {
        unknown(bare(kind), at, findings);
    }
}

/// The known term that a misspelt one means.
pub(super) fn meant(term: &str) -> Option<&'static str> {
    let alias = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(term)).map(|(_, known)| *known);
    let nearest = || {
        let near = terms().chain(KEYWORDS.iter().copied()).filter(|known| is_almost(term, known));
        near.min_by_key(|known| strsim::osa_distance(term, known))
    };
    alias.or_else(nearest)
}

/// The member of an activity that a misspelt one means.
pub(super) fn meant_member(key: &str) -> Option<&'static str> {
    let is_meant =
        |known: &&str| known.len() > 3 && is_almost(key, known) && (is_surely(key, known) || !ROUTING.contains(known));
    MEMBERS.iter().copied().find(is_meant)
}

/// The member of an activity that a misspelt one surely means. In a short word, a typing error makes another word: a bot's own
/// `mode` is no `code`, and its `option` no `action`.
pub(super) fn surely_meant_member(key: &str) -> Option<&'static str> {
    meant_member(key).filter(|known| is_surely(key, known))
}

/// Whether a member is a known one in another case, or a longer one with one typing error.
fn is_surely(key: &str, known: &str) -> bool {
    let distance = strsim::osa_distance(&key.trim().to_ascii_lowercase(), &known.to_ascii_lowercase());
    distance == 0 || known.len() > 5 && distance == 1
}

fn unknown(term: &str, at: &Pointer, findings: &mut Findings) {
    match meant(term) {
        Some(meant) => findings.add(
            code::TERM_MISSPELT,
            at,
            format!(
                "schema.org has no {:?}; every reader ignores it, so users miss what it says. Is {meant:?} meant?",
                excerpt(term)
            ),
        ),
        None => findings.add(
            code::TERM_UNKNOWN,
            at,
            format!("Nothing that users see depends on {:?}; readers of the graph may not know it.", excerpt(term)),
        ),
    }
}

/// Whether `term` is `known` in another case, or with one or two typing errors.
fn is_almost(term: &str, known: &str) -> bool {
    if term.eq_ignore_ascii_case(known) {
        return true;
    }
    let allowed = if known.len() < 5 { 1 } else { 2 };
    known.len() > 3
        && term.len().abs_diff(known.len()) <= allowed
        && strsim::osa_distance(&term.to_ascii_lowercase(), &known.to_ascii_lowercase()) <= allowed
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{Channel, check};
    use super::*;

    fn codes(document: &Value, channel: Channel) -> Vec<(&'static str, String)> {
        let found = check(document, channel).into_iter().map(|finding| (finding.code, finding.pointer));
        found.filter(|(code, _)| code.starts_with("term-") || code.starts_with("member-")).collect()
    }

    fn things(thing: &Value) -> Vec<(&'static str, String)> {
        let mut findings = Findings::default();
        super::check(&Place::new(thing, Pointer::default()), &mut findings);
        findings.finish().into_iter().map(|finding| (finding.code, finding.pointer)).collect()
    }

    #[test]
    fn unknown_and_misspelt_terms_are_told_apart() {
        let thing = json!({"@type": "Message", "positon": "1", "x-trace": 7, "keywords": ["a"]});
        assert_eq!(things(&thing), [("term-misspelt", "/positon".into()), ("term-unknown", "/x-trace".into())]);
        assert_eq!(things(&json!({"@type": "Mesage"})), [("term-misspelt", "/@type".into())]);
        assert_eq!(things(&json!({"@typ": "Message"})), [("term-misspelt", "/@typ".into())]);
        assert_eq!(things(&json!({"type": "https://schema.org/Mesage"})), [("term-misspelt", "/type".into())]);
        assert_eq!(things(&json!({"type": "https://other.example/Mesage"})), []);
    }

    /// The actions of Web Chat's own tests.
    #[test]
    fn the_members_of_actions_are_known() {
        let thing = json!({"@type": "DislikeAction", "target": {"@type": "EntryPoint", "urlTemplate": "a{&reason}"},
            "result": {"@type": "Review", "reviewBody-input": {"@type": "PropertyValueSpecification", "valueName": "reason",
            "valueMinLength": 3}}});
        assert_eq!(things(&thing), []);
        assert_eq!(things(&json!({"colour-input": 1})), [("term-unknown", "/colour-input".into())]);
        let document = json!({"type": "message", "text": "a", "entities": [{"type": "https://schema.org/Message",
            "@context": "https://schema.org", "@type": "Message", "@id": "", "potentialAction": [thing]}]});
        assert!(check(&document, Channel::WebChat).iter().all(|finding| finding.code != "linked-data-invalid"));
    }

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        for (slip, known) in [
            ("positon", "position"),
            ("usageinfo", "usageInfo"),
            ("apearence", "appearance"),
            ("citaiton", "citation"),
            ("title", "name"),
            ("Href", "url"),
        ] {
            assert_eq!(meant(slip), Some(known), "{slip}");
        }
        for word in ["colour", "tags", "x-trace", "score", "chunk"] {
            assert_eq!(meant(word), None, "{word}");
        }
    }

    /// Once, only Web Chat's check knew the terms, and Teams' said that all was good.
    #[test]
    fn a_misspelt_term_is_found_in_every_channel_at_any_depth() {
        for channel in [Channel::WebChat, Channel::Teams] {
            let mut thing = json!({"usageinfo": {}});
            let mut pointer = "/usageinfo".to_owned();
            for _ in 0..20 {
                thing = json!({"@type": "CreativeWork", "about": thing});
                pointer = format!("/about{pointer}");
            }
            let document = json!({"type": "message", "text": "a", "entities": [
                {"type": "https://schema.org/Message", "@context": "https://schema.org", "@type": "Message", "@id": "",
                 "citations": [], "about": thing},
            ]});
            let expected = [
                ("term-misspelt", format!("/entities/0/about{pointer}")),
                ("term-misspelt", "/entities/0/citations".to_owned()),
            ];
            assert_eq!(codes(&document, channel), expected, "{channel}");
        }
    }

    #[test]
    fn a_misspelt_member_of_the_activity_is_found_and_others_are_left_alone() {
        for channel in [Channel::WebChat, Channel::Teams] {
            let document = json!({"type": "message", "text": "a", "Entites": [], "textformat": "markdown", "trace": 1,
                                  "attachmentLayout": "list", "x": 2});
            let expected = [("member-misspelt", "/Entites".into()), ("member-misspelt", "/textformat".into())];
            assert_eq!(codes(&document, channel), expected, "{channel}");
        }
    }

    #[test]
    fn users_are_named_only_where_they_would_see_something() {
        for (member, is_seen) in
            [("textformat", true), ("serviceurl", false), ("callerid", false), ("localtimezone", false)]
        {
            let found = check(&json!({"type": "message", "text": "a", member: "x"}), Channel::Teams);
            let named = found.iter().find(|finding| finding.code == "member-misspelt").expect("a finding");
            assert_eq!(named.message.contains("users"), is_seen, "{}", named.message);
        }
    }

    #[test]
    fn words_of_other_services_are_no_misspelt_members() {
        let codes_of = |member: &str| codes(&json!({"type": "message", "text": "a", member: "C1"}), Channel::WebChat);
        assert_eq!(codes_of("channel"), []);
        for misspelt in ["chanelId", "channelID", "convesation", "replyTo"] {
            assert_eq!(codes_of(misspelt), [("member-misspelt", format!("/{misspelt}"))], "{misspelt}");
        }
    }

    /// The button *Code* of Web Chat's main branch, and its other terms.
    #[test]
    fn terms_that_the_main_branch_draws_are_known() {
        let document = json!({"type": "message", "text": "a", "entities": [{
            "type": "https://schema.org/Message", "@context": "https://schema.org", "@type": "Message", "@id": "",
            "isBasedOn": {"@type": "SoftwareSourceCode", "programmingLanguage": "Python", "text": "print(1)", "name": "A"},
            "isPartOf": {"@type": "HowTo", "@id": "_:h"}, "position": 1, "abstract": "A step",
            "creativeWorkStatus": "Published", "author": {"@type": "Person", "image": "https://a.example/p.png"},
            "about": {"@type": "Certification", "auditDate": "2026-01-01"},
        }]});
        for channel in [Channel::WebChat, Channel::Teams] {
            assert_eq!(codes(&document, channel), [], "{channel}");
        }
    }
}
