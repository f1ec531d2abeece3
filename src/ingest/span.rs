//! Places that providers name by offsets, each in its own unit.

use serde::Deserialize;

use crate::answer::is_marker_span;
use crate::text::{ByteOffset, CharOffset, OffsetIndex, Span, Utf16Offset};

/// What a provider counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Unit {
    /// UTF-8 bytes.
    #[default]
    Utf8,
    /// Code points.
    Char,
    /// UTF-16 units.
    Utf16,
}

impl Unit {
    /// The byte that an offset names, moved forward to a place where the text may be cut (rule N-06).
    pub(super) fn byte(self, index: &OffsetIndex<'_>, offset: usize) -> usize {
        match self {
            Self::Utf8 => index.from_bytes(ByteOffset(offset)),
            Self::Char => index.from_chars(CharOffset(offset)),
            Self::Utf16 => index.from_utf16(Utf16Offset(offset)),
        }
        .0
    }
}

/// The span in the unit given, unless only another unit makes it a whole marker (rule N-04).
pub(super) fn read_span(text: &str, index: &OffsetIndex<'_>, start: usize, end: usize, unit: Unit) -> Option<Span> {
    let read = |unit| {
        let byte = |offset| Unit::byte(unit, index, offset);
        Span::new(text, byte(start)..byte(end)).ok().filter(|span| span.start() < span.end())
    };
    let is_marker = |span: &Span| is_marker_span(&text[span.range()]);
    let given = read(unit);
    if given.as_ref().is_some_and(is_marker) {
        return given;
    }
    [Unit::Char, Unit::Utf16, Unit::Utf8].into_iter().filter_map(read).find(is_marker).or(given)
}
