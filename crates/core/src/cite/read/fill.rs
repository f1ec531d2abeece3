//! Completes the tokens of a leaf: text between two tokens becomes a token too, except blanks and container prefixes.

use std::ops::Range;

use super::token::{Inline, Token, TokenKind};

impl Inline<'_> {
    /// Adds a token. Adjacent text is one token.
    pub(super) fn push(&mut self, text: &str, kind: TokenKind, mut range: Range<usize>) {
        if self.fill(text, range.start) && kind == TokenKind::Text && text[range.clone()].starts_with(is_escapable) {
            // The gap ended with the backslash of this escape.
            if let Some(backslash) = self.tokens.pop_if(|token| text[token.range.clone()] == *"\\") {
                self.add(TokenKind::Escape, backslash.range.start..range.start + 1);
                range.start += 1;
                if range.is_empty() {
                    return;
                }
            }
        }
        self.add(kind, range);
    }

    fn add(&mut self, kind: TokenKind, range: Range<usize>) {
        match self.tokens.last_mut() {
            Some(Token { kind: TokenKind::Text, range: last })
                if kind == TokenKind::Text && last.end == range.start =>
            {
                last.end = range.end;
            }
            _ => self.tokens.push(Token { kind, range }),
        }
    }

    /// Merges adjacent text tokens, from the index `from` on.
    pub(super) fn join_text(&mut self, from: usize) {
        let mut joined: Vec<Token> = Vec::with_capacity(self.tokens.len() - from);
        let mut places = Vec::with_capacity(self.tokens.len() - from);
        for token in self.tokens.drain(from..) {
            match joined.last_mut() {
                Some(Token { kind: TokenKind::Text, range: last })
                    if token.kind == TokenKind::Text && last.end == token.range.start =>
                {
                    last.end = token.range.end;
                }
                _ => joined.push(token),
            }
            places.push(from + joined.len() - 1);
        }
        self.tokens.append(&mut joined);
        for link in &mut self.links {
            for place in [&mut link.open, &mut link.close] {
                *place = place.checked_sub(from).and_then(|at| places.get(at)).copied().unwrap_or(*place);
            }
        }
    }

    /// Adds a text token for the gap between the last token and `to`, without the blanks and container prefixes around it.
    /// Returns whether the gap held any text.
    pub(super) fn fill(&mut self, text: &str, to: usize) -> bool {
        if self.tokens.last().is_some_and(|token| token.range.end == to) {
            return false;
        }
        // Before the first token, the parser omits nothing but a backslash.
        let first = to.checked_sub(1).filter(|at| text.as_bytes()[*at] == b'\\');
        let from = self.tokens.last().map_or(first, |token| Some(token.range.end));
        let Some(from) = from.filter(|from| *from < to) else { return false };
        let gap = &text[from..to];
        let is_prefix = |c: char| matches!(c, ' ' | '\t' | '\r' | '\n' | '>');
        let content = gap.trim_matches(is_prefix);
        if content.is_empty() {
            return false;
        }
        let start = from + gap.len() - gap.trim_start_matches(is_prefix).len();
        // A backslash at the end of the gap is a token of its own until the escaped character comes.
        let is_escape = content.ends_with('\\') && start + content.len() == to;
        let end = start + content.len() - usize::from(is_escape);
        if start < end {
            self.add(TokenKind::Text, start..end);
        }
        if is_escape {
            self.tokens.push(Token { kind: TokenKind::Text, range: end..end + 1 });
        }
        true
    }
}

fn is_escapable(c: char) -> bool {
    c.is_ascii_punctuation()
}
