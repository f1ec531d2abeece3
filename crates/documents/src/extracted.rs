//! The text of a document.

use std::ops::Range;

use serde::{Deserialize, Serialize};

pub(crate) use crate::counted::number;

use crate::Unread;

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// The pages of which a part is damaged: some of their content cannot be unpacked, or a font cannot be loaded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged_pages: Vec<u32>,
    /// The pages of which some letters could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lossy_pages: Vec<LossyPage>,
    /// The pages that show pictures and no letters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub picture_pages: Vec<u32>,
    /// More than half of the letters could not be read, or pages are missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
    /// The parts that are known to be there and are not read.
    #[serde(default, skip_serializing_if = "Unread::is_empty")]
    pub unread: Unread,
    /// Lines that are no part of the text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

/// The text of one page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageText {
    /// The page, counted from 1.
    pub number: Option<u32>,
    /// Its text.
    pub text: String,
    /// The words of the text with their places on the page, in the order of the text: those of a PDF, if
    /// [`Limits::keep_words`](crate::Limits::keep_words) asks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<Word>,
}

/// A word of a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Word {
    /// The place in the text of its page, in bytes of UTF-8. Both parts of a word that a line end divides are words.
    pub range: Range<u32>,
    /// The place on the page.
    pub rectangle: Rectangle,
}

/// A place on a page in points (1/72 inch), from the upper left corner of the page as viewers show it: turned, and cut to its crop box.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "[f32; 4]", from = "[f32; 4]")]
pub struct Rectangle {
    /// From the left edge of the page.
    pub left: f32,
    /// From the upper edge of the page.
    pub top: f32,
    /// From the left edge of the page.
    pub right: f32,
    /// From the upper edge of the page.
    pub bottom: f32,
}

impl Rectangle {
    /// The smallest one with both in it.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }
}

impl From<Rectangle> for [f32; 4] {
    fn from(rectangle: Rectangle) -> Self {
        [rectangle.left, rectangle.top, rectangle.right, rectangle.bottom].map(|points| (points * 10.0).round() / 10.0)
    }
}

impl From<[f32; 4]> for Rectangle {
    fn from([left, top, right, bottom]: [f32; 4]) -> Self {
        Self { left, top, right, bottom }
    }
}

/// A page of which some letters have no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LossyPage {
    /// The page, counted from 1.
    pub page: u32,
    /// The letters that it shows.
    pub shown: u32,
    /// Those of them that could not be read.
    pub undecoded: u32,
}

impl LossyPage {
    /// Whether more than one letter in fifty is lost: fewer are ornaments and bullets.
    pub(crate) fn is_noticeable(&self) -> bool {
        u64::from(self.undecoded) * 50 > u64::from(self.shown)
    }

    /// The lost part of the letters in percent, at least 1.
    #[must_use]
    pub fn percent(&self) -> u64 {
        (u64::from(self.undecoded) * 100 / u64::from(self.shown.max(1))).max(1)
    }
}

/// A line that is no part of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Its page, counted from 1.
    pub page: u32,
    /// Why it is left out.
    pub reason: LeftOutReason,
    /// The line.
    pub text: String,
}

/// Why a line is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LeftOutReason {
    /// It is an entry of a table of contents.
    Contents,
    /// It stands at the head or the foot of many pages.
    Repeated,
}

impl Extracted {
    /// A document without pages.
    pub(crate) fn whole(title: Option<String>, markup: Markup, text: String) -> Self {
        let title = title.and_then(|title| crate::title::of_properties(&title));
        Self { title, ..Self::of_text(markup, text) }
    }

    /// A text that nothing has to parse.
    #[must_use]
    pub fn of_text(markup: Markup, text: String) -> Self {
        Self {
            title: None,
            markup,
            pages: vec![PageText { number: None, text, words: Vec::new() }],
            page_count: None,
            lost_pages: Vec::new(),
            damaged_pages: Vec::new(),
            lossy_pages: Vec::new(),
            picture_pages: Vec::new(),
            is_partial: false,
            unread: Unread::default(),
            left_out: Vec::new(),
        }
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
