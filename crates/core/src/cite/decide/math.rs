//! Math and formulas, in which no bracket is a marker (policy P-02).

use std::ops::Range;

use super::Piece;
use super::leaf::{Leaf, Within};
use crate::cite::LiteralNumbers;
use crate::cite::loose::ends_in_hashes;
use crate::cite::read::{MathEnd, Token, TokenKind, end_of_math};

/// Formulas in parentheses are short and on one line.
const MAX_SHORT: usize = 256;

/// Longer formulas between escaped square brackets are text.
const MAX_FORMULA: usize = 1024;

impl Leaf<'_, '_> {
    /// Handles a dollar behind the text in `before`. Returns the offset at which to go on.
    pub(super) fn math(&mut self, token: usize, before: Range<usize>) -> Option<usize> {
        let at = before.end;
        let leaf_end = self.inline.range()?.end;
        // A dollar in the text of a link opens no math that ends behind the link.
        let is_edge = |token: &&Token| matches!(token.kind, TokenKind::Open(_) | TokenKind::Close(_));
        let edge = if self.within == Within::Link { self.inline.tokens[token..].iter().find(is_edge) } else { None };
        let rest = &self.source()[at..edge.map_or(leaf_end, |edge| edge.range.start)];
        let run = rest.bytes().take(2).take_while(|byte| *byte == b'$').count();
        if run == 2 && ends_in_hashes(&self.source()[..at]) {
            self.push_text(before.start..at + run);
            return Some(at + run);
        }
        let MathEnd::At(end) = end_of_math(rest, run) else {
            // A single dollar is text, and so are two that open no math.
            if self.context.rules.extended {
                self.push_text(before);
                self.dollar_as_text(at..at + run);
            } else {
                self.push_text(before.start..at + run);
            }
            return Some(at + run);
        };
        let end = at + end;
        if end > self.held && self.within != Within::Link {
            // Later text may show that the math holds a link, and then its dollars are text. In the text of a link this is
            // known, since that is held back until it ends.
            self.push_text(before);
            self.held = at;
            return Some(leaf_end);
        }
        let content = &self.source()[at + run..end - run];
        if self.could_act(token, at..end) || self.within == Within::Link && content.contains('[') {
            self.push_text(before);
            if content.contains('[') || self.context.rules.extended {
                // Escape the dollars: engines with and without math then read the content alike.
                self.state.neutralised("math", at, format!("{rest} is shown as text", rest = &rest[..run]));
                self.pieces.push(Piece::Literal(at..at + run));
            } else {
                self.push_text(at..at + run);
            }
            return Some(at + run);
        }
        self.push_text(before);
        self.verbatim(token, at..end);
        Some(end)
    }

    /// Writes dollars so that a channel with math draws none from there on.
    fn dollar_as_text(&mut self, range: Range<usize>) {
        if range.len() > 1 {
            let message = "the math that $$ opens here does not end, or is too long; its dollars are shown as text";
            self.state.neutralised("math", range.start, message.to_owned());
        }
        self.pieces.push(Piece::Literal(range));
    }

    /// Handles an escaped character, which may begin a formula.
    pub(super) fn escape(&mut self, token: usize, range: Range<usize>) {
        let close = match self.source().as_bytes()[range.end - 1] {
            b'(' => Some(b')'),
            b'[' => Some(b']'),
            _ => None,
        };
        if let Some(end) = close
            .filter(|_| self.within != Within::Link)
            .and_then(|close| self.end_of_formula(token, close))
            .filter(|end| *end <= self.held)
        {
            let content = &self.source()[range.end..end - 2];
            if content.contains('[') && is_formula(content) && !self.could_act(token, range.start..end) {
                self.verbatim(token, range.start..end);
                self.done = end;
                return;
            }
        }
        let is_bracket = self.source()[..range.end].ends_with('[');
        self.pieces.push(Piece::Escape(range.clone()));
        if is_bracket {
            self.shown_number(range.start, range.end);
        }
    }

    /// Handles a bracket that is drawn as text, escaped or in math, with a number behind it: programs that read the drawn
    /// text would take it for a badge.
    fn shown_number(&mut self, bracket: usize, at: usize) {
        let behind = &self.source()[at..];
        let digits = &behind[..behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_digit()).len()];
        let is_claim = digits.parse().is_ok_and(|n| self.context.may_be_claim(n));
        let rules = self.context.rules;
        if !is_claim || rules.literal_numbers == LiteralNumbers::Escape {
            return;
        }
        self.state.literal_number(rules, bracket, &format!("[{digits}]"));
        if rules.literal_numbers == LiteralNumbers::Break {
            self.pieces.push(Piece::Apart);
        }
    }

    /// The offset behind the formula that the escape at `token` opens; `None` when it is not closed, too long, or holds
    /// another opening.
    fn end_of_formula(&self, token: usize, close: u8) -> Option<usize> {
        let text = self.source().as_bytes();
        let start = self.inline.tokens[token].range.clone();
        let open = text[start.end - 1];
        let longest = if open == b'(' { MAX_SHORT } else { MAX_FORMULA };
        for token in &self.inline.tokens[token + 1..] {
            let is_line_end = matches!(token.kind, TokenKind::SoftBreak | TokenKind::HardBreak);
            if token.range.end - start.end > longest + 2 || open == b'(' && is_line_end {
                return None;
            }
            if token.kind == TokenKind::Escape {
                match text[token.range.end - 1] {
                    byte if byte == close => return Some(token.range.end),
                    byte if byte == open => return None,
                    _ => {}
                }
            }
        }
        None
    }

    /// Copies a range as written; its line breaks become pieces of their own.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all else stands within a line")]
    fn verbatim(&mut self, token: usize, range: Range<usize>) {
        let mut from = range.start;
        for token in &self.inline.tokens[token..] {
            if token.range.start >= range.end {
                break;
            }
            let piece = match token.kind {
                TokenKind::SoftBreak => Piece::SoftBreak(token.range.clone()),
                TokenKind::HardBreak => Piece::HardBreak(token.range.clone()),
                _ => {
                    let end = token.range.end.min(range.end);
                    if self.context.rules.literal_numbers != LiteralNumbers::Escape {
                        self.verbatim_numbers(from.max(token.range.start)..end);
                        from = end;
                        continue;
                    }
                    match self.pieces.last_mut() {
                        Some(Piece::Verbatim(last)) if last.end == from => last.end = end,
                        _ => self.pieces.push(Piece::Verbatim(from.max(token.range.start)..end)),
                    }
                    from = end;
                    continue;
                }
            };
            self.pieces.push(piece);
            from = token.range.end;
        }
    }

    /// Copies math, and handles the brackets in it that may show numbers.
    fn verbatim_numbers(&mut self, range: Range<usize>) {
        let mut from = range.start;
        for (at, _) in self.source()[range.clone()].match_indices('[') {
            let behind = range.start + at + 1;
            self.pieces.push(Piece::Verbatim(from..behind));
            self.shown_number(behind - 1, behind);
            from = behind;
        }
        self.pieces.push(Piece::Verbatim(from..range.end));
    }

    /// Whether an engine without math would read a link, an image, code or HTML in this range. Such math is read as text.
    fn could_act(&self, token: usize, range: Range<usize>) -> bool {
        let source = &self.source()[range.clone()];
        let acts = |kind| {
            matches!(
                kind,
                TokenKind::Code | TokenKind::Html | TokenKind::Autolink | TokenKind::Open(_) | TokenKind::Close(_)
            )
        };
        let mut inside = self.inline.tokens[token..].iter().take_while(|token| token.range.start < range.end);
        inside.any(|token| acts(token.kind))
            || source.contains('`')
            || source.contains("](")
            || source.contains("![")
            || source.contains("][")
            || source.match_indices('<').any(|(at, _)| may_be_tag(&source[at + 1..]))
    }
}

/// Whether the text behind a `<` may go on as a tag or an address; not in `$a<b$`.
fn may_be_tag(behind: &str) -> bool {
    let rest = behind.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-');
    let signs: &[char] = if rest.len() < behind.len() {
        &[' ', '\t', '\r', '\n', '/', '>', ':', '@']
    } else {
        &['/', '!', '?', '.', '_']
    };
    rest.starts_with(signs)
}

/// Whether the text between escaped brackets is a formula, not prose: outside of inner brackets it holds a sign that prose
/// does not, or it is a single word. Traces of an earlier conversion show that it was prose then.
fn is_formula(content: &str) -> bool {
    if content.contains(['\u{200b}', '\u{200a}']) || content.contains("&#") || content.contains("&lt;") {
        return false;
    }
    let mut depth = 0_usize;
    let mut holds_sign = false;
    for c in content.chars() {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            '=' | '^' | '_' | '{' | '\\' | '+' | '<' | '>' => holds_sign |= depth == 0,
            _ => {}
        }
    }
    holds_sign || content.starts_with(char::is_alphabetic) && !content.contains(char::is_whitespace)
}
