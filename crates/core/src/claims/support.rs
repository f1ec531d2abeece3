//! The option that says how far the verdicts about citations reach.

use serde::{Deserialize, Serialize};

use crate::answer::Answer;

/// How far the verdicts about citations reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// Nothing is judged.
    Off,
    /// Verdicts go into reports, records and figures. Readers see no difference.
    #[default]
    Report,
    /// A citation that its source does not hold also says so to readers.
    Mark,
    /// An answer with a part that its sources contradict is also refused.
    Refuse,
}

impl Support {
    /// Whether citations are judged.
    #[must_use]
    pub fn is_judged(self) -> bool {
        self != Self::Off
    }
}

/// Whether any source of an answer has a passage to judge its citations by.
#[must_use]
pub fn has_passages(answer: &Answer) -> bool {
    answer.sources.iter().any(|source| source.content.as_deref().is_some_and(|text| !text.trim().is_empty()))
}
