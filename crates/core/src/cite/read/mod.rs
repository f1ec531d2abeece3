//! The first room: the text becomes tokens of leaves in containers.
//!
//! pulldown-cmark reads the Markdown; this room turns its events into tokens that stand for places of the source, and hands
//! each leaf on when it is complete. Nothing is decided here, and nothing is written.

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

/// The longest that anything is waited for, in bytes (policy P-12). What does not end in time is text, in whole answers as well.
pub(super) const LOOK_AHEAD: usize = 4 * 1024;

/// A part of the text that begins a top-level block and is read at once.
#[derive(Clone, Debug)]
pub(super) struct Slice<'t> {
    /// The whole text: places are counted in it.
    pub(super) text: &'t str,
    pub(super) range: Range<usize>,
    /// Whether the text ends with it, so that nothing can change any more.
    pub(super) finished: bool,
}

/// Who is handed what was read, in the order of the text.
pub(super) trait Reader {
    /// A top-level block begins at the beginning of the line at `at`, behind so many definitions. All before it is complete.
    fn begin(&mut self, at: usize, definitions: usize);
    /// From there on, the text may still be read in another way when it goes on.
    fn hold(&mut self, at: usize);
    fn open(&mut self, container: Container, range: Range<usize>);
    fn close(&mut self, container: Container, range: Range<usize>);
    /// A leaf with text.
    fn text(&mut self, leaf: &Leaf, inline: &Inline<'_>);
    /// A leaf whose content is no text: code, HTML (without the prefixes of containers), a rule (without content).
    fn verbatim(&mut self, leaf: &Leaf, content: &str);
    fn definition(&mut self, definition: &Definition);
}
