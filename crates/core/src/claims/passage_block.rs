//! The blocks of a passage, as a page shows them: without Markdown, and with the place of each piece in the passage.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use super::doubtful_mark::{may_be_quotes, may_be_signs};

/// A part of a passage that a page shows as one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassageBlock {
    /// The kind.
    pub kind: BlockKind,
    /// The text without Markdown.
    pub text: String,
    /// Where the pieces of `text` come from: the range in it, and the range in the passage.
    pieces: Vec<(Range<usize>, Range<usize>)>,
    /// The parts of the passage whose marks are signs of the text where that is no Markdown.
    doubtful: Vec<Range<usize>>,
}

/// The kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// A heading of this level, from 1.
    Heading(u8),
    /// A paragraph.
    Paragraph,
    /// The item of a list.
    Item {
        /// The number of lists that it is in, from 1.
        depth: usize,
        /// Its number, if it has one.
        number: Option<u64>,
    },
    /// Code, or another text whose lines are to be kept.
    Code,
    /// The cell of a table.
    Cell {
        /// The place of the table among those of the passage, from 1.
        table: usize,
        /// The row, 0 for the header.
        row: usize,
    },
}

/// How a passage is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writing {
    /// Markdown; its HTML is left out.
    Markdown,
    /// Markdown; its HTML is a part of the text.
    MarkdownAndText,
    /// Text without marks.
    Plain,
}

impl PassageBlock {
    fn new(kind: BlockKind) -> Self {
        Self { kind, text: String::new(), pieces: Vec::new(), doubtful: Vec::new() }
    }

    fn push(&mut self, text: &str, source: Range<usize>) {
        let from = self.text.len();
        self.text.push_str(text);
        self.pieces.push((from..self.text.len(), source));
    }

    /// The part of `text` that comes from a part of the passage; `None` if nothing of it does.
    #[must_use]
    pub fn shown(&self, part: &Range<usize>) -> Option<Range<usize>> {
        let mut shown: Option<Range<usize>> = None;
        for (text, source) in &self.pieces {
            let (from, to) = (part.start.max(source.start), part.end.min(source.end));
            if from >= to {
                continue;
            }
            // A character reference is shown as a whole.
            let range = if text.len() == source.len() {
                text.start + (from - source.start)..text.start + (to - source.start)
            } else {
                text.clone()
            };
            shown = Some(shown.map_or(range.start, |known| known.start)..range.end);
        }
        let is_whole = |range: &Range<usize>| self.text.get(range.clone()).is_some_and(|text| !text.trim().is_empty());
        shown.filter(is_whole)
    }
}

impl PassageBlock {
    /// The part of the passage from which a part of `text` comes, with the marks in between.
    pub(super) fn source(&self, shown: &Range<usize>) -> Option<Range<usize>> {
        let mut part: Option<Range<usize>> = None;
        for (text, source) in &self.pieces {
            let (from, to) = (shown.start.max(text.start), shown.end.min(text.end));
            if from >= to {
                continue;
            }
            let range = if text.len() == source.len() {
                source.start + (from - text.start)..source.start + (to - text.start)
            } else {
                source.clone()
            };
            part = Some(part.map_or(range.start, |known| known.start)..range.end);
        }
        part
    }

    /// The part of the passage from which a part of `text` comes, if marks are left out of it that may be signs of the text.
    pub(super) fn doubtful_source(&self, shown: &Range<usize>) -> Option<Range<usize>> {
        let part = self.source(shown)?;
        self.doubtful.iter().any(|marks| marks.start <= part.end && part.start <= marks.end).then_some(part)
    }
}

/// The blocks of a passage, in order.
#[must_use]
pub fn passage_blocks(passage: &str, writing: Writing) -> Vec<PassageBlock> {
    if writing == Writing::Plain {
        return plain_blocks(passage);
    }
    let mut reader = Reader { passage, keeps_html: writing == Writing::MarkdownAndText, ..Reader::default() };
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    for (event, range) in Parser::new_ext(passage, options).into_offset_iter() {
        reader.event(event, range);
    }
    reader.flush();
    reader.blocks
}

/// The paragraphs of a text without marks, which blank lines part.
fn plain_blocks(passage: &str) -> Vec<PassageBlock> {
    let (mut blocks, mut at) = (Vec::new(), 0);
    let mut open: Option<PassageBlock> = None;
    for line in passage.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        if line.trim().is_empty() {
            blocks.extend(open.take());
        } else {
            open.get_or_insert_with(|| PassageBlock::new(BlockKind::Paragraph)).push(line, range);
        }
    }
    blocks.extend(open);
    blocks
}

#[derive(Default)]
struct Reader<'p> {
    passage: &'p str,
    keeps_html: bool,
    blocks: Vec<PassageBlock>,
    open: Option<PassageBlock>,
    /// The number of the next item of each open list.
    lists: Vec<Option<u64>>,
    /// The open items, each with the kind of its first block until that begins.
    items: Vec<Option<BlockKind>>,
    table: usize,
    row: usize,
    /// The number of open images. Their texts are not shown.
    images: usize,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag, range),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => {
                if self.passage[..range.start].ends_with('\\') {
                    self.doubt(range.start - 1..range.end);
                }
                self.text(&text, range);
            }
            Event::Code(code) => {
                let ticks = (range.len().saturating_sub(code.len())) / 2;
                let inner = range.start + ticks..range.end - ticks;
                if may_be_quotes(self.passage, &range, &inner) {
                    self.doubt(range);
                }
                self.text(&code, inner);
            }
            Event::SoftBreak | Event::HardBreak => self.text(" ", range),
            Event::Html(html) | Event::InlineHtml(html) if self.keeps_html => self.text(&html, range),
            Event::Rule => self.flush(),
            Event::InlineHtml(_) => self.doubt(range),
            Event::Html(_)
            | Event::FootnoteReference(_)
            | Event::TaskListMarker(_)
            | Event::InlineMath(_)
            | Event::DisplayMath(_) => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the other tags begin no block")]
    fn start(&mut self, tag: &Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Paragraph => {
                let first = self.items.last_mut().and_then(Option::take);
                self.begin(first.unwrap_or(BlockKind::Paragraph));
            }
            Tag::Heading { level, .. } => self.begin(BlockKind::Heading(level_of(*level))),
            Tag::CodeBlock(_) => self.begin(BlockKind::Code),
            Tag::HtmlBlock | Tag::BlockQuote(_) => self.flush(),
            Tag::List(first) => {
                self.flush();
                self.lists.push(*first);
            }
            Tag::Item => {
                self.flush();
                let number = self.lists.last_mut().and_then(|next| {
                    let number = *next;
                    *next = number.map(|number| number + 1);
                    number
                });
                self.items.push(Some(BlockKind::Item { depth: self.lists.len(), number }));
            }
            Tag::Table(_) => (self.table, self.row) = (self.table + 1, 0),
            Tag::TableRow => self.row += 1,
            Tag::TableCell => self.begin(BlockKind::Cell { table: self.table, row: self.row }),
            Tag::Image { .. } => self.images += 1,
            Tag::Emphasis => self.emphasis(range, 1),
            Tag::Strong => self.emphasis(range, 2),
            Tag::Strikethrough => {
                let mark = if self.passage[range.start..].starts_with("~~") { 2 } else { 1 };
                self.emphasis(range, mark);
            }
            Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. } => self.doubt(range),
            _ => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the other tags end no block")]
    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::HtmlBlock => self.flush(),
            // An empty cell keeps its place in the row.
            TagEnd::TableCell => self.blocks.extend(self.open.take()),
            TagEnd::Item => {
                self.flush();
                self.items.pop();
            }
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
            }
            TagEnd::Image => self.images = self.images.saturating_sub(1),
            _ => {}
        }
    }

    fn begin(&mut self, kind: BlockKind) {
        self.flush();
        self.open = Some(PassageBlock::new(kind));
    }

    fn flush(&mut self) {
        self.blocks.extend(self.open.take().filter(|block| !block.text.trim().is_empty()));
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        if self.images == 0 {
            self.current().push(text, range);
        }
    }

    fn emphasis(&mut self, range: Range<usize>, mark: usize) {
        if may_be_signs(self.passage, &range, mark) {
            self.doubt(range);
        }
    }

    fn doubt(&mut self, marks: Range<usize>) {
        if self.images == 0 {
            self.current().doubtful.push(marks);
        }
    }

    fn current(&mut self) -> &mut PassageBlock {
        let items = &mut self.items;
        self.open.get_or_insert_with(|| {
            let first = items.last_mut().and_then(Option::take);
            PassageBlock::new(first.unwrap_or(BlockKind::Paragraph))
        })
    }
}

fn level_of(level: HeadingLevel) -> u8 {
    level as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(passage: &str, writing: Writing) -> Vec<(BlockKind, String)> {
        passage_blocks(passage, writing).into_iter().map(|block| (block.kind, block.text)).collect()
    }

    #[test]
    fn a_passage_is_its_blocks_without_marks() {
        let passage = "# A *b*\n\nSee [the `x_y`](https://x) &amp; ![no](i.png)\nmore.\n\n3. one\n   - two\n4. three\n\n\
                       | h | i |\n|---|---|\n| c | |\n\n<b>d</b>";
        let item = |depth, number| BlockKind::Item { depth, number };
        let cell = |row| BlockKind::Cell { table: 1, row };
        let expected = [
            (BlockKind::Heading(1), "A b"),
            (BlockKind::Paragraph, "See the x_y &  more."),
            (item(1, Some(3)), "one"),
            (item(2, None), "two"),
            (item(1, Some(4)), "three"),
            (cell(0), "h"),
            (cell(0), "i"),
            (cell(1), "c"),
            (cell(1), ""),
            (BlockKind::Paragraph, "d"),
        ];
        let blocks = seen(passage, Writing::Markdown);
        assert_eq!(blocks, expected.map(|(kind, text)| (kind, text.to_owned())));
        assert!(seen(passage, Writing::MarkdownAndText).iter().any(|(_, text)| text == "<b>d</b>"));
    }

    #[test]
    fn a_part_of_the_passage_is_found_in_what_is_shown_of_it() {
        let passage = "One.\n\nLeave **is** 30&nbsp;days `a year`.";
        let blocks = passage_blocks(passage, Writing::Markdown);
        let part = passage.find("is").expect("there")..passage.find(" year").expect("there");
        assert_eq!(blocks[0].shown(&part), None);
        let shown = blocks[1].shown(&part).expect("shown");
        assert_eq!(&blocks[1].text[shown.clone()], "is 30\u{a0}days a");
        assert_eq!(blocks[1].source(&shown), Some(part));
    }

    #[test]
    fn blank_lines_part_a_text_without_marks() {
        let blocks = seen("# a\nb\n \n* c", Writing::Plain);
        assert_eq!(blocks.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>(), ["# a\nb\n", "* c"]);
    }
}
