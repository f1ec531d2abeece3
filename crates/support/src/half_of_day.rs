//! The halves of the day that an hour is told with: `pm`, `p.m.`, `in the evening`.

use std::sync::LazyLock;

use crate::token::Token;
use crate::words::{folded, rows};

/// A half of the day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    BeforeNoon,
    AfterNoon,
}

/// The hashes of the words of each name of a half, by rows of the table.
static NAMES: LazyLock<Vec<(Half, Vec<u64>)>> = LazyLock::new(|| {
    rows(include_str!("tables/halves_of_the_day.txt"))
        .map(|mut row| {
            let half = if row.next() == Some("am") { Half::BeforeNoon } else { Half::AfterNoon };
            (half, row.map(folded).collect())
        })
        .collect()
});

/// The half of the day that these tokens begin by naming, and how many of them name it.
pub(crate) fn half_of_day(tokens: &[Token]) -> Option<(Half, usize)> {
    NAMES.iter().find_map(|(half, words)| Some((*half, named(tokens, words)?)))
}

/// How many tokens these words are, where the tokens begin with them. A point may stand between two words, and an apostrophe before
/// the first.
fn named(tokens: &[Token], words: &[u64]) -> Option<usize> {
    let mut at = usize::from(tokens.first().is_some_and(|token| token.is('\'') || token.is('\u{2019}')));
    for (before, word) in words.iter().enumerate() {
        at += usize::from(before > 0 && tokens.get(at).is_some_and(|token| token.is('.')));
        if tokens.get(at)?.full != *word {
            return None;
        }
        at += 1;
    }
    Some(at)
}
