//! Logs the scores of sources at the level `debug`.

use tracing::debug;

use crate::report::ScoreLine;

/// One line for each source: its score, and those of the search that it is made of.
pub(crate) fn log_scores(scores: &[ScoreLine]) {
    for ScoreLine { at, score, rerank_score, search_score } in scores {
        debug!(at, score, rerank_score, search_score, "the score of a source");
    }
}
