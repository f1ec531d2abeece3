//! The results of a search.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::sync::Arc;

use serde_json::{Map, json};

use super::links::{DOCUMENT_ID, HEADING};
use super::passage_address::{self, PASSAGE};
use super::question::Term;
use super::word_form::{OTHER_FORM, WordForm, is_telling};
use super::words::{SearchWord, are_alike, words};
use super::{Document, Passage};
use crate::answer::Source;

/// The most words from one to another that stands near it.
const NEAR: usize = 3;

/// The parts of the weight of words that a sentence has once more where they stand near each other, and where one begins it.
const PAIR: f64 = 0.5;
const FIRST: f64 = 0.3;

/// A passage that matches a question.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The document.
    pub document: Arc<Document>,
    /// The passage.
    pub passage: Arc<Passage>,
    /// The fit, from 0 to 1, in the sense of [`measure`](Self::measure).
    pub score: f64,
    /// The meaning of the score.
    pub measure: Measure,
    /// Whether it may answer the question: it has two words of it at least, or its only one, and enough of those that are rare. A
    /// rare word of the question that no document has is missing, too.
    pub is_about: bool,
    /// The words of the question that it has, itself or in its headings.
    pub matched: Vec<MatchedWord>,
}

/// The meaning of a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Words: mostly how the passage compares with the one that fits best, by rare words, by how often it has them and by its
    /// headings.
    Words,
    /// The cosine between the vectors of question and passage; 0 where it is negative.
    Vector,
    /// The judgment of a reranker.
    Reranker,
}

/// A word of the question that a passage contains.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchedWord {
    /// The word, in lower case and without diacritics; a beginning where only that was found.
    pub text: String,
    /// The rarity: more is rarer.
    pub weight: f64,
    /// The stems of the word in the languages of the documents.
    pub(super) stems: Vec<String>,
}

impl MatchedWord {
    pub(super) fn of(term: &Term, weight: f64) -> Self {
        Self { text: term.text.clone(), weight, stems: term.stems.clone() }
    }
}

impl Found {
    /// The weight of the words of the question in a part of the passage, in the measure of [`MatchedWord::weight`]. Other forms of a
    /// word count less than the word: a stem may be that of another word, as *several* and *severity* have one.
    #[must_use]
    pub fn weight_of(&self, text: &str) -> f64 {
        let present = self.forms(&words(text));
        let part = |asked: &MatchedWord| {
            // A phrase of stop words has each of its words.
            let is_there = |part: &str| present.iter().any(|word| word.is(asked) || are_alike(&word.text, part));
            if present.iter().any(|word| word.text == asked.text) {
                1.0
            } else if !asked.text.split(' ').all(is_there) {
                0.0
            } else if asked.text.contains(' ') {
                1.0
            } else {
                OTHER_FORM
            }
        };
        self.matched.iter().map(|asked| asked.weight * part(asked)).sum()
    }

    /// The weight that a sentence gains by the order of its words: for each two that stand near each other here and side by side in
    /// the question, and for a first word that the question has, as a definition begins with one.
    pub(crate) fn weight_of_order(&self, sentence: &str) -> f64 {
        let words = words(sentence);
        let forms = self.forms(&words);
        let places = |asked: &MatchedWord| -> Vec<usize> {
            forms.iter().enumerate().filter(|(_, word)| word.is_like(asked)).map(|(at, _)| at).collect()
        };
        let are_near = |one: &[usize], other: &[usize]| {
            one.iter().any(|one| other.iter().any(|other| (1..=NEAR).contains(&one.abs_diff(*other))))
        };
        let pairs = self.matched.windows(2).filter_map(|pair| match pair {
            [one, other] => are_near(&places(one), &places(other)).then(|| one.weight.min(other.weight)),
            _ => None,
        });
        let first =
            words.iter().position(|word| is_telling(word, self.document.language)).and_then(|first| forms.get(first));
        let begins = self.matched.iter().filter(|asked| first.is_some_and(|first| first.is_like(asked)));
        PAIR * pairs.sum::<f64>() + FIRST * begins.map(|asked| asked.weight).sum::<f64>()
    }

    /// Words with their stems.
    fn forms(&self, words: &[SearchWord]) -> Vec<WordForm> {
        let language = self.document.language;
        let stems = language.stems();
        words.iter().map(|word| WordForm::of(word, language, &stems)).collect()
    }

    /// The passage as a source. It has the address of its document, or else its path; the id of the document is in its metadata.
    #[must_use]
    pub fn source(&self) -> Source {
        let mut metadata = Map::new();
        metadata.insert(DOCUMENT_ID.to_owned(), json!(self.document.id.as_str()));
        metadata.insert(PASSAGE.to_owned(), passage_address::metadata(self.passage.place, &self.document.version));
        if !self.passage.headings.is_empty() {
            metadata.insert(HEADING.to_owned(), json!(self.passage.headings.join(" > ")));
        }
        let source = Source {
            title: Some(self.document.title.clone()),
            part: self.document.part_of(&self.passage),
            url: self.document.url_of(&self.passage),
            filepath: self.document.url.is_none().then(|| self.document.path.clone()),
            content: Some(self.passage.text.clone()),
            page: self.passage.page.and_then(NonZeroU32::new),
            media_type: Some(self.document.media_type.to_owned()),
            // More digits would say more than is known.
            score: Some((self.score * 1000.0).round() / 1000.0),
            metadata,
            ..Source::default()
        };
        Source { url: source.page_url(), ..source }
    }
}

impl WordForm {
    /// Whether it has the stem of a word of the question.
    fn is(&self, asked: &MatchedWord) -> bool {
        asked.stems.contains(&self.stem)
    }

    /// Whether it is a word of the question, or another form of it as far as stems or beginnings tell.
    fn is_like(&self, asked: &MatchedWord) -> bool {
        self.is(asked) || are_alike(&self.text, &asked.text)
    }
}

/// The best first; of those that fit equally well, in the order of their documents.
pub(super) fn best_first(one: &Found, other: &Found) -> Ordering {
    let by_place = || (&one.document.path, one.passage.place).cmp(&(&other.document.path, other.passage.place));
    other.score.total_cmp(&one.score).then_with(by_place)
}

/// Leaves out passages that say nothing but what a better one does, as those of a file do that is there twice.
pub(super) fn without_copies(found: &mut Vec<Found>) {
    let mut seen: BTreeSet<(&[String], &str)> = BTreeSet::new();
    let is_new = found.iter().map(|found| seen.insert((&found.passage.headings, &found.passage.text)));
    let mut is_new = is_new.collect::<Vec<bool>>().into_iter();
    found.retain(|_| is_new.next().unwrap_or_default());
}
