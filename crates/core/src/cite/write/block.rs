//! Writes blocks: the line ends between two, and the line prefixes of their containers.

use std::ops::Range;

use super::address::written;
use super::blocks::Kind;
use super::writer::{Line, Writer, ZERO_WIDTH_SPACE};
use crate::cite::decide::{Context, Piece, Positions};
use crate::cite::definition::push_title;
use crate::cite::read::{Definition, Inline, Leaf, LeafKind};

impl Writer {
    /// Writes the prefix that every line of the open containers begins with.
    pub(super) fn write_prefix(&mut self) {
        for container in self.blocks.containers.iter().filter(|container| !container.is_flat) {
            if container.is_pending {
                break;
            }
            if container.is_quote {
                self.out.push_str("> ");
            } else {
                self.out.extend(std::iter::repeat_n(' ', container.first.len()));
            }
        }
    }

    /// Writes this prefix for a line without content, without blanks at its end.
    pub(super) fn write_blank_prefix(&mut self) {
        let from = self.out.len();
        self.write_prefix();
        self.out.truncate(self.out.trim_end_matches(' ').len().max(from));
    }

    pub(super) fn is_in_container(&self) -> bool {
        !self.blocks.containers.is_empty()
    }

    /// Whether the next block begins an item.
    pub(super) fn begins_item(&self) -> bool {
        self.blocks.containers.iter().any(|container| container.is_pending && !container.is_quote && !container.is_flat)
    }

    /// How much further to indent the second line of the block that begins an item. So far in, the line is code outside of
    /// the item, and no engine takes it for the second line of a paragraph that begins with the sign of the item.
    pub(super) fn indent_of_item(&self) -> usize {
        let item = self.blocks.containers.last().filter(|item| item.is_pending && !item.is_quote && !item.is_flat);
        item.map_or(0, |item| 4_usize.saturating_sub(item.first.len()))
    }

    /// The number of blanks before a block in its container: at most three, which mean nothing to any engine.
    pub(super) fn indent_in_container(&self, text: &str, at: usize) -> usize {
        let inner = self.blocks.containers.last();
        if inner.is_some_and(|container| container.is_pending || container.is_flat) {
            return 0;
        }
        let line = &text[line_start(text, at)..at];
        let indent = line.len().checked_sub(inner.map_or(0, |container| container.column));
        let blanks = line.len() - line.trim_end_matches(' ').len();
        indent.filter(|indent| *indent < 4 && *indent <= blanks && !line.contains('\t')).unwrap_or(0)
    }

    /// Begins a block that stands at `start` in the source. Writes as many line ends as the source has, but at least as many
    /// as every engine needs to separate the block from the one before; then the line prefix and the signs of new
    /// containers.
    pub(super) fn begin(&mut self, cx: &Context<'_>, start: usize, kind: Kind) {
        self.line.before = self.out.len();
        self.blocks.end_list();
        let blocks = &self.blocks;
        let start = blocks.opens.unwrap_or(start);
        let gap = &cx.text[blocks.end.min(start)..start];
        let first_pending = blocks.containers.iter().find(|outer| outer.is_pending && !outer.is_flat);
        let least = match (blocks.before, kind, first_pending.map(|outer| outer.is_quote)) {
            (Kind::None, ..) => 0,
            (_, _, Some(false)) if cx.rules.loose_lists => 2,
            // One line end would join two quotes.
            (_, _, Some(true)) if blocks.closed_quote => 2,
            // HTML and tables would go on in the next line.
            (Kind::Table | Kind::Html, ..) => 2,
            (_, Kind::Table | Kind::Html, None) => 2,
            // One line end would join two paragraphs.
            (Kind::Paragraph | Kind::Empty, Kind::Paragraph, None) => 2,
            // Right behind a line of text, no number but 1 begins a list.
            (Kind::Paragraph, _, Some(false)) if blocks.begins_list && !blocks.interrupts() => 2,
            // Right behind a paragraph, hyphens would make it a heading.
            (Kind::Paragraph, Kind::Rule, None) if cx.text[start..].starts_with('-') => 2,
            (Kind::Empty, Kind::Rule, None) => 2,
            _ if blocks.has_gap => 2,
            _ => 1,
        };
        let is_plain = blocks.containers.is_empty() && !blocks.has_gap && blocks.before != Kind::None;
        if blocks.before != Kind::None {
            let ends = if blocks.has_gap { 2 } else { line_ends(gap).count() };
            if is_plain && ends >= least && is_blank(gap) {
                let last = gap.rfind(['\n', '\r']).map_or(0, |end| end + 1);
                self.out.push_str(&gap[..last]);
            } else {
                self.write_gap(gap, ends.max(least));
            }
        }
        self.write_prefix();
        for container in &mut self.blocks.containers {
            if std::mem::take(&mut container.is_pending) && !container.is_flat {
                self.out.push_str(&self.blocks.firsts[container.first.clone()]);
            }
        }
        self.blocks.has_gap = false;
        self.blocks.opens = None;
        self.blocks.begins_list = false;
        self.blocks.closed_list = None;
        self.blocks.closed_quote = false;
        self.blocks.closed_item = None;
        let start = self.out.len();
        self.line = Line { start, before: self.line.before, paragraph: start, text: start, ..Line::default() };
    }

    /// Writes this number of line ends, in the form of those in the source.
    fn write_gap(&mut self, gap: &str, ends: usize) {
        let mut forms = line_ends(gap);
        let mut form = "\n";
        for at in 0..ends {
            form = forms.next().unwrap_or(form);
            self.out.push_str(form);
            if at + 1 < ends {
                self.write_blank_prefix();
            }
        }
    }

    pub(super) fn end(&mut self, kind: Kind, end: usize) {
        self.blocks.before = kind;
        self.blocks.end = end;
    }

    /// Begins the next line of the same block. `form` is the line end.
    pub(super) fn next_line(&mut self, form: &str) {
        self.line.before = self.out.len();
        self.out.push_str(form);
        self.write_prefix();
        self.line.start = self.out.len();
    }

    /// Writes a paragraph, a heading or a cell. Of a leaf that goes on, it writes nothing that depends on the text to come.
    pub(crate) fn text(&mut self, cx: &Context<'_>, leaf: &Leaf, goes_on: bool, inline: &Inline<'_>, pieces: &[Piece]) {
        let Range { start, end } = leaf.range;
        match leaf.kind {
            LeafKind::Heading(hashes) => {
                self.begin(cx, start, Kind::Heading);
                self.out.extend(std::iter::repeat_n('#', hashes));
                self.hashed_heading(cx, leaf, goes_on, inline, pieces);
                self.end(Kind::Heading, end);
            }
            LeafKind::Underlined if !goes_on => {
                self.begin(cx, start, Kind::Paragraph);
                self.inline(cx, inline, pieces);
                self.end_line();
                self.keep_from_definition();
                self.underline(&cx.text[leaf.range.clone()]);
                self.end(Kind::Heading, end);
            }
            LeafKind::Cell => self.cell(cx, leaf, inline, pieces),
            LeafKind::Paragraph
            | LeafKind::Underlined
            | LeafKind::Fence
            | LeafKind::Indented
            | LeafKind::Html
            | LeafKind::Rule => {
                self.begin(cx, start, Kind::Paragraph);
                self.line.may_break = true;
                if let Some(label) = self.blocks.note.take() {
                    self.out.push_str(&format!("\\[^{label}\\]: "));
                }
                self.inline(cx, inline, pieces);
                if goes_on {
                    self.hold_backslash();
                }
                if !(goes_on && self.hold_line()) {
                    self.end_line();
                    self.keep_from_definition();
                }
                self.end(Kind::Paragraph, inline.range().map_or(end, |text| text.end));
            }
        }
    }

    fn hashed_heading(&mut self, cx: &Context<'_>, leaf: &Leaf, goes_on: bool, inline: &Inline<'_>, pieces: &[Piece]) {
        let Some(text) = inline.range() else { return };
        let LeafKind::Heading(hashes) = leaf.kind else { return };
        let blanks = &cx.text[leaf.range.start + hashes..text.start];
        self.out.push_str(if blanks.bytes().all(|byte| byte == b' ') { blanks } else { " " });
        let from = self.out.len();
        self.line.start = from;
        self.inline(cx, inline, pieces);
        // Drop the blanks that a removed marker leaves at the beginning of the content.
        let lead = self.out[from..].len() - self.out[from..].trim_start_matches(' ').len();
        self.out.replace_range(from..from + lead, "");
        self.drop_blanks(from);
        if goes_on {
            return;
        }
        let closing = cx.text[text.end.min(leaf.range.end)..leaf.range.end].trim();
        if !closing.is_empty() && closing.bytes().all(|byte| byte == b'#') {
            self.out.push(' ');
            self.out.push_str(closing);
        } else if self.out[from..].trim_end_matches('#').ends_with(' ')
            || self.out[from..].bytes().all(|byte| byte == b'#')
        {
            // Hashes at the end of the content would close the heading.
            self.out.push(ZERO_WIDTH_SPACE);
        }
    }

    fn underline(&mut self, source: &str) {
        let underline =
            source.rsplit(['\n', '\r']).next().unwrap_or_default().trim_start_matches([' ', '\t', '>']).trim();
        let line = &self.out[self.line.start..];
        if line.contains('|') && underline.starts_with('-') {
            // Some engines read a line with a `|` above hyphens as a table.
            let safe = line.replace("\\|", "&#124;").replace('|', "&#124;");
            self.out.truncate(self.line.start);
            self.out.push_str(&safe);
        }
        let form = line_ends(source).last().unwrap_or("\n");
        self.next_line(form);
        self.out.push_str(match underline {
            // Some engines take a single sign for a bullet.
            "=" => "===",
            "-" => "---",
            underline => underline,
        });
    }

    pub(crate) fn rule(&mut self, cx: &Context<'_>, range: Range<usize>) {
        let source = &cx.text[range.clone()];
        let begins_item = self.begins_item();
        self.begin(cx, range.start, Kind::Rule);
        let is_plain = source.bytes().all(|byte| byte == source.as_bytes()[0]);
        self.out.push_str(match (begins_item, is_plain) {
            // Behind a bullet, hyphens or stars would make a rule together with it.
            (true, _) => "___",
            (false, true) => source,
            (false, false) => "***",
        });
        self.end(Kind::Rule, range.end);
    }

    /// Writes badges in a paragraph behind the last block.
    pub(crate) fn badges_behind(&mut self, cx: &Context<'_>, positions: Positions) {
        let end = self.blocks.end;
        if let Some(fence) = self.blocks.open_fence.take() {
            self.out.push_str(&fence);
        }
        self.blocks.has_gap |= self.blocks.opens.is_none();
        self.begin(cx, end, Kind::Paragraph);
        self.piece(cx, &Inline::default(), &Piece::Badges { range: end..end, first: end, positions }, None);
        self.end(Kind::Paragraph, end);
        self.blocks.has_gap = true;
    }

    /// Writes a definition as text, for a channel on which definitions mean nothing. Readers still see the address for the
    /// label.
    pub(crate) fn definition_as_text(&mut self, cx: &Context<'_>, definition: &Definition, url: &str) {
        let Definition { label, title, range, .. } = definition;
        self.begin(cx, range.start, Kind::Paragraph);
        self.out.push_str(&format!("[{label}]{ZERO_WIDTH_SPACE}: "));
        self.out.push_str(&written(url).unwrap_or_default());
        if !title.is_empty() {
            self.literal(&format!(" \"{title}\""));
        }
        self.end(Kind::Paragraph, range.start + 1);
        self.blocks.has_gap = true;
    }

    /// Writes the definition of a label that was used before it. It stands in a quote: links work, and Web Chat does not
    /// show it in its list of sources.
    pub(crate) fn definition(&mut self, cx: &Context<'_>, definition: &Definition, url: &str) {
        let Definition { label, title, range, .. } = definition;
        self.blocks.has_gap |= self.blocks.opens.is_none();
        self.begin(cx, range.start, Kind::Html);
        if !self.blocks.containers.last().is_some_and(|container| container.is_quote) {
            self.out.push_str("> ");
        }
        self.out.push_str(&format!("[{label}]: {}", written(url).unwrap_or_default()));
        if !title.is_empty() {
            self.out.push(' ');
            push_title(&mut self.out, title);
        }
        self.end(Kind::Html, range.start + 1);
        self.blocks.has_gap = true;
    }
}

/// Whether a gap holds only blanks and line ends that all engines know.
fn is_blank(gap: &str) -> bool {
    gap.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
        && (!gap.contains('\r') || gap.matches('\r').count() == gap.matches("\r\n").count())
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    memchr::memrchr2(b'\n', b'\r', &text.as_bytes()[..at]).map_or(0, |end| end + 1)
}

/// The line ends of a text, as written. A lone carriage return becomes a line feed, because not every engine takes it for a
/// line end.
pub(super) fn line_ends(text: &str) -> impl Iterator<Item = &'static str> + '_ {
    let mut rest = text;
    std::iter::from_fn(move || {
        let at = memchr::memchr2(b'\n', b'\r', rest.as_bytes())?;
        let length = if rest[at..].starts_with("\r\n") { 2 } else { 1 };
        rest = &rest[at + length..];
        Some(if length == 2 { "\r\n" } else { "\n" })
    })
}
