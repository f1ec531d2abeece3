//! Citations that a provider gives beside the text.

use crate::text::Span;

/// The place of a source in [`Answer::sources`](super::Answer::sources), counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceIndex(pub usize);

/// A citation that the provider gave beside the text, as a span.
///
/// A span that is a whole marker is replaced by the citation. Any other span is a claim: the citation goes to its end (rule
/// N-04). An empty span is a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The cited part of the answer's text.
    pub span: Span,
    /// The cited sources in the provider's order; never empty.
    pub sources: Vec<SourceIndex>,
}

impl Citation {
    /// A citation of `sources` at `span`.
    #[must_use]
    pub fn new(span: Span, sources: Vec<SourceIndex>) -> Self {
        Self { span, sources }
    }
}
