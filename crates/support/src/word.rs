//! The letters of a word while it is read, and its stem.

use crate::fold::{EMPTY, digit, fold, hash_with};

/// A word as far as it was read.
pub(crate) struct Word {
    pub(crate) hash: u64,
    /// The hashes of its first folded letters: of none, of one and so on.
    beginnings: [u64; STEM + 1],
    /// The last of the folded letters from which the stem is taken.
    last: [char; ENDING],
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

/// The longest ending that a stem lacks, in letters: `-ings`.
const ENDING: usize = 4;

impl Default for Word {
    fn default() -> Self {
        Self {
            hash: EMPTY,
            beginnings: [EMPTY; STEM + 1],
            last: [' '; ENDING],
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

    /// A word with the letters of ASCII that a text begins with, which most words have alone.
    pub(crate) fn beginning_with(text: &[u8]) -> Self {
        let folded = |letter: &u8| char::from(letter.to_ascii_lowercase());
        let mut word = Self::default();
        for letter in text.iter().take_while(|letter| letter.is_ascii_alphabetic()) {
            word.hash = hash_with(word.hash, folded(letter));
            word.length += 1;
            if let Some(beginning) = word.beginnings.get_mut(word.length) {
                *beginning = word.hash;
            }
            word.lower += usize::from(letter.is_ascii_lowercase());
        }
        let letters = &text[..word.length];
        let capitals = letters.iter().take_while(|letter| letter.is_ascii_uppercase()).count();
        word.has_inner_capital = capitals + word.lower < letters.len();
        let stemmed = &letters[..letters.len().min(STEM_OF)];
        for (place, letter) in word.last.iter_mut().rev().zip(stemmed.iter().rev()) {
            *place = folded(letter);
        }
        word
    }

    fn add(&mut self, letter: char) {
        self.hash = hash_with(self.hash, letter);
        self.length += 1;
        if let Some(beginning) = self.beginnings.get_mut(self.length) {
            *beginning = self.hash;
        }
        if self.length <= STEM_OF {
            let [_, second, third, fourth] = self.last;
            self.last = [second, third, fourth, letter];
        }
    }

    /// The hash of a light stem: without a plural, `-ed`, `-ing` and a last vowel, of at most six letters. Stemmers of one language
    /// need to know the language of a word, which a sentence of an answer often does not tell.
    pub(crate) fn stem(&self) -> u64 {
        let length = self.length.min(STEM_OF);
        let (singular, letters) = match self.last {
            _ if self.is_hangul => return self.beginnings[length.min(2)],
            [.., 's'] if length >= 4 => (length - 1, &self.last[..ENDING - 1]),
            _ => (length, &self.last[1..]),
        };
        let kept = match letters {
            [.., 'e', 'd'] if singular >= 6 => singular - 2,
            [.., 'i', 'n', 'g'] if singular >= 7 => singular - 3,
            [.., 'e' | 'a' | 'o' | 'i' | 'y'] if singular >= 5 => singular - 1,
            [.., 'n'] if singular >= 6 => singular - 1,
            _ => singular,
        };
        self.beginnings[kept.min(STEM)]
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

    /// The stem by its definition, from all letters at once.
    fn defined(word: &str) -> u64 {
        let all: Vec<char> = word.chars().take(STEM_OF).collect();
        let singular = all.strip_suffix(&['s']).filter(|_| all.len() >= 4).unwrap_or(&all);
        let text: String = singular.iter().collect();
        let length = singular.len();
        let kept = match &*text {
            text if text.ends_with("ed") && length >= 6 => length - 2,
            text if text.ends_with("ing") && length >= 7 => length - 3,
            text if text.ends_with(['e', 'a', 'o', 'i', 'y']) && length >= 5 => length - 1,
            text if text.ends_with('n') && length >= 6 => length - 1,
            _ => length,
        };
        singular[..kept.min(STEM)].iter().fold(EMPTY, |hash, letter| hash_with(hash, *letter))
    }

    #[test]
    fn a_stem_needs_the_first_and_the_last_letters_alone() {
        for length in 0..40 {
            for ending in ["", "s", "es", "ed", "eds", "ing", "ings", "n", "ns", "ss", "a", "y", "ö"] {
                let word = format!("{}{ending}", "bcdfghjklm".repeat(4).get(..length).unwrap_or_default());
                let folded = word.replace('ö', "o");
                assert_eq!(stem(&word), defined(&folded), "{word}");
                let at_once = Word::beginning_with(folded.as_bytes());
                assert_eq!((at_once.stem(), at_once.hash), (stem(&folded), crate::fold::hash_of(&folded)), "{word}");
            }
        }
    }

    #[test]
    fn letters_that_come_at_once_are_those_that_come_one_by_one() {
        for text in ["", "a", "A", "leave", "Leave", "PDF", "iOS", "McDonald", "PDFs", "aB", "Ab", "ABc", "employment"]
        {
            let (mut one_by_one, at_once) = (Word::default(), Word::beginning_with(text.as_bytes()));
            text.chars().for_each(|letter| one_by_one.push(letter));
            let told = |word: &Word| (word.hash, word.stem(), word.length, word.lower, word.has_inner_capital);
            assert_eq!(told(&at_once), told(&one_by_one), "{text}");
        }
    }
}
