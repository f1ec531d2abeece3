//! Makes text of constructs that are too long to wait for: in the copy for the parser, a control character replaces their
//! first sign.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag};

use super::LOOK_AHEAD;
use super::definitions::OPTIONS;
use super::open::is_untold;

/// How often a text is searched, because a replacement may make other constructs too long.
const PASSES: usize = 4;

/// The source with U+0001 in place of the opening sign of each definition, link, code span, tag, block of HTML and table
/// that is longer than [`LOOK_AHEAD`]; `None` when there is none.
pub(super) fn without_long(source: &str) -> Option<String> {
    if source.len() <= LOOK_AHEAD {
        return None;
    }
    let mut altered: Option<String> = None;
    for pass in 0..=PASSES {
        let text = altered.as_deref().unwrap_or(source);
        let found = if has_long_block(text) { too_long(text) } else { Vec::new() };
        if found.is_empty() {
            break;
        }
        let mut bytes = text.as_bytes().to_vec();
        if pass == PASSES {
            // A thousand nested brackets are no answer: replace all opening signs.
            bytes.iter_mut().filter(|byte| b"[`<".contains(byte)).for_each(|byte| *byte = 1);
        }
        for range in found {
            bytes[range].fill(1);
        }
        altered = String::from_utf8(bytes).ok();
    }
    altered
}

/// The source with U+0001 at the beginning of each line that is longer than [`LOOK_AHEAD`] and whose first bytes do not tell
/// which block they begin.
pub(super) fn without_long_lines(source: &str) -> Option<String> {
    let mut altered: Option<Vec<u8>> = None;
    let mut start = 0;
    while source.len() - start > LOOK_AHEAD {
        let end = memchr::memchr2(b'\n', b'\r', &source.as_bytes()[start..]).map_or(source.len(), |at| start + at);
        if end - start > LOOK_AHEAD && is_untold(&source[start..source.floor_char_boundary(start + LOOK_AHEAD)]) {
            let line = &source[start..end];
            let blanks = line.len() - line.trim_start_matches([' ', '\t', '>', '-', '+', '*']).len();
            let at = start + if blanks < line.len() { blanks } else { 0 };
            let altered = altered.get_or_insert_with(|| source.as_bytes().to_vec());
            altered[at] = 1;
        }
        start = (end + 1).min(source.len());
    }
    String::from_utf8(altered?).ok()
}

/// Whether more than [`LOOK_AHEAD`] bytes stand together without a blank line.
fn has_long_block(source: &str) -> bool {
    let mut start = 0;
    while source.len() - start > LOOK_AHEAD {
        let window = &source.as_bytes()[start..start + LOOK_AHEAD];
        let is_blank = |pair: &[u8]| pair == b"\n\n" || pair == b"\n\r" || pair == b"\r\r";
        match window.windows(2).rposition(is_blank) {
            Some(found) => start += found + 2,
            None => return true,
        }
    }
    false
}

/// The opening signs of constructs that are too long.
fn too_long(source: &str) -> Vec<Range<usize>> {
    let parser = Parser::new_ext(source, OPTIONS);
    let definitions = parser.reference_definitions().iter().map(|(_, found)| found.span.clone());
    let mut found: Vec<Range<usize>> =
        definitions.filter(|span| span.len() > LOOK_AHEAD).map(|span| span.start..span.start + 1).collect();
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is waited for")]
    for (event, range) in parser.into_offset_iter() {
        let source = &source[range.clone()];
        let sign = match event {
            Event::Code(_) => source.bytes().take_while(|byte| *byte == b'`').count(),
            Event::InlineHtml(_) | Event::Start(Tag::Link { .. }) => 1,
            Event::Start(Tag::Image { .. }) => 2,
            Event::Start(Tag::HtmlBlock) if first_line(source) > LOOK_AHEAD => 1,
            Event::Start(Tag::Table(_)) if first_line(source) > LOOK_AHEAD => {
                let delimiters = range.start + first_line(source);
                let behind = source[first_line(source)..].trim_start_matches(['\n', '\r', ' ', '\t', '>']);
                let at = delimiters + source.len() - first_line(source) - behind.len();
                found.push(at..at + 1);
                continue;
            }
            _ => continue,
        };
        if range.len() > LOOK_AHEAD {
            found.push(range.start..range.start + sign);
        }
    }
    found
}

fn first_line(source: &str) -> usize {
    memchr::memchr2(b'\n', b'\r', source.as_bytes()).unwrap_or(source.len())
}
