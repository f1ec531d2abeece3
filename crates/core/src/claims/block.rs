//! The blocks of a numbered text, as readers see them: without Markdown, and with the places of their badges.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::cite::CitedPlace;

/// A paragraph, the own text of an item, a heading, a cell or a code block.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// The text without Markdown and without badges.
    pub(super) visible: String,
    /// Where the pieces of `visible` stand: the start in it, and the range in the numbered text.
    pieces: Vec<(usize, Range<usize>)>,
    /// The badges: the place in `visible`, and the index among all.
    pub(super) badges: Vec<(usize, usize)>,
    /// The cell that it is.
    pub(super) cell: Option<Cell>,
    /// It is code.
    pub(super) is_code: bool,
    /// It has sentences: it is no heading, no header of a table and no code.
    pub(super) is_prose: bool,
}

/// The place of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) table: usize,
    /// 0 for the header.
    pub(super) row: usize,
    pub(super) column: usize,
}

impl Block {
    /// The bytes of the numbered text from which a part of `visible` comes; it may hold badges and Markdown.
    pub(super) fn source(&self, visible: Range<usize>) -> Range<usize> {
        let start = self.byte(visible.start, false);
        let end = self.byte(visible.end, true);
        start..end.max(start)
    }

    /// The byte of the numbered text at a place of `visible`; at a joint, the end of the piece before it if `is_end`.
    fn byte(&self, at: usize, is_end: bool) -> usize {
        let next = self.pieces.partition_point(|(start, _)| if is_end { *start < at } else { *start <= at });
        let Some((start, range)) = next.checked_sub(1).and_then(|index| self.pieces.get(index)) else { return 0 };
        (range.start + (at - start)).min(range.end)
    }

    fn push(&mut self, text: &str, range: Range<usize>) {
        if !text.is_empty() {
            self.pieces.push((self.visible.len(), range));
            self.visible.push_str(text);
        }
    }
}

/// The marks that are looked over between two letters of code.
const MOST_LEFT_OUT: usize = 64;

/// The blocks of a text with badges, in order.
pub(super) fn blocks(text: &str, badges: &[CitedPlace]) -> Vec<Block> {
    let mut reader = Reader { text, badges, next_badge: 0, blocks: Vec::new(), open: Vec::new(), cell: None };
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS | Options::ENABLE_MATH;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        reader.event(event, range);
    }
    while let Some(block) = reader.open.pop() {
        reader.close(block);
    }
    reader.blocks
}

struct Reader<'t> {
    text: &'t str,
    badges: &'t [CitedPlace],
    next_badge: usize,
    blocks: Vec<Block>,
    /// Items hold blocks, so several may be open.
    open: Vec<Block>,
    cell: Option<Cell>,
}

impl Reader<'_> {
    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(&tag),
            Event::End(tag) => self.end(tag),
            Event::Text(_) => self.text(range),
            // The ticks are no part of the code.
            Event::Code(code) => self.inner(&code, range),
            Event::InlineMath(math) | Event::DisplayMath(math) => self.inner(&math, range),
            Event::SoftBreak | Event::HardBreak => self.current().push(" ", range.start..range.start + 1),
            Event::Html(_)
            | Event::InlineHtml(_)
            | Event::FootnoteReference(_)
            | Event::Rule
            | Event::TaskListMarker(_) => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the other tags begin no block with text of its own")]
    fn start(&mut self, tag: &Tag<'_>) {
        match tag {
            Tag::Heading { .. } => self.open.push(Block::default()),
            Tag::Paragraph | Tag::Item => self.open.push(Block { is_prose: true, ..Block::default() }),
            Tag::CodeBlock(kind) => {
                let is_code = matches!(kind, CodeBlockKind::Fenced(_) | CodeBlockKind::Indented);
                self.open.push(Block { is_code, ..Block::default() });
            }
            Tag::Table(_) => {
                let table = self.cell.map_or(0, |cell| cell.table + 1);
                self.cell = Some(Cell { table, row: 0, column: 0 });
            }
            Tag::TableRow => {
                if let Some(cell) = &mut self.cell {
                    (cell.row, cell.column) = (cell.row + 1, 0);
                }
            }
            Tag::TableCell => {
                let is_prose = self.cell.is_some_and(|cell| cell.row > 0);
                self.open.push(Block { cell: self.cell, is_prose, ..Block::default() });
            }
            _ => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "the other tags end no block with text of its own")]
    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item | TagEnd::CodeBlock => self.close_last(),
            TagEnd::TableCell => {
                self.close_last();
                if let Some(cell) = &mut self.cell {
                    cell.column += 1;
                }
            }
            _ => {}
        }
    }

    fn close_last(&mut self) {
        if let Some(block) = self.open.pop() {
            self.close(block);
        }
    }

    fn close(&mut self, block: Block) {
        // An empty cell keeps its place in the row.
        if !block.visible.trim().is_empty() || !block.badges.is_empty() || block.cell.is_some() {
            self.blocks.push(block);
        }
    }

    fn current(&mut self) -> &mut Block {
        if self.open.is_empty() {
            self.open.push(Block::default());
        }
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    /// Adds text, without the badges in it. Their brackets may come in several events.
    fn text(&mut self, range: Range<usize>) {
        let (mut from, text, badges) = (range.start, self.text, self.badges);
        while let Some(badge) = badges.get(self.next_badge).filter(|badge| badge.range.start < range.end) {
            if badge.range.end <= from {
                self.next_badge += 1;
                continue;
            }
            let index = self.next_badge;
            let end = badge.range.end.min(range.end);
            let until = badge.range.start.max(from);
            let block = self.current();
            block.push(text.get(from..until).unwrap_or_default(), from..until);
            let place = block.visible.len();
            if block.badges.last().is_none_or(|(_, last)| *last != index) {
                block.badges.push((place, index));
            }
            from = end;
            if badge.range.end <= range.end {
                self.next_badge += 1;
            } else {
                break;
            }
        }
        let rest = text.get(from..range.end).unwrap_or_default();
        self.current().push(rest, from..range.end);
    }

    fn inner(&mut self, inner: &str, range: Range<usize>) {
        let whole = self.text.get(range.clone()).unwrap_or_default();
        if let Some(at) = whole.find(inner) {
            let start = range.start + at;
            return self.current().push(inner, start..start + inner.len());
        }
        // Line ends are blanks in it, and marks of quotes and tables are left out: its letters are found one by one.
        let mut at = 0;
        for letter in inner.chars() {
            let mut near = whole[at..].char_indices().take(MOST_LEFT_OUT);
            let is_it = |next: char| next == letter || letter == ' ' && next == '\n';
            let found = near.find(|(_, next)| is_it(*next)).map(|(skipped, next)| (at + skipped, next.len_utf8()));
            let (start, length) = found.unwrap_or((at, 0));
            let place = range.start + start;
            self.current().push(letter.encode_utf8(&mut [0; 4]), place..place + length);
            at = start + length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cite::Position;

    fn read(text: &str) -> Vec<Block> {
        let badges: Vec<CitedPlace> = text
            .match_indices("[1]")
            .map(|(at, _)| CitedPlace { range: at..at + 3, position: Position::after(0) })
            .collect();
        blocks(text, &badges)
    }

    #[test]
    fn code_of_several_lines_and_with_escapes_comes_from_its_own_bytes() {
        let text = "> See `ä\n> “b` [1]\n\n| h |\n|---|\n| `ü\\|“` [1] |";
        let blocks = read(text);
        assert_eq!((blocks[0].visible.as_str(), blocks[2].visible.as_str()), ("See ä “b ", "ü|“ "));
        assert_eq!(&text[blocks[0].source(4..11)], "ä\n> “b");
        assert_eq!(&text[blocks[2].source(0..6)], "ü\\|“");
    }

    #[test]
    fn a_block_has_its_text_without_markdown_and_the_places_of_its_badges() {
        let text = "# A *b*\n\nSee `x_y` [1] and\nmore.[1]\n\n- one [1]\n- two\n\n| h | i |\n|---|---|\n| c [1] | d |\n\n```\nf [1]\n```";
        let blocks = read(text);
        let seen: Vec<(&str, Vec<usize>)> = blocks
            .iter()
            .map(|block| (block.visible.as_str(), block.badges.iter().map(|(at, _)| *at).collect()))
            .collect();
        assert_eq!(
            seen[..4],
            [("A b", vec![]), ("See x_y  and more.", vec![8, 18]), ("one ", vec![4]), ("two", vec![])]
        );
        assert_eq!(seen[6], ("c ", vec![2]));
        let paragraph = &blocks[1];
        assert_eq!(&text[paragraph.source(4..7)], "x_y");
        assert_eq!(&text[paragraph.source(9..18)], "and\nmore.");
    }
}
