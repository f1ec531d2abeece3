//! Writes characters: escapes those that must mean nothing, and separates neighbors that would mean something together.

use super::writer::{Tail, Writer, ZERO_WIDTH_SPACE};
use crate::text::{ByteSet, ends_in_unseen_reference, push_visible};

/// Bytes of text that need special treatment: those that Markdown may read, and NUL.
static SPECIAL: ByteSet = ByteSet::of(b"[]<&`\\!\0");

impl Writer {
    /// Writes a separator when the end of the output and `next` would mean something together. `is_live` tells that a link
    /// or a badge comes next.
    pub(super) fn glue(&mut self, next: char, is_live: bool) {
        let tail = std::mem::take(&mut self.line.tail);
        if next == ';' && ends_in_reference(&self.out) {
            self.out.push(ZERO_WIDTH_SPACE);
        }
        if self.line.tail_at != self.out.len() {
            return;
        }
        match (tail, next) {
            // The badge would be the text of a link, or the label of a definition; markdown-it reads attributes behind a
            // link.
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
            // It would be a definition, when a paragraph begins with the bracket.
            (Tail::Bracket, ':') if self.out[self.line.paragraph..].starts_with('[') => {
                let sign = if self.is_in_address() { ZERO_WIDTH_SPACE } else { '\\' };
                self.out.push(sign);
            }
            // It would be an image.
            (Tail::Exclamation, '[') => self.out.push(ZERO_WIDTH_SPACE),
            // It would be a character reference.
            (Tail::Ampersand, c) if c == '#' || c.is_ascii_alphanumeric() => self.out.push(ZERO_WIDTH_SPACE),
            // It would be a tag.
            (Tail::Less, c) if c.is_ascii_alphabetic() || "/!?".contains(c) => {
                self.out.pop();
                self.out.push_str("&lt;");
            }
            // Not every program that looks for numbers knows that `\\[1]` holds an escaped backslash.
            (Tail::Backslash | Tail::EscapedBackslash, '[') if is_live => self.out.push(ZERO_WIDTH_SPACE),
            // It would be an escape.
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

    /// Takes back a backslash at the end: the next character decides how it is written.
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

    /// Writes literal text. Special characters in it are written one by one.
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

    /// Writes text without special characters.
    fn word(&mut self, text: &str) {
        let Some(first) = text.chars().next() else { return };
        self.glue(first, false);
        // Some engines skip U+FEFF at the beginning of a line.
        let text = match text.strip_prefix('\u{feff}').filter(|_| self.out.len() == self.line.start) {
            Some(rest) => {
                self.out.push(ZERO_WIDTH_SPACE);
                rest.trim_start_matches('\u{feff}')
            }
            None => text,
        };
        self.seen(text);
    }

    /// Writes the visible characters of a text, and counts the others.
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

    /// Writes text as it is, such as math.
    pub(super) fn verbatim(&mut self, text: &str) {
        if let Some(first) = text.chars().next() {
            self.glue(first, false);
            self.seen(text);
        }
    }

    /// Writes text as one line in which nothing is Markdown.
    pub(super) fn literal(&mut self, text: &str) {
        let mut begins_line = false;
        for (at, c) in text.char_indices() {
            // Behind a line end, container prefixes are no text.
            if begins_line && matches!(c, ' ' | '\t' | '\r' | '\n' | '>') {
                continue;
            }
            begins_line = matches!(c, '\r' | '\n');
            let reference = match c {
                // It must not be a bare address either.
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
            // A bare address would take in the backslash.
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

/// Whether the text behind a `&` makes a character reference with it.
fn begins_reference(behind: &str) -> bool {
    behind.starts_with(|c: char| c == '#' || c.is_ascii_alphabetic())
        && behind.bytes().find(|byte| !byte.is_ascii_alphanumeric() && *byte != b'#') == Some(b';')
}

/// Whether a text ends with all of a character reference but its semicolon.
fn ends_in_reference(text: &str) -> bool {
    let name = text.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '#');
    name.len() < text.len() && name.ends_with('&')
}
