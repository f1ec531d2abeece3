//! What has been written of one text, and where in it the writer is.

use super::blocks::Blocks;
use super::word::Word;
use crate::cite::decide::Context;
use crate::cite::{CitedPlace, Rules};

/// Nothing to see; keeps two things apart that would become one.
pub(super) const ZERO_WIDTH_SPACE: char = '\u{200b}';

/// Writes one text from its beginning to its end.
#[derive(Debug, Default)]
pub(in crate::cite) struct Writer {
    pub(super) out: String,
    pub(super) blocks: Blocks,
    pub(super) line: Line,
    pub(super) row: Row,
    /// The link that is being written, if there is one.
    pub(super) link: Option<OpenLink>,
    /// Whether definitions stand behind the text, so that `[1][2]` would be a link.
    pub(super) defines: bool,
    /// Whether the text may hold letters that nobody sees: most texts do not, and their many pieces are appended as they are.
    pub(super) may_hold_unseen: bool,
    /// How many letters went because nobody sees them.
    pub(super) unseen: usize,
}

/// Where what is written now stands.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    /// Where the content of the line begins, behind the prefixes of containers.
    pub(super) start: usize,
    /// Where the line before ends.
    pub(super) before: usize,
    /// Where the first line of the paragraph begins.
    pub(super) paragraph: usize,
    /// Where the text began in which a bare address may stand.
    pub(super) text: usize,
    pub(super) word: Word,
    /// What the output ends with, as long as it ends there.
    pub(super) tail: Tail,
    pub(super) tail_at: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct OpenLink {
    /// Where its text begins.
    pub(super) text: usize,
    /// Whether a bare address takes its bracket in, so that the address goes on behind the link.
    pub(super) in_address: bool,
}

/// What the output ends with, for what comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tail {
    #[default]
    Other,
    Badge,
    /// A bracket that closes and means nothing.
    Bracket,
    Backslash,
    EscapedBackslash,
    Exclamation,
    Ampersand,
    Less,
}

/// The row that is being written.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) columns: usize,
    /// Its line end.
    pub(super) form: &'static str,
    /// Whether the header has a border at its beginning. One without keeps that form: it may have been shown before it was a header.
    pub(super) is_opened: bool,
    /// Whether it has a border at both ends, so that blanks in its cells are as they were.
    pub(super) is_bordered: bool,
    /// How far the delimiters are indented.
    pub(super) indent: usize,
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
