//! The scores of a search as its service gives them.

/// What Azure AI Search says of how well a document fits, before it becomes one score from 0 to 1 (rule AZ-01).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RawScores {
    /// The score of the semantic ranker, 0 to 4 as a rule.
    pub rerank: Option<f64>,
    /// The search score, without an upper limit.
    pub search: Option<f64>,
    /// Whether the document was filtered by the ranker's score.
    pub is_filtered_by_rank: bool,
    /// What older versions told, 0 to 1.
    pub old: Option<f64>,
}

/// How raw scores become one from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scoring {
    /// The score of the semantic ranker that is a full one; scores above 1 are divided by it.
    pub rerank_max: f64,
    /// The search score that is a full one; scores above 1 are divided by it.
    pub bm25_max: f64,
    /// Whether the score of the semantic ranker counts wherever there is one. Without, it counts where the document says that it was
    /// filtered by it, and where there is no other.
    pub prefer_rerank: bool,
}

impl Default for Scoring {
    fn default() -> Self {
        Self { rerank_max: 4.0, bm25_max: 100.0, prefer_rerank: false }
    }
}

impl Scoring {
    /// The score of a document; what is not between 0 and 1 then is none (rule N-15).
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
