//! Finds words in a passage.

use std::ops::Range;

use crate::token::Token;

/// The words of a passage without its marks, to find others in.
#[derive(Debug)]
pub(crate) struct WordSequence {
    words: Vec<u64>,
    /// The token of each word.
    places: Vec<usize>,
}

impl WordSequence {
    pub(crate) fn of(tokens: &[Token]) -> Self {
        let words = tokens.iter().enumerate().filter(|(_, token)| !token.is_mark());
        let (places, words) = words.map(|(at, token)| (at, token.full)).unzip();
        Self { words, places }
    }

    /// Where these words stand first behind a place, by Knuth, Morris and Pratt: no input takes quadratic time.
    pub(crate) fn find(&self, needle: &[u64], from: usize) -> Option<Range<usize>> {
        let fallbacks = fallbacks(needle);
        let mut matched = 0;
        for (at, word) in self.words.iter().enumerate().skip(from) {
            while matched > 0 && needle.get(matched) != Some(word) {
                matched = fallbacks[matched - 1];
            }
            matched += usize::from(needle.get(matched) == Some(word));
            if matched == needle.len() {
                return (matched > 0).then(|| at + 1 - matched..at + 1);
            }
        }
        None
    }

    /// The tokens of these words.
    pub(crate) fn tokens(&self, words: Range<usize>) -> Range<usize> {
        let first = self.places.get(words.start).copied().unwrap_or_default();
        let last = words.end.checked_sub(1).and_then(|last| self.places.get(last)).copied().unwrap_or_default();
        first..last + 1
    }
}

/// How many words still match after a mismatch behind so many.
fn fallbacks(needle: &[u64]) -> Vec<usize> {
    let mut fallbacks = vec![0; needle.len()];
    let mut matched = 0;
    for at in 1..needle.len() {
        while matched > 0 && needle[at] != needle[matched] {
            matched = fallbacks[matched - 1];
        }
        matched += usize::from(needle[at] == needle[matched]);
        fallbacks[at] = matched;
    }
    fallbacks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::tokens;

    #[test]
    fn words_that_repeat_are_found() {
        let sequence = WordSequence::of(&tokens("a b a b a c"));
        let needle: Vec<u64> = tokens("a b a c").iter().map(|token| token.full).collect();
        assert_eq!(sequence.find(&needle, 0), Some(2..6));
        assert_eq!(sequence.find(&needle, 3), None);
    }
}
