//! Writes badges into a text that arrives in pieces.
//!
//! Most text is written at once. Where the reading of a bracket depends on its surroundings (code, formula, address), the
//! writer waits for the end of the block, at most `MAX_BLOCK_BYTES`. The decision does not depend on how the text was cut,
//! so that a stream and a whole text give the same output.

use std::ops::Range;

use super::markdown_places::MarkdownPlaces;
use super::open_webui_text::{BadgeWriter, MAX_BRACKET_BYTES, bracket, is_marker};
use crate::cite::CitedPlace;

/// How far behind a place the end of its block is sought, in bytes.
const MAX_BLOCK_BYTES: usize = 4 * 1024;

/// How much text before a place is parsed to tell what the place is, in bytes.
const MAX_BEFORE_BYTES: usize = 32 * 1024;

/// How far before a badge the beginning of a bare address is sought, in bytes.
const MAX_ADDRESS_BYTES: usize = 2 * 1024;

/// Writes badges into a growing text.
#[derive(Debug, Default)]
pub(super) struct BadgeStream {
    writer: BadgeWriter,
    /// The byte range of the text that `writer.places` describes.
    part: Range<usize>,
}

/// A part of the text whose meaning depends on its surroundings.
#[derive(Debug, PartialEq, Eq)]
struct Doubt {
    /// The text before this offset is decided.
    at: usize,
    /// The end of the part.
    end: usize,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A bracket that is a marker unless it stands in code, a formula or an address.
    Bracket,
    /// A badge that may stand in an address, or the colon of a possible link definition.
    Neighbour,
    /// A bracket or backslash at the end that needs more text to be read.
    Unfinished,
}

/// The state of a text that grows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth<'t> {
    /// The text so far.
    pub(super) text: &'t str,
    /// The places of source numbers in the text.
    pub(super) cited: &'t [CitedPlace],
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
                // A source that arrives later would make this bracket a marker.
                return;
            }
            self.writer.run(text, cited, doubt.end);
            from = doubt.end;
        }
    }

    /// Parses the text from at most `MAX_BEFORE_BYTES` before `at` up to `end`, unless the last call parsed the same range.
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

    /// The next part in doubt at or behind `from`.
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
                    // An odd number of backslashes escapes the bracket; the last of them belongs to the part in doubt.
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

/// The end of the block around `at`, at most `MAX_BLOCK_BYTES` further. `None` if more text is needed.
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

/// Whether a bare address may begin before `at` and reach it.
fn may_be_in_address(text: &str, at: usize) -> bool {
    let before = &text[text.floor_char_boundary(at.saturating_sub(MAX_ADDRESS_BYTES))..at];
    let word = before.rfind(|c: char| c.is_whitespace() || c == '<').map_or(before, |blank| &before[blank..]);
    word.contains("://") || word.contains("www.")
}

/// Whether an unclosed bracket holds only numbers so far.
fn may_become_marker(rest: &str) -> bool {
    rest.is_empty() || is_marker(rest.strip_suffix('\\').unwrap_or(rest))
}
