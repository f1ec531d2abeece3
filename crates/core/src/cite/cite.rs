//! Whole answers, and passages, which cite nothing.

use std::collections::BTreeSet;

use super::bibliography::Bibliography;
use super::resolve::Resolver;
use super::rewrite::{Given, Rewrite};
use super::{CitedText, Rules};
use crate::answer::{Answer, MarkerGrammar};
use crate::report::{Entry, Kind};

/// Finds the markers of an answer, numbers its sources by first appearance, and writes the text for a dialect.
///
/// The same answer and rules always give the same text. Time and memory grow with the length of the text and the number of
/// sources, not faster.
#[must_use]
pub fn cite(answer: &Answer, rules: &Rules) -> CitedText {
    let resolver = Resolver::default();
    let given = Given { answer, rules, resolver: &resolver, arrivals: &[] };
    let mut bibliography = Bibliography::default();
    let visible = bibliography.read(&answer.text, true, &answer.sources, &resolver);
    Rewrite::of(answer, rules).finish(&given, &bibliography, visible)
}

/// Makes a passage harmless that a channel draws as Markdown: the dialog of a non-URL citation. With it comes what was made
/// harmless, by places in the passage.
#[must_use]
pub fn make_harmless(passage: &str, image_hosts: &BTreeSet<String>) -> (String, Vec<Entry>) {
    let rules = Rules { image_hosts: image_hosts.clone(), ..Rules::web_chat() };
    let answer = of_passage(passage);
    let given = Given { answer: &answer, rules: &rules, resolver: &Resolver::default(), arrivals: &[] };
    let mut cited = Rewrite::of(&answer, &rules).finish(&given, &Bibliography::default(), passage.len());
    cited.entries.retain(|entry| entry.kind == Kind::Neutralised);
    (cited.text, cited.entries)
}

/// What closes the fence that a passage leaves open, if it does.
pub(super) fn open_fence(passage: &str) -> Option<String> {
    let (rules, answer) = (Rules::web_chat(), of_passage(passage));
    let mut rewrite = Rewrite::of(&answer, &rules);
    let given = Given { answer: &answer, rules: &rules, resolver: &Resolver::default(), arrivals: &[] };
    rewrite.read(&given, passage.len(), None);
    rewrite.so_far.output.open_fence().map(ToOwned::to_owned)
}

/// A passage is an answer without markers.
fn of_passage(passage: &str) -> Answer {
    Answer { text: passage.to_owned(), grammar: MarkerGrammar::NONE, ..Answer::default() }
}
