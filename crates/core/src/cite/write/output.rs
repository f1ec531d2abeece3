//! How a text is written: as Markdown that every engine reads in one way, or as it stands.

use super::Copy;
use super::blocks::Blocks;
use super::writer::Writer;
use crate::cite::decide::{Context, Positions};
use crate::cite::{CitedPlace, Rules};
use crate::text::may_hold_unseen;

/// What is written of one text.
#[derive(Debug)]
pub(in crate::cite) enum Output {
    /// As Markdown that every engine reads in one way.
    Markdown(Box<Writer>),
    /// As it stands.
    Source(Copy),
}

/// A place between two blocks, to which one can go back.
#[derive(Clone, Debug, Default)]
pub(in crate::cite) struct Mark {
    bytes: usize,
    unseen: usize,
    blocks: Blocks,
    copied: usize,
    places: usize,
}

impl Output {
    pub(in crate::cite) fn new(rules: &Rules) -> Self {
        if rules.markdown { Self::Markdown(Box::new(Writer::new(rules))) } else { Self::Source(Copy::default()) }
    }

    /// Makes room for a text.
    pub(in crate::cite) fn reserve(&mut self, bytes: usize) {
        match self {
            Self::Markdown(writer) => writer.out.reserve(bytes),
            Self::Source(copy) => copy.out.reserve(bytes),
        }
    }

    /// Begins to write what a part of the text becomes.
    pub(in crate::cite) fn begin(&mut self, part: &str) {
        if let Self::Markdown(writer) = self {
            writer.may_hold_unseen = may_hold_unseen(part);
        }
    }

    pub(in crate::cite) fn mark(&self) -> Mark {
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
                ..Mark::default()
            },
        }
    }

    pub(in crate::cite) fn back_to(&mut self, mark: &Mark) {
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
            }
        }
    }

    /// What is written.
    pub(in crate::cite) fn text(&self) -> &str {
        match self {
            Self::Markdown(writer) => &writer.out,
            Self::Source(copy) => &copy.out,
        }
    }

    /// Where the numbers of sources stand in it, in order; known of a text that is written as it stands.
    pub(in crate::cite) fn places(&self) -> &[CitedPlace] {
        match self {
            Self::Markdown(_) => &[],
            Self::Source(copy) => &copy.places,
        }
    }

    /// What closes the fence that the text leaves open.
    pub(in crate::cite) fn open_fence(&self) -> Option<&str> {
        match self {
            Self::Markdown(writer) => writer.blocks.open_fence.as_deref(),
            Self::Source(_) => None,
        }
    }

    /// Writes numbers in a paragraph behind what ends there.
    pub(in crate::cite) fn badges_behind(&mut self, cx: &Context<'_>, to: usize, positions: Positions) {
        match self {
            Self::Markdown(writer) => writer.badges_behind(cx, positions),
            Self::Source(copy) => copy.badges_behind(cx, to, &positions),
        }
    }

    /// Ends a text that is read up to there, and that goes on.
    pub(in crate::cite) fn pause(&mut self, cx: &Context<'_>, to: usize) {
        if let Self::Source(copy) = self {
            copy.copy_to(cx, to);
        }
    }

    /// The text, where its numbers stand, and how many letters went of it because nobody sees them.
    pub(in crate::cite) fn finish(self, cx: &Context<'_>, is_cited: bool) -> (String, Vec<CitedPlace>, usize) {
        match self {
            Self::Markdown(writer) => writer.finish(cx, is_cited),
            Self::Source(copy) => copy.finish(cx),
        }
    }
}
