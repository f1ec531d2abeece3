//! A judgement while the other sources of its group are still looked at.

use std::ops::Range;

use crate::verdict::{Judgement, Reason, ReasonCode, Verdict};

/// The shares of the weight of a sentence's words below which a passage speaks of something else: in its best sentence, and in all.
const UNRELATED: (f32, f32) = (0.26, 0.36);

/// The share from which the words of a sentence support it.
const SUPPORTED: f32 = 0.5;

/// What was found about a sentence and one passage.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// The verdict, if nothing else matters.
    settled: Option<Verdict>,
    /// Reasons, with whether each makes a conflict.
    reasons: Vec<(Reason, bool)>,
    pub(crate) place: Option<Range<usize>>,
    /// Quotations make up most of the sentence.
    pub(crate) is_quoted: bool,
    /// The share of the weight of the words that stands in the passage, and in its best sentence.
    pub(crate) share: f32,
    pub(crate) best: f32,
    /// The sentence has enough words to be told from another one.
    pub(crate) has_words: bool,
    /// A number of the sentence was reckoned from two of the passage. Others may be meant, so it supports nothing.
    pub(crate) is_reckoned: bool,
    /// The passage has a number of the sentence that hardly stands in two texts by chance.
    pub(crate) has_fact: bool,
    pub(crate) is_of_one_language: bool,
    pub(crate) is_of_another_language: bool,
}

impl Draft {
    /// A draft of which nothing but this is known.
    pub(crate) fn unknown(code: ReasonCode) -> Self {
        let mut draft = Self { settled: Some(Verdict::Unknown), ..Self::default() };
        draft.note(code, 0..0);
        draft
    }

    pub(crate) fn settle(&mut self, verdict: Verdict) {
        self.settled = Some(verdict);
    }

    /// Adds a reason that makes no conflict.
    pub(crate) fn note(&mut self, code: ReasonCode, range: Range<usize>) {
        self.reasons.push((Reason { code, range }, false));
    }

    /// Adds a reason that makes a conflict.
    pub(crate) fn fault(&mut self, code: ReasonCode, range: Range<usize>) {
        self.reasons.push((Reason { code, range }, true));
    }

    pub(crate) fn is_in_conflict(&self) -> bool {
        self.reasons.iter().any(|(_, makes_conflict)| *makes_conflict)
    }

    /// The parts of the sentence that the passage lacks or has otherwise; `None` if it was not compared.
    pub(crate) fn faults(&self) -> Option<Vec<Range<usize>>> {
        let is_compared = self.settled != Some(Verdict::Unknown) && !self.is_of_another_language;
        is_compared.then(|| self.reasons.iter().map(|(reason, _)| reason.range.clone()).collect())
    }

    /// Removes what is missing here but not everywhere.
    pub(crate) fn keep_faults(&mut self, is_everywhere: impl Fn(&Range<usize>) -> bool) {
        self.reasons.retain(|(reason, _)| {
            let is_about_a_part = !reason.range.is_empty();
            !is_about_a_part || is_everywhere(&reason.range)
        });
    }

    pub(crate) fn judgement(mut self) -> Judgement {
        let verdict = self.settled.unwrap_or_else(|| self.conclude());
        let reasons = self.reasons.into_iter().map(|(reason, _)| reason).collect();
        Judgement { verdict, reasons, place: self.place }
    }

    fn conclude(&mut self) -> Verdict {
        let is_misquoted = self.reasons.iter().any(|(reason, is_fault)| {
            *is_fault && matches!(reason.code, ReasonCode::QuoteMissing | ReasonCode::QuoteStitched)
        });
        if self.is_of_another_language {
            self.reasons.insert(0, (Reason { code: ReasonCode::Language, range: 0..0 }, false));
            return if is_misquoted { Verdict::Conflict } else { Verdict::Unknown };
        }
        let has_conflict = self.is_in_conflict();
        if is_misquoted {
            return Verdict::Conflict;
        }
        if self.is_quoted && !has_conflict {
            return Verdict::Verbatim;
        }
        let is_unrelated = !self.has_fact && self.best < UNRELATED.0 && self.share < UNRELATED.1 && self.has_words;
        match (is_unrelated, has_conflict) {
            (true, _) if self.is_of_one_language => Verdict::Unsupported,
            (false, true) => Verdict::Conflict,
            (false, false) if self.share >= SUPPORTED && !self.is_reckoned => Verdict::SupportedWords,
            (true | false, _) => {
                self.note(ReasonCode::Weak, 0..0);
                Verdict::Unknown
            }
        }
    }
}
