//! The output of a rewrite: Markdown that every engine reads alike, or the source with badges in place of its markers.

use super::Copy;
use super::blocks::Blocks;
use super::finished::Finished;
use super::writer::Writer;
use crate::cite::decide::{Context, Positions};
use crate::cite::{CitedPlace, Opaque, Rules};
use crate::text::may_hold_unseen;

/// The output for one text.
#[derive(Debug)]
pub(crate) enum Output {
    /// Markdown that every engine reads alike.
    Markdown(Box<Writer>),
    /// A copy of the source, except for its markers.
    Source(Copy),
}

/// A snapshot between two blocks, for [`Output::back_to`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Mark {
    bytes: usize,
    unseen: usize,
    blocks: Blocks,
    copied: usize,
    places: usize,
    opaque: usize,
    marks: usize,
    marked: usize,
}

impl Output {
    pub(crate) fn new(rules: &Rules) -> Self {
        if rules.markdown { Self::Markdown(Box::new(Writer::new(rules))) } else { Self::Source(Copy::default()) }
    }

    /// Whether text behind a block element of HTML would be lost here: outside of lists and quotes.
    pub(crate) fn loses_blocks(&self, cx: &Context<'_>) -> bool {
        match self {
            Self::Markdown(writer) => !cx.rules.block_html && writer.blocks.containers.is_empty(),
            Self::Source(_) => false,
        }
    }

    /// Reserves memory for this number of bytes.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        match self {
            Self::Markdown(writer) => writer.out.reserve(bytes),
            Self::Source(copy) => copy.out.reserve(bytes),
        }
    }

    /// Prepares to write a part of the text.
    pub(crate) fn begin(&mut self, part: &str) {
        if let Self::Markdown(writer) = self {
            writer.may_hold_unseen = may_hold_unseen(part);
        }
    }

    pub(crate) fn mark(&self) -> Mark {
        match self {
            Self::Markdown(writer) => Mark {
                bytes: writer.out.len(),
                unseen: writer.unseen,
                blocks: writer.blocks.clone(),
                ..Mark::default()
            },
            Self::Source(copy) => Mark {
                bytes: copy.out.len(),
                unseen: copy.unseen,
                copied: copy.copied,
                places: copy.places.len(),
                opaque: copy.opaque.len(),
                marks: copy.marks.len(),
                marked: copy.marked,
                ..Mark::default()
            },
        }
    }

    pub(crate) fn back_to(&mut self, mark: &Mark) {
        match self {
            Self::Markdown(writer) => {
                writer.out.truncate(mark.bytes);
                writer.unseen = mark.unseen;
                writer.blocks.clone_from(&mark.blocks);
            }
            Self::Source(copy) => {
                copy.out.truncate(mark.bytes);
                copy.unseen = mark.unseen;
                copy.copied = mark.copied;
                copy.places.truncate(mark.places);
                copy.opaque.truncate(mark.opaque);
                if let Some(last) = copy.opaque.last_mut() {
                    last.range.end = last.range.end.min(mark.bytes);
                }
                copy.marks.truncate(mark.marks);
                copy.marked = mark.marked;
            }
        }
    }

    /// The text written so far.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Markdown(writer) => &writer.out,
            Self::Source(copy) => &copy.out,
        }
    }

    /// The badges in the text, in order. Known only of a copy of the source.
    pub(crate) fn places(&self) -> &[CitedPlace] {
        match self {
            Self::Markdown(_) => &[],
            Self::Source(copy) => &copy.places,
        }
    }

    /// Where a bracket in the text is no text, in order. Known only of a copy of the source.
    pub(crate) fn opaque(&self) -> &[Opaque] {
        match self {
            Self::Markdown(_) => &[],
            Self::Source(copy) => &copy.opaque,
        }
    }

    /// The line end and fence that close the fence which the text leaves open.
    pub(crate) fn open_fence(&self) -> Option<&str> {
        match self {
            Self::Markdown(writer) => writer.blocks.open_fence.as_deref(),
            Self::Source(_) => None,
        }
    }

    /// Writes badges in a paragraph behind the block that ends at `to`.
    pub(crate) fn badges_behind(&mut self, cx: &Context<'_>, to: usize, positions: Positions) {
        match self {
            Self::Markdown(writer) => writer.badges_behind(cx, positions),
            Self::Source(copy) => copy.badges_behind(cx, to, &positions),
        }
    }

    /// Pauses a text that goes on, and writes what was read up to `to`.
    pub(crate) fn pause(&mut self, cx: &Context<'_>, to: usize) {
        if let Self::Source(copy) = self {
            copy.copy_to(cx, to);
        }
    }

    /// Writes the end of the text.
    pub(crate) fn finish(self, cx: &Context<'_>, is_cited: bool) -> Finished {
        match self {
            Self::Markdown(writer) => writer.finish(cx, is_cited),
            Self::Source(copy) => copy.finish(cx),
        }
    }
}
