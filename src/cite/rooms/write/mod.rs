//! The third room: Markdown that every engine reads in one way.
//!
//! What engines disagree about stands here, and only here: how blocks are kept apart ([`gap`](block)), what the lines of containers begin
//! with, what a line of text must not begin with ([`line`]), what stands between two neighbours ([`inline`]) and how a character is
//! written that means nothing. Whatever is plain is copied from the source.

mod address;
mod block;
mod code;
mod html;
mod inline;
mod line;
mod table;

use self::block::Blocks;
use self::inline::Tail;
use self::table::Row;

/// Nothing to see; keeps two things apart that would become one.
const ZERO_WIDTH_SPACE: char = '\u{200b}';

/// Writes one text from its beginning to its end.
#[derive(Debug, Default)]
pub(super) struct Writer {
    out: String,
    blocks: Blocks,
    line: Line,
    row: Row,
    /// The link that is being written, if there is one.
    link: Option<OpenLink>,
    /// How many letters went because nobody sees them.
    unseen: usize,
}

/// Where what is written now stands.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// Where the content of the line begins, behind the prefixes of containers.
    start: usize,
    /// Where the line before ends.
    before: usize,
    /// Where the first line of the paragraph begins.
    paragraph: usize,
    /// Where the text began in which a bare address may stand.
    text: usize,
    /// What the output ends with, as long as it ends there.
    tail: Tail,
    tail_at: usize,
}

#[derive(Clone, Copy, Debug)]
struct OpenLink {
    /// Where its text begins.
    text: usize,
    /// Whether a bare address takes its bracket in, so that the address goes on behind the link.
    in_address: bool,
}

impl Writer {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self { out: String::with_capacity(bytes), ..Self::default() }
    }

    /// The text, and how many letters went of it because nobody sees them.
    pub(super) fn finish(self) -> (String, usize) {
        (self.out, self.unseen)
    }

    /// Where the last block ends in the source.
    pub(super) fn end_of_source(&self) -> usize {
        self.blocks.end()
    }

    /// The line end and the fence that close the code which the text leaves open.
    pub(super) fn open_fence(&self) -> Option<&str> {
        self.blocks.open_fence.as_deref()
    }
}
