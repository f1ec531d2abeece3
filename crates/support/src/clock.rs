//! The times of day that words say: `half past six`, `quarter to nine`, `noon`.

use std::sync::LazyLock;

use crate::token::Token;
use crate::words::{ByWord, Languages, WORDS, folded, rows};

/// Where the words of a phrase stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stands {
    /// Before the hour: `half past`.
    Before,
    /// Behind the hour: `y media`.
    Behind,
    /// Alone: `noon`.
    Alone,
}

/// Words that say a part of an hour, or a time.
struct Phrase {
    languages: Languages,
    stands: Stands,
    minutes: f64,
    words: Vec<u64>,
}

/// The phrases by their first words.
static PHRASES: LazyLock<ByWord<Vec<Phrase>>> = LazyLock::new(|| {
    let mut phrases = ByWord::<Vec<Phrase>>::default();
    let read = |mut row: std::str::SplitWhitespace<'static>| {
        let languages = row.next().filter(|code| *code != "*").map_or(Languages::ANY, |code| WORDS.language(code));
        let stands = match row.next()? {
            "before" => Stands::Before,
            "behind" => Stands::Behind,
            _ => Stands::Alone,
        };
        let minutes = row.next()?.parse().ok()?;
        Some(Phrase { languages, stands, minutes, words: row.map(folded).collect() })
    };
    for phrase in rows(include_str!("tables/clock_phrases.txt")).filter_map(read) {
        phrases.entry(phrase.words.first().copied().unwrap_or_default()).or_default().push(phrase);
    }
    phrases
});

fn phrase(tokens: &[Token], at: usize, stands: Stands, languages: Languages) -> Option<(f64, usize)> {
    let phrases = PHRASES.get(&tokens.get(at)?.full)?;
    let is_here = |phrase: &&Phrase| {
        let mut words = phrase.words.iter().enumerate();
        phrase.stands == stands
            && phrase.languages.has(languages)
            && words.all(|(offset, word)| tokens.get(at + offset).is_some_and(|token| token.full == *word))
    };
    let found = phrases.iter().filter(is_here).max_by_key(|phrase| phrase.words.len())?;
    Some((found.minutes, at + found.words.len()))
}

/// The minutes that words add to the hour behind them, and the place of that hour.
pub(crate) fn before_hour(tokens: &[Token], at: usize, languages: Languages) -> Option<(f64, usize)> {
    phrase(tokens, at, Stands::Before, languages)
}

/// The minutes that words add to the hour before them, and the place behind the words.
pub(crate) fn behind_hour(tokens: &[Token], at: usize, languages: Languages) -> Option<(f64, usize)> {
    phrase(tokens, at, Stands::Behind, languages)
}

/// The minutes of a time with a name, and the place behind it.
pub(crate) fn named(tokens: &[Token], at: usize, languages: Languages) -> Option<(f64, usize)> {
    phrase(tokens, at, Stands::Alone, languages)
}
