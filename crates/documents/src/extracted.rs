//! The text of a document.

use serde::{Deserialize, Serialize};

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Markup {
    /// In Markdown: what has no meaning in it is escaped.
    Markdown,
    /// As it is, with empty lines between paragraphs.
    Plain,
}

/// The text of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extracted {
    /// The title that the document gives itself.
    pub title: Option<String>,
    /// How the text is written.
    pub markup: Markup,
    /// The pages in their order; one without a number where the format has none.
    pub pages: Vec<PageText>,
    /// How many pages or slides the document has, with text or without.
    pub page_count: Option<u32>,
    /// The pages that could not be read.
    pub lost_pages: Vec<u32>,
}

/// The text of one page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageText {
    /// The page, counted from 1.
    pub number: Option<u32>,
    /// Its text.
    pub text: String,
}

impl Extracted {
    /// A document without pages.
    pub(crate) fn whole(title: Option<String>, markup: Markup, text: String) -> Self {
        let title = title.map(|title| one_line(&title)).filter(|title| !title.is_empty());
        Self { title, markup, pages: vec![PageText { number: None, text }], page_count: None, lost_pages: Vec::new() }
    }

    /// Whether there is no letter and no digit in it.
    pub(crate) fn is_empty(&self) -> bool {
        !self.pages.iter().any(|page| page.text.chars().any(char::is_alphanumeric))
    }
}

/// A text with one blank for any number of blanks and line ends.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
