//! Byte ranges of a text.

use std::ops::Range;

/// A byte range of a text. Start and end are on character boundaries of the text it was built for, and start ≤ end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    start: usize,
    end: usize,
}

/// The error for a range that is not on character boundaries of the text, exceeds it, or ends before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bytes {start} to {end} are not a range of a text of {len} bytes on character boundaries")]
pub struct InvalidSpan {
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
    /// Length of the text in bytes.
    pub len: usize,
}

impl Span {
    /// Builds the span of a byte range in `text`.
    ///
    /// # Errors
    /// When the range exceeds the text, ends before it starts, or cuts a character.
    pub fn new(text: &str, range: Range<usize>) -> Result<Self, InvalidSpan> {
        match text.get(range.clone()) {
            Some(_) => Ok(Self { start: range.start, end: range.end }),
            None => Err(InvalidSpan { start: range.start, end: range.end, len: text.len() }),
        }
    }

    /// Start and end as a byte range.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// The first byte.
    #[must_use]
    pub fn start(self) -> usize {
        self.start
    }

    /// The byte after the last.
    #[must_use]
    pub fn end(self) -> usize {
        self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_never_cuts_a_character() {
        assert!(Span::new("aä", 0..2).is_err());
        assert!(Span::new("aä", 0..4).is_err());
        assert_eq!(Span::new("aä", 1..3).map(Span::range), Ok(1..3));
    }
}
