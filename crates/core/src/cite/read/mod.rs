//! The first stage: parses the text into containers and leaves, and the leaves into tokens.
//!
//! pulldown-cmark parses the Markdown. This stage turns its events into tokens, which are ranges of the source, and passes
//! each leaf to a [`Reader`]. It decides and writes nothing.

mod blocks;
#[cfg(any(test, feature = "cover"))]
mod cover;
mod definitions;
mod events;
mod fill;
mod long;
mod math;
mod open;
mod token;

pub(super) use blocks::read;
#[cfg(any(test, feature = "cover"))]
pub(super) use cover::cover;
pub(super) use definitions::{Definitions, same_label};
pub(super) use math::{MathEnd, end_of_math};
pub(super) use open::decided;
pub(super) use token::{Container, Definition, Form, Inline, Leaf, LeafKind, Token, TokenKind};

use std::ops::Range;

/// The longest construct to wait for, in bytes (policy P-12). Anything that does not end in time is text, in whole answers
/// as well.
pub(super) const LOOK_AHEAD: usize = 4 * 1024;

/// A part of the text to read at once. It begins with a top-level block, or with an item of a top-level list.
#[derive(Clone, Debug)]
pub(super) struct Slice<'t> {
    /// The whole text. All offsets count from its beginning.
    pub(super) text: &'t str,
    pub(super) range: Range<usize>,
    /// Whether it begins within a list, whose earlier items were read.
    pub(super) is_in_list: bool,
    /// Whether later text can no longer change how it is read.
    pub(super) finished: bool,
}

/// Receives the blocks of a text, in text order.
pub(super) trait Reader {
    /// A top-level block begins with the line at `at`, or an item of a top-level list (`is_in_list`). `definitions` is the
    /// number of definitions before it. Everything before the line is complete.
    fn begin(&mut self, at: usize, definitions: usize, is_in_list: bool);
    /// Later text may change the reading from `at` on.
    fn hold(&mut self, at: usize);
    fn open(&mut self, container: Container, range: Range<usize>);
    fn close(&mut self, container: Container, range: Range<usize>);
    /// A leaf with text.
    fn text(&mut self, leaf: &Leaf, inline: &Inline<'_>);
    /// A leaf without tokens: code or HTML (`content` lacks the prefixes of containers), or a rule (`content` is empty).
    fn verbatim(&mut self, leaf: &Leaf, content: &str);
    fn definition(&mut self, definition: &Definition);
}
