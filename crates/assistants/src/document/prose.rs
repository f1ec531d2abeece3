//! The paragraphs, items and rows of a Markdown text, each on one line.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::plain_lines::PlainLine;

/// The Markdown of passages.
pub(super) const MARKDOWN: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_FOOTNOTES);

/// Longer blocks of code are not quoted.
const CODE_BYTES: usize = 1_500;

/// Stands where something stood that a sentence cannot take along. No text has it: a Markdown text gets another one there.
pub(super) const LOST: char = '\u{0}';

/// Stands between the cells of a row of a table.
pub(super) const BETWEEN_CELLS: &str = " – ";

/// A part of a passage on one line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum PassageLine {
    /// A paragraph, or an item of a list.
    Text(PlainLine),
    /// A row of a table, which is quoted as a whole.
    Row(String),
    /// A block of code between fences that begin and end it.
    Code(String),
}

impl PassageLine {
    pub(super) fn of(line: &PlainLine) -> Self {
        let text = line.text.split_whitespace().collect::<Vec<_>>().join(" ");
        Self::Text(PlainLine { text, number: line.number })
    }

    /// The number of the item that it begins.
    pub(super) fn step(&self) -> Option<u32> {
        match self {
            Self::Text(line) => line.number,
            Self::Row(_) | Self::Code(_) => None,
        }
    }
}

/// The paragraphs, the items of lists and the rows of tables but for their heads, each on one line, links as their texts.
pub(super) fn prose(text: &str) -> Vec<PassageLine> {
    let mut prose = Prose { source: text, ..Prose::default() };
    for (event, range) in Parser::new_ext(text, MARKDOWN).into_offset_iter() {
        prose.take(&event, range);
    }
    prose.end_line();
    prose.lines
}

/// Takes the lines of a text together. What stands between two parts of a line is copied with them, so that the marks of
/// emphasis and code stay as they are.
#[derive(Default)]
struct Prose<'s> {
    source: &'s str,
    lines: Vec<PassageLine>,
    line: String,
    /// The source is copied up to here; `None` where what comes next is not to be copied along.
    copied: Option<usize>,
    /// The depth within elements that have no sentences.
    skipped: usize,
    /// The lists that are open, with the number of the next item of each that counts.
    lists: Vec<Option<u64>>,
    /// The number of the item that begins.
    step: Option<u32>,
}

impl Prose<'_> {
    fn take(&mut self, event: &Event<'_>, range: std::ops::Range<usize>) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "all other marks end the line that they stand in")]
        match event {
            Event::Start(Tag::Image { .. }) if self.skipped == 0 => {
                self.lose(&range);
                self.skipped = 1;
            }
            Event::Start(tag) if self.skipped > 0 || !has_sentences(tag) => {
                if self.skipped == 0 {
                    self.end_line();
                    self.code(tag, &range);
                }
                self.skipped += 1;
            }
            Event::End(end) if self.skipped > 0 => {
                self.skipped -= 1;
                if self.skipped == 0 && !is_inline(*end) {
                    self.end_line();
                }
            }
            _ if self.skipped > 0 || self.takes_list(event) => {}
            Event::Start(Tag::TableCell) => {
                self.copied = None;
                if !self.line.is_empty() && !self.line.ends_with(BETWEEN_CELLS) {
                    self.line.push_str(BETWEEN_CELLS);
                }
            }
            Event::End(TagEnd::TableCell) => self.copied = None,
            Event::End(TagEnd::TableRow) => {
                let row = std::mem::take(&mut self.line);
                self.copied = None;
                let row = row.trim_end_matches(BETWEEN_CELLS).trim();
                if !row.is_empty() {
                    self.lines.push(PassageLine::Row(row.to_owned()));
                }
            }
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough) => {
                self.copied.get_or_insert(range.start);
            }
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough) | Event::Text(_) | Event::Code(_) => {
                self.copy(range.start, range.end);
                self.copied = Some(range.end);
            }
            Event::Start(Tag::Link { .. }) => {
                self.copy(range.start, range.start);
                self.copied = None;
            }
            Event::End(TagEnd::Link) | Event::TaskListMarker(_) => self.copied = Some(range.end),
            Event::SoftBreak | Event::HardBreak => {
                self.copy(range.start, range.start);
                self.line.push(' ');
                self.copied = None;
            }
            Event::InlineHtml(_) | Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {
                self.lose(&range);
            }
            _ => self.end_line(),
        }
    }

    /// Items of a list within another one have no numbers: beside those of the others they would be taken for these.
    fn takes_list(&mut self, event: &Event<'_>) -> bool {
        #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is part of a list alone")]
        match event {
            Event::Start(Tag::List(first)) => {
                self.end_line();
                self.lists.push(*first);
            }
            Event::End(TagEnd::List(_)) => {
                self.end_line();
                self.lists.pop();
            }
            Event::Start(Tag::Item) => {
                self.end_line();
                let is_alone = self.lists.len() == 1;
                let next = self.lists.last_mut().and_then(Option::as_mut);
                self.step = next.as_deref().filter(|_| is_alone).and_then(|number| u32::try_from(*number).ok());
                next.into_iter().for_each(|next| *next = next.saturating_add(1));
            }
            _ => return false,
        }
        true
    }

    /// Copies the rest up to `end`; the part that is copied begins at `start`.
    fn copy(&mut self, start: usize, end: usize) {
        let from = self.copied.unwrap_or(start);
        self.line.push_str(self.source.get(from..end).unwrap_or_default());
    }

    /// Takes a block of code that nothing is around: with its fences, or in fences where it is indented.
    fn code(&mut self, tag: &Tag<'_>, range: &std::ops::Range<usize>) {
        let Tag::CodeBlock(kind) = tag else { return };
        let before = &self.source[..range.start];
        let indent = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        let code = self.source[range.clone()].trim_end();
        let fenced = match kind {
            CodeBlockKind::Fenced(_) => {
                let fence: String = code.chars().take_while(|c| *c == '`').collect();
                let ends = code.lines().count() > 2 && code.lines().last() == Some(fence.as_str());
                let fits = ends && fence.len() >= 3 && indent.is_empty();
                // The language is left out: Web Chat's newer highlighter complains of those that it does not know, such
                // as TOML.
                code.split_once('\n').filter(|_| fits).map(|(_, rest)| format!("{fence}\n{rest}"))
            }
            CodeBlockKind::Indented => {
                let whole = format!("{indent}{code}");
                let lines =
                    whole.lines().map(|line| line.strip_prefix("    ").or(line.trim().is_empty().then_some("")));
                let lines: Option<Vec<&str>> = lines.collect();
                lines.filter(|_| !code.contains("```")).map(|lines| format!("```\n{}\n```", lines.join("\n")))
            }
        };
        self.lines.extend(fenced.filter(|code| code.len() <= CODE_BYTES).map(PassageLine::Code));
    }

    fn lose(&mut self, range: &std::ops::Range<usize>) {
        self.copy(range.start, range.start);
        self.line.push(LOST);
        self.copied = Some(range.end);
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        self.copied = None;
        if !line.trim().is_empty() {
            let number = self.step.take();
            self.lines.push(PassageLine::Text(PlainLine { text: line.trim().to_owned(), number }));
        }
    }
}

fn has_sentences(tag: &Tag<'_>) -> bool {
    matches!(
        tag,
        Tag::Paragraph
            | Tag::List(_)
            | Tag::Item
            | Tag::BlockQuote(_)
            | Tag::Table(_)
            | Tag::TableRow
            | Tag::TableCell
            | Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough
            | Tag::Link { .. }
    )
}

pub(super) fn is_inline(end: TagEnd) -> bool {
    matches!(end, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link | TagEnd::Image)
}
