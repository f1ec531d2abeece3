//! The characters of a text: how those are written that mean nothing, and what must stand between two that would mean something
//! together.

use super::writer::{Tail, Writer, ZERO_WIDTH_SPACE};
use crate::text::{ByteSet, ends_in_unseen_reference, push_visible};

/// Bytes of text that are written by themselves: those that Markdown may read, and NUL.
static SPECIAL: ByteSet = ByteSet::of(b"[]<&`\\!\0");

impl Writer {
    /// What must stand between the end of the output and what comes now. `is_live` when that is a link or a badge.
    pub(super) fn glue(&mut self, next: char, is_live: bool) {
        let tail = std::mem::take(&mut self.line.tail);
        if next == ';' && ends_in_reference(&self.out) {
            self.out.push(ZERO_WIDTH_SPACE);
        }
        if self.line.tail_at != self.out.len() {
            return;
        }
        match (tail, next) {
            // The number would be the text of a link, or the label of a definition; to markdown-it, attributes follow a link.
            (Tail::Badge, '[' | '(' | '{') => self.out.push(ZERO_WIDTH_SPACE),
            (Tail::Badge, ':') if self.defines || self.out[self.line.paragraph..].starts_with('[') => {
                self.out.push(ZERO_WIDTH_SPACE);
            }
            (Tail::Bracket, '(') => {
                let sign = if is_live || self.is_in_address() { ZERO_WIDTH_SPACE } else { '\\' };
                self.out.push(sign);
            }
            // `[a][1]` would be one link.
            (Tail::Bracket, '[') if is_live => self.out.push(ZERO_WIDTH_SPACE),
            // A definition, when a paragraph begins with the bracket.
            (Tail::Bracket, ':') if self.out[self.line.paragraph..].starts_with('[') => {
                let sign = if self.is_in_address() { ZERO_WIDTH_SPACE } else { '\\' };
                self.out.push(sign);
            }
            // An image.
            (Tail::Exclamation, '[') => self.out.push(ZERO_WIDTH_SPACE),
            // A character reference.
            (Tail::Ampersand, c) if c == '#' || c.is_ascii_alphanumeric() => self.out.push(ZERO_WIDTH_SPACE),
            // A tag.
            (Tail::Less, c) if c.is_ascii_alphabetic() || "/!?".contains(c) => {
                self.out.pop();
                self.out.push_str("&lt;");
            }
            // Not every program that looks for numbers knows that `\\[1]` holds an escaped backslash.
            (Tail::Backslash | Tail::EscapedBackslash, '[') if is_live => self.out.push(ZERO_WIDTH_SPACE),
            // An escape.
            (Tail::Backslash, c) if c.is_ascii_punctuation() || c == '\n' => {
                if self.is_in_address() {
                    self.out.pop();
                    self.out.push_str("&#92;");
                } else {
                    self.out.push('\\');
                }
            }
            _ => {}
        }
    }

    /// Takes back a backslash at the end: how it is written hangs on what it stands before.
    pub(super) fn hold_backslash(&mut self) {
        let told = self.out.trim_end_matches([' ', '\t']);
        if (told.len() - told.trim_end_matches('\\').len()) % 2 == 1 {
            self.out.truncate(told.len() - 1);
        }
    }

    pub(super) fn mark(&mut self, tail: Tail) {
        self.line.tail = tail;
        self.line.tail_at = self.out.len();
    }

    /// Text that means itself, one character after the other where one may be read in another way.
    pub(super) fn plain(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut done = 0;
        while let Some(found) = SPECIAL.position(&bytes[done..]) {
            let at = done + found;
            self.word(&text[done..at]);
            self.special(bytes[at], &text[at + 1..]);
            done = at + 1;
        }
        self.word(&text[done..]);
    }

    /// Text without characters that Markdown may read.
    fn word(&mut self, text: &str) {
        let Some(first) = text.chars().next() else { return };
        self.glue(first, false);
        // At the beginning of a line, some engines do not see it.
        let text = match text.strip_prefix('\u{feff}').filter(|_| self.out.len() == self.line.start) {
            Some(rest) => {
                self.out.push(ZERO_WIDTH_SPACE);
                rest.trim_start_matches('\u{feff}')
            }
            None => text,
        };
        self.seen(text);
    }

    /// What of a text people see.
    pub(super) fn seen(&mut self, text: &str) {
        if self.may_hold_unseen {
            self.unseen += push_visible(&mut self.out, text, true);
        } else {
            self.out.push_str(text);
        }
    }

    pub(super) fn special(&mut self, byte: u8, behind: &str) {
        let sign = char::from(byte);
        match sign {
            '[' | ']' if self.link.is_some() => self.out.push_str(if sign == '[' { "&#91;" } else { "&#93;" }),
            ']' => {
                self.out.push(']');
                self.mark(Tail::Bracket);
            }
            '<' => {
                self.glue('<', false);
                self.out.push('<');
                self.mark(Tail::Less);
            }
            '&' => {
                self.glue('&', false);
                self.out.push_str(if begins_reference(behind) { "&amp;" } else { "&" });
                if behind.is_empty() {
                    self.mark(Tail::Ampersand);
                }
            }
            '`' => {
                self.glue('&', false);
                self.out.push_str("&#96;");
            }
            '\\' => {
                self.glue('\\', false);
                self.out.push('\\');
                self.mark(Tail::Backslash);
            }
            '!' => {
                self.glue('!', false);
                self.out.push('!');
                self.mark(Tail::Exclamation);
            }
            '\0' => self.out.push('\u{fffd}'),
            _ => {
                self.glue(sign, false);
                self.out.push(sign);
            }
        }
    }

    /// Text that stays as it is: math.
    pub(super) fn verbatim(&mut self, text: &str) {
        if let Some(first) = text.chars().next() {
            self.glue(first, false);
            self.seen(text);
        }
    }

    /// Text of which nothing means anything, on one line.
    pub(super) fn literal(&mut self, text: &str) {
        let mut begins_line = false;
        for (at, c) in text.char_indices() {
            // Behind a line end, the prefixes of containers are no text.
            if begins_line && matches!(c, ' ' | '\t' | '\r' | '\n' | '>') {
                continue;
            }
            begins_line = matches!(c, '\r' | '\n');
            let reference = match c {
                // Nor is it an address.
                ':' if text[at..].starts_with("://") => "&#58;",
                '<' => "&lt;",
                '&' => "&amp;",
                '[' => "&#91;",
                ']' => "&#93;",
                '`' => "&#96;",
                '*' => "&#42;",
                '_' => "&#95;",
                '\\' => "&#92;",
                '~' => "&#126;",
                '$' => "&#36;",
                '\n' | '\r' => " ",
                '\0' => "\u{fffd}",
                c => {
                    self.glue(c, false);
                    self.seen(c.encode_utf8(&mut [0; 4]));
                    continue;
                }
            };
            self.glue('&', false);
            self.out.push_str(reference);
        }
    }

    pub(super) fn escape(&mut self, source: &str) {
        if self.is_in_address() {
            // A bare address takes the backslash in.
            self.glue('&', false);
            self.out.push_str(&format!("&#{};", source.as_bytes()[1]));
        } else {
            self.glue('\\', false);
            self.out.push_str(source);
            if source == "\\\\" {
                self.mark(Tail::EscapedBackslash);
            }
        }
    }

    pub(super) fn entity(&mut self, source: &str) {
        self.glue('&', false);
        self.out.push_str(source);
        if ends_in_unseen_reference(&source[..source.len() - 1]) {
            self.out.pop();
            self.out.push(ZERO_WIDTH_SPACE);
            self.out.push(';');
            self.unseen += 1;
        }
    }
}

/// Whether what stands behind a `&` makes a character reference of it.
fn begins_reference(behind: &str) -> bool {
    behind.starts_with(|c: char| c == '#' || c.is_ascii_alphabetic())
        && behind.bytes().find(|byte| !byte.is_ascii_alphanumeric() && *byte != b'#') == Some(b';')
}

/// Whether a text ends with all of a character reference but its semicolon.
fn ends_in_reference(text: &str) -> bool {
    let name = text.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '#');
    name.len() < text.len() && name.ends_with('&')
}
