//! Markers in a row with commas between them: `[2], [doc9], 【1】`. With a marker that vanishes goes one of its commas.

use std::ops::Range;

use super::node::NodeKind;
use super::scanner::{Input, Scanner};

/// The markers of one row so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Enumeration {
    /// Where the last one ends; 0 where none has come.
    end: usize,
    /// Whether one of them stays.
    stays: bool,
}

/// Blanks, and a comma or semicolon: how long what stands before the sign and the sign itself are, when the text holds nothing else.
fn separator(text: &str) -> Option<usize> {
    let sign = text.trim_start_matches(BLANKS);
    let behind = sign.strip_prefix([',', ';'])?;
    behind.trim_start_matches(BLANKS).is_empty().then_some(text.len() - behind.len())
}

const BLANKS: [char; 2] = [' ', '\t'];

impl Enumeration {
    /// What must not be written yet: what stands between a marker and what may be the next one.
    pub(super) fn undecided(self, text: &str) -> Option<usize> {
        let behind = text.get(self.end..).filter(|_| self.end > 0)?;
        separator(behind).is_some().then_some(self.end)
    }
}

impl Scanner {
    /// Takes note of a marker that begins and ends there, before its node is added; `stays` says whether anything is left of it.
    pub(super) fn begin_marker(&mut self, input: &Input<'_>, marker: Range<usize>, stays: bool) {
        let Enumeration { end, stays: others_stay } = self.enumeration;
        let between = input.text.get(end..marker.start).filter(|_| end > 0 && !input.rules.only_markers);
        let sign = between.and_then(separator);
        if let Some(length) = sign.filter(|_| !stays || !others_stay) {
            self.push(end..end + length, NodeKind::Separator);
        }
        self.enumeration = Enumeration { end: marker.end, stays: stays || sign.is_some() && others_stay };
    }

    /// Takes note of the end of a link that cites.
    pub(super) fn end_marker(&mut self, end: usize) {
        self.enumeration = Enumeration { end, stays: true };
    }
}
