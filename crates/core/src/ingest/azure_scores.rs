//! Reads the scores of Azure AI Search as one score between 0 and 1 (rule AZ-01).

use crate::answer::{RawScores, Scoring};

/// How to read the two scores of a document, and how a citation finds those of the retrieved documents.
///
/// Keyword search scores have no upper limit, and those of the semantic ranker end at 4. The full score of each is therefore
/// a setting. Defaults: `rerank_max` 4, `bm25_max` 100, both flags off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AzureScores {
    /// The full score of the semantic ranker. Scores above 1 are divided by it; the result is at most 1.
    pub rerank_max: f64,
    /// The full score of the search. Scores above 1 are divided by it; the result is at most 1.
    pub bm25_max: f64,
    /// Whether the score of the semantic ranker counts wherever there is one. If off, it counts where the document says that
    /// the ranker filtered it, and where there is no search score.
    pub prefer_rerank: bool,
    /// Whether a citation first looks for its own chunk of its own document. If off, the title comes first, and all chunks
    /// of a document take the score of the last one (rule AZ-02).
    pub exact_match: bool,
}

impl Default for AzureScores {
    fn default() -> Self {
        Self { rerank_max: 4.0, bm25_max: 100.0, prefer_rerank: false, exact_match: false }
    }
}

/// The scores of a document as Azure sends them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Told<'d> {
    pub(super) original_search_score: Option<f64>,
    pub(super) rerank_score: Option<f64>,
    pub(super) filter_reason: Option<&'d str>,
    /// The only score, in older API versions.
    pub(super) score: Option<f64>,
}

impl AzureScores {
    /// The score of a document; `None` if the result is not between 0 and 1.
    pub(super) fn score(&self, told: Told<'_>) -> Option<f64> {
        let Self { rerank_max, bm25_max, prefer_rerank, .. } = *self;
        Scoring { rerank_max, bm25_max, prefer_rerank }.score(&told.raw())
    }
}

impl Told<'_> {
    /// These scores in the answer's own type, for callers who compute a score themselves.
    pub(super) fn raw(self) -> RawScores {
        let mut raw = RawScores::default();
        (raw.rerank, raw.search, raw.old) = (self.rerank_score, self.original_search_score, self.score);
        raw.is_filtered_by_rank = self.filter_reason == Some("rerank");
        raw
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(rerank: impl Into<Option<f64>>, bm25: impl Into<Option<f64>>, reason: Option<&str>) -> Told<'_> {
        let (rerank_score, original_search_score) = (rerank.into(), bm25.into());
        Told { original_search_score, rerank_score, filter_reason: reason, score: None }
    }

    #[test]
    fn a_document_that_the_ranker_filtered_has_the_rankers_score() {
        let scores = AzureScores::default();
        assert_eq!(scores.score(told(3.2, 50.0, Some("rerank"))), Some(0.8));
        assert_eq!(scores.score(told(None, 50.0, Some("rerank"))), Some(0.5));
    }

    #[test]
    fn a_document_with_another_reason_or_none_has_the_search_score() {
        for reason in [None, Some("score"), Some("other")] {
            assert_eq!(AzureScores::default().score(told(3.2, 50.0, reason)), Some(0.5));
        }
    }

    #[test]
    fn without_a_search_score_the_rankers_counts_else_an_old_one_else_none() {
        let scores = AzureScores::default();
        assert_eq!(scores.score(told(2.0, None, None)), Some(0.5));
        assert_eq!(scores.score(Told { score: Some(0.4), ..Told::default() }), Some(0.4));
        assert_eq!(scores.score(Told { score: Some(7.0), ..Told::default() }), None);
        assert_eq!(scores.score(Told::default()), None);
    }

    #[test]
    fn scores_above_1_are_divided_and_end_at_1() {
        let scores = AzureScores::default();
        for (given, expected) in [(0.03, 0.03), (1.0, 1.0), (25.0, 0.25), (250.0, 1.0)] {
            assert_eq!(scores.score(told(None, given, None)), Some(expected));
        }
        for (given, expected) in [(0.7, 0.7), (3.0, 0.75), (9.0, 1.0)] {
            assert_eq!(scores.score(told(given, None, None)), Some(expected));
        }
        let other = AzureScores { rerank_max: 10.0, bm25_max: 40.0, ..scores };
        assert_eq!((other.score(told(4.0, None, None)), other.score(told(None, 10.0, None))), (Some(0.4), Some(0.25)));
        assert_eq!(scores.score(told(-1.0, None, None)), None);
    }

    /// `filter_reason` says why the service filtered a document out, so a cited document has none.
    #[test]
    fn the_rankers_score_may_be_preferred() {
        let scores = AzureScores { prefer_rerank: true, ..AzureScores::default() };
        assert_eq!(scores.score(told(3.2, 50.0, None)), Some(0.8));
        assert_eq!(scores.score(told(None, 50.0, None)), Some(0.5));
    }
}
