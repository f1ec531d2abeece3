//! Brackets that are no label of a definition as they were given, and would be one as they are written.

use std::ops::Range;

use super::construct::MAX_LABEL;
use super::node::{Node, NodeKind};
use super::scanner::{Input, Scanner};

impl Scanner {
    /// Whether the bracket with which these begin becomes the label of a definition where none was, because a bracket in it goes,
    /// or so much that it is no longer too long, or because it was that of an image. The label may end within code, for
    /// definitions come before all else.
    pub(super) fn becomes_label(&self, input: &Input<'_>, nodes: &[Node]) -> bool {
        let Some(Node { range, kind }) = nodes.first() else { return false };
        let is_image = matches!(kind, NodeKind::ImageStart { .. });
        let is_bracket = is_image || matches!(kind, NodeKind::Bracket | NodeKind::LinkStart { .. });
        let becomes_one = |(end, is_other_lost): (usize, bool)| {
            let was_none = is_image || is_other_lost || end - range.end > MAX_LABEL;
            was_none && input.text[end..].starts_with("]:")
        };
        is_bracket
            && input.rules.markdown
            && self.writer.is_at_line_start()
            && next_bracket(input, nodes).is_some_and(becomes_one)
    }
}

/// Whether nothing may be left of a marker.
fn may_vanish(node: &Node, input: &Input<'_>) -> bool {
    matches!(node.kind, NodeKind::Nameless { vanishes: true })
        || input.rules.max_claims.is_some()
            && matches!(node.kind, NodeKind::Cite(_) | NodeKind::CiteLink(_) | NodeKind::TextEnd(Some(_)))
}

/// Whether brackets that stand in it may be none when it is written.
fn loses_brackets(node: &Node, input: &Input<'_>) -> bool {
    use NodeKind::{Cut, CutLine, Escaped, EscapedNumber, Number, Replace, Separate, TextStart, Unlinked};
    may_vanish(node, input)
        || matches!(node.kind, Cut | CutLine | Escaped | EscapedNumber | Number | Replace(_) | Separate | Unlinked)
        || matches!(node.kind, TextStart { .. } | NodeKind::TextEnd(None))
}

/// The first bracket in a piece of the text that is not escaped.
fn first_bracket(text: &str, piece: Range<usize>) -> Option<usize> {
    let mut is_escaped = false;
    for at in piece {
        match text.as_bytes()[at] {
            b'[' | b']' if !is_escaped => return Some(at),
            byte => is_escaped = byte == b'\\' && !is_escaped,
        }
    }
    None
}

/// The first bracket that is left behind the one with which these begin, and whether another goes before it.
fn next_bracket(input: &Input<'_>, nodes: &[Node]) -> Option<(usize, bool)> {
    let text = input.text;
    let (first, inside) = nodes.split_first()?;
    let (mut at, mut is_other_lost) = (first.range.end, false);
    for node in inside {
        if let Some(bracket) = first_bracket(text, at..node.range.start) {
            return Some((bracket, is_other_lost));
        }
        let raw = &text[node.range.clone()];
        if loses_brackets(node, input) {
            is_other_lost |= raw.contains('[');
        } else if matches!(node.kind, NodeKind::Opaque) && raw.starts_with(['\n', '\r']) {
            // The block ends.
            return None;
        } else if let Some(bracket) = first_bracket(text, node.range.clone()) {
            return Some((bracket, is_other_lost));
        }
        at = node.range.end;
    }
    let rest = memchr::memchr2(b'\n', b'\r', &text.as_bytes()[at..]).unwrap_or(text.len() - at);
    Some((first_bracket(text, at..at + rest)?, is_other_lost))
}
