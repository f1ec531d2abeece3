//! Writes lines of text that begin no block, and that do not change the next line.

use super::block::line_start;
use super::writer::{Writer, ZERO_WIDTH_SPACE};
use crate::cite::read::LOOK_AHEAD;

impl Writer {
    /// Keeps a paragraph from being a definition, also when the label of one would end in code: engines look for definitions
    /// first.
    pub(super) fn keep_from_definition(&mut self) {
        if begins_definition(&self.out[self.line.paragraph..]) {
            self.out.insert(self.line.paragraph, ZERO_WIDTH_SPACE);
            if self.line.start > self.line.paragraph {
                self.line.start += ZERO_WIDTH_SPACE.len_utf8();
            }
        }
    }

    /// Takes back the current line when its meaning depends on how it goes on. Returns whether it does.
    pub(super) fn hold_line(&mut self) -> bool {
        let line = &self.out[self.line.start..];
        // A longer line is text.
        let is_untold = line.len() <= LOOK_AHEAD
            && line.bytes().all(|byte| b"-=*_#+>|:.)0123456789`~ \t".contains(&byte))
            || is_tag_alone(line);
        if is_untold {
            self.out.truncate(self.line.start);
        }
        is_untold
    }

    /// Drops the blanks at the end of the output, back to `from` at most.
    pub(super) fn drop_blanks(&mut self, from: usize) {
        let content = self.out.bytes().rev().position(|byte| byte != b' ' && byte != b'\t').unwrap_or(self.out.len());
        self.out.truncate((self.out.len() - content).max(from));
    }

    /// Ends a line of text.
    pub(super) fn end_line(&mut self) {
        let from = self.line.start;
        self.drop_blanks(from);
        if self.out[from..].bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1 {
            // A backslash before a line end would break the line.
            if self.is_in_address() {
                self.out.pop();
                self.out.push_str("&#92;");
            } else {
                self.out.push('\\');
            }
        }
        let lead = self.out[from..].len() - self.out[from..].trim_start_matches([' ', '\t']).len();
        if lead > 0 {
            self.out.replace_range(from..from + lead, "");
        }
        let line = &self.out[from..];
        // Right behind a line of text, no number but 1 begins a list; in a container, a line may begin the next item.
        let is_first = from == self.line.paragraph || self.is_in_container();
        if let Some(at) = escape_at(line, is_first) {
            self.out.insert(from + at, '\\');
        } else if begins_verbatim(line) {
            self.out.insert(from, ZERO_WIDTH_SPACE);
        }
        let is_delimiter = |byte: u8| b" \t>|:-+*".contains(&byte);
        let whole = |writer: &Self| line_start(&writer.out, from);
        if self.out[from..].bytes().all(is_delimiter)
            && self.out[whole(self)..].bytes().all(is_delimiter)
            && self.out[whole(self)..].contains('-')
        {
            // Below a line with a border, it would be the delimiter row of a table.
            self.out.push(ZERO_WIDTH_SPACE);
        }
    }
}

/// Whether a paragraph begins with the label of a definition.
fn begins_definition(paragraph: &str) -> bool {
    let Some(label) = paragraph.strip_prefix('[') else { return false };
    end_of_label(label).is_some_and(|end| label[end..].starts_with("]:"))
}

/// The offset of the first bracket in a label that is not escaped: the one that closes it, or another.
fn end_of_label(label: &str) -> Option<usize> {
    let mut is_escaped = false;
    label.bytes().position(|byte| {
        let ends = !is_escaped && (byte == b'[' || byte == b']');
        is_escaped = !is_escaped && byte == b'\\';
        ends
    })
}

/// The offset at which a backslash keeps a line from beginning a heading, quote, list, rule or fence of tildes; `None` when
/// it begins none.
pub(super) fn escape_at(line: &str, is_first: bool) -> Option<usize> {
    let bytes = line.as_bytes();
    let first = *bytes.first()?;
    let is_blank_at = |at: usize| bytes.get(at).is_none_or(|byte| *byte == b' ' || *byte == b'\t');
    let holds_only = |sign: u8| bytes.iter().all(|byte| *byte == sign || *byte == b' ' || *byte == b'\t');
    match first {
        b'#' => {
            let hashes = bytes.iter().take_while(|byte| **byte == b'#').count();
            (hashes <= 6 && is_blank_at(hashes)).then_some(0)
        }
        b'>' => Some(0),
        b'+' => is_blank_at(1).then_some(0),
        b'-' | b'*' | b'_' => {
            let count = bytes.iter().filter(|byte| **byte == first).count();
            let is_bullet = first != b'_' && is_blank_at(1);
            (is_bullet || holds_only(first) && (count > 2 || first == b'-')).then_some(0)
        }
        b'=' => holds_only(b'=').then_some(0),
        b'~' => line.starts_with("~~~").then_some(0),
        b'0'..=b'9' => {
            let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let is_sign = bytes.get(digits).is_some_and(|byte| *byte == b'.' || *byte == b')');
            let may_interrupt = is_first || digits == 1 && first == b'1';
            (digits < 10 && is_sign && is_blank_at(digits + 1) && may_interrupt).then_some(digits)
        }
        _ => None,
    }
}

/// Whether a line begins like a fence of backticks, or like a block of HTML.
fn begins_verbatim(line: &str) -> bool {
    line.starts_with("```") || begins_html(line)
}

/// Whether a line is a tag that begins a block of HTML as long as nothing else stands in its line.
fn is_tag_alone(line: &str) -> bool {
    begins_html(line) && !begins_html(&format!("{line}."))
}

/// Whether a line that begins with a tag begins a block of HTML (CommonMark 0.31, section 4.6, kinds 6 and 7). Of kinds 1 to
/// 5, only comments are ever written.
fn begins_html(line: &str) -> bool {
    let Some(rest) = line.strip_prefix('<') else { return false };
    if rest.starts_with('!') {
        return true;
    }
    let name = rest.strip_prefix('/').unwrap_or(rest);
    let length = name.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-').count();
    if length == 0 {
        return false;
    }
    let (name, behind) = (name[..length].to_ascii_lowercase(), &name[length..]);
    let is_block = BLOCK_ELEMENTS.binary_search(&&*name).is_ok();
    // Any other tag begins one when nothing else stands in its line.
    is_block || behind.trim_start_matches(['/', ' ']).strip_prefix('>').is_some_and(|rest| rest.trim().is_empty())
}

/// The elements of kind 6 that the writer lets through.
const BLOCK_ELEMENTS: [&str; 25] = [
    "blockquote",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "ol",
    "p",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];
