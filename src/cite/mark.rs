//! What changes in a text, and where.

use std::ops::Range;

use crate::answer::SourceIndex;

/// A place in the text where something is written that was not there.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    /// What gives way; empty where something is only added.
    pub(super) range: Range<usize>,
    pub(super) change: Change,
}

impl Mark {
    /// Whether more goes than a bracket whose place another bracket takes: then what stands around it can come to mean
    /// something that it did not mean before.
    pub(super) fn is_lossy(&self, text: &str) -> bool {
        let gone = &text[self.range.clone()];
        self.change == Change::Vanish || gone.contains(char::is_whitespace) || gone.contains("](")
    }
}

/// What happens at a [`Mark`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// A badge for each of these sources.
    Cite(Vec<SourceIndex>),
    /// Badges in a paragraph of their own, behind a code block (policy P-15).
    CiteBehindBlock(Vec<SourceIndex>),
    /// The marker means nothing and vanishes.
    Vanish,
    /// What stands before and behind is kept apart.
    Separate,
}

impl Change {
    /// The sources that are cited here.
    pub(super) fn sources(&self) -> &[SourceIndex] {
        match self {
            Self::Cite(sources) | Self::CiteBehindBlock(sources) => sources,
            Self::Vanish | Self::Separate => &[],
        }
    }
}
