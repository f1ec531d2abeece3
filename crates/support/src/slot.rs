//! The place that words take in a sentence: the one between the word before them and the word behind them.

use std::ops::Range;

use crate::token::Token;

/// The words around others; `None` where the sentence begins or ends.
#[derive(Clone, Copy)]
pub(crate) struct Slot<'t> {
    pub(crate) before: Option<&'t Token>,
    pub(crate) behind: Option<&'t Token>,
}

impl<'t> Slot<'t> {
    pub(crate) fn of(tokens: &'t [Token], words: Range<usize>) -> Self {
        let before = tokens[..words.start].iter().rev().find(|token| !token.is_mark());
        let behind = tokens[words.end..].iter().find(|token| !token.is_mark());
        Self { before, behind }
    }

    /// Whether words of another sentence stand between the same words. Where this sentence begins or ends, the other may go on if the
    /// word on the other side says something.
    pub(crate) fn fits(self, tokens: &[Token], words: Range<usize>) -> bool {
        let other = Slot::of(tokens, words);
        is_same(self.before, other.before, self.behind) && is_same(self.behind, other.behind, self.before)
    }

    /// Whether words of another sentence stand beside one of the same words.
    pub(crate) fn touches(self, tokens: &[Token], words: Range<usize>) -> bool {
        let other = Slot::of(tokens, words);
        let is_same = |own: Option<&Token>, other: Option<&Token>| matches!((own, other), (Some(own), Some(other)) if own.stem == other.stem);
        is_same(self.before, other.before) || is_same(self.behind, other.behind)
    }

    /// Whether one of its words says something: `of 5 and` is the place of many numbers.
    pub(crate) fn is_telling(self) -> bool {
        tells(self.before) || tells(self.behind)
    }
}

fn tells(token: Option<&Token>) -> bool {
    token.is_some_and(|token| token.weight() > 0.0)
}

fn is_same(one: Option<&Token>, other: Option<&Token>, opposite: Option<&Token>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.stem == other.stem,
        (None, None) => true,
        (None, Some(_)) => tells(opposite),
        (Some(_), None) => false,
    }
}

/// The first word at a place or behind it.
pub(crate) fn next_word(tokens: &[Token], from: usize) -> Option<usize> {
    (from..tokens.len()).find(|at| !tokens[*at].is_mark())
}
