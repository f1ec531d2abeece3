//! One answer with its sources.

use super::{
    Citation, Interpreter, MarkerGrammar, ProviderError, RawScores, Scoring, SensitivityLabel, Source, SourceCode,
    SourceIndex, TokenCounts,
};
use crate::report::{Entry, SOURCES_UNREAD, ScoreLine};
use crate::text::end_within;

/// The number of sources whose scores are reported. Without a limit, the report on a hostile answer could exceed the answer.
const MAX_SCORE_LINES: usize = 100;

/// A provider's answer in a form that all formats share.
///
/// The text is never normalized, because that would move offsets (rule N-18). Sources stand in the provider's order: the `n`
/// of a marker is the 1-based place in [`sources`](Self::sources).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The slug of the input format; `None` for an answer that no parser produced.
    pub provider: Option<&'static str>,
    /// The text with the model's markers.
    pub text: String,
    /// All sources of the provider, cited or not.
    pub sources: Vec<Source>,
    /// Citations that the provider gave as spans of the text. Markers in the text are found later.
    pub citations: Vec<Citation>,
    /// The forms of marker in the text.
    pub grammar: MarkerGrammar,
    /// The sensitivity label of the whole answer, if the caller gave one.
    pub label: Option<SensitivityLabel>,
    /// The service behind the answer ("Surfaced with …").
    pub interpreter: Option<Interpreter>,
    /// The code that the answer rests on.
    pub code: Option<SourceCode>,
    /// Whether the provider marked the answer as complete (rule N-12).
    pub complete: bool,
    /// The error that the provider reported after a part of the answer.
    pub error: Option<ProviderError>,
    /// The sources that the provider reports as used for the answer, cited in the text or not. They are listed if the text
    /// cites nothing (policy P-03, rule N-14). `None` if the format does not tell.
    pub shown: Option<Vec<SourceIndex>>,
    /// The sources that the provider attests as used without a place in the text. They are listed if nothing is cited.
    pub attested: Vec<SourceIndex>,
    /// Whether the provider used its retrieval tools; `None` if unknown.
    pub tools_invoked: Option<bool>,
    /// The provider's token counts. Known for streams, and for whole answers that were read with
    /// [`AnswerStream::finish_counting`](crate::ingest::AnswerStream::finish_counting).
    pub token_counts: TokenCounts,
    /// Oddities of the input, for the report.
    pub warnings: Vec<Entry>,
}

impl Answer {
    /// The source-like objects of the input that the reader of its format does not know: their JSON pointers (policy P-14).
    #[must_use]
    pub fn unread(&self) -> Vec<String> {
        let unread = self.warnings.iter().filter(|entry| entry.code == SOURCES_UNREAD);
        unread.filter_map(|entry| entry.at.pointer().map(str::to_owned)).collect()
    }

    /// Computes the scores of all sources with raw scores again (rule AZ-01).
    pub fn rescore(&mut self, scoring: &Scoring) {
        for source in &mut self.sources {
            if let Some(raw) = &source.raw_scores {
                source.score = scoring.score(raw);
            }
        }
    }

    /// Cuts the text to at most `max` bytes, at the end of a part of it where there is one near; whether it was longer. What is cited
    /// beside the text behind that is cited no more, and the answer is not complete.
    pub fn cut(&mut self, max: usize) -> bool {
        if self.text.len() <= max {
            return false;
        }
        self.text.truncate(end_within(&self.text, max));
        let end = self.text.len();
        self.citations.retain(|citation| citation.span.end() <= end);
        self.complete = false;
        true
    }

    /// The scores of the first hundred sources that have raw scores.
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
