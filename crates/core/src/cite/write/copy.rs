//! Copies the source except for its markers: for plain text, and for programs (rule N-01).

use std::ops::Range;

use crate::cite::decide::{Context, Piece, Positions};
use crate::cite::read::{Form, Inline, Leaf, LeafKind};
use crate::cite::{CitedPlace, Opaque, OpaqueKind};
use crate::text::{ends_in_unseen_reference, push_visible};

use super::finished::Finished;
use super::opaque::{of_leaf, of_undecided_leaf};
use super::writer::ZERO_WIDTH_SPACE;

/// Copies a text from its beginning to its end.
#[derive(Debug, Default)]
pub(crate) struct Copy {
    pub(super) out: String,
    /// The source up to this offset is copied or left out.
    pub(super) copied: usize,
    pub(super) places: Vec<CitedPlace>,
    pub(super) opaque: Vec<Opaque>,
    /// The opaque parts of the source, in order, and how many of them are copied.
    pub(super) marks: Vec<Opaque>,
    pub(super) marked: usize,
    pub(super) unseen: usize,
}

impl Copy {
    /// Copies the source up to `to`, without invisible characters, and notes where the opaque parts of it are in the output.
    pub(super) fn copy_to(&mut self, cx: &Context<'_>, to: usize) {
        while let Some(Opaque { range, kind }) =
            self.marks.get(self.marked).filter(|mark| mark.range.start < to).cloned()
        {
            self.copy(cx, range.start);
            let from = self.out.len();
            self.copy(cx, range.end.min(to));
            self.push_opaque(from, kind);
            if range.end > to {
                break;
            }
            self.marked += 1;
        }
        self.copy(cx, to);
    }

    /// Notes that the output from here on is opaque.
    fn push_opaque(&mut self, from: usize, kind: OpaqueKind) {
        let range = from..self.out.len();
        match self.opaque.last_mut() {
            _ if range.is_empty() => {}
            // A marker that vanished stood between the two.
            Some(last) if last.range.end == from && last.kind == kind => last.range.end = range.end,
            Some(_) | None => self.opaque.push(Opaque { range, kind }),
        }
    }

    /// Takes a block of code or HTML.
    pub(crate) fn verbatim(&mut self, cx: &Context<'_>, leaf: &Leaf) {
        let kind = match leaf.kind {
            LeafKind::Html => OpaqueKind::Html,
            LeafKind::Fence | LeafKind::Indented => OpaqueKind::Code,
            LeafKind::Paragraph | LeafKind::Heading(_) | LeafKind::Underlined | LeafKind::Cell | LeafKind::Rule => {
                return;
            }
        };
        self.mark(cx, leaf.range.clone(), kind);
    }

    /// Takes text that is copied as it stands.
    pub(crate) fn undecided_text(&mut self, cx: &Context<'_>, inline: &Inline<'_>) {
        if cx.rules.only_markers {
            self.marks.extend(of_undecided_leaf(cx, inline));
        }
    }

    /// Takes a definition of the model.
    pub(crate) fn definition(&mut self, cx: &Context<'_>, range: &Range<usize>) {
        if let Some(label) = cx.text[range.clone()].find("]:") {
            self.mark(cx, range.start + label + "]:".len()..range.end, OpaqueKind::Address);
        }
    }

    fn mark(&mut self, cx: &Context<'_>, range: Range<usize>, kind: OpaqueKind) {
        if cx.rules.only_markers {
            self.marks.push(Opaque { range, kind });
        }
    }

    fn copy(&mut self, cx: &Context<'_>, to: usize) {
        if to <= self.copied {
            return;
        }
        let mut rest = &cx.text[self.copied..to];
        self.copied = to;
        if !cx.rules.only_markers {
            return self.copy_for_readers(rest);
        }
        // A program that gets only markers changed may draw the text as Markdown.
        while let Some(end) = memchr::memchr(b';', rest.as_bytes()) {
            self.unseen += push_visible(&mut self.out, &rest[..end], true);
            if ends_in_unseen_reference(&self.out) {
                self.unseen += 1;
                self.out.push(ZERO_WIDTH_SPACE);
            }
            self.out.push(';');
            rest = &rest[end + 1..];
        }
        self.unseen += push_visible(&mut self.out, rest, true);
    }

    /// Copies text that is shown as it is. As in Markdown, U+0000 becomes U+FFFD, and byte order marks at the beginning go.
    fn copy_for_readers(&mut self, source: &str) {
        let source = if self.out.is_empty() { source.trim_start_matches('\u{feff}') } else { source };
        for (at, part) in source.split('\0').enumerate() {
            if at > 0 {
                self.out.push(char::REPLACEMENT_CHARACTER);
            }
            self.unseen += push_visible(&mut self.out, part, false);
        }
    }

    /// Leaves out a range of the source.
    pub(crate) fn leave_out(&mut self, cx: &Context<'_>, range: Range<usize>) {
        self.copy_to(cx, range.start);
        self.copied = self.copied.max(range.end);
    }

    /// Leaves out a block, with its lines when nothing stands before it in the first one.
    pub(crate) fn leave_out_lines(&mut self, cx: &Context<'_>, range: Range<usize>) {
        let line = cx.text[..range.start].rfind(['\n', '\r']).map_or(0, |end| end + 1);
        let is_alone = cx.text[line..range.start].bytes().all(|byte| byte == b' ');
        let end = cx.text[..range.end].trim_end().len().max(range.start);
        let behind = &cx.text[end..];
        let blanks = behind.len() - behind.trim_start_matches([' ', '\t']).len();
        let line_end = match &behind[blanks..] {
            rest if rest.starts_with("\r\n") => 2,
            rest if rest.starts_with(['\n', '\r']) => 1,
            _ => 0,
        };
        if is_alone {
            self.leave_out(cx, line..end + blanks + line_end);
            if self.out.is_empty() {
                // The text must not begin with the blank lines behind the block.
                let rest = &cx.text[self.copied..];
                self.copied += rest.len() - rest.trim_start_matches(['\r', '\n']).len();
            }
        } else {
            self.leave_out(cx, range.start..end);
        }
    }

    pub(crate) fn text(&mut self, cx: &Context<'_>, inline: &Inline<'_>, pieces: &[Piece]) {
        if cx.rules.only_markers {
            self.marks.extend(of_leaf(cx, inline, pieces));
        }
        for piece in pieces {
            match piece {
                Piece::Badges { range, positions, .. } => {
                    self.leave_out(cx, range.clone());
                    self.badges(positions);
                }
                Piece::Gone(range) => self.vanish(cx, range),
                Piece::Dropped(range) | Piece::Unbracketed(range) => self.leave_out(cx, range.clone()),
                Piece::Script(range, written) => {
                    self.leave_out(cx, range.clone());
                    self.out.push_str(written);
                }
                Piece::Nameless => self.out.push_str("image"),
                Piece::Open { link, is_image } => {
                    let link = &inline.links[*link];
                    let open = &inline.tokens[link.open].range;
                    if link.is_image && !is_image && !cx.rules.only_markers {
                        self.leave_out(cx, open.start..open.start + 1);
                    }
                    self.copy_to(cx, open.end);
                }
                Piece::Close { link, url } if !cx.rules.only_markers => {
                    let link = &inline.links[*link];
                    // Write the address here: definitions are removed, and the address must name no user.
                    if url.is_some() || link.form != Form::Inline {
                        self.leave_out(cx, inline.tokens[link.close].range.clone());
                        self.out.push_str(&format!("]({})", url.as_deref().unwrap_or(&link.url)));
                    }
                }
                Piece::Close { .. }
                | Piece::Apart
                | Piece::Text(_)
                | Piece::Verbatim(_)
                | Piece::Literal(_)
                | Piece::Escape(_)
                | Piece::Entity(_)
                | Piece::SoftBreak(_)
                | Piece::HardBreak(_)
                | Piece::Break(_)
                | Piece::Code(_)
                | Piece::Tag { .. }
                | Piece::Autolink(_)
                | Piece::Number(_) => {}
            }
        }
    }

    fn badges(&mut self, positions: &Positions) {
        for position in positions {
            let start = self.out.len();
            self.out.push_str(&format!("[{position}]"));
            self.places.push(CitedPlace { range: start..self.out.len(), position: *position });
        }
    }

    /// Writes badges in a paragraph behind a block.
    pub(crate) fn badges_behind(&mut self, cx: &Context<'_>, end: usize, positions: &Positions) {
        self.copy_to(cx, end);
        self.out.push_str("\n\n");
        self.badges(positions);
        self.out.push('\n');
    }

    /// Removes a marker, and the blank before it where a sentence ends.
    fn vanish(&mut self, cx: &Context<'_>, range: &Range<usize>) {
        self.leave_out(cx, range.clone());
        let behind = &cx.text[range.end..];
        let ends_sentence = behind.chars().next().is_none_or(|c| c.is_whitespace() || ".,;:?!)".contains(c));
        let kept = self.out.strip_suffix(' ').unwrap_or(&self.out).len();
        let begins_line = self.out[..kept].is_empty() || self.out[..kept].ends_with('\n');
        if !cx.rules.only_markers && begins_line {
            // At the beginning of a line, the blank behind the marker goes when a word follows.
            let rest = behind.strip_prefix(' ').unwrap_or(behind);
            if kept == self.out.len() && rest.starts_with(char::is_alphabetic) {
                self.copied += behind.len() - rest.len();
            }
        } else if cx.rules.only_markers || ends_sentence {
            self.out.truncate(kept);
        }
    }

    pub(super) fn finish(mut self, cx: &Context<'_>) -> Finished {
        self.copy_to(cx, cx.text.len());
        Finished { text: self.out, places: self.places, opaque: self.opaque, unseen: self.unseen }
    }
}
