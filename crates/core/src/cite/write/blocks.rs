//! Where a place is among blocks: in which containers, and behind which block.

/// What stands before a block, for the gap between the two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing: the text begins.
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
    /// What stands before its first line. Before the others, a quote has `> ` and an item blanks.
    pub(super) first: String,
    pub(super) is_quote: bool,
    /// Nothing of it is written yet.
    pub(super) is_pending: bool,
    /// Where its content begins in the lines of the source.
    pub(super) column: usize,
    /// It is too deep to be written.
    pub(super) is_flat: bool,
}

/// What is known between two blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    pub(super) containers: Vec<Container>,
    /// The signs of the lists that are open; `None` of one behind whose last item something else is written.
    pub(super) lists: Vec<Option<char>>,
    pub(super) before: Kind,
    /// Whether the block that comes next is the first one of a list.
    pub(super) begins_list: bool,
    /// The list, if any, that ended behind the last block, by its sign.
    pub(super) closed_list: Option<char>,
    /// Whether a quote ended behind the last block.
    pub(super) closed_quote: bool,
    /// The column in which the text of the item stands that ended behind the last block.
    pub(super) closed_item: Option<usize>,
    /// Where the last block ends in the source.
    pub(super) end: usize,
    /// Where the first container begins in the source of which nothing is written yet.
    pub(super) opens: Option<usize>,
    /// Whether something was taken out behind the last block.
    pub(super) has_gap: bool,
    /// The label of a footnote whose text comes next.
    pub(super) note: Option<String>,
    /// How much was written when that footnote began.
    pub(super) note_at: usize,
    pub(super) open_fence: Option<String>,
}

impl Blocks {
    /// Whether the list that comes next may begin behind a line of text.
    pub(super) fn interrupts(&self) -> bool {
        let first = self.containers.iter().find(|container| container.is_pending && !container.is_flat);
        first.is_none_or(|item| {
            !item.first.trim_start().starts_with(|c: char| c.is_ascii_digit())
                || matches!(item.first.trim(), "1." | "1)")
        })
    }

    /// A list that has no open item ends where something else is written.
    pub(super) fn end_list(&mut self) {
        let items = self.containers.iter().filter(|container| !container.is_quote).count();
        if items < self.lists.len()
            && let Some(sign) = self.lists.last_mut()
        {
            *sign = None;
        }
    }

    /// What stands behind the last block, without what was taken out.
    pub(super) fn rest<'t>(&self, text: &'t str) -> &'t str {
        let rest = &text[self.end.max(text.trim_end_matches(['\n', '\r', ' ', '\t']).len())..];
        if self.has_gap { rest.trim_start_matches([' ', '\t']) } else { rest }
    }
}
