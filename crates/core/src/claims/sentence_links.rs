//! Leads from the sources of an answer to the sentences that it cites.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use citewire_support::{ReasonCode, Verdict};

use super::fragment::ReadPassage;
use super::{Claim, claims};
use crate::answer::{Addresses, Answer, SentenceLink, Source};
use crate::url::MAX_DIRECTIVES;

/// The way to the cited sentences of each source, by its place among all, from 0. Sources without an address or a passage have none,
/// nor have those whose passage speaks of something else. Without the claims of the answer, they are found.
#[must_use]
pub fn sentence_links(
    answer: &Answer,
    judged: Option<&[Claim]>,
    addresses: Option<&dyn Addresses>,
) -> BTreeMap<usize, SentenceLink> {
    if !answer.sources.iter().any(|source| source.url.is_some() && source.content.is_some()) {
        return BTreeMap::new();
    }
    let judged = judged.map_or_else(|| Cow::Owned(claims(answer).claims), Cow::Borrowed);
    let mut cited: BTreeMap<usize, Cited<'_>> = BTreeMap::new();
    for claim in judged.iter() {
        for position in &claim.positions {
            let Some(source) = position.checked_sub(1).and_then(|at| answer.sources.get(at)) else { continue };
            let (Some(passage), Some(_)) = (source.content.as_deref(), &source.url) else { continue };
            let Some(part) = part(claim, *position, source) else { continue };
            cited.entry(position - 1).or_insert_with(|| Cited::new(passage)).add(part);
        }
    }
    cited.into_iter().map(|(at, cited)| (at, cited.link(&answer.sources[at], addresses))).collect()
}

/// The cited sentences of one source that are looked at for the page that shows it.
const MOST_SENTENCES: usize = 64;

/// A source that is cited: its passage is read once, and each part of it is looked for once.
struct Cited<'a> {
    passage: ReadPassage<'a>,
    parts: BTreeSet<(usize, usize)>,
    /// The sentences around the parts, the first cited one first.
    sentences: Vec<Range<usize>>,
    directives: Vec<String>,
}

impl<'a> Cited<'a> {
    fn new(passage: &'a str) -> Self {
        Self {
            passage: ReadPassage::new(passage),
            parts: BTreeSet::new(),
            sentences: Vec::new(),
            directives: Vec::new(),
        }
    }

    fn add(&mut self, part: Range<usize>) {
        let Self { passage, parts, sentences, directives } = self;
        if !parts.insert((part.start, part.end)) {
            return;
        }
        let (has_room, names) = (sentences.len() < MOST_SENTENCES, directives.len() < MAX_DIRECTIVES);
        if !has_room && !names {
            return;
        }
        let around = passage.sentences(&part);
        if has_room {
            let source = around.as_ref().and_then(|around| passage.source(around));
            sentences.push(source.unwrap_or_else(|| part.clone()));
        }
        if names
            && let Some(directive) = around.and_then(|around| passage.directive(&around))
            && !directives.contains(&directive)
        {
            directives.push(directive);
        }
    }

    fn link(self, source: &Source, addresses: Option<&dyn Addresses>) -> SentenceLink {
        let page = addresses.zip(self.run(source.is_quoted));
        let reader_page = page.and_then(|(addresses, sentences)| addresses.for_passage(source, &sentences));
        SentenceLink { directives: self.directives, reader_page }
    }

    /// The cited sentences that a page marks: the first one, or the last that follow each other where the answer quotes them all.
    fn run(&self, is_quoted: bool) -> Option<Range<usize>> {
        let first = self.sentences.first()?.clone();
        if !is_quoted {
            return Some(first);
        }
        let mut sentences = self.sentences.clone();
        sentences.sort_by_key(|sentence| (sentence.start, sentence.end));
        let mut runs: Vec<Range<usize>> = Vec::new();
        for sentence in sentences {
            match runs.last_mut() {
                Some(run) if self.passage.follow(run, &sentence) => run.end = run.end.max(sentence.end),
                _ => runs.push(sentence),
            }
        }
        // Nearest to the badge.
        runs.pop()
    }
}

/// The part of the passage of a source that a claim leads to.
fn part(claim: &Claim, position: usize, source: &Source) -> Option<Range<usize>> {
    let is_foreign =
        claim.reasons.iter().any(|reason| reason.code == ReasonCode::Language && reason.position == position);
    let quote = claim.quotes.iter().find(|quote| quote.position == position);
    match quote.map_or(claim.verdict, |quote| quote.verdict) {
        Verdict::Unsupported => None,
        // Words of another language say nothing about the place. A quotation of the provider is the place.
        Verdict::Unknown if is_foreign => {
            source.is_quotation.then(|| 0..source.content.as_deref().unwrap_or_default().len())
        }
        Verdict::Verbatim | Verdict::SupportedWords | Verdict::Unknown | Verdict::Conflict => {
            quote.map(|quote| quote.start..quote.end)
        }
    }
}

/// Notes at the sources of an answer the way to the sentences that it cites, by its claims if they are known. With
/// `withhold_encrypted`, not at those of encrypted documents: the address would quote them.
pub fn link_sentences(
    answer: &mut Answer,
    judged: Option<&[Claim]>,
    withhold_encrypted: bool,
    addresses: Option<&dyn Addresses>,
) {
    for (at, link) in sentence_links(answer, judged, addresses) {
        let source = &mut answer.sources[at];
        if !(withhold_encrypted && source.label.as_ref().is_some_and(|label| label.encrypted)) {
            source.sentence = Some(link);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::SensitivityLabel;

    fn source(content: &str) -> Source {
        Source { url: "https://x.example/a".parse().ok(), content: Some(content.to_owned()), ..Source::default() }
    }

    fn directives(text: &str, sources: Vec<Source>) -> Vec<Vec<String>> {
        let mut answer = Answer { text: text.to_owned(), sources, ..Answer::default() };
        link_sentences(&mut answer, None, true, None);
        answer.sources.into_iter().map(|source| source.sentence.unwrap_or_default().directives).collect()
    }

    #[test]
    fn a_source_leads_to_the_sentences_that_are_cited() {
        let passage =
            "Employees have 30 days of leave a year. The canteen opens at noon. Parking is free for visitors.";
        let text = "Parking is free for visitors [1]. Leave is 30 days a year for employees [1]. Parking is free [1].";
        let parking = "Parking%20is%20free%20for%20visitors";
        let leave = "Employees%20have%2030%20days%20of%20leave%20a%20year";
        assert_eq!(directives(text, vec![source(passage)]), [[parking, leave]]);
        // A contradicted sentence stands in the passage, too.
        assert_eq!(directives("Employees have 25 days of leave a year [1].", vec![source(passage)]), [[leave]]);
    }

    #[test]
    fn what_holds_nothing_of_the_sentence_is_led_to_as_a_whole() {
        let other = "The canteen opens at noon. Parking is free for visitors of the house.";
        let encrypted = SensitivityLabel { encrypted: true, ..SensitivityLabel::default() };
        let text = "Employees carry over five holidays until the end of March [1].";
        for given in [
            source(other),
            source(""),
            Source { content: Some(text.to_owned()), ..Source::default() },
            Source { label: Some(encrypted), ..source(text) },
        ] {
            assert_eq!(directives(text, vec![given.clone()]), [Vec::<String>::new()], "{given:?}");
        }
    }

    #[test]
    fn a_passage_in_another_language_is_led_to_where_the_provider_quotes_it() {
        let text = "Los empleados tienen treinta días de vacaciones al año, y cinco pueden pasar al año siguiente [1].";
        let passage =
            "Employees of the company have thirty days of leave in each year. Five of them can be carried over.";
        assert_eq!(directives(text, vec![source(passage)]), [Vec::<String>::new()]);
        let quoted = directives(text, vec![Source { is_quotation: true, ..source(passage) }]);
        assert_eq!(
            quoted,
            [[
                "Employees%20of%20the%20company%20have%20thirty%20days%20of%20leave%20in%20each%20year.%20Five%20of%20them%20can%20be%20carried%20over"
            ]]
        );
    }
}
