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

/// The same place, or before what ends a line or a row right before it: a badge behind the last border of a table would be in a
/// cell of its own, which no reader sees, or make a paragraph of the table; behind the hashes that close a heading it would make
/// text of them, and a backslash would make text of the badge.
pub(in crate::cite) fn before_closing(text: &str, at: usize) -> usize {
    let before = &text[..at];
    let content = match before.as_bytes().last() {
        Some(b'|') => before.strip_suffix('|').filter(|row| !row.ends_with('\\')),
        Some(b'#') => before_hashes(before),
        Some(b'\\') => before_backslash(before),
        _ => None,
    };
    let content = content.map_or("", |content| content.trim_end_matches([' ', '\t']));
    if content.is_empty() || content.ends_with(['\n', '\r']) { at } else { content.len() }
}

/// Longer runs of hashes or backslashes close nothing, so that they are looked at once however they arrive.
const MAX_CLOSING: usize = 16;

/// A longer line is not looked at for being a heading.
const MAX_HEADING: usize = 1024;

/// A heading without the hashes that close it.
fn before_hashes(text: &str) -> Option<&str> {
    let content = text.trim_end_matches('#');
    if text.len() - content.len() > MAX_CLOSING || !content.ends_with([' ', '\t']) {
        return None;
    }
    let bytes = content.as_bytes();
    let length = bytes.iter().rev().take(MAX_HEADING).position(|byte| matches!(byte, b'\n' | b'\r'));
    let line = &content[content.len() - length.or_else(|| (bytes.len() <= MAX_HEADING).then_some(bytes.len()))?..];
    let heading = line.trim_start_matches(|c: char| " \t>-+*.)".contains(c) || c.is_ascii_digit());
    let words = heading.trim_start_matches('#');
    (words.len() < heading.len() && !words.trim().is_empty()).then_some(content)
}

/// A text without the backslash that takes its meaning from whatever follows.
fn before_backslash(text: &str) -> Option<&str> {
    let length = text.bytes().rev().take(MAX_CLOSING).take_while(|byte| *byte == b'\\').count();
    (length % 2 == 1).then(|| &text[..text.len() - 1])
}

impl Scanner {
    /// Cites a place of the text. Places come in order.
    pub(in crate::cite) fn cite_at(&mut self, at: usize, mut sources: Indices) {
        if let Some((code, prefix)) = self.ended.take_if(|(code, _)| code.start < at && at <= code.end) {
            // Only blank lines have followed the code, so that nothing behind the place is written.
            self.cite_behind_code(code.end, sources, &prefix);
            self.ended = Some((code, prefix));
            return;
        }
        match self.anchors.back_mut() {
            Some(last) if last.at == at => {
                last.sources.append(&mut sources);
                last.sources.sort_unstable();
                last.sources.dedup();
            }
            _ => {
                sources.sort_unstable();
                sources.dedup();
                self.anchors.push_back(Anchor { at, sources });
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
        if let Some(fence) = self.fence.filter(|_| {
            is_cited && matches!(self.blocks.leaf, Leaf::Fence(_)) && input.finished && end == input.text.len()
        }) {
            let mut closing = String::from("\n");
            closing.extend(self.blocks.containers.iter().map(|container| container.prefix()));
            closing.extend(std::iter::repeat_n(char::from(fence.byte), fence.length));
            self.push(end..end, NodeKind::Replace(closing));
            self.blocks.leaf = Leaf::None;
        }
        self.cite_behind(start..end);
    }

    /// Citations of places in what no text can stand behind, a code block or a definition, come in a paragraph behind it.
    pub(super) fn cite_behind(&mut self, block: Range<usize>) {
        let from = self.anchors.partition_point(|anchor| anchor.at <= block.start);
        let to = self.anchors.partition_point(|anchor| anchor.at <= block.end).max(from);
        let sources: Indices = self.anchors.drain(from..to).flat_map(|anchor| anchor.sources).collect();
        let prefix: String = self.blocks.containers.iter().map(|container| container.prefix()).collect();
        if !sources.is_empty() {
            self.cite_behind_code(block.end, sources, &prefix);
        }
        self.ended = Some((block, prefix));
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
    pub(super) fn take_replaced(&mut self) {
        if let Some((range, sources)) = self.replaced.pop_front() {
            self.at = range.end;
            self.push(range, NodeKind::Cite(sources));
        }
    }

    /// Cites in a paragraph behind a code block, which holds all citations of places in it.
    fn cite_behind_code(&mut self, end: usize, mut sources: Indices, prefix: &str) {
        let place = self.nodes.partition_point(|node| node.range.end <= end);
        let last = self.nodes[..place].last_mut().filter(|node| node.range.start == end);
        if let Some(Node { kind: NodeKind::BehindBlock(earlier, _), .. }) = last {
            earlier.append(&mut sources);
            earlier.sort_unstable();
            earlier.dedup();
            return;
        }
        sources.sort_unstable();
        sources.dedup();
        self.nodes.insert(place, Node::new(end..end, NodeKind::BehindBlock(sources, prefix.to_owned())));
    }
}
