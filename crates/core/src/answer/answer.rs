//! One answer with its sources.

use super::{
    Citation, Interpreter, MarkerGrammar, ProviderError, RawScores, Scoring, SensitivityLabel, Source, SourceIndex,
    TokenCounts,
};
use crate::report::{Entry, ScoreLine};

/// The scores of so many sources are told; a hostile answer must not make the report larger than itself.
const MAX_SCORE_LINES: usize = 100;

/// An answer as a provider gave it, in citewire's own terms.
///
/// The text is never normalized, since that would move offsets (rule N-18). Sources stand in the provider's order: the
/// `n` of a marker is the 1-based place in [`sources`](Self::sources).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The slug of the format in which it came; `None` for an answer that was not read.
    pub provider: Option<&'static str>,
    /// The text with the markers that the model wrote.
    pub text: String,
    /// All sources that the provider gave, cited or not.
    pub sources: Vec<Source>,
    /// Citations that the provider gave as spans of the text; markers in the text are found later.
    pub citations: Vec<Citation>,
    /// Which brackets in the text are markers.
    pub grammar: MarkerGrammar,
    /// The label of the whole answer, where the caller names one.
    pub label: Option<SensitivityLabel>,
    /// Who stands behind the answer ("Surfaced with …").
    pub interpreter: Option<Interpreter>,
    /// Whether the provider gave its own sign that the answer is whole (rule N-12).
    pub complete: bool,
    /// What the provider reported as an error after a part of the answer.
    pub error: Option<ProviderError>,
    /// The sources that the provider says it used, beside those that are cited in the text: those to list where none is
    /// cited (rule N-14). `None` where it does not say.
    pub shown: Option<Vec<SourceIndex>>,
    /// The sources that the provider attests as used without a place in the text: listed where nothing is cited.
    pub attested: Vec<SourceIndex>,
    /// Whether the provider used its retrieval tools, where it says so.
    pub tools_invoked: Option<bool>,
    /// What the provider says the answer took; known of streams, and of whole answers where it was asked for
    /// ([`AnswerStream::finish_counting`](crate::ingest::AnswerStream::finish_counting)).
    pub token_counts: TokenCounts,
    /// What was odd about the input, for the report.
    pub warnings: Vec<Entry>,
}

impl Answer {
    /// Scores the sources anew that have raw scores (rule AZ-01).
    pub fn rescore(&mut self, scoring: &Scoring) {
        for source in &mut self.sources {
            if let Some(raw) = &source.raw_scores {
                source.score = scoring.score(raw);
            }
        }
    }

    /// The scores of the sources that have raw ones, of the first hundred of them.
    #[must_use]
    pub fn score_lines(&self) -> Vec<ScoreLine> {
        let scored = self.sources.iter().filter_map(|source| Some((source, source.raw_scores?)));
        let line = |(source, raw): (&Source, RawScores)| ScoreLine {
            at: source.pointer.clone(),
            score: source.score,
            rerank_score: raw.rerank,
            search_score: raw.search,
        };
        scored.take(MAX_SCORE_LINES).map(line).collect()
    }
}
