//! The third room: Markdown that every engine reads in one way.
//!
//! What engines disagree about stands here, and only here: how blocks are kept apart ([`gap`](block)), what the lines of containers begin
//! with, what a line of text must not begin with ([`mod@line`]), what stands between two neighbours ([`inline`]) and how a character is
//! written that means nothing. Whatever is plain is copied from the source.

mod address;
mod block;
mod code;
mod copy;
mod html;
mod inline;
mod line;
mod output;
mod table;

use self::address::Word;
use self::block::Blocks;
pub(super) use self::code::FENCED_BY;
pub(super) use self::copy::Copy;
use self::inline::Tail;
pub(super) use self::output::{Mark, Output};
use self::table::Row;
use super::decide::Context;
use crate::cite::{CitedPlace, Rules};

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
    /// Whether definitions stand behind the text, so that `[1][2]` would be a link.
    defines: bool,
    /// Whether the text may hold letters that nobody sees: most texts do not, and their many pieces are appended as they are.
    may_hold_unseen: bool,
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
    word: Word,
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
    pub(super) fn new(rules: &Rules) -> Self {
        Self { defines: rules.definitions, ..Self::default() }
    }

    /// The text, without places; and how many letters went of it because nobody sees them. A fence that it leaves open is closed
    /// when something follows: of a text with citations, by the rules.
    pub(super) fn finish(mut self, cx: &Context<'_>, is_cited: bool) -> (String, Vec<CitedPlace>, usize) {
        let text = cx.text;
        let behind = match &self.blocks.open_fence {
            Some(fence) if is_cited && cx.rules.close_fence => {
                self.out.push_str(fence);
                ""
            }
            // All other blank lines are lines of the code.
            Some(_) => {
                let code = text.strip_suffix("\r\n").or_else(|| text.strip_suffix(['\n', '\r'])).unwrap_or(text);
                &text[code.len()..]
            }
            None if is_cited && cx.rules.definitions => "",
            None => self.blocks.rest(text),
        };
        self.out.push_str(behind);
        (self.out, Vec::new(), self.unseen)
    }
}
