//! Whole answers.

use super::rewrite::{Given, Rewrite};
use crate::answer::Answer;
use crate::cite::bibliography::Bibliography;
use crate::cite::resolve::Resolver;
use crate::cite::{CitedText, Rules};

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
