//! Passages: texts that are no answers, and cite nothing.

use std::collections::BTreeSet;

use super::rewrite::{Given, Rewrite};
use crate::answer::{Answer, MarkerGrammar};
use crate::cite::Rules;
use crate::cite::bibliography::Bibliography;
use crate::cite::resolve::Resolver;
use crate::report::{Entry, Kind};

/// Makes a passage harmless that a channel draws as Markdown: the dialog of a non-URL citation. With it comes what was made
/// harmless, by places in the passage.
#[must_use]
pub fn make_harmless(passage: &str, image_hosts: &BTreeSet<String>) -> (String, Vec<Entry>) {
    let rules = Rules { image_hosts: image_hosts.clone(), ..Rules::web_chat() };
    let answer = Answer { text: passage.to_owned(), grammar: MarkerGrammar::NONE, ..Answer::default() };
    let given = Given { answer: &answer, rules: &rules, resolver: &Resolver::default(), arrivals: &[] };
    let mut cited = Rewrite::of(&answer, &rules).finish(&given, &Bibliography::default(), passage.len());
    cited.entries.retain(|entry| entry.kind == Kind::Neutralised);
    (cited.text, cited.entries)
}
