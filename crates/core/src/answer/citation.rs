//! A place in the text that rests on sources.

use crate::text::Span;

/// The place of a source in [`Answer::sources`](super::Answer::sources), counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceIndex(pub usize);

/// A citation that the provider gave beside the text, as a span.
///
/// A span that is a marker as a whole is replaced by the citation; any other span is a claim, and the citation goes to
/// its end (rule N-04). An empty span is a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// Where in the answer's text.
    pub span: Span,
    /// The sources, in the order given; never empty.
    pub sources: Vec<SourceIndex>,
}

impl Citation {
    /// A citation of `sources` at `span`.
    #[must_use]
    pub fn new(span: Span, sources: Vec<SourceIndex>) -> Self {
        Self { span, sources }
    }
}
