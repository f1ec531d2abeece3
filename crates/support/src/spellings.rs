//! The words of a text as names may be spelt in another one.

use crate::fold::{EMPTY, fold, hash_with};
use crate::token::Token;
use crate::words::Hashes;

/// The words of a passage as names may be spelt in another text.
#[derive(Debug)]
pub(crate) struct Spellings {
    /// The hashes of its words.
    pub(crate) words: Hashes,
    /// The hashes of neighbouring words as one: `e-mail` is `email`.
    pub(crate) joined: Hashes,
    /// The initials of names of several words, folded: `wc` of `Web Chat`.
    pub(crate) initials: Vec<String>,
}

impl Spellings {
    pub(crate) fn of(text: &str, tokens: &[Token]) -> Self {
        let words: Vec<&Token> = tokens.iter().filter(|token| !token.is_mark()).collect();
        Self {
            joined: words.windows(2).map(|pair| joined(text, pair[0], pair[1])).collect(),
            words: words.into_iter().map(|token| token.full).collect(),
            initials: initials(tokens),
        }
    }
}

/// The hash of two words as one.
pub(crate) fn joined(text: &str, one: &Token, next: &Token) -> u64 {
    let mut hash = EMPTY;
    for token in [one, next] {
        let word = text.get(token.start as usize..token.end as usize).unwrap_or_default();
        word.chars().for_each(|letter| fold(letter, |letter| hash = hash_with(hash, letter)));
    }
    hash
}

/// The initials of names of several words, folded: `wc` of `Web Chat`.
pub(crate) fn initials(tokens: &[Token]) -> Vec<String> {
    let (mut found, mut initials) = (Vec::new(), String::new());
    let mut flush = |initials: &mut String| {
        if initials.chars().count() > 1 {
            found.push(std::mem::take(initials));
        }
        initials.clear();
    };
    for token in tokens {
        if token.is_word() && token.is_capital {
            fold(token.first, |letter| initials.push(letter));
        } else if !(token.is_word() && token.letters <= 3) {
            flush(&mut initials);
        }
    }
    flush(&mut initials);
    found
}
