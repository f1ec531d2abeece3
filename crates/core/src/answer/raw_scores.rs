//! Turns the raw scores of a search service into one score.

/// The raw scores of a document in Azure AI Search, before they become one score from 0 to 1 (rule AZ-01).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RawScores {
    /// The score of the semantic ranker, usually 0 to 4.
    pub rerank: Option<f64>,
    /// The search score, without an upper limit.
    pub search: Option<f64>,
    /// Whether the service filtered the document by the ranker's score.
    pub is_filtered_by_rank: bool,
    /// The score that older versions report, 0 to 1.
    pub old: Option<f64>,
}

/// How raw scores become one score from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scoring {
    /// The ranker's score that counts as 1; scores above 1 are divided by it. Default 4.
    pub rerank_max: f64,
    /// The search score that counts as 1; scores above 1 are divided by it. Default 100.
    pub bm25_max: f64,
    /// Whether the ranker's score always wins over the search score. Default `false`: then it wins only for a document that
    /// the service filtered by it, or that has no search score.
    pub prefer_rerank: bool,
}

impl Default for Scoring {
    fn default() -> Self {
        Self { rerank_max: 4.0, bm25_max: 100.0, prefer_rerank: false }
    }
}

impl Scoring {
    /// The score of a document; `None` if it is not between 0 and 1 (rule N-15).
    #[must_use]
    pub fn score(&self, raw: &RawScores) -> Option<f64> {
        let rerank = raw.rerank.map(|score| scaled(score, self.rerank_max));
        let search = raw.search.map(|score| scaled(score, self.bm25_max));
        let is_reranked = self.prefer_rerank || raw.is_filtered_by_rank;
        let score = if is_reranked { rerank.or(search) } else { search.or(rerank) };
        score.or(raw.old).filter(|score| (0.0..=1.0).contains(score))
    }
}

fn scaled(score: f64, max: f64) -> f64 {
    if score > 1.0 { (score / max).min(1.0) } else { score }
}
