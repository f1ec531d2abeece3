//! Opens and closes containers: quotes, lists, items, footnotes.

use std::ops::Range;

use super::block::line_start;
use super::blocks::{Container, Kind};
use super::writer::{Writer, ZERO_WIDTH_SPACE};
use crate::cite::decide::Context;

/// Containers nested deeper than this are not written: some engines stop at a hundred, others go on.
const MAX_DEPTH: usize = 40;

impl Writer {
    pub(crate) fn open_quote(&mut self, text: &str, at: usize) {
        if self.is_too_deep() {
            return self.push_container(at, 0, true, 0);
        }
        let column = at - line_start(text, at) + 1 + usize::from(text[at + 1..].starts_with(' '));
        self.blocks.firsts.push_str("> ");
        self.push_container(at, "> ".len(), true, column);
    }

    pub(crate) fn open_list(&mut self, cx: &Context<'_>, at: usize) {
        let at = first_of_item(cx.text, at);
        let sign = cx.text[at..].chars().find(|c| !c.is_ascii_digit()).unwrap_or('-');
        if self.blocks.closed_list == Some(sign) && self.blocks.containers.iter().all(|outer| !outer.is_pending) {
            // A comment separates two lists that would be one.
            let kind = if self.without_html { Kind::Paragraph } else { Kind::Html };
            self.begin(cx, at, kind);
            if self.without_html {
                self.out.push(ZERO_WIDTH_SPACE);
            } else {
                self.out.push_str("<!-- -->");
            }
            self.end(kind, at);
            self.blocks.has_gap = true;
        }
        self.blocks.lists.push(Some(sign));
        self.blocks.begins_list = true;
    }

    pub(crate) fn close_list(&mut self) {
        self.blocks.closed_list = self.blocks.lists.pop().flatten();
    }

    pub(crate) fn open_item(&mut self, text: &str, at: usize) {
        self.blocks.closed_list = None;
        if self.is_too_deep() {
            return self.push_container(at, 0, false, 0);
        }
        let at = first_of_item(text, at);
        let start = line_start(text, at);
        let sign = text[at..].bytes().take_while(u8::is_ascii_digit).count() + 1;
        let behind = &text[at + sign..];
        let blanks = behind.bytes().take_while(|byte| *byte == b' ').count();
        // Engines agree about the layout of a list without tabs whose text begins one to four blanks behind its sign.
        let is_plain = !text[start..at].contains('\t') && !behind.starts_with('\t');
        let is_empty = behind[blanks..].starts_with(['\n', '\r', '\t']) || behind.len() == blanks;
        let padding = if is_plain && (1..=4).contains(&blanks) && !is_empty { blanks } else { 1 };
        let outer = self.blocks.containers.last().map_or(0, |outer| outer.column);
        let column = at - start;
        // Behind the bullet of an outer item, the blanks would be its padding.
        let begins_outer = self.blocks.containers.last().is_some_and(|outer| outer.is_pending && !outer.is_quote);
        // Behind removed text that ended a list, the blanks would make the item a part of that list.
        let is_kept = is_plain && self.blocks.before != Kind::Empty && !begins_outer && !self.blocks.has_gap;
        // Indented as far as the text of the item before it, the item would be nested in that one.
        let room = self.blocks.closed_item.unwrap_or(4).min(4);
        let indent = column.checked_sub(outer).filter(|indent| is_kept && *indent < room).unwrap_or(0);
        let firsts = &mut self.blocks.firsts;
        firsts.extend(std::iter::repeat_n(' ', indent));
        firsts.push_str(&text[at..at + sign]);
        firsts.extend(std::iter::repeat_n(' ', padding));
        self.push_container(at, indent + sign + padding, false, column + sign + padding);
    }

    fn is_too_deep(&self) -> bool {
        self.blocks.containers.len() >= MAX_DEPTH
    }

    /// Opens a container, whose first line begins with the last `first` bytes of [`Blocks::firsts`](super::blocks::Blocks::firsts).
    fn push_container(&mut self, at: usize, first: usize, is_quote: bool, column: usize) {
        let end = self.blocks.firsts.len();
        let first = end - first..end;
        let is_flat = self.is_too_deep();
        if !is_flat {
            self.blocks.opens.get_or_insert(at);
        }
        self.blocks.containers.push(Container { first, is_quote, is_pending: true, column, is_flat });
    }

    /// Ends a quote or an item.
    pub(crate) fn close_container(&mut self, cx: &Context<'_>, end: usize) {
        let is_written = |container: &Container| !container.is_pending || container.is_flat;
        if !self.blocks.containers.last().is_none_or(is_written) {
            let end = cx.text[..end].trim_end().len().max(self.blocks.end);
            self.begin(cx, end, Kind::Empty);
            self.out.truncate(self.out.trim_end_matches(' ').len());
            if self.blocks.containers.last().is_some_and(|container| !container.is_quote) {
                // Alone in its line, a bullet may be read as the underline of a heading.
                self.out.push(' ');
                self.out.push(ZERO_WIDTH_SPACE);
            }
            self.end(Kind::Empty, end);
        }
        if let Some(container) = self.blocks.containers.pop() {
            self.blocks.firsts.truncate(container.first.start);
            if container.is_quote {
                self.blocks.closed_list = None;
            }
            self.blocks.closed_quote |= container.is_quote;
            self.blocks.closed_item = (!container.is_quote).then_some(container.first.len());
        }
    }

    /// Begins a footnote that stays. It becomes text, because some engines know no footnotes.
    pub(crate) fn open_note(&mut self, label: &str) {
        self.blocks.note = Some(label.to_owned());
        self.blocks.note_at = self.out.len();
    }

    /// Ends a footnote. Without content it is text as well, or its label would be lost.
    pub(crate) fn close_note(&mut self, cx: &Context<'_>, range: &Range<usize>) {
        let Some(label) = self.blocks.note.take() else { return };
        if self.out.len() == self.blocks.note_at {
            self.begin(cx, range.start, Kind::Paragraph);
            self.out.push_str(&format!("\\[^{label}\\]:"));
            self.end(Kind::Paragraph, cx.text[..range.end].trim_end().len());
        }
    }

    /// Notes that text was removed that ends at `end`.
    pub(crate) fn leave_out(&mut self, end: usize) {
        if self.blocks.opens.is_some() {
            // The gap before the new container decides how far that is from the last block.
            return;
        }
        self.blocks.has_gap = true;
        self.blocks.end = self.blocks.end.max(end);
    }
}

/// The offset of the sign of an item. The parser may begin the item with blanks, line ends or `>` before it.
fn first_of_item(text: &str, at: usize) -> usize {
    at + text[at..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'>')).count()
}
