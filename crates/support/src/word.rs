//! The letters of a word while it is read, and its stem.

use crate::fold::{EMPTY, digit, fold, hash_with};

/// A word as far as it was read.
pub(crate) struct Word {
    pub(crate) hash: u64,
    /// The first folded letters, for the stem.
    start: [char; STEM_OF],
    pub(crate) length: usize,
    pub(crate) lower: usize,
    pub(crate) has_digit: bool,
    pub(crate) has_inner_capital: bool,
    is_hangul: bool,
}

/// The letters from which a stem is taken.
const STEM_OF: usize = 32;

/// The longest stem, in letters.
const STEM: usize = 6;

impl Default for Word {
    fn default() -> Self {
        Self {
            hash: EMPTY,
            start: [' '; STEM_OF],
            length: 0,
            lower: 0,
            has_digit: false,
            has_inner_capital: false,
            is_hangul: false,
        }
    }
}

impl Word {
    pub(crate) fn push(&mut self, character: char) {
        if character.is_ascii_lowercase() {
            self.lower += 1;
            return self.add(character);
        }
        self.has_inner_capital |= character.is_uppercase() && self.lower > 0;
        self.lower += usize::from(character.is_lowercase());
        self.is_hangul |= matches!(character, '\u{ac00}'..='\u{d7a3}');
        if let Some(value) = digit(character) {
            self.has_digit = true;
            self.add(char::from_digit(value, 10).unwrap_or('0'));
            return;
        }
        fold(character, |letter| self.add(letter));
    }

    fn add(&mut self, letter: char) {
        self.hash = hash_with(self.hash, letter);
        if let Some(place) = self.start.get_mut(self.length) {
            *place = letter;
        }
        self.length += 1;
    }

    /// The hash of a light stem: without a plural, `-ed`, `-ing` and a last vowel, of at most six letters. Stemmers of one language
    /// need to know the language of a word, which a sentence of an answer often does not tell.
    pub(crate) fn stem(&self) -> u64 {
        let length = self.length.min(STEM_OF);
        let letters = &self.start[..length];
        let singular = match letters {
            _ if self.is_hangul => length.min(2),
            [.., 's'] if length >= 4 => length - 1,
            _ => length,
        };
        let kept = match &letters[..singular] {
            [.., 'e', 'd'] if singular >= 6 => singular - 2,
            [.., 'i', 'n', 'g'] if singular >= 7 => singular - 3,
            [.., 'e' | 'a' | 'o' | 'i' | 'y'] if singular >= 5 => singular - 1,
            [.., 'n'] if singular >= 6 => singular - 1,
            _ => singular,
        };
        letters[..kept.min(STEM)].iter().fold(EMPTY, |hash, letter| hash_with(hash, *letter))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stem(text: &str) -> u64 {
        let mut word = Word::default();
        text.chars().for_each(|letter| word.push(letter));
        word.stem()
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for (one, other) in
            [("leaves", "leave"), ("worked", "working"), ("employee", "employees"), ("Häuser", "hauser")]
        {
            assert_eq!(stem(one), stem(other), "{one} {other}");
        }
        assert_ne!(stem("leave"), stem("lease"));
    }
}
