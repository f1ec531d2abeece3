//! Checks that tokens, and the syntax between them, cover a text: for tests and for fuzzing.

use std::ops::Range;

use super::{Container, Definition, Definitions, Inline, Leaf, LeafKind, Reader, Slice, read};

/// Parses a text, and panics when a leaf holds a character that is in no token and is no syntax of its block. Returns the
/// number of leaves.
pub(crate) fn cover(text: &str, is_marker: &dyn Fn(&str) -> bool) -> usize {
    let slice = Slice { text, range: 0..text.len(), is_in_list: false, finished: true };
    let mut coverage = Coverage { text, leaves: 0 };
    read(&slice, &mut Definitions::default(), is_marker, &mut coverage);
    coverage.leaves
}

/// A reader that compares tokens with the source.
struct Coverage<'t> {
    text: &'t str,
    leaves: usize,
}

impl Reader for Coverage<'_> {
    fn begin(&mut self, _at: usize, _definitions: usize, _is_in_list: bool) {}
    fn hold(&mut self, _at: usize) {}
    fn open(&mut self, _container: Container, _range: Range<usize>) {}
    fn close(&mut self, _container: Container, _range: Range<usize>) {}
    fn verbatim(&mut self, _leaf: &Leaf, _content: &str) {}
    fn definition(&mut self, _definition: &Definition) {}

    fn text(&mut self, leaf: &Leaf, inline: &Inline<'_>) {
        self.leaves += 1;
        let text = self.text;
        let mut done = leaf.range.start;
        for token in &inline.tokens {
            assert!(done <= token.range.start, "tokens overlap at {done} of {text:?}: {:?}", inline.tokens);
            self.gap(leaf, done..token.range.start);
            done = token.range.end;
        }
        self.gap(leaf, done..leaf.range.end.max(done));
    }
}

impl Coverage<'_> {
    /// Panics unless a gap holds only blanks, container prefixes and the signs of a heading or cell.
    fn gap(&self, leaf: &Leaf, gap: Range<usize>) {
        let signs: &[char] = match leaf.kind {
            // Behind its hashes, the parser takes a vertical tab for a blank; read as written, no heading of hashes begins there.
            LeafKind::Heading(_) | LeafKind::Underlined => &['#', '=', '-'],
            // In `\\|`, the parser reads an escaped border.
            LeafKind::Cell => &['\\'],
            LeafKind::Paragraph | LeafKind::Fence | LeafKind::Indented | LeafKind::Html | LeafKind::Rule => &[],
        };
        // At the ends of cells and headings, the parser takes a vertical tab and a form feed for blanks.
        let is_blank = |c| matches!(c, ' ' | '\t' | '\r' | '\n' | '>' | '\u{b}' | '\u{c}');
        let lost = self.text[gap.clone()].trim_matches(|c| is_blank(c) || signs.contains(&c));
        assert!(lost.is_empty(), "{lost:?} at {gap:?} of {:?} is in no token", self.text);
    }
}
