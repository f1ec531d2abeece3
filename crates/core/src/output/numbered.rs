//! The numbered text of an answer, and the sources to show for it.

use std::collections::BTreeSet;

use crate::answer::{Answer, Source};
use crate::cite::{CitedPlace, CitedText, Rules, cite};

/// An answer with its numbered text (rule N-01).
pub(super) struct Numbered<'a> {
    pub(super) answer: &'a Answer,
    pub(super) cited: CitedText,
}

impl<'a> Numbered<'a> {
    /// Numbers the text; everything but the markers stays.
    pub(super) fn new(answer: &'a Answer) -> Self {
        Self { answer, cited: cite(answer, &Rules::numbered()) }
    }

    /// Numbers the text and removes a bibliography at its end (rule AH-04).
    pub(super) fn without_bibliography(answer: &'a Answer) -> Self {
        let rules = Rules { without_bibliography: true, ..Rules::numbered() };
        Self { answer, cited: cite(answer, &rules) }
    }

    /// The places of the cited sources, counted from 0, ascending.
    pub(super) fn cited(&self) -> Vec<usize> {
        self.cited.sources.iter().filter_map(|cited| cited.sources.first()).map(|index| index.0).collect()
    }

    /// The places of the cited sources, counted from 0, by first appearance in the text.
    pub(super) fn by_appearance(&self) -> Vec<usize> {
        let mut seen = BTreeSet::new();
        self.cited.places.iter().filter_map(source_of).filter(|source| seen.insert(*source)).collect()
    }

    /// The sources to show if the text cites none: those that the provider reports as used, else all (rule N-14). Empty if
    /// the text has only markers without a source (rule AZ-04).
    pub(super) fn shown_uncited(&self) -> Vec<usize> {
        shown_uncited(self.answer, &self.cited)
    }
}

/// The sources to show if a text cites none that was numbered elsewhere.
pub(super) fn shown_uncited(answer: &Answer, cited: &CitedText) -> Vec<usize> {
    if cited.unresolved.is_empty() { answer.listed_uncited() } else { Vec::new() }
}

/// The place of the source behind a number of such a text, counted from 0.
pub(super) fn source_of(place: &CitedPlace) -> Option<usize> {
    usize::try_from(place.position.get()).ok()?.checked_sub(1)
}

/// The passage of a source; `None` if it is blank or withheld.
pub(super) fn passage(source: &Source, withhold_encrypted: bool) -> Option<&str> {
    let is_withheld = withhold_encrypted && source.label.as_ref().is_some_and(|label| label.encrypted);
    source.content.as_deref().filter(|content| !is_withheld && !content.trim().is_empty())
}
