//! Writes badges into a text that arrives in pieces.
//!
//! Text is written at once, but for the parts that later text or sources may still change. The decision does not depend on how the
//! text was cut, so that a stream and a whole text give the same output.

use super::open_webui_text::{BadgeWriter, MAX_BRACKET_BYTES, NumberedText, bracket, is_marker};

/// Writes badges into a growing text.
#[derive(Debug, Default)]
pub(super) struct BadgeStream {
    writer: BadgeWriter,
}

/// The state of a text that grows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth<'t> {
    /// The text so far.
    pub(super) numbered: NumberedText<'t>,
    /// Whether sources are known. Without sources, the text stays unchanged.
    pub(super) has_sources: bool,
    /// Whether the text is complete.
    pub(super) is_whole: bool,
}

impl BadgeStream {
    /// The output so far.
    pub(super) fn written(&self) -> &str {
        self.writer.written()
    }

    /// The number of bytes of the text that were read.
    pub(super) fn read(&self) -> usize {
        self.writer.read()
    }

    /// The places of the cited sources in their list, in the order of their badge numbers.
    pub(super) fn order(&self) -> Vec<usize> {
        self.writer.order()
    }

    /// Reads on up to the first part that later text may change.
    pub(super) fn advance(&mut self, growth: Growth<'_>) {
        let Growth { numbered, has_sources, is_whole } = growth;
        if is_whole && !has_sources {
            self.writer.pass(numbered.text, numbered.text.len());
        } else {
            self.writer.run(numbered, self.decided(growth));
        }
    }

    /// How far the text is decided.
    fn decided(&self, growth: Growth<'_>) -> usize {
        let Growth { numbered, has_sources, is_whole } = growth;
        let NumberedText { text, cited, .. } = numbered;
        let bytes = text.as_bytes();
        let mut next = self.writer.cited();
        let mut at = self.writer.read();
        while at < bytes.len() {
            let place = cited.get(next).map(|place| place.range.clone());
            if let Some(place) = place.clone().filter(|place| place.start == at) {
                at = place.end;
                next += 1;
                continue;
            }
            let gap_end = place.map_or(bytes.len(), |place| place.start);
            let may_go_on = gap_end == bytes.len() && !is_whole;
            match bytes[at] {
                b'\\' if at + 1 == bytes.len() && may_go_on => return at,
                b':' if numbered.hides_badge(at, is_whole).is_none() => return at,
                b'[' if !numbered.is_opaque(at) => {
                    // An odd number of backslashes escapes the bracket; the last of them belongs to what is in doubt.
                    let escapes = bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
                    let rest = &text[at + 1..gap_end];
                    let is_in_doubt = match bracket(rest) {
                        // A source that arrives later would make this bracket a marker. What follows an escaped one, or one that
                        // stands behind another, decides how it is written.
                        Some(inner) if is_marker(inner.strip_suffix('\\').unwrap_or(inner)) => {
                            let is_last = may_go_on && rest.len() == inner.len() + 1;
                            !has_sources || is_last && (inner.ends_with('\\') || text[..at].ends_with(']'))
                        }
                        Some(_) => false,
                        None => may_go_on && rest.len() <= MAX_BRACKET_BYTES && may_become_marker(rest),
                    };
                    if is_in_doubt {
                        return at - escapes % 2;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        bytes.len()
    }
}

/// Whether an unclosed bracket holds only numbers so far.
fn may_become_marker(rest: &str) -> bool {
    rest.is_empty() || is_marker(rest.strip_suffix('\\').unwrap_or(rest))
}
