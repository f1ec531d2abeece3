//! The words of a text as names may be spelt in another one.

use std::cell::OnceCell;

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
    /// The words of such names, folded, read when an acronym is looked for.
    names: OnceCell<Vec<Vec<String>>>,
}

impl Spellings {
    pub(crate) fn of(text: &str, tokens: &[Token]) -> Self {
        let words: Vec<&Token> = tokens.iter().filter(|token| !token.is_mark()).collect();
        Self {
            joined: words.windows(2).map(|pair| joined(text, pair[0], pair[1])).collect(),
            words: words.into_iter().map(|token| token.full).collect(),
            initials: initials(tokens),
            names: OnceCell::new(),
        }
    }

    /// Whether an acronym has the initials of a name, and letters of its words between: `ezb` of `Europäische Zentralbank`.
    pub(crate) fn has_acronym(&self, acronym: &str, text: &str, tokens: &[Token]) -> bool {
        let letters: Vec<char> = acronym.chars().collect();
        // At least two words begin it: one word has many letters.
        let is_it = |name: &[String]| {
            (1..name.len()).any(|from| {
                let (first, rest) = (&name[from - 1], &name[from..]);
                (1..letters.len()).any(|of_first| {
                    let (own, others) = letters.split_at(of_first);
                    spells(std::slice::from_ref(first), own) && spells(rest, others)
                })
            })
        };
        (3..=MOST_LETTERS).contains(&letters.len())
            && self.names.get_or_init(|| names(text, tokens)).iter().any(|name| is_it(name))
    }
}

/// The letters of an acronym, and the words of a name, that are looked at.
const MOST_LETTERS: usize = 6;
const MOST_WORDS: usize = 8;

/// The names that an acronym may stand for.
const MOST_NAMES: usize = 64;

/// The words of names of several words, folded.
fn names(text: &str, tokens: &[Token]) -> Vec<Vec<String>> {
    let (mut found, mut name) = (Vec::new(), Vec::new());
    for token in tokens {
        if token.is_word() && token.is_capital && name.len() < MOST_WORDS {
            let mut word = String::new();
            let written = text.get(token.start as usize..token.end as usize).unwrap_or_default();
            written.chars().for_each(|letter| fold(letter, |letter| word.push(letter)));
            name.push(word);
        } else if !(token.is_word() && token.letters <= 3) {
            found.extend(Some(std::mem::take(&mut name)).filter(|name| name.len() > 1));
        }
    }
    found.extend(Some(name).filter(|name| name.len() > 1));
    found.sort_unstable();
    found.dedup();
    found.truncate(MOST_NAMES);
    found
}

/// Whether letters are the initials of words, in their order, each with letters of its word behind it.
fn spells(words: &[String], letters: &[char]) -> bool {
    let (Some((word, rest)), Some((initial, others))) = (words.split_first(), letters.split_first()) else {
        return letters.is_empty();
    };
    let goes_on = |used: usize| {
        let (own, next) = others.split_at(used);
        let mut inside = word.chars().skip(1);
        own.iter().all(|letter| inside.any(|other| other == *letter)) && spells(rest, next)
    };
    word.starts_with(*initial) && (0..=others.len()).any(goes_on)
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
