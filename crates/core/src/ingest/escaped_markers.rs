//! Finds `\[1\]`: markers whose brackets the model escaped (rule AH-03).

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::answer::{Citation, SourceIndex};
use crate::text::Span;

/// The maximum length between the brackets, in bytes.
const MAX_INNER_BYTES: usize = 256;

/// Returns a citation for each such marker outside code. `sources` is the number of sources. If a list names a number
/// without a source, it stays text. The same holds for lists without escapes.
pub(super) fn escaped_markers(text: &str, sources: usize) -> Vec<Citation> {
    let mut found = Vec::new();
    let mut code: Option<Vec<Range<usize>>> = None;
    let mut from = 0;
    while let Some(at) = text[from..].find("\\[").map(|at| from + at) {
        from = at + 2;
        let end = text.floor_char_boundary(from + MAX_INNER_BYTES);
        let Some(length) = text[from..end].find("\\]") else { continue };
        let Some(named) = places(&text[from..from + length], sources) else { continue };
        // `\\[1]` is an escaped backslash before a marker.
        let is_escape = text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0;
        let range = at..from + length + 2;
        let code = code.get_or_insert_with(|| code_in(text));
        if !is_escape || code.iter().any(|code| code.start < range.end && range.start < code.end) {
            continue;
        }
        from = range.end;
        found.extend(Span::new(text, range).ok().map(|span| Citation::new(span, named)));
    }
    found
}

/// The indexes of the sources that a comma-separated list names, each once; `None` if it holds anything else than their numbers.
fn places(inner: &str, sources: usize) -> Option<Vec<SourceIndex>> {
    let mut places: Vec<SourceIndex> = Vec::new();
    for number in inner.split(',') {
        let number: usize = number.trim().parse().ok()?;
        let place = (1..=sources).contains(&number).then(|| SourceIndex(number - 1))?;
        if !places.contains(&place) {
            places.push(place);
        }
    }
    Some(places)
}

/// The ranges of code, in order.
pub(super) fn code_in(text: &str) -> Vec<Range<usize>> {
    let is_code = |event: &Event<'_>| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_)));
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter();
    events.filter(|(event, _)| is_code(event)).map(|(_, range)| range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_brackets_are_markers_outside_code() {
        let text = "a \\[1\\], \\[2, 1\\] \\[3\\] \\[x\\] \\\\[1\\] `\\[1\\]`\n\n```\n\\[2\\]\n```\n\\[1";
        let found = escaped_markers(text, 2);
        let shown: Vec<_> = found.iter().map(|marker| (&text[marker.span.range()], marker.sources.clone())).collect();
        let expected = [("\\[1\\]", vec![SourceIndex(0)]), ("\\[2, 1\\]", vec![SourceIndex(1), SourceIndex(0)])];
        assert_eq!(shown, expected);
    }
}
