//! The result of citing.

use std::ops::Range;

use smallvec::SmallVec;

use super::Position;
use crate::answer::SourceIndex;
use crate::report::Entry;
use crate::url::WebUrl;

/// A text with badges in place of markers, and the sources of its numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CitedText {
    /// The text for the channel.
    pub text: String,
    /// The cited sources, in the order of their numbers.
    pub sources: Vec<CitedSource>,
    /// Whether the text cites none of these sources: they are listed, because the provider reports them as used (policy
    /// P-03).
    pub listed: bool,
    /// The badges in the text, in order; other brackets with numbers are not among them. Empty unless
    /// [`Rules::only_markers`](super::Rules::only_markers) is set.
    pub places: Vec<CitedPlace>,
    /// Where a bracket of the text is no text, in order, apart from each other. Empty unless
    /// [`Rules::only_markers`](super::Rules::only_markers) is set.
    pub opaque: Vec<Opaque>,
    /// The markers that name no source, as the model wrote them, in text order.
    pub unresolved: Vec<String>,
    /// The report entries of the rewrite.
    pub entries: Vec<Entry>,
}

/// One `[n]` that cites a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitedPlace {
    /// The byte range in the text, brackets included.
    pub range: Range<usize>,
    /// The number.
    pub position: Position,
}

/// A part of the text that readers do not read as text: code, HTML, a formula, an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// The byte range in the text.
    pub range: Range<usize>,
    /// Code, HTML, a formula or an address.
    pub kind: OpaqueKind,
}

/// The kind of an [`Opaque`] part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpaqueKind {
    /// A code span, or a block of code with its fences.
    Code,
    /// A tag, a comment or a block of HTML.
    Html,
    /// A formula between dollars, with its dollars.
    Math,
    /// The address and title of a link with their brackets, `](https://… "title")`, those of a definition, or an address in angle
    /// brackets.
    Address,
    /// An address without brackets. It ends at a blank or `<`, at the end of the link or emphasis around it, and at a badge.
    BareAddress,
}

/// The source of one number, or several sources that are one document (policy P-04).
#[derive(Clone, Debug, PartialEq)]
pub struct CitedSource {
    /// The number.
    pub position: Position,
    /// The sources; the first one is shown. Never empty.
    pub sources: SmallVec<[SourceIndex; 1]>,
    /// The address that the number opens; `None` for a non-URL citation.
    pub url: Option<WebUrl>,
    /// The title (policy P-08): one line, never empty.
    pub title: String,
    /// The bytes at the end of the title that are a note about the source; 0 without one.
    pub note_bytes: usize,
}

impl CitedSource {
    /// The address for the definition: that of the source, in a form that all Markdown engines read alike, or `cite:n`
    /// (policy P-07).
    #[must_use]
    pub fn definition_url(&self) -> String {
        let mut url = String::with_capacity(self.url.as_ref().map_or(8, |url| url.as_str().len()));
        self.write_definition_url(&mut url);
        url
    }

    pub(super) fn write_definition_url(&self, out: &mut String) {
        match &self.url {
            Some(url) => url.write_markdown(out),
            None => {
                out.push_str("cite:");
                self.position.write_to(out);
            }
        }
    }
}
