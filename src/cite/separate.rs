//! Constructs that a marker kept from being one.
//!
//! `[9]: a [doc9]` is text only because of what vanishes from it, `[x](u [doc9])` is no link, and `<b [1, 2]>` no tag:
//! without the marker, or without the blank in it, they would be. Where such a construct begins before a marker of the
//! same paragraph, its first two characters are kept apart.

use super::mark::{Change, Mark};
use super::structure::{Ink, Structure};

/// The places where something must be kept apart, given the marks in order.
pub(super) fn separators(text: &str, structure: &Structure, marks: &[Mark]) -> Vec<Mark> {
    let lossy: Vec<usize> = marks.iter().filter(|mark| mark.is_lossy(text)).map(|mark| mark.range.start).collect();
    let Some(last) = lossy.last() else { return Vec::new() };
    let openings = Openings { text, structure };
    let mut separators = Vec::new();
    let mut paragraph_end = 0;
    for at in openings.before(*last) {
        if at >= paragraph_end {
            paragraph_end = end_of_paragraph(text, at);
        }
        if lossy.get(lossy.partition_point(|mark| *mark < at)).is_some_and(|mark| *mark < paragraph_end) {
            separators.push(Mark { range: at..at, change: Change::Separate });
        }
    }
    separators
}

struct Openings<'o> {
    text: &'o str,
    structure: &'o Structure,
}

impl<'o> Openings<'o> {
    /// The places between the two characters of every opening before `end`, in order.
    fn before(&self, end: usize) -> impl Iterator<Item = usize> + use<'o, '_> {
        let mut open = None;
        self.text[..end].match_indices(['[', ']', '<']).filter_map(move |(at, found)| {
            let next = *self.text.as_bytes().get(at + 1)?;
            let opens = match found {
                "[" => {
                    open = Some(at);
                    false
                }
                "<" => next.is_ascii_alphabetic() || b"/!?".contains(&next),
                _ => next == b'(' || next == b':' && open.is_some_and(|open| self.starts_line(open)),
            };
            (opens && self.structure.ink(at) == Ink::Text).then_some(at + 1)
        })
    }

    /// Whether only the prefix of a list or quote stands before this place in its line.
    fn starts_line(&self, at: usize) -> bool {
        let mut before = (0..at).rev().take_while(|at| self.text.as_bytes()[*at] != b'\n');
        before.all(|at| self.structure.ink(at) == Ink::Markup)
    }
}

/// The next blank line, or the end. Blank lines of quotes and lists are not seen, which only separates more.
fn end_of_paragraph(text: &str, from: usize) -> usize {
    let mut end = from;
    for line in text[from..].split_inclusive('\n') {
        if line.trim().is_empty() && end > from {
            break;
        }
        end += line.len();
    }
    end
}
