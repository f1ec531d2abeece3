//! Offsets of providers, in their units, converted to byte spans.

use std::ops::Range;

use serde::Deserialize;

use crate::answer::{is_marker_span, whole_link};
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

    /// The unit of spans whose provider does not tell it: the one of `units` in which most of them begin and end between
    /// words, or the first of several. Spans are pairs of a start and an end.
    pub(super) fn fitting(text: &str, index: &OffsetIndex<'_>, spans: &[(usize, usize)], units: [Self; 2]) -> Self {
        // Code points and UTF-16 code units differ from the first character of four bytes on.
        if spans.is_empty() || !text.bytes().any(|byte| byte >= 0xf0) {
            return units[0];
        }
        let fits = |unit: Self| {
            let length = unit.length(text);
            let ends = spans.iter().flat_map(|(start, end)| [(*start, false), (*end, true)]);
            ends.filter(|(at, is_end)| *at <= length && is_between_words(text, unit.byte(index, *at), *is_end)).count()
        };
        if fits(units[1]) > fits(units[0]) { units[1] } else { units[0] }
    }

    fn length(self, text: &str) -> usize {
        match self {
            Self::Utf8 => text.len(),
            Self::Char => text.chars().count(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
        }
    }
}

/// Whether a span may begin, or end, at a byte offset: no word goes on there, and the span has no blank at its end.
fn is_between_words(text: &str, at: usize, is_end: bool) -> bool {
    let (before, after) = (text[..at].chars().next_back(), text[at..].chars().next());
    let is_in_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let inside = if is_end { before } else { after };
    !(inside.is_some_and(char::is_whitespace) || is_in_word(before) && is_in_word(after))
}

/// Converts a span to bytes. It is read in `unit`, unless it is a whole marker or link only in another unit (rule N-04).
pub(super) fn read_span(text: &str, index: &OffsetIndex<'_>, start: usize, end: usize, unit: Unit) -> Option<Span> {
    let read = |unit| {
        let byte = |offset| Unit::byte(unit, index, offset);
        Span::new(text, byte(start)..byte(end)).ok().filter(|span| span.start() < span.end())
    };
    let is_marker = |span: &Span| {
        let span = &text[span.range()];
        is_marker_span(span) || whole_link(span).is_some()
    };
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
    fn an_untold_unit_is_the_one_in_which_spans_begin_and_end_between_words() {
        let unit = |text: &str, spans: &[(usize, usize)]| {
            Unit::fitting(text, &OffsetIndex::new(text), spans, [Unit::Utf16, Unit::Char])
        };
        let text = "🍵 Leave is 30 days. 🍵 休假三十天。Ask.";
        assert_eq!(unit(text, &[(2, 19), (22, 28)]), Unit::Char);
        assert_eq!(unit(text, &[(3, 20), (24, 30)]), Unit::Utf16);
        assert_eq!(unit("Süß. 三十", &[(1, 3)]), Unit::Utf16, "here all units agree");
        assert_eq!(unit("🍵🍵🍵 a", &[(0, 8)]), Unit::Utf16, "the text has only five code points");
    }

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
