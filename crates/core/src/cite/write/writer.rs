//! The state of the Markdown writer: the output so far, and the current line.

use super::blocks::Blocks;
use super::finished::Finished;
use super::word::Word;
use crate::cite::Rules;
use crate::cite::decide::Context;

/// An invisible separator between two neighbors that would become one thing.
pub(super) const ZERO_WIDTH_SPACE: char = '\u{200b}';

/// Writes one text from its beginning to its end.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    pub(super) out: String,
    pub(super) blocks: Blocks,
    pub(super) line: Line,
    pub(super) row: Row,
    /// The link that is being written, if there is one.
    pub(super) link: Option<OpenLink>,
    /// Whether definitions stand behind the text, so that `[1][2]` would be a link.
    pub(super) defines: bool,
    /// Whether the text may hold invisible characters. Most texts hold none, and their many pieces are appended unchecked.
    pub(super) may_hold_unseen: bool,
    /// Whether the channel has no HTML, not even comments.
    pub(super) without_html: bool,
    /// The number of invisible characters that were removed.
    pub(super) unseen: usize,
}

/// The current line. Its offsets count in the output.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    /// Where the content of the line begins, behind the prefixes of containers.
    pub(super) start: usize,
    /// Where the line before ends.
    pub(super) before: usize,
    /// Where the first line of the paragraph begins.
    pub(super) paragraph: usize,
    /// Where the text begins in which a bare address may stand.
    pub(super) text: usize,
    /// Whether a line may end within the block.
    pub(super) may_break: bool,
    /// Whether a tag asked for a line break where the line ends.
    pub(super) breaks: bool,
    pub(super) word: Word,
    /// The end of the output. It is valid while the output ends at `tail_at`.
    pub(super) tail: Tail,
    pub(super) tail_at: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct OpenLink {
    /// Where its text begins.
    pub(super) text: usize,
    /// Whether a bare address takes in the bracket of the link, so that the address goes on behind the link.
    pub(super) in_address: bool,
}

/// The end of the output, as far as it matters to the next character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tail {
    #[default]
    Other,
    Badge,
    /// A closing bracket that is text.
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
    /// Whether the header has a border at its beginning. A header without one keeps that form, because a stream may have
    /// shown it as a paragraph.
    pub(super) is_opened: bool,
    /// Whether it has a border at both ends. The blanks in its cells then stay as they are.
    pub(super) is_bordered: bool,
    /// How far the delimiters are indented.
    pub(super) indent: usize,
}

impl Writer {
    pub(super) fn new(rules: &Rules) -> Self {
        Self { defines: rules.definitions, without_html: rules.extended, ..Self::default() }
    }

    /// Writes the end of the text. A fence that the text leaves open is closed when definitions or other text follows: in a text
    /// with citations, if the rules ask for it.
    pub(super) fn finish(mut self, cx: &Context<'_>, is_cited: bool) -> Finished {
        let text = cx.text;
        let behind = match &self.blocks.open_fence {
            Some(fence) if is_cited && cx.rules.close_fence => {
                self.out.push_str(fence);
                ""
            }
            // Append the last line end of the text. Blank lines before it were written as code.
            Some(_) => {
                let code = text.strip_suffix("\r\n").or_else(|| text.strip_suffix(['\n', '\r'])).unwrap_or(text);
                &text[code.len()..]
            }
            None if is_cited && cx.rules.definitions => "",
            None => self.blocks.rest(text),
        };
        self.out.push_str(behind);
        Finished { text: self.out, places: Vec::new(), opaque: Vec::new(), unseen: self.unseen }
    }
}
