//! Finds words in a passage.

use std::ops::Range;

use crate::token::Token;

/// Words that are looked for as they are, whatever marks stand between them.
#[derive(Debug)]
pub(crate) struct WordSequence {
    words: Vec<u64>,
    /// How many words still match after a mismatch behind so many.
    fallbacks: Vec<usize>,
}

impl WordSequence {
    pub(crate) fn new(words: Vec<u64>) -> Self {
        let fallbacks = fallbacks(&words);
        Self { words, fallbacks }
    }

    /// The tokens among which these words stand first behind a place, by Knuth, Morris and Pratt: no input takes quadratic time.
    pub(crate) fn find(&self, tokens: &[Token], from: usize) -> Option<Range<usize>> {
        let Self { words, fallbacks } = self;
        let mut matched = 0;
        for (at, token) in tokens.iter().enumerate().skip(from).filter(|(_, token)| !token.is_mark()) {
            while matched > 0 && words.get(matched) != Some(&token.full) {
                matched = fallbacks[matched - 1];
            }
            matched += usize::from(words.get(matched) == Some(&token.full));
            if matched == words.len() {
                let mut places = (0..=at).rev().filter(|place| !tokens[*place].is_mark());
                return places.nth(matched.checked_sub(1)?).map(|first| first..at + 1);
            }
        }
        None
    }
}

fn fallbacks(words: &[u64]) -> Vec<usize> {
    let mut fallbacks = vec![0; words.len()];
    let mut matched = 0;
    for at in 1..words.len() {
        while matched > 0 && words[at] != words[matched] {
            matched = fallbacks[matched - 1];
        }
        matched += usize::from(words[at] == words[matched]);
        fallbacks[at] = matched;
    }
    fallbacks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::tokens;

    #[test]
    fn words_that_repeat_are_found_across_marks() {
        let passage = tokens("a b a, b (a) c");
        let sought = WordSequence::new(tokens("a b a c").iter().map(|token| token.full).collect());
        assert_eq!(sought.find(&passage, 0), Some(2..9));
        assert_eq!(sought.find(&passage, 3), None);
        assert_eq!(WordSequence::new(Vec::new()).find(&passage, 0), None);
    }
}
