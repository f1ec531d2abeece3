//! Splits a document into passages.

use std::ops::Range;

use citewire_documents::{Extracted, Format, Markup};
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use unicode_segmentation::UnicodeSegmentation as _;

use super::Passage;
use super::plain_headings::{PlainBlock, blocks_of};
use super::prose::MARKDOWN;
use super::sentence::plain_text;

/// A passage has no more bytes of text than this, unless a row of a table or a block of code alone has more.
const PASSAGE_BYTES: usize = 800;

/// A heading has no more letters: each passage below it repeats it.
const HEADING_LETTERS: usize = 200;

/// The passages of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SplitDocument {
    /// The first heading.
    pub(super) title: Option<String>,
    pub(super) passages: Vec<Passage>,
    /// The tables of contents that are no part of any passage.
    pub(super) left_out: usize,
}

/// Splits a document by its pages, headings and paragraphs. No passage is on two pages. What stands below a heading of a PDF goes on
/// on the next page; a slide begins anew.
pub(super) fn split_pages(extracted: &Extracted, format: Format) -> SplitDocument {
    let mut splitter = Splitter::new(extracted.markup);
    for page in &extracted.pages {
        if format != Format::Pdf {
            splitter.headings.clear();
        }
        splitter.page = page.number;
        splitter.split(&page.text);
    }
    splitter.parts
}

/// The beginning of a heading.
pub(super) fn shortened(heading: &str) -> String {
    match heading.char_indices().nth(HEADING_LETTERS) {
        Some((end, _)) => format!("{}…", heading[..end].trim_end()),
        None => heading.to_owned(),
    }
}

/// Splits a text by its headings and paragraphs.
#[cfg(test)]
fn split(text: &str, markup: Markup) -> SplitDocument {
    let mut splitter = Splitter::new(markup);
    splitter.split(text);
    splitter.parts
}

/// A block of a text, or a part of one where it can be split.
enum TextBlock {
    /// A heading with its level: less is further out.
    Heading(u8, Range<usize>),
    /// A piece of text that is not split any further.
    Piece(Range<usize>),
    /// A table that is too long for one passage.
    Table(Range<usize>),
    /// A table of contents, which is no text.
    Contents,
}

struct Splitter {
    markup: Markup,
    page: Option<u32>,
    /// The passage that is not full yet.
    open: Option<Range<usize>>,
    headings: Vec<(u8, String)>,
    parts: SplitDocument,
}

impl Splitter {
    fn new(markup: Markup) -> Self {
        Self { markup, page: None, open: None, headings: Vec::new(), parts: SplitDocument::default() }
    }

    /// Splits the text of a page, or of a whole document.
    fn split(&mut self, text: &str) {
        let blocks = match self.markup {
            Markup::Markdown => markdown_blocks(text),
            Markup::Plain => plain_blocks(text),
        };
        for block in blocks {
            self.take(text, block);
        }
        self.end_passage(text);
    }

    fn take(&mut self, text: &str, block: TextBlock) {
        match block {
            TextBlock::Heading(level, range) => {
                self.end_passage(text);
                let heading = match self.markup {
                    Markup::Markdown => plain_text(&text[range]),
                    Markup::Plain => text[range].split_whitespace().collect::<Vec<_>>().join(" "),
                };
                let heading = shortened(&heading);
                self.headings.retain(|(above, _)| *above < level);
                if !heading.is_empty() {
                    self.parts.title.get_or_insert_with(|| heading.clone());
                    self.headings.push((level, heading));
                }
            }
            TextBlock::Piece(range) => {
                let fits = self.open.as_ref().is_some_and(|open| range.end - open.start <= PASSAGE_BYTES);
                if !fits {
                    self.end_passage(text);
                }
                self.open.get_or_insert(range.start..range.start).end = range.end;
            }
            TextBlock::Table(range) => {
                self.end_passage(text);
                self.table(&text[range]);
            }
            TextBlock::Contents => {
                self.end_passage(text);
                self.parts.left_out += 1;
            }
        }
    }

    /// Splits a long table between its rows. Each part has the head, without which rows say little, and are none. One that is longer
    /// than a passage stands in the first part alone.
    fn table(&mut self, table: &str) {
        let mut lines = table.lines();
        let head: Vec<&str> = lines.by_ref().take(2).collect();
        let mut head = head.join("\n");
        let mut part = head.clone();
        if head.len() > PASSAGE_BYTES {
            head.clear();
        }
        for row in lines {
            if part.len() > head.len() && part.len() + 1 + row.len() > PASSAGE_BYTES {
                self.push_passage(&std::mem::replace(&mut part, head.clone()));
            }
            part.push('\n');
            part.push_str(row);
        }
        self.push_passage(&part);
    }

    fn end_passage(&mut self, text: &str) {
        let Some(range) = self.open.take() else { return };
        self.push_passage(&text[range]);
    }

    fn push_passage(&mut self, text: &str) {
        // Blanks before the first line may be those of a block of code.
        let text = text.trim_end().trim_start_matches('\n');
        if text.trim().is_empty() {
            return;
        }
        self.parts.passages.push(Passage {
            headings: self.headings.iter().map(|(_, heading)| heading.clone()).collect(),
            text: text.to_owned(),
            page: self.page,
            place: self.parts.passages.len(),
            markup: self.markup,
        });
    }
}

/// The blocks of a Markdown text. Paragraphs that are too long come in sentences, and lists in items. What stands before the
/// text, between two lines of dashes, is not part of it.
fn markdown_blocks(text: &str) -> Vec<TextBlock> {
    let options = MARKDOWN | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut blocks = Vec::new();
    let mut depth = 0_usize;
    let mut items: Vec<Range<usize>> = Vec::new();
    // The ranges of emphasis, code and links of a paragraph.
    let mut closed: Vec<Range<usize>> = Vec::new();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        #[expect(clippy::wildcard_enum_match_arm, reason = "all other parts of a block stay within it")]
        match event {
            Event::Start(tag) => {
                depth += 1;
                match tag {
                    Tag::Item if depth == 2 => items.push(range),
                    Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. } => {
                        closed.push(range);
                    }
                    _ => {}
                }
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                if depth > 0 {
                    continue;
                }
                let is_long = range.len() > PASSAGE_BYTES;
                match end {
                    TagEnd::Heading(level) => blocks.push(TextBlock::Heading(level as u8, range)),
                    TagEnd::MetadataBlock(_) => {}
                    TagEnd::Paragraph if is_long => blocks.extend(pieces(text, range, &closed)),
                    TagEnd::Table if is_long => blocks.push(TextBlock::Table(range)),
                    TagEnd::List(_) if is_long => blocks.extend(items.drain(..).map(TextBlock::Piece)),
                    _ => blocks.push(TextBlock::Piece(range)),
                }
                items.clear();
                closed.clear();
            }
            Event::Code(_) => closed.push(range),
            _ => {}
        }
    }
    blocks
}

/// The blocks of a plain text, but for its table of contents. Paragraphs that are too long come in sentences.
fn plain_blocks(text: &str) -> Vec<TextBlock> {
    let mut blocks = Vec::new();
    for block in blocks_of(text) {
        match block {
            PlainBlock::Heading(level, range) => blocks.push(TextBlock::Heading(level, range)),
            PlainBlock::Paragraph(range) if range.len() > PASSAGE_BYTES => blocks.extend(pieces(text, range, &[])),
            PlainBlock::Paragraph(range) => blocks.push(TextBlock::Piece(range)),
            PlainBlock::Contents => blocks.push(TextBlock::Contents),
        }
    }
    blocks
}

/// The sentences and lines of a paragraph. None ends inside of emphasis, code or a link, and none is longer than a
/// passage, unless something that is closed is.
fn pieces(text: &str, range: Range<usize>, closed: &[Range<usize>]) -> Vec<TextBlock> {
    let mut pieces = Vec::new();
    let mut start = range.start;
    // The places that are asked for never go back.
    let mut closed = closed.iter().peekable();
    let mut open_until = 0;
    let mut can_end = |end: usize| {
        while let Some(part) = closed.next_if(|part| part.start < end) {
            open_until = open_until.max(part.end);
        }
        end >= open_until
    };
    for (at, sentence) in text[range.clone()].split_sentence_bound_indices() {
        let end = range.start + at + sentence.len();
        // A text without a full stop is cut between words.
        let mut last = start;
        for (word_at, word) in sentence.split_word_bound_indices() {
            let word_end = range.start + at + word_at + word.len();
            if word_end - start > PASSAGE_BYTES && last > start {
                pieces.push(TextBlock::Piece(start..last));
                start = last;
            }
            if can_end(word_end) {
                last = word_end;
            }
        }
        if can_end(end) && end > start {
            pieces.push(TextBlock::Piece(start..end));
            start = end;
        }
    }
    if start < range.end {
        pieces.push(TextBlock::Piece(start..range.end));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use citewire_documents::PageText;

    use super::*;

    fn passages(text: &str) -> Vec<(String, String)> {
        let parts = split(text, Markup::Markdown);
        parts.passages.into_iter().map(|passage| (passage.headings.join(" > "), passage.text)).collect()
    }

    fn pair(headings: &str, text: &str) -> (String, String) {
        (headings.to_owned(), text.to_owned())
    }

    #[test]
    fn passages_are_what_stands_under_one_heading() {
        let text = "before\n\n# The *Handbook*\n\n## Leave\n\none\n\n- two\n- three\n\n### Sick\nfour\n\nSetext\n---\n\nfive\n";
        assert_eq!(
            passages(text),
            [
                pair("", "before"),
                pair("The Handbook > Leave", "one\n\n- two\n- three"),
                pair("The Handbook > Leave > Sick", "four"),
                pair("The Handbook > Setext", "five"),
            ]
        );
        assert_eq!(split(text, Markup::Markdown).title.as_deref(), Some("The Handbook"));
    }

    #[test]
    fn a_heading_of_a_pdf_goes_on_over_the_end_of_the_page_and_that_of_a_slide_does_not() {
        let texts = ["# Manual\n\n## Leave\n\nOne.\n", "Two.\n\n## Sick\n\nThree.\n"];
        let mut document = Extracted::of_text(Markup::Markdown, String::new());
        let page = document.pages.remove(0);
        document.pages = (1..)
            .zip(texts)
            .map(|(number, text)| PageText { number: Some(number), text: text.to_owned(), ..page.clone() })
            .collect();
        let parts = |format| -> Vec<(Option<u32>, usize, String)> {
            let parts = split_pages(&document, format).passages.into_iter();
            parts.map(|passage| (passage.page, passage.place, passage.headings.join(" > "))).collect()
        };
        let part = |page, place, headings: &str| (Some(page), place, headings.to_owned());
        let first = part(1, 0, "Manual > Leave");
        assert_eq!(parts(Format::Pdf), [first.clone(), part(2, 1, "Manual > Leave"), part(2, 2, "Manual > Sick")]);
        assert_eq!(parts(Format::Pptx), [first, part(2, 1, ""), part(2, 2, "Sick")]);
    }

    #[test]
    fn what_has_no_text_has_no_passages() {
        assert_eq!(passages("---\ntitle: secret\n---\n\n# A\n\ntext\n"), [pair("A", "text")]);
        for empty in ["", "\n\n", "# A\n\n## B\n", "---\na: b\n---\n"] {
            assert_eq!(passages(empty), [], "{empty:?}");
        }
    }

    #[test]
    fn code_is_never_cut_and_a_long_table_between_rows_with_its_head_in_each_part() {
        let code = format!("```rust\n{}\n```", "let x = 1; // A sentence. And one more.\n\n".repeat(100));
        let table = format!("| a | b |\n|---|---|\n{}", "| One. Two. | three |\n".repeat(100));
        let text = format!("# A\n\nBefore it.\n\n{code}\n\nBetween them.\n\n{table}\nBehind it.\n");
        let found = passages(&text);
        assert!(found.contains(&pair("A", code.trim_end())), "{found:?}");
        let tables: Vec<&String> =
            found.iter().map(|(_, text)| text).filter(|text| text.starts_with("| a |")).collect();
        assert!(tables.len() > 2 && tables.iter().all(|part| part.len() <= PASSAGE_BYTES), "{tables:?}");
        let rows: usize = tables.iter().map(|part| part.lines().count() - 2).sum();
        assert!(
            rows == 100 && tables.iter().all(|part| part.starts_with("| a | b |\n|---|---|\n| One.")),
            "{tables:?}"
        );
        assert_eq!(found.len(), 4 + tables.len());
    }

    #[test]
    fn a_long_paragraph_is_cut_between_sentences_and_never_inside_a_link() {
        let sentence = "Here is **some. Text.** with a [link. To.](https://x.example/a) in it. ";
        let text = sentence.repeat(60);
        let found = passages(&text);
        assert!(found.len() > 4);
        for (_, passage) in &found {
            assert!(
                passage.len() <= PASSAGE_BYTES && passage.starts_with("Here") && passage.ends_with("it."),
                "{passage}"
            );
        }
        let endless = passages(&"word ".repeat(1000));
        assert!(endless.iter().all(|(_, passage)| passage.len() <= PASSAGE_BYTES), "{}", endless.len());
        assert_eq!(endless.iter().map(|(_, passage)| passage.split(' ').count()).sum::<usize>(), 1000);
        assert_eq!(passages(&"x".repeat(5000)).len(), 1);
    }

    #[test]
    fn a_long_list_is_cut_between_items() {
        let text: String =
            (0..200).map(|number| format!("- item {number} of the list\n  - and one below it\n")).collect();
        let found = passages(&text);
        assert!(found.len() > 5);
        assert!(found.iter().all(|(_, passage)| passage.starts_with("- item") && passage.len() <= PASSAGE_BYTES));
        assert!(found.iter().all(|(_, passage)| passage.ends_with("below it")), "{found:?}");
    }

    #[test]
    fn plain_text_is_cut_between_its_paragraphs() {
        let text = format!("# no heading\n\n{}\n\nlast", "A sentence of some words. ".repeat(80));
        let parts = split(&text, Markup::Plain);
        assert_eq!(parts.title, None);
        assert!(
            parts.passages.iter().all(|passage| passage.text.len() <= PASSAGE_BYTES && passage.headings.is_empty())
        );
        assert!(parts.passages[0].text.starts_with("# no heading\n\nA sentence"));
        assert!(parts.passages[parts.passages.len() - 1].text.ends_with("last"));
    }

    #[test]
    fn long_paragraphs_headings_and_heads_of_tables_are_split_in_time_that_grows_with_them() {
        let emphasis = "*a* `b` ".repeat(40_000);
        assert!(passages(&emphasis).len() > 300);
        let heading = passages(&format!("# {}\n\n{}", "long ".repeat(200_000), "word\n\n".repeat(2_000)));
        assert!(heading.iter().all(|(heading, _)| heading.len() < 900), "{}", heading[0].0.len());
        let head = "| a ".repeat(2_000);
        let table = passages(&format!("{head}|\n{}|\n{}", "| - ".repeat(2_000), "| x |\n".repeat(5_000)));
        let bytes: usize = table.iter().map(|(_, text)| text.len()).sum();
        assert!(bytes < 100_000, "{bytes}");
    }
}
