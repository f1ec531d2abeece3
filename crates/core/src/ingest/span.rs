//! Offsets of providers, in their units, converted to byte spans.

use std::ops::Range;

use serde::Deserialize;

use crate::answer::is_marker_span;
use crate::text::{ByteOffset, CharOffset, OffsetIndex, Span, Utf16Offset};

/// The unit of a provider's offsets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Unit {
    /// UTF-8 bytes.
    #[default]
    Utf8,
    /// Code points.
    Char,
    /// UTF-16 code units.
    Utf16,
}

impl Unit {
    /// The byte offset of an offset in this unit, moved forward to the next grapheme cluster boundary.
    pub(super) fn byte(self, index: &OffsetIndex<'_>, offset: usize) -> usize {
        match self {
            Self::Utf8 => index.from_bytes(ByteOffset(offset)),
            Self::Char => index.from_chars(CharOffset(offset)),
            Self::Utf16 => index.from_utf16(Utf16Offset(offset)),
        }
        .0
    }
}

/// Converts a span to bytes. It is read in `unit`, unless it is a whole marker only in another unit (rule N-04).
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

/// How far before and after its offset a quote is searched, in bytes.
const QUOTE_WINDOW: usize = 1_024;

/// Finds a quote that the provider places at offset `start`: there in `unit`, there in another unit, or else the nearest
/// occurrence within [`QUOTE_WINDOW`] bytes. Returns its byte range.
pub(super) fn find_quote(
    text: &str,
    index: &OffsetIndex<'_>,
    start: usize,
    unit: Unit,
    quote: &str,
) -> Option<Range<usize>> {
    let stands_at = |at: usize| text.get(at..).is_some_and(|rest| rest.starts_with(quote));
    let mut units = [unit, Unit::Char, Unit::Utf16, Unit::Utf8].into_iter().map(|unit| unit.byte(index, start));
    let found = units.find(|at| stands_at(*at)).or_else(|| {
        let near = unit.byte(index, start);
        let from = near.saturating_sub(QUOTE_WINDOW);
        let to = near.saturating_add(quote.len()).saturating_add(QUOTE_WINDOW).min(text.len());
        let window = text.as_bytes().get(from..to)?;
        // The window may begin inside a character; the quote is UTF-8, so no match begins there.
        let places = memchr::memmem::find_iter(window, quote.as_bytes()).map(|at| from + at);
        places.min_by_key(|at| at.abs_diff(near))
    })?;
    Some(found..found + quote.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_text_is_found_in_any_unit_and_nearby() {
        let text = "Süß 😀 fein. Süß ist es.";
        let index = OffsetIndex::new(text);
        let find = |start, unit, quote| find_quote(text, &index, start, unit, quote);
        let fein = text.find("fein").expect("there");
        assert_eq!(find(6, Unit::Char, "fein"), Some(fein..fein + 4));
        assert_eq!(find(7, Unit::Char, "fein"), Some(fein..fein + 4));
        assert_eq!(find(0, Unit::Char, "Süß"), Some(0..5));
        let second = text.rfind("Süß").expect("there");
        assert_eq!(find(16, Unit::Char, "Süß"), Some(second..second + 5));
        assert_eq!(find(900, Unit::Utf8, "es."), Some(text.len() - 3..text.len()));
        assert_eq!(find(0, Unit::Utf8, "sauer"), None);
    }
}
