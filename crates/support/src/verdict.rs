//! What is found about a citation.

use std::ops::Range;

/// Whether a passage holds what a sentence says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The sentence, or quotations that make up most of it, stand in the passage word for word.
    Verbatim,
    /// At least half of the weight of its words stands in the passage, and no fact is against it. It does not mean *true*.
    SupportedWords,
    /// It cannot be decided without a model.
    Unknown,
    /// The passage speaks of something else.
    Unsupported,
    /// A fact of the sentence is contradicted by the passage, or absent from it.
    Conflict,
}

impl Verdict {
    /// All verdicts, the best first.
    pub const ALL: [Self; 5] = [Self::Verbatim, Self::SupportedWords, Self::Unknown, Self::Unsupported, Self::Conflict];

    /// Its stable name.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Verbatim => "verbatim",
            Self::SupportedWords => "supported-words",
            Self::Unknown => "unknown",
            Self::Unsupported => "unsupported",
            Self::Conflict => "conflict",
        }
    }

    /// Whether somebody should look at the citation.
    #[must_use]
    pub const fn is_alarm(self) -> bool {
        matches!(self, Self::Conflict | Self::Unsupported)
    }
}

/// A reason of a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What was found.
    pub code: ReasonCode,
    /// The part of the sentence that it speaks of, in bytes; empty for the whole sentence.
    pub range: Range<usize>,
}

/// The kind of a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReasonCode {
    /// The quotation does not stand in the passage.
    QuoteMissing,
    /// The parts of the quotation stand there in another order.
    QuoteStitched,
    /// The number does not stand there.
    NumberMissing,
    /// Another number stands in its place.
    NumberDiffers,
    /// The number stands there with another unit.
    UnitDiffers,
    /// The passage has another date.
    DateDiffers,
    /// The date does not stand there.
    DateMissing,
    /// The time does not stand there.
    TimeMissing,
    /// Another name stands in the place of this one.
    NameDiffers,
    /// The name does not stand there. This alone is no conflict: good answers take names from the question.
    NameMissing,
    /// One of both negates.
    Negation,
    /// The sentence stands there word for word, behind a negation. This alone is no conflict.
    NegationBefore,
    /// The passage has another language or script.
    Language,
    /// The sentence has too few words.
    Short,
    /// Code, mathematics or HTML.
    Code,
    /// Few words of the sentence stand in the passage.
    Weak,
    /// The source has no text.
    NoPassage,
    /// Only the first part of a long text was looked at.
    Cut,
    /// Another source of the answer holds it.
    Elsewhere,
}

impl ReasonCode {
    /// All reasons, in the order of their documentation.
    pub const ALL: [Self; 19] = [
        Self::QuoteMissing,
        Self::QuoteStitched,
        Self::NumberMissing,
        Self::NumberDiffers,
        Self::UnitDiffers,
        Self::DateDiffers,
        Self::DateMissing,
        Self::TimeMissing,
        Self::NameDiffers,
        Self::NameMissing,
        Self::Negation,
        Self::NegationBefore,
        Self::Language,
        Self::Short,
        Self::Code,
        Self::Weak,
        Self::NoPassage,
        Self::Cut,
        Self::Elsewhere,
    ];

    /// Its stable name.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::QuoteMissing => "quote-missing",
            Self::QuoteStitched => "quote-stitched",
            Self::NumberMissing => "number-missing",
            Self::NumberDiffers => "number-differs",
            Self::UnitDiffers => "unit-differs",
            Self::DateDiffers => "date-differs",
            Self::DateMissing => "date-missing",
            Self::TimeMissing => "time-missing",
            Self::NameDiffers => "name-differs",
            Self::NameMissing => "name-missing",
            Self::Negation => "negation",
            Self::NegationBefore => "negation-before",
            Self::Language => "language",
            Self::Short => "short",
            Self::Code => "code",
            Self::Weak => "weak",
            Self::NoPassage => "no-passage",
            Self::Cut => "cut",
            Self::Elsewhere => "elsewhere",
        }
    }
}

/// The verdict about one sentence and one passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Why.
    pub reasons: Vec<Reason>,
    /// Where in the passage the support stands, in bytes: a sentence, or the words themselves.
    pub place: Option<Range<usize>>,
}
