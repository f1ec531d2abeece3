//! The result of citing.

use std::ops::Range;

use super::Position;
use crate::answer::SourceIndex;
use crate::report::Entry;
use crate::url::WebUrl;

/// A text whose markers are numbers, and what each number stands for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CitedText {
    /// The text for the channel.
    pub text: String,
    /// The cited sources, in the order of their numbers.
    pub sources: Vec<CitedSource>,
    /// Where the numbers of the sources stand in the text, in order; other brackets with numbers are text. Known only under
    /// [`Rules::only_markers`](super::Rules::only_markers).
    pub places: Vec<CitedPlace>,
    /// The markers that name no source, as they stood, in the order of the text.
    pub unresolved: Vec<String>,
    /// What was done on the way.
    pub entries: Vec<Entry>,
}

/// One `[n]` that cites a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitedPlace {
    /// Where it stands in the text, in bytes, with its brackets.
    pub range: Range<usize>,
    /// The number.
    pub position: Position,
}

impl CitedPlace {
    /// The same place in a text that begins `bytes` later.
    pub(crate) fn moved_back(&self, bytes: usize) -> Self {
        Self { range: self.range.start - bytes..self.range.end - bytes, position: self.position }
    }
}

/// What one number stands for: one source, or several that are one document (policy P-04).
#[derive(Clone, Debug, PartialEq)]
pub struct CitedSource {
    /// The number.
    pub position: Position,
    /// The sources, the one that is shown first; never empty.
    pub sources: Vec<SourceIndex>,
    /// Where the number leads; `None` is a non-URL citation.
    pub url: Option<WebUrl>,
    /// The title (policy P-08): one line, never empty.
    pub title: String,
}

impl CitedSource {
    /// The address in the definition: the source's in the form that all Markdown engines read alike, or `cite:n`
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
