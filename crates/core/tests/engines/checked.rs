//! Rewritten answers, as the check of their channel reads them: no error and no warning, or a reason.

use std::collections::BTreeSet;

use citewire_check::{Channel, Severity, check};
use citewire_core::convert::{Conversion, Converted, convert};
use citewire_core::dialect::Dialect;
use pulldown_cmark::{Event, Options, Parser};
use serde_json::json;

use super::answers;
use super::cases::{Verdict, try_all};
use super::generator::{answer, manifest, pieces};
use super::rules;

/// The dialects whose channels have rules to check.
const CHECKED: [(Dialect, Channel); 2] = [(Dialect::WebChat, Channel::WebChat), (Dialect::Teams, Channel::Teams)];

/// Findings that are right about Markdown of the answer which stays as its model wrote it: newer versions and formats draw it.
const AS_WRITTEN: [&str; 4] = ["teams-extended-format-missing", "text-formula", "text-marker-raw", "text-task-list"];

/// Findings that are right about an answer with a number without a source, which stays on purpose (policy P-05).
const UNRESOLVED: [&str; 3] = ["marker-without-definition", "teams-marker-without-claim", "teams-markers-joined"];

/// Findings that are right about an answer that says nothing.
const EMPTY: [&str; 2] = ["message-empty", "teams-message-empty"];

/// Findings that are right about harmless HTML of the answer which stays as its model wrote it: its text is drawn.
const HARMLESS: [&str; 2] = ["text-html", "text-markdown-in-html"];

/// Harmless elements that stay as the model wrote them, though Web Chat does not draw them: their text is drawn.
const KEPT: [&str; 20] = [
    "abbr", "cite", "dd", "details", "dfn", "dl", "dt", "kbd", "mark", "q", "rp", "rt", "ruby", "samp", "small", "sub",
    "summary", "sup", "u", "var",
];

/// The elements of raw HTML in a text, in lower case.
#[expect(clippy::wildcard_enum_match_arm, reason = "only HTML is looked for")]
fn elements(text: &str) -> BTreeSet<String> {
    let html =
        Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH).filter_map(|event| match event {
            Event::Html(html) | Event::InlineHtml(html) => Some(html),
            _ => None,
        });
    let mut found = BTreeSet::new();
    for piece in html {
        for tag in piece.split('<').skip(1) {
            let name =
                tag.trim_start_matches('/').split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
            if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
                found.insert(name.to_ascii_lowercase());
            }
        }
    }
    found
}

/// Whether Web Chat draws an element, as the check has it.
fn is_drawn(element: &str) -> bool {
    let message = json!({"type": "message", "text": format!("a <{element}>b</{element}>")});
    check(&message, Channel::WebChat).iter().all(|finding| finding.code != "text-html")
}

/// Whether a finding is right about what is written on purpose.
fn is_on_purpose(code: &str, converted: &Converted) -> bool {
    let text = converted.activities[0].text.as_deref().unwrap_or_default();
    let is_unresolved = !converted.report.unresolved.is_empty();
    let is_empty = text.trim().is_empty();
    let is_kept = || elements(text).iter().all(|element| KEPT.contains(&element.as_str()) || is_drawn(element));
    (HARMLESS.contains(&code) && is_kept())
        || AS_WRITTEN.contains(&code)
        || (is_empty && EMPTY.contains(&code))
        || (is_unresolved && UNRESOLVED.contains(&code))
}

/// Errors and warnings about what becomes of an answer in any channel.
fn findings(text: &str) -> Vec<String> {
    let body = json!({"text": text, "sources": manifest(&[1, 2, 3])}).to_string();
    let mut found = Vec::new();
    for (dialect, channel) in CHECKED {
        let converted = convert(body.as_bytes(), &Conversion::to(dialect)).expect("an activity");
        let activities = serde_json::to_value(&converted.activities).expect("JSON");
        for finding in check(&activities, channel) {
            if finding.severity != Severity::Note && !is_on_purpose(finding.code, &converted) {
                found.push(format!(
                    "{channel}: {} {} in {:?}",
                    finding.code, finding.message, converted.activities[0].text
                ));
            }
        }
    }
    found
}

#[test]
fn the_check_finds_nothing_in_the_examples_of_the_writers_rules() {
    let examples: Vec<_> = rules::examples().collect();
    assert!(examples.len() >= 55, "only {} examples", examples.len());
    let found: Vec<_> = examples.iter().flat_map(|text| findings(text)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_check_finds_nothing_in_answers_as_models_write_them() {
    let found: Vec<_> = answers::texts().iter().flat_map(|text| findings(text)).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_check_finds_nothing_in_generated_answers() {
    let tally = try_all("checked", pieces, || {
        |cases: &[Vec<&'static str>]| {
            let judge = |pieces: &Vec<&'static str>| {
                Verdict::of(pieces, || {
                    let found = findings(&answer(pieces));
                    if found.is_empty() { Ok(()) } else { Err(found.join("\n")) }
                })
            };
            cases.iter().map(judge).collect()
        }
    });
    tally.assert_all_hold();
}
