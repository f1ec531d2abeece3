//! Edits by source ranges: every byte that no edit names stays as it was.

use std::borrow::Cow;
use std::ops::Range;

/// Replacements in one text, none of which overlap.
#[derive(Debug, Default)]
pub struct Edits {
    edits: Vec<(Range<usize>, Cow<'static, str>)>,
}

impl Edits {
    /// Replaces a range; an empty range inserts.
    pub fn replace(&mut self, range: Range<usize>, with: impl Into<Cow<'static, str>>) {
        self.edits.push((range, with.into()));
    }

    /// Takes a range out.
    pub fn cut(&mut self, range: Range<usize>) {
        self.replace(range, "");
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The edited text, and how its places relate to those of `text`. An edit that overlaps an earlier one is left out:
    /// the caller parses the result again and meets what is left.
    #[must_use]
    pub fn apply(mut self, text: &str) -> (String, Shift) {
        self.edits.sort_by_key(|(range, _)| (range.start, range.end));
        let mut out = String::with_capacity(text.len() + 64);
        let mut shift = Shift::default();
        let mut done = 0;
        for (range, with) in self.edits {
            if range.start < done {
                continue;
            }
            out.push_str(&text[done..range.start]);
            let start = out.len();
            out.push_str(&with);
            done = range.end;
            shift.moves.push(Move { old: range, new: start..out.len() });
        }
        out.push_str(&text[done..]);
        (out, shift)
    }
}

/// How places of an edited text relate to those of the original.
#[derive(Debug, Default)]
pub struct Shift {
    moves: Vec<Move>,
}

#[derive(Debug)]
struct Move {
    old: Range<usize>,
    new: Range<usize>,
}

impl Shift {
    /// Where a place of the edited text was in the original; inside a replacement, the start of what it replaced.
    #[must_use]
    pub fn back(&self, new: usize) -> usize {
        match self.moves[..self.moves.partition_point(|m| m.new.start <= new)].last() {
            None => new,
            Some(m) if new < m.new.end => m.old.start,
            Some(m) => m.old.end + (new - m.new.end),
        }
    }

    /// Where a place of the original is in the edited text; inside what was replaced, the end of the replacement.
    #[must_use]
    pub fn forth(&self, old: usize) -> usize {
        match self.moves[..self.moves.partition_point(|m| m.old.start <= old)].last() {
            None => old,
            Some(m) if old < m.old.end => m.new.end,
            Some(m) => m.new.end + (old - m.old.end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_again_in_both_directions() {
        let mut edits = Edits::default();
        edits.cut(6..9);
        edits.replace(0..1, "XYZ");
        let (text, shift) = edits.apply("abcdefghijk");
        assert_eq!(text, "XYZbcdefjk");
        assert_eq!(shift.forth(9), 8);
        assert_eq!(shift.back(8), 9);
        assert_eq!(shift.back(1), 0);
        assert_eq!(shift.forth(7), 8);
        assert_eq!(shift.forth(3), 5);
    }

    #[test]
    fn an_edit_that_overlaps_is_left_for_the_next_pass() {
        let mut edits = Edits::default();
        edits.cut(0..4);
        edits.cut(2..6);
        assert_eq!(edits.apply("abcdef").0, "ef");
    }
}
