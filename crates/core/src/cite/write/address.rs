//! Writes addresses between parentheses, and ends bare addresses.

use super::writer::Writer;
use crate::url::WebUrl;

/// Ends a bare address for every engine. A zero-width space would be a part of the address.
const HAIR_SPACE: char = '\u{200a}';

/// Ends a bare address where a blank would change the emphasis beside it.
pub(super) const EMPTY_COMMENT: &str = "<!-- -->";

impl Writer {
    /// Whether the output ends in a bare address, which engines make a link of.
    pub(super) fn is_in_address(&mut self) -> bool {
        if self.link.is_some() {
            return false;
        }
        let from = self.line.text.max(self.line.start).min(self.out.len());
        let word = &mut self.line.word;
        word.follow(&self.out, from);
        word.is_address()
    }

    /// Ends a bare address, which would take in the next badge, link, or code with a bracket.
    pub(super) fn end_address(&mut self) {
        if !self.is_in_address() {
            return;
        }
        if self.out.ends_with(['*', '_', '~']) && !self.without_html {
            self.out.push_str(EMPTY_COMMENT);
        } else {
            self.out.push(HAIR_SPACE);
        }
    }
}

/// An address as it is written between parentheses: unchanged where all engines read it alike, else percent-encoded. `None`
/// for other schemes than http, https and mailto, and for invalid addresses.
pub(super) fn written(url: &str) -> Option<String> {
    let is_scheme = |scheme: &str| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    if is_scheme("mailto:") {
        return Some(url.chars().map(|c| if is_plain(c) { c.into() } else { percent(c) }).collect());
    }
    if !is_scheme("http:") && !is_scheme("https:") {
        return None;
    }
    if has_balanced_parentheses(url)
        && url.chars().all(|c| is_plain(c) || matches!(c, '(' | ')'))
        && has_whole_escapes(url)
    {
        return Some(url.to_owned());
    }
    url.parse().ok().map(|url: WebUrl| url.markdown())
}

fn is_plain(c: char) -> bool {
    // No semicolon: it would end a character reference.
    c.is_ascii_alphanumeric() || "/?:@&=+$,-_.!~*'#%".contains(c)
}

fn percent(c: char) -> String {
    percent_encoding::utf8_percent_encode(c.encode_utf8(&mut [0; 4]), percent_encoding::NON_ALPHANUMERIC).to_string()
}

fn has_balanced_parentheses(url: &str) -> bool {
    let mut depth = 0_i32;
    url.bytes().all(|byte| {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        (0..=1).contains(&depth)
    }) && depth == 0
}

fn has_whole_escapes(url: &str) -> bool {
    let is_hex = |hex: &[u8]| hex.iter().all(u8::is_ascii_hexdigit);
    url.match_indices('%').all(|(at, _)| url.as_bytes().get(at + 1..at + 3).is_some_and(is_hex))
}

/// Writes a title between double quotes, with its brackets, backticks and emphasis signs as character references.
pub(super) fn push_title(out: &mut String, title: &str) {
    out.push('"');
    for c in title.chars() {
        match c {
            '"' | '\\' | '<' | '[' | ']' | '`' | '*' | '_' | '|' => out.push_str(&format!("&#{};", u32::from(c))),
            '&' => out.push_str("&amp;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
}
