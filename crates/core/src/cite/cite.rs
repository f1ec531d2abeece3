//! Cites whole answers, and makes passages harmless. A passage has no markers.

use std::collections::BTreeSet;

use super::bibliography::Bibliography;
use super::resolve::Resolver;
use super::rewrite::{Given, Rewrite};
use super::{CitedText, Rules};
use crate::answer::{Answer, MarkerGrammar};
use crate::report::{Entry, Kind};

/// Finds the markers of an answer, numbers the cited sources (by first appearance unless [`Rules::numbering`] says
/// otherwise), and writes the text for a dialect.
///
/// The same answer and rules always give the same text. Time and memory are linear in the length of the text and the number
/// of sources.
#[must_use]
pub fn cite(answer: &Answer, rules: &Rules) -> CitedText {
    let resolver = Resolver::default();
    let given = Given { answer, rules, resolver: &resolver, arrivals: &[] };
    let mut bibliography = Bibliography::default();
    let visible = bibliography.read(&answer.text, true, &answer.sources, &resolver);
    Rewrite::of(answer, rules).finish(&given, &bibliography, visible)
}

/// Makes a passage harmless that a channel draws as Markdown, such as the dialog of a non-URL citation. Images load only
/// from `image_hosts` (lower case). Returns the new text, and a report entry for each thing made harmless, with its offset
/// in the passage.
#[must_use]
pub fn make_harmless(passage: &str, image_hosts: &BTreeSet<String>) -> (String, Vec<Entry>) {
    let rules = Rules { image_hosts: image_hosts.clone(), ..Rules::web_chat() };
    let answer = of_passage(passage);
    let given = Given { answer: &answer, rules: &rules, resolver: &Resolver::default(), arrivals: &[] };
    let mut cited = Rewrite::of(&answer, &rules).finish(&given, &Bibliography::default(), passage.len());
    cited.entries.retain(|entry| entry.kind == Kind::Neutralised);
    (cited.text, cited.entries)
}

/// The line end and fence that close the code fence which a passage leaves open; `None` when no fence is open.
pub(super) fn open_fence(passage: &str) -> Option<String> {
    let (rules, answer) = (Rules::web_chat(), of_passage(passage));
    let mut rewrite = Rewrite::of(&answer, &rules);
    let given = Given { answer: &answer, rules: &rules, resolver: &Resolver::default(), arrivals: &[] };
    rewrite.read(&given, passage.len(), None);
    rewrite.so_far.output.open_fence().map(ToOwned::to_owned)
}

/// Wraps a passage as an answer without markers.
fn of_passage(passage: &str) -> Answer {
    Answer { text: passage.to_owned(), grammar: MarkerGrammar::NONE, ..Answer::default() }
}
