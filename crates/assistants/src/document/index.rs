//! The full-text index, in memory.

use std::sync::Arc;

use super::best::{Hit, best};
use super::contents::Contents;
use super::file::FileContent;
use super::index_part::{GONE, IndexPart};
use super::index_segment::Segment;
use super::language::Language;
use super::occurrences::{Occurrences, WeighedTerm};
use super::question::Term;

/// The most passages that have a number.
const MAX_PASSAGES: usize = GONE as usize;

/// An index of the passages of documents, which never changes. Another one, with other documents, shares the parts that are the
/// same: a change of one document costs what that document does, and now and then what it takes to join small parts.
#[derive(Debug, Default)]
pub(super) struct Index {
    contents: Arc<Contents>,
    parts: Vec<IndexPart>,
    /// The languages of the documents.
    languages: Vec<Language>,
    /// The number of the words in all passages.
    words: u64,
}

impl Index {
    /// The index of these documents. Only what differs is indexed.
    pub(super) fn with(&self, contents: Arc<Contents>) -> Self {
        let positions = self.contents.positions_in(&contents);
        let mut is_indexed = vec![false; contents.len()];
        for position in positions.iter().flatten() {
            if let Some(is_indexed) = is_indexed.get_mut(*position) {
                *is_indexed = true;
            }
        }
        let mut parts: Vec<IndexPart> = self.parts.iter().map(|part| part.moved(&positions, &contents)).collect();
        let new: Vec<(usize, &FileContent)> = contents
            .iter()
            .enumerate()
            .zip(is_indexed)
            .filter(|(_, is_indexed)| !is_indexed)
            .map(|(new, _)| new)
            .collect();
        if !new.is_empty() {
            let positions = new.iter().map(|(position, _)| Some(*position)).collect();
            let segment = Segment::of(new.iter().map(|(_, content)| *content));
            parts.push(IndexPart::new(Arc::new(segment), positions, &contents));
        }
        let mut languages: Vec<Language> = contents.iter().map(|content| content.document.language).collect();
        languages.sort_unstable();
        languages.dedup();
        let parts = joined(parts, &contents);
        let words = parts.iter().map(IndexPart::words).sum();
        let passages = contents.passages();
        if passages > MAX_PASSAGES {
            tracing::error!(passages, limit = MAX_PASSAGES, "the passages beyond this limit are not found");
        }
        Self { contents, parts, languages, words }
    }

    /// The number of its parts.
    #[cfg(test)]
    pub(super) fn parts(&self) -> usize {
        self.parts.len()
    }

    /// The documents that are indexed.
    pub(super) fn contents(&self) -> &Contents {
        &self.contents
    }

    /// The languages of the documents.
    pub(super) fn languages(&self) -> &[Language] {
        &self.languages
    }

    /// The passages that have a term, each once.
    pub(super) fn occurrences(&self, term: &Term) -> Occurrences<'_> {
        Occurrences::of(&self.parts, &term.stems, term.is_prefix)
    }

    /// The passages that match best, by the occurrences of each term and its rarity; equal ones in their order.
    pub(super) fn best(&self, terms: &[(f64, &Occurrences<'_>)], limit: usize) -> Vec<Hit> {
        let average = (self.words as f64 / self.contents.passages().max(1) as f64).max(1.0) as f32;
        let terms = terms.iter().enumerate();
        let weighed = terms.map(|(at, (rarity, occurrences))| WeighedTerm::new(at, *rarity, occurrences, average));
        best(&self.parts, weighed.collect(), limit)
    }
}

/// Joins parts until each is more than twice as large as the one behind it, and none has more rows that are gone than others: their
/// number stays small, and a passage is seldom joined again.
fn joined(mut parts: Vec<IndexPart>, contents: &Contents) -> Vec<IndexPart> {
    parts.retain(|part| part.live() > 0);
    parts.sort_by_key(|part| std::cmp::Reverse(part.rows()));
    loop {
        let is_wasteful = |part: &IndexPart| part.live() * 2 < part.rows();
        let pair = parts.windows(2).rposition(|pair| pair[1].rows() * 2 >= pair[0].rows());
        let range = match (pair, parts.iter().position(is_wasteful)) {
            (Some(at), _) => at..at + 2,
            (None, Some(at)) => at..at + 1,
            (None, None) => return parts,
        };
        let old: Vec<IndexPart> = parts.drain(range).collect();
        parts.push(IndexPart::joining(&old, contents));
        parts.sort_by_key(|part| std::cmp::Reverse(part.rows()));
    }
}

#[cfg(test)]
mod tests {
    use citewire_documents::{Format, Markup};

    use super::*;
    use crate::document::question::SearchQuestion;
    use crate::document::{Document, Passage};

    fn content(path: &str, texts: &[&str]) -> FileContent {
        let passage = |(place, text): (usize, &&str)| {
            let text = (*text).to_owned();
            Arc::new(Passage { headings: Vec::new(), text, page: None, place, markup: Markup::Markdown })
        };
        let document = Document::new(path.to_owned(), Format::Markdown, None, None);
        FileContent::new(document, texts.iter().enumerate().map(passage).collect())
    }

    /// The places that have the words of a question, with what they weigh.
    fn hits(index: &Index, question: &str) -> Vec<(usize, u32, String)> {
        let terms = SearchQuestion::parse_for(index.languages(), question).terms(index.languages());
        let found: Vec<Occurrences<'_>> = terms.iter().map(|term| index.occurrences(term)).collect();
        let weighed: Vec<(f64, &Occurrences<'_>)> = found.iter().map(|found| (1.0, found)).collect();
        index.best(&weighed, 10).into_iter().map(|hit| (hit.place, hit.has, format!("{:.4}", hit.weight))).collect()
    }

    #[test]
    fn an_index_that_follows_another_is_as_one_that_is_made_anew() {
        let files: Vec<FileContent> = (0..40)
            .map(|at| content(&format!("{at:02}.md"), &["red room", "blue item room", "red red item"][..=at % 3]))
            .collect();
        let mut index = Index::default();
        for step in 0..60 {
            // Each step leaves some out and brings others back.
            let wanted = files.iter().enumerate().filter(|(at, _)| (at * 7 + step) % 5 > step % 3);
            let wanted = Arc::new(Contents::of_sorted(wanted.map(|(_, file)| file.clone()).collect()));
            index = index.with(Arc::clone(&wanted));
            let new = Index::default().with(wanted);
            for question in ["red", "room item", "blue rooms", "items"] {
                assert_eq!(hits(&index, question), hits(&new, question), "{step} {question}");
            }
            assert!(index.parts.len() < 8, "{}", index.parts.len());
        }
        assert_eq!(hits(&index.with(Arc::default()), "red"), []);
    }

    #[test]
    fn a_passage_counts_once_for_each_term_and_says_which_it_has() {
        let file = content("a.md", &["rooms", "a room, and a red one", "nothing of it"]);
        let index = Index::default().with(Arc::new(Contents::of_sorted(vec![file])));
        let found: Vec<(usize, u32)> =
            hits(&index, "red room").into_iter().map(|(place, has, _)| (place, has)).collect();
        assert_eq!(found, [(1, 0b11), (0, 0b10)]);
    }
}
