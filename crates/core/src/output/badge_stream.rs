//! Badges in a text that arrives piece by piece.
//!
//! Most of a text is written as soon as it comes. Only where it matters whether a bracket stands in code, in a formula or in
//! an address, the end of its block is waited for, at most so many bytes. What is decided there does not depend on how
//! the text was cut, so that a text that comes at once is written the same.

use std::ops::Range;

use super::markdown_places::MarkdownPlaces;
use super::open_webui_text::{BadgeWriter, MAX_BRACKET_BYTES, bracket, is_marker};
use crate::cite::CitedPlace;

/// So far the end of a block is looked for.
const MAX_BLOCK_BYTES: usize = 4 * 1024;

/// So much of the text before a place is read to tell what stands there.
const MAX_BEFORE_BYTES: usize = 32 * 1024;

/// How far before a badge the beginning of an address is looked for.
const MAX_ADDRESS_BYTES: usize = 2 * 1024;

/// Writes badges into a growing text.
#[derive(Debug, Default)]
pub(super) struct BadgeStream {
    writer: BadgeWriter,
    /// The part of the text that was read last to tell what stands in it.
    part: Range<usize>,
}

/// Something whose meaning depends on what stands around it.
#[derive(Debug, PartialEq, Eq)]
struct Doubt {
    /// Up to here, everything is certain.
    at: usize,
    /// Where it ends.
    end: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A bracket that would be taken for a marker, unless it is code or the like.
    Bracket,
    /// A badge that may be in an address, or the colon of what may be a definition.
    Neighbour,
    /// More of the text is needed to see what it is.
    Unfinished,
}

/// What is known of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth<'t> {
    /// What has come of the text.
    pub(super) text: &'t str,
    /// Where the numbers of sources stand in it.
    pub(super) cited: &'t [CitedPlace],
    /// Whether there are sources: without one, nothing is changed.
    pub(super) has_sources: bool,
    /// Whether nothing follows.
    pub(super) is_whole: bool,
}

impl BadgeStream {
    /// What is written so far.
    pub(super) fn written(&self) -> &str {
        self.writer.written()
    }

    /// How much of the text was read.
    pub(super) fn read(&self) -> usize {
        self.writer.read()
    }

    /// The places of the cited sources, in the order of their numbers.
    pub(super) fn order(&self) -> Vec<usize> {
        self.writer.order()
    }

    /// Reads on as far as what is read cannot mean something else later.
    pub(super) fn advance(&mut self, growth: Growth<'_>) {
        let Growth { text, cited, has_sources, is_whole } = growth;
        if is_whole && !has_sources {
            self.writer.pass(text, text.len());
            return;
        }
        let mut from = self.writer.read();
        loop {
            let Some(doubt) = self.doubt(growth, from) else {
                self.writer.run(text, cited, text.len());
                return;
            };
            self.writer.run(text, cited, doubt.at);
            if doubt.kind == Kind::Unfinished {
                return;
            }
            let Some(end) = block_end(growth, doubt.at) else { return };
            self.look_at(growth, doubt.at, end);
            let is_text = || !self.writer.places.is_opaque(text, self.writer.address_end(), doubt.end - 1);
            if doubt.kind == Kind::Bracket && !has_sources && is_text() {
                // A source may still come, and would make a marker of it.
                return;
            }
            self.writer.run(text, cited, doubt.end);
            from = doubt.end;
        }
    }

    /// Reads the part of the text that tells what stands at a place.
    fn look_at(&mut self, growth: Growth<'_>, at: usize, end: usize) {
        let text = growth.text;
        let begin = match text.floor_char_boundary(at.saturating_sub(MAX_BEFORE_BYTES)) {
            0 => 0,
            limit => text[..limit].rfind("\n\n").map_or(limit, |blank| blank + 2),
        };
        let part = begin..end;
        if self.part != part {
            self.writer.places = MarkdownPlaces::of_part(text, part.clone(), growth.cited);
            self.part = part;
        }
    }

    /// The next thing that is in doubt.
    fn doubt(&self, growth: Growth<'_>, from: usize) -> Option<Doubt> {
        let Growth { text, cited, is_whole, .. } = growth;
        let bytes = text.as_bytes();
        let mut next = self.writer.cited();
        let mut at = from;
        while at < bytes.len() {
            let place = cited.get(next).map(|place| place.range.clone());
            if let Some(place) = place.clone().filter(|place| place.start == at) {
                if may_be_in_address(text, at) {
                    return Some(Doubt { at, end: place.end, kind: Kind::Neighbour });
                }
                at = place.end;
                next += 1;
                continue;
            }
            let gap_end = place.map_or(bytes.len(), |place| place.start);
            let may_go_on = gap_end == bytes.len() && !is_whole;
            match bytes[at] {
                b'\\' if at + 1 == bytes.len() && may_go_on => {
                    return Some(Doubt { at, end: at, kind: Kind::Unfinished });
                }
                b':' if at > 0 && bytes[at - 1] == b']' => {
                    return Some(Doubt { at, end: at + 1, kind: Kind::Neighbour });
                }
                b'[' => {
                    // A backslash before it may have to go with it.
                    let escapes = bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
                    let begin = at - escapes % 2;
                    let rest = &text[at + 1..gap_end];
                    match bracket(rest) {
                        Some(inner) if is_marker(inner.strip_suffix('\\').unwrap_or(inner)) => {
                            return Some(Doubt { at: begin, end: at + inner.len() + 2, kind: Kind::Bracket });
                        }
                        None if may_go_on && rest.len() <= MAX_BRACKET_BYTES && may_become_marker(rest) => {
                            return Some(Doubt { at: begin, end: begin, kind: Kind::Unfinished });
                        }
                        Some(_) | None => {}
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }
}

/// Where the block of a place ends, as far as it is looked for; `None` where more of the text has to come.
fn block_end(growth: Growth<'_>, at: usize) -> Option<usize> {
    let Growth { text, is_whole, .. } = growth;
    let limit = at + MAX_BLOCK_BYTES;
    let window = &text[at..text.floor_char_boundary(limit)];
    match window.find("\n\n") {
        Some(blank) => Some(at + blank),
        None if text.len() >= limit + 4 => Some(at + window.len()),
        None => is_whole.then_some(text.len()),
    }
}

/// Whether a bare address may have begun before a place that nothing has ended.
fn may_be_in_address(text: &str, at: usize) -> bool {
    let before = &text[text.floor_char_boundary(at.saturating_sub(MAX_ADDRESS_BYTES))..at];
    let word = before.rfind(|c: char| c.is_whitespace() || c == '<').map_or(before, |blank| &before[blank..]);
    word.contains("://") || word.contains("www.")
}

/// Whether a bracket that has not ended may hold nothing but numbers.
fn may_become_marker(rest: &str) -> bool {
    rest.is_empty() || is_marker(rest.strip_suffix('\\').unwrap_or(rest))
}
