//! A note to readers about a source.

use std::ops::Range;

/// Says to readers that a source does not hold what it is cited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupportMark {
    /// The words, in parentheses: one line.
    pub words: String,
    /// The sentence of the passage that comes closest, in bytes.
    pub closest: Option<Range<usize>>,
}
