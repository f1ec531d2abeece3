//! Writes tables: rows stay as written where all engines read them as rows, else they get a border at both ends.

use std::ops::Range;

use super::block::line_ends;
use super::blocks::Kind;
use super::writer::{Row, Writer};
use crate::cite::decide::{Context, Piece};
use crate::cite::read::{Inline, Leaf};

impl Writer {
    pub(crate) fn open_table(&mut self, cx: &Context<'_>, range: &Range<usize>, columns: usize) {
        let is_opened = cx.text[range.start..].starts_with('|');
        let form = line_ends(&cx.text[range.clone()]).next().unwrap_or("\n");
        let indent = if is_opened { 0 } else { self.indent_of_item() };
        self.row = Row { columns, form, is_opened, is_bordered: false, indent };
        self.begin(cx, range.start, if is_opened { Kind::Table } else { Kind::Paragraph });
    }

    pub(crate) fn open_row(&mut self, cx: &Context<'_>, range: &Range<usize>) {
        // A no-break space is the content of a cell.
        let source = cx.text[range.clone()].trim_matches([' ', '\t', '\r', '\n']);
        if self.out.len() > self.line.start {
            self.next_line(self.row.form);
        }
        self.row.is_bordered =
            source.starts_with('|') && source.len() > 1 && source.ends_with('|') && !source.ends_with("\\|");
        if source.starts_with('|') || self.row.is_opened {
            self.out.push('|');
        }
    }

    pub(super) fn cell(&mut self, cx: &Context<'_>, leaf: &Leaf, inline: &Inline<'_>, pieces: &[Piece]) {
        // Include the blanks at the end of the cell, up to the border.
        let rest = &cx.text[leaf.range.end..];
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        let source = &cx.text[leaf.range.start..leaf.range.end + blanks];
        let content = source.trim_matches(' ');
        let lead = source.len() - source.trim_start_matches(' ').len();
        let (lead, trail) = match self.row.is_bordered {
            true if content.is_empty() => (source.len().max(1), 0),
            true => (lead, source.len() - lead - content.len()),
            false => (usize::from(self.out.len() > self.line.start), 1),
        };
        self.out.extend(std::iter::repeat_n(' ', lead));
        let from = self.out.len();
        self.line.text = from;
        self.inline(cx, inline, pieces);
        self.escape_borders(from);
        if self.out[from..].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1 {
            self.out.push('\\');
        }
        self.out.extend(std::iter::repeat_n(' ', trail));
        self.out.push('|');
    }

    /// Escapes the borders within the cell that begins at `from`.
    fn escape_borders(&mut self, from: usize) {
        if !self.out[from..].contains('|') {
            return;
        }
        let cell = self.out.split_off(from);
        let mut escapes = 0;
        for c in cell.chars() {
            if c == '|' && escapes % 2 == 0 {
                self.out.push('\\');
            }
            escapes = if c == '\\' { escapes + 1 } else { 0 };
            self.out.push(c);
        }
    }

    /// Ends a row. The delimiter row follows the first one.
    pub(crate) fn close_row(&mut self, cx: &Context<'_>, range: &Range<usize>, is_head: bool) {
        if !is_head {
            return;
        }
        let line = cx.text[range.end..].trim_start_matches(['\n', '\r']).split(['\n', '\r']).next().unwrap_or_default();
        let line = line.trim_start_matches(['>', ' ', '\t']).trim_end();
        self.next_line(self.row.form);
        self.out.extend(std::iter::repeat_n(' ', self.row.indent));
        if line.starts_with('|') && line.ends_with('|') && line.len() > 2 && !line.contains('\t') {
            self.out.push_str(line);
            return;
        }
        self.out.push('|');
        for cell in line.trim_matches('|').split('|').take(self.row.columns) {
            let cell = cell.trim();
            self.out.push_str(match (cell.starts_with(':'), cell.ends_with(':')) {
                (true, true) => " :---: |",
                (true, false) => " :--- |",
                (false, true) => " ---: |",
                (false, false) => " --- |",
            });
        }
    }

    pub(crate) fn close_table(&mut self, cx: &Context<'_>, end: usize) {
        let end = cx.text[..end].trim_end().len();
        self.end(Kind::Table, end);
    }
}
