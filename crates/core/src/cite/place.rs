//! Finds the offset for the badge of a span: the badge must not change the Markdown beside it.

/// The offset for the badge of a text that ends at `end`: behind its last word that is no part of a sign that begins or
/// closes a block. A badge behind a bullet or the hashes of a heading would make text of them; behind the last border of a
/// row, it would be in an extra cell that no reader sees; behind an opening `**`, it would separate it from its word.
/// Without a word, the offset is 0.
///
/// The result does not depend on the text behind `end`, so it stays the same while the text arrives.
pub(super) fn place(text: &str, end: usize) -> usize {
    last_word(text, end, false)
}

/// The first offset at which the arrived text may still be cited.
pub(super) fn first_open(text: &str, end: usize) -> usize {
    let place = last_word(text, end, true);
    let name = begun_entity(&text[..place]).unwrap_or(place);
    place.min(name)
}

/// The length of the longest entity, `&CounterClockwiseContourIntegral;`.
const MAX_ENTITY: usize = 33;

/// The offset of an entity that may begin at the end of the text and go on behind it.
fn begun_entity(text: &str) -> Option<usize> {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'#';
    let name = text.bytes().rev().take(MAX_ENTITY).take_while(|byte| is_name(&byte)).count();
    text[..text.len() - name].ends_with('&').then(|| text.len() - name - 1)
}

/// The largest number of lines without a word to search, so that thousands of them cost no more.
const MAX_LINES: usize = 8;

/// The offset behind the last word. With `may_go_on`, digits that may become the number of a list item are no word.
fn last_word(text: &str, end: usize, may_go_on: bool) -> usize {
    let mut end = text[..end].trim_end().len();
    for _ in 0..MAX_LINES {
        // The usual case: behind a letter, nothing begins or closes a block.
        let is_letter = |last: &u8| !is_sign(last) && !matches!(last, b'_' | b'~' | b'\\' | b'|');
        if text.as_bytes()[..end].last().is_none_or(is_letter) {
            break;
        }
        let mut to = before_closing(text, before_opening(text, end));
        if let Some(line) = signs_alone(&text[..to]).filter(|line| is_prefix(line, may_go_on)) {
            to = text[..to - line.len()].trim_end().len();
        }
        if to == end {
            break;
        }
        end = to;
    }
    end
}

/// The last line of a text, when it holds nothing but bytes that may begin a block.
fn signs_alone(text: &str) -> Option<&str> {
    let is_prefix = |byte: &&u8| is_sign(byte) || matches!(byte, b' ' | b'\t');
    let length = text.as_bytes().iter().rev().take(MAX_PREFIX).take_while(is_prefix).count();
    let (before, line) = text.split_at(text.len() - length);
    (length < MAX_PREFIX && (before.is_empty() || before.ends_with(['\n', '\r']))).then_some(line)
}

/// Whether a byte may be part of the beginning of a block.
fn is_sign(byte: &u8) -> bool {
    matches!(byte, b'>' | b'-' | b'+' | b'*' | b'.' | b')' | b'#' | b'0'..=b'9')
}

/// A longer line counts as a line with a word.
const MAX_PREFIX: usize = 64;

/// Whether a line holds only beginnings of blocks: `>`, bullets, item numbers, the hashes of a heading.
fn is_prefix(line: &str, may_go_on: bool) -> bool {
    let mut rest = line.trim_start_matches([' ', '\t']);
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let sign = match rest.as_bytes().get(digits) {
            None => return digits == 0 || may_go_on,
            Some(b'.' | b')') if (1..=9).contains(&digits) => digits + 1,
            Some(b'#') if digits == 0 => rest.len() - rest.trim_start_matches('#').len(),
            Some(b'-' | b'+' | b'*' | b'>') if digits == 0 => 1,
            Some(_) => return false,
        };
        let (sign, behind) = rest.split_at(sign);
        if sign != ">" && !behind.is_empty() && !behind.starts_with([' ', '\t']) {
            return false;
        }
        rest = behind.trim_start_matches([' ', '\t']);
    }
}

/// Moves an offset before emphasis delimiters that open emphasis behind it.
fn before_opening(text: &str, at: usize) -> usize {
    let is_delimiter = |byte: &&u8| matches!(byte, b'*' | b'_' | b'~');
    let run = text.as_bytes()[..at].iter().rev().take(MAX_CLOSING).take_while(is_delimiter).count();
    let before = &text[..at - run];
    let is_rule = run > 2 && (before.is_empty() || before.ends_with(['\n', '\r']));
    let opens = run > 0 && !is_rule && (before.is_empty() || before.ends_with([' ', '\t', '\n', '\r', '(']));
    if opens { before.trim_end().len() } else { at }
}

/// Moves an offset before the sign that closes its line or row: the border of a cell, the hashes behind a heading. Also
/// moves it before a backslash, which would escape the badge.
fn before_closing(text: &str, at: usize) -> usize {
    let before = &text[..at];
    let content = match before.as_bytes().last() {
        Some(b'\\') if ends_with_escape(before) => return before[..at - 1].trim_end().len(),
        Some(b'|') => before.strip_suffix('|').filter(|row| !row.ends_with('\\')),
        Some(b'#') => before_hashes(before),
        _ => None,
    };
    let content = content.map_or("", |content| content.trim_end_matches([' ', '\t']));
    if content.is_empty() || content.ends_with(['\n', '\r']) { at } else { content.len() }
}

/// Longer runs of hashes or backslashes close nothing, so that the result does not depend on how much of them has arrived
/// and the check stays cheap.
const MAX_CLOSING: usize = 16;

/// A longer line is not checked for being a heading.
const MAX_HEADING: usize = 1024;

/// The text before the hashes that close the heading at its end; `None` when it ends with no such heading.
fn before_hashes(text: &str) -> Option<&str> {
    let hashes = text.bytes().rev().take(MAX_CLOSING).take_while(|byte| *byte == b'#').count();
    let content = &text[..text.len() - hashes];
    if !content.ends_with([' ', '\t']) {
        return None;
    }
    let bytes = content.as_bytes();
    let length = bytes.iter().rev().take(MAX_HEADING).position(|byte| matches!(byte, b'\n' | b'\r'));
    let line = &content[content.len() - length.or_else(|| (bytes.len() <= MAX_HEADING).then_some(bytes.len()))?..];
    let heading = line.trim_start_matches(|c: char| " \t>-+*.)".contains(c) || c.is_ascii_digit());
    let words = heading.trim_start_matches('#');
    (words.len() < heading.len() && !words.trim().is_empty()).then_some(content)
}

/// Whether the last backslash escapes the character behind it.
fn ends_with_escape(text: &str) -> bool {
    text.bytes().rev().take(MAX_CLOSING).take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// Moves an offset out of syntax that a badge would split: before the first border of a row, between delimiters, in an
/// entity.
pub(super) fn written_at(text: &str, at: usize) -> usize {
    behind_entity(text, behind_delimiters(text, behind_first_border(text, at)))
}

/// Moves an offset before the first border of a table row into the first cell.
fn behind_first_border(text: &str, at: usize) -> usize {
    let begins_row = text[at..].starts_with('|') && text[..at].ends_with(['\n', '\r']);
    at + usize::from(begins_row)
}

/// Moves an offset between emphasis delimiters, or between backticks, behind them.
fn behind_delimiters(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let within = |delimiters: &[u8]| {
        let is_delimiter = |byte: &&u8| delimiters.contains(byte);
        let behind = bytes[at..].iter().take(MAX_EMPHASIS).take_while(is_delimiter).count();
        if bytes[..at].last().as_ref().is_some_and(is_delimiter) { behind } else { 0 }
    };
    at + within(b"*_~").max(within(b"`"))
}

/// Moves an offset within an entity, `&cop|y;`, behind it.
fn behind_entity(text: &str, at: usize) -> usize {
    let Some(start) = begun_entity(&text[..at]) else { return at };
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
    let name = text.as_bytes()[start + 1..].iter().take(MAX_ENTITY).take_while(|byte| is_name(byte)).count();
    let end = start + 1 + name;
    if name > 0 && text[end..].starts_with(';') { end + 1 } else { at }
}

/// The offset for the badge of a text that ends at `end`, as [`place`] finds it. When the text holds no word, the badge goes
/// behind the beginning of its block; when it is empty, to the first possible offset.
pub(super) fn place_or_first(text: &str, end: usize) -> usize {
    let found = place(text, end);
    if found > 0 {
        return found;
    }
    match text[..end].trim_end().len() {
        0 => first_place(text),
        prefix => prefix,
    }
}

/// The first offset that can hold a badge: behind the beginning of the first block.
fn first_place(text: &str) -> usize {
    let is_prefix = |c: char| c.is_whitespace() || ">-+*#".contains(c);
    let content = text.trim_start_matches(is_prefix);
    let number = content.trim_start_matches(|c: char| c.is_ascii_digit());
    let content = match number.strip_prefix(['.', ')']) {
        Some(item) if item.starts_with(char::is_whitespace) && number.len() < content.len() => item.trim_start(),
        _ => content,
    };
    let first = content.chars().next().filter(|c| !c.is_alphanumeric());
    text.len() - content.len() + first.map_or(0, char::len_utf8)
}

/// The longest run of emphasis delimiters or backticks to check.
const MAX_EMPHASIS: usize = 32;
