//! Footnotes that give way to the source of their number.

use super::line::Leaf;
use super::scanner::{Input, Phase, Scanner};
use crate::answer::MarkerGrammar;
use crate::cite::marker::{self, Marker};

impl Scanner {
    /// Whether a footnote begins at the content of a line that gives way to a source; `None` while more must arrive.
    pub(super) fn begins_footnote(&self, input: &Input<'_>, content: usize) -> Option<bool> {
        const MAX_LABEL: usize = 24;
        let rest = &input.text[content..];
        let is_open = rest.len() < MAX_LABEL && !input.finished;
        if !input.grammar.footnotes || !self.blocks.containers.is_empty() || !rest.starts_with('[') {
            return Some(false);
        }
        let Some(label) = rest.strip_prefix("[^") else {
            return if rest.len() == 1 && is_open { None } else { Some(false) };
        };
        let Some(close) = label.find(|c: char| !(c.is_ascii_digit() || c == '^')) else {
            return if is_open { None } else { Some(false) };
        };
        if !label[close..].starts_with("]:") {
            return if label[close..].len() < 2 && is_open && label[close..].starts_with(']') {
                None
            } else {
                Some(false)
            };
        }
        let marker = marker::in_square_brackets(&rest[1..close + 2], &MarkerGrammar::ALL);
        Some(marker.is_some_and(|marker| {
            matches!(marker, Marker::Footnote(_)) && input.resolver.resolve(input.sources, "", &marker).is_some()
        }))
    }

    /// Takes out the footnote in the line that begins at `start`.
    pub(super) fn cut_footnote(&mut self, input: &Input<'_>, start: usize) {
        let at = start + input.text[start..].find('[').unwrap_or_default();
        let label = input.text[at + 1..].split(']').next().unwrap_or_default();
        let message = format!("the footnote [{label}] gives way to the source of that number");
        self.report("footnote", at, message);
        self.at = start;
        self.phase = Phase::Cut;
        self.blocks.leaf = Leaf::Footnote;
        // What is cited in it is cited behind it.
        self.code = Some(self.cut_from.take().unwrap_or(start));
        self.fence = None;
        self.leave_gap(input, start);
    }
}
