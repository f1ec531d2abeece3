//! A passage of a document, which can be found and quoted.

use citewire_documents::Markup;

use super::sentence::{self, Sentence};

/// A part of a document: one or more paragraphs under one heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The headings above it, the outermost first.
    pub headings: Vec<String>,
    /// The text, as it stands in the document but with Unix line ends.
    pub text: String,
    /// The page of the document, counted from 1, where it has pages.
    pub page: Option<u32>,
    /// The place among the passages of its document, from 0.
    pub place: usize,
    pub(super) markup: Markup,
}

impl Passage {
    /// The text below the title of its document and the headings, for models that see nothing else of the document.
    #[must_use]
    pub fn in_context(&self, title: &str) -> String {
        let is_first = self.headings.first().is_some_and(|heading| heading == title);
        let title = Some(title).filter(|title| !is_first && !title.is_empty());
        let above: Vec<&str> = title.into_iter().chain(self.headings.iter().map(String::as_str)).collect();
        if above.is_empty() { self.text.clone() } else { format!("{}\n\n{}", above.join(" > "), self.text) }
    }

    /// Whether it is text without marks; else it is Markdown.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.markup == Markup::Plain
    }

    /// The sentences that mean the same wherever they stand: no blocks of code or headings, nothing that could act as a marker of
    /// a citation, and nothing half. In the order of the text.
    #[must_use]
    pub fn sentences(&self) -> Vec<Sentence> {
        sentence::quotable(&self.text, self.markup)
    }
}
