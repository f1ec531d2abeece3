//! Citations of places: behind what a place stands in, and in the place of a marker that a span covers.

use std::ops::Range;

use super::line::Leaf;
use super::node::{Node, NodeKind};
use super::scanner::{Input, Scanner};
use crate::cite::resolve::Indices;

/// Citations of a place.
#[derive(Clone, Debug)]
pub(super) struct Anchor {
    pub(super) at: usize,
    pub(super) sources: Indices,
}

impl Scanner {
    /// Cites a place of the text, which is not written yet.
    pub(in crate::cite) fn cite_at(&mut self, at: usize, mut sources: Indices) {
        if let Some(ended) = self.ended.iter().position(|(block, _)| block.start < at && at <= block.end) {
            // Only lines without text have followed the block, so that nothing behind the place is written.
            let (block, prefix) = self.ended[ended].clone();
            self.cite_behind_code(block.end, sources, &prefix);
            return;
        }
        // Nearly always behind all others: what turned out to begin a block is no place any more.
        let place = self.anchors.partition_point(|anchor| anchor.at < at);
        match self.anchors.get_mut(place) {
            Some(same) if same.at == at => {
                same.sources.append(&mut sources);
                same.sources.sort_unstable();
                same.sources.dedup();
            }
            _ => {
                sources.sort_unstable();
                sources.dedup();
                self.anchors.insert(place, Anchor { at, sources });
            }
        }
    }

    /// Cites in the place of what stands there. Ranges come in order.
    pub(in crate::cite) fn replace(&mut self, range: Range<usize>, sources: Indices) {
        self.replaced.push_back((range, sources));
    }

    /// Citations of places inside a code block come in a paragraph behind it.
    pub(super) fn end_code(&mut self, input: &Input<'_>) {
        let Some(start) = self.code.take() else { return };
        let end = self.at;
        let is_cited = self.anchors.iter().any(|anchor| (start + 1..=end).contains(&anchor.at));
        let is_open = !self.blocks.containers.is_empty() && input.rules.close_fence && self.cites_before(end);
        // Behind the end of the quote or list around it, it may still be cited.
        let is_closed = input.rules.markdown && (is_cited || is_open || end < input.text.len());
        if let Some(fence) = self.fence.filter(|_| is_closed && matches!(self.blocks.leaf, Leaf::Fence(_))) {
            let mut closing = String::new();
            if !input.text[..end].ends_with(['\n', '\r']) {
                closing.push('\n');
            }
            closing.push_str(&self.blocks.prefix());
            closing.extend(std::iter::repeat_n(char::from(fence.byte), fence.length));
            if end < input.text.len() {
                closing.push('\n');
            }
            self.push(end..end, NodeKind::Replace(closing));
            self.blocks.leaf = Leaf::None;
        }
        self.cite_behind(start..end);
    }

    /// Citations of places in lines that hold no text come before the text that follows them, and in a paragraph of their own
    /// where none does: behind its delimiters they would make text of a table.
    pub(super) fn end_textless(&mut self, end: usize, is_text: bool) {
        if let Some(start) = self.textless.take().filter(|_| !is_text) {
            self.ended.truncate(1);
            self.cite_behind_last(start..end);
        }
    }

    /// Citations of places in definitions that go, behind which a text follows, come before that.
    pub(super) fn end_definitions(&mut self) {
        let Some(start) = self.cut_from.take() else { return };
        let sources = self.take_anchors(start..self.at);
        if !sources.is_empty() {
            self.cite_at(self.at, sources);
        }
    }

    /// Citations of places in what no text can stand behind, a code block or a definition, come in a paragraph behind it.
    pub(super) fn cite_behind(&mut self, block: Range<usize>) {
        self.ended.clear();
        self.cite_behind_last(block);
    }

    /// The same behind the last of several blocks, of which the others may still be cited.
    fn cite_behind_last(&mut self, block: Range<usize>) {
        let sources = self.take_anchors(block.clone());
        let prefix = self.blocks.prefix();
        // Without sources as well: of a stream they may come later.
        self.cite_behind_code(block.end, sources, &prefix);
        self.ended.push((block, prefix));
    }

    /// What is cited at places behind the first byte of a block, up to its end.
    fn take_anchors(&mut self, block: Range<usize>) -> Indices {
        let from = self.anchors.partition_point(|anchor| anchor.at <= block.start);
        let to = self.anchors.partition_point(|anchor| anchor.at <= block.end).max(from);
        self.anchors.drain(from..to).flat_map(|anchor| anchor.sources).collect()
    }

    /// Where the next text stands that a citation replaces, or the end of what has arrived. What was passed over is cited
    /// where it ends.
    pub(super) fn next_replaced(&mut self, input: &Input<'_>) -> usize {
        while let Some((range, _)) = self.replaced.front() {
            if range.start >= self.at {
                return range.start;
            }
            if let Some((range, sources)) = self.replaced.pop_front() {
                let at = self.anchors.partition_point(|anchor| anchor.at < range.end);
                self.anchors.insert(at, Anchor { at: range.end, sources });
            }
        }
        input.text.len()
    }

    /// Cites in the place of the text that begins here.
    pub(super) fn take_replaced(&mut self, input: &Input<'_>) {
        if let Some((range, sources)) = self.replaced.pop_front() {
            self.at = range.end;
            self.begin_marker(input, range.clone(), true);
            self.push(range, NodeKind::Cite(sources));
        }
    }

    /// Cites in a paragraph behind a code block, which holds all citations of places in it.
    fn cite_behind_code(&mut self, end: usize, mut sources: Indices, prefix: &str) {
        let is_there = |node: &&mut Node| node.range.start == end && matches!(node.kind, NodeKind::BehindBlock(..));
        let place = self.nodes.partition_point(|node| node.range.end < end);
        if let Some(Node { kind: NodeKind::BehindBlock(earlier, _), .. }) =
            self.nodes[place..].iter_mut().find(is_there)
        {
            earlier.append(&mut sources);
            earlier.sort_unstable();
            earlier.dedup();
            return;
        }
        sources.sort_unstable();
        sources.dedup();
        let place = self.nodes.partition_point(|node| node.range.end <= end);
        self.nodes.insert(place, Node::new(end..end, NodeKind::BehindBlock(sources, prefix.to_owned())));
    }
}
