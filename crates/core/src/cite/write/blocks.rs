//! The state of the writer between two blocks: open containers, and the block before.

use std::ops::Range;

use smallvec::SmallVec;

/// The kind of the block before, which decides about the gap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// No block: the text begins.
    #[default]
    None,
    Paragraph,
    Heading,
    Code,
    Html,
    Table,
    Rule,
    /// An item or a quote without content.
    Empty,
}

#[derive(Clone, Debug)]
pub(super) struct Container {
    /// The prefix of its first line, in [`Blocks::firsts`]. The other lines begin with `> ` in a quote, and with blanks in an item.
    pub(super) first: Range<usize>,
    pub(super) is_quote: bool,
    /// Whether nothing of it is written yet.
    pub(super) is_pending: bool,
    /// The column in which its content begins in the source.
    pub(super) column: usize,
    /// Whether it is nested too deep to be written.
    pub(super) is_flat: bool,
}

/// The state between two blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    pub(super) containers: SmallVec<[Container; 2]>,
    /// The prefixes of the first lines of the containers, one behind the other.
    pub(super) firsts: String,
    /// The signs of the open lists; `None` for a list with something else written behind its last item.
    pub(super) lists: SmallVec<[Option<char>; 2]>,
    pub(super) before: Kind,
    /// Whether the next block is the first one of a list.
    pub(super) begins_list: bool,
    /// The sign of the list that ended behind the last block, if one did.
    pub(super) closed_list: Option<char>,
    /// Whether a quote ended behind the last block.
    pub(super) closed_quote: bool,
    /// The column of the text of the item that ended behind the last block, if one did.
    pub(super) closed_item: Option<usize>,
    /// Where the last block ends in the source.
    pub(super) end: usize,
    /// Where the first container without output begins in the source.
    pub(super) opens: Option<usize>,
    /// Whether text was removed behind the last block.
    pub(super) has_gap: bool,
    /// The label of a footnote whose text comes next.
    pub(super) note: Option<String>,
    /// The length of the output when that footnote began.
    pub(super) note_at: usize,
    pub(super) open_fence: Option<String>,
}

impl Blocks {
    /// Whether the next list may begin right behind a line of text.
    pub(super) fn interrupts(&self) -> bool {
        let first = self.containers.iter().find(|container| container.is_pending && !container.is_flat);
        first.is_none_or(|item| {
            let first = self.firsts[item.first.clone()].trim();
            !first.starts_with(|c: char| c.is_ascii_digit()) || matches!(first, "1." | "1)")
        })
    }

    /// Ends the innermost list when it has no open item, because something else is written.
    pub(super) fn end_list(&mut self) {
        let items = self.containers.iter().filter(|container| !container.is_quote).count();
        if items < self.lists.len()
            && let Some(sign) = self.lists.last_mut()
        {
            *sign = None;
        }
    }

    /// The text behind the last block, except removed text.
    pub(super) fn rest<'t>(&self, text: &'t str) -> &'t str {
        let rest = &text[self.end.max(text.trim_end_matches(['\n', '\r', ' ', '\t']).len())..];
        if self.has_gap { rest.trim_start_matches([' ', '\t']) } else { rest }
    }
}
