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

/// Where a text that ends at `end` is cited: behind its last word that is no part of what begins or closes a block. A badge behind a
/// bullet or the hashes of a heading would make text of them; one behind the last border of a row would be in a cell of its own,
/// which no reader sees; one behind an opening `**` would take it from its word. At the beginning of the text when it has no word.
///
/// It hangs on nothing behind `end`, so that it is the same while the text arrives.
pub(in crate::cite) fn place(text: &str, end: usize) -> usize {
    last_word(text, end, false)
}

/// The first place where what has arrived may still be cited.
pub(super) fn first_open(text: &str, end: usize) -> usize {
    let place = last_word(text, end, true);
    let name = begun_entity(&text[..place]).unwrap_or(place);
    place.min(name)
}

/// The longest entity, `&CounterClockwiseContourIntegral;`.
pub(super) const MAX_ENTITY: usize = 33;

/// Where what may be an entity begins that goes on behind the text.
pub(super) fn begun_entity(text: &str) -> Option<usize> {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'#';
    let name = text.bytes().rev().take(MAX_ENTITY).take_while(|byte| is_name(&byte)).count();
    text[..text.len() - name].ends_with('&').then(|| text.len() - name - 1)
}

/// So many lines without a word are looked at, so that lines by the thousand cost no more.
const MAX_LINES: usize = 8;

/// Behind the last word. What may become the number of a list item counts as none when `may_go_on`.
fn last_word(text: &str, end: usize, may_go_on: bool) -> usize {
    let mut end = text[..end].trim_end().len();
    for _ in 0..MAX_LINES {
        let mut to = before_closing(text, before_opening(text, end));
        let start = text.as_bytes()[..to].iter().rev().take(MAX_PREFIX).position(|byte| matches!(byte, b'\n' | b'\r'));
        let line = start.or_else(|| (to < MAX_PREFIX).then_some(to)).map(|length| &text[to - length..to]);
        if let Some(line) = line.filter(|line| is_prefix(line, may_go_on)) {
            to = text[..to - line.len()].trim_end().len();
        }
        if to == end {
            break;
        }
        end = to;
    }
    end
}

/// A longer line is looked at as if it held a word.
const MAX_PREFIX: usize = 64;

/// Whether a line holds nothing but what begins a block: `>`, bullets, numbers of items, the hashes of a heading.
fn is_prefix(line: &str, may_go_on: bool) -> bool {
    let mut rest = line.trim_start_matches([' ', '\t']);
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let sign = match rest.as_bytes().get(digits) {
            None => return digits == 0 || may_go_on,
            Some(b'.' | b')') if (1..=9).contains(&digits) => digits + 1,
            Some(b'#') if digits == 0 => rest.len() - rest.trim_start_matches('#').len(),
            Some(b'-' | b'+' | b'*' | b'>') if digits == 0 => 1,
            Some(_) => return false,
        };
        let (sign, behind) = rest.split_at(sign);
        if sign != ">" && !behind.is_empty() && !behind.starts_with([' ', '\t']) {
            return false;
        }
        rest = behind.trim_start_matches([' ', '\t']);
    }
}

/// The place, or the one before delimiters of emphasis that open something behind it.
fn before_opening(text: &str, at: usize) -> usize {
    let run = text.as_bytes()[..at].iter().rev().take(MAX_CLOSING).take_while(|byte| b"*_~".contains(byte)).count();
    let before = &text[..at - run];
    let is_rule = run > 2 && (before.is_empty() || before.ends_with(['\n', '\r']));
    let opens = run > 0 && !is_rule && (before.is_empty() || before.ends_with([' ', '\t', '\n', '\r', '(']));
    if opens { before.trim_end().len() } else { at }
}

/// The place, or before what closes the line or row: the border of a cell, the hashes behind a heading. A backslash makes text
/// of whatever follows it.
fn before_closing(text: &str, at: usize) -> usize {
    let before = &text[..at];
    let content = match before.as_bytes().last() {
        Some(b'\\') if ends_with_escape(before) => return before[..at - 1].trim_end().len(),
        Some(b'|') => before.strip_suffix('|').filter(|row| !row.ends_with('\\')),
        Some(b'#') => before_hashes(before),
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
    let hashes = text.bytes().rev().take(MAX_CLOSING).take_while(|byte| *byte == b'#').count();
    let content = &text[..text.len() - hashes];
    if !content.ends_with([' ', '\t']) {
        return None;
    }
    let bytes = content.as_bytes();
    let length = bytes.iter().rev().take(MAX_HEADING).position(|byte| matches!(byte, b'\n' | b'\r'));
    let line = &content[content.len() - length.or_else(|| (bytes.len() <= MAX_HEADING).then_some(bytes.len()))?..];
    let heading = line.trim_start_matches(|c: char| " \t>-+*.)".contains(c) || c.is_ascii_digit());
    let words = heading.trim_start_matches('#');
    (words.len() < heading.len() && !words.trim().is_empty()).then_some(content)
}

/// Whether the last backslash is no text by itself.
fn ends_with_escape(text: &str) -> bool {
    text.bytes().rev().take(MAX_CLOSING).take_while(|byte| *byte == b'\\').count() % 2 == 1
}

impl Scanner {
    /// Cites a place of the text, which is not written yet.
    pub(in crate::cite) fn cite_at(&mut self, at: usize, mut sources: Indices) {
        if let Some((code, prefix)) = self.ended.take_if(|(code, _)| code.start < at && at <= code.end) {
            // Only blank lines have followed the code, so that nothing behind the place is written.
            self.cite_behind_code(code.end, sources, &prefix);
            self.ended = Some((code, prefix));
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
            closing.extend(self.blocks.containers.iter().map(|container| container.prefix()));
            closing.extend(std::iter::repeat_n(char::from(fence.byte), fence.length));
            if end < input.text.len() {
                closing.push('\n');
            }
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
        // Without sources as well: of a stream they may come later.
        self.cite_behind_code(block.end, sources, &prefix);
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
