//! The search terms of a question.

use super::words::{SearchWord, is_stop_word, words};

/// The maximum number of words of a question that are looked for; an answer to more would not be read.
const MAX_WORDS: usize = 32;

/// The bytes of a question that are searched with.
const MAX_BYTES: usize = 8 * 1024;

/// The beginning of a question, with which it is searched: however long it is, a search takes no longer.
#[must_use]
pub fn searched(question: &str) -> &str {
    &question[..question.floor_char_boundary(MAX_BYTES)]
}

/// The words of a question. No word in it is an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchQuestion {
    words: Vec<SearchWord>,
    /// Whether the question has nothing but stop words.
    is_idle: bool,
}

impl SearchQuestion {
    /// Reads a question. Its stop words, English and German ones, are left out where other words remain.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let all = words(searched(text));
        let is_idle = all.iter().all(is_stop_word);
        if is_idle {
            return Self { words: all.into_iter().take(MAX_WORDS).collect(), is_idle };
        }
        let mut kept: Vec<SearchWord> = Vec::new();
        for word in all {
            if kept.len() < MAX_WORDS && !is_stop_word(&word) && !kept.contains(&word) {
                kept.push(word);
            }
        }
        Self { words: kept, is_idle }
    }

    /// The number of its words that are no stop words.
    #[must_use]
    pub fn telling_words(&self) -> usize {
        if self.is_idle { 0 } else { self.words.len() }
    }

    /// The terms to look for: each word by itself; in a question of stop words alone, which are everywhere, all of them
    /// in their order.
    pub(super) fn terms(&self) -> Vec<Term> {
        if !self.is_idle {
            return self.words.iter().map(Term::of).collect();
        }
        let phrase: Vec<String> = self.words.iter().flat_map(letters).collect();
        let term = Term { text: phrase.join(" "), is_prefix: false, is_unspaced: false };
        // One stop word alone is no question.
        Some(term).filter(|_| self.words.len() > 1).into_iter().collect()
    }
}

/// The words of the index that make up a word.
fn letters(word: &SearchWord) -> Vec<String> {
    if word.is_unspaced { word.text.chars().map(String::from).collect() } else { vec![word.text.clone()] }
}

/// A search term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Term {
    /// Letters, digits and blanks only.
    pub(super) text: String,
    pub(super) is_prefix: bool,
    pub(super) is_unspaced: bool,
}

/// Words with fewer letters are not looked for by their beginning.
const MIN_PREFIX: usize = 5;

impl Term {
    fn of(word: &SearchWord) -> Self {
        Self { text: letters(word).join(" "), is_prefix: false, is_unspaced: word.is_unspaced }
    }

    /// The beginning of words that may be other forms of this one, or made with it: for a word that stands nowhere. The
    /// stemmer of the index knows English endings only.
    pub(super) fn beginning(&self) -> Option<Self> {
        let length = self.text.chars().count();
        let is_word = !self.is_unspaced && !self.text.contains(' ') && length > MIN_PREFIX;
        let text = self.text.chars().take(MIN_PREFIX.max(length.saturating_sub(2))).collect();
        is_word.then_some(Self { text, is_prefix: true, is_unspaced: false })
    }

    /// The word as typed without a key for `ä`, `ö` and `ü`: the index has no diacritics.
    pub(super) fn without_umlauts(&self) -> Option<Self> {
        let text = self.text.replace("ae", "a").replace("oe", "o").replace("ue", "u");
        (!self.is_unspaced && text != self.text).then_some(Self { text, ..self.clone() })
    }

    /// The term in the language of the index.
    pub(super) fn expression(&self) -> String {
        let star = if self.is_prefix { "*" } else { "" };
        format!("\"{}\"{star}", self.text)
    }

    /// The term as a word of the question.
    pub(super) fn word(&self) -> String {
        if self.is_unspaced { self.text.replace(' ', "") } else { self.text.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expressions(question: &str) -> Vec<String> {
        SearchQuestion::parse(question).terms().iter().map(Term::expression).collect()
    }

    #[test]
    fn every_word_is_quoted_and_stop_words_are_left_out() {
        assert_eq!(expressions("How many days of leave do I have?"), [r#""days""#, r#""leave""#]);
        assert_eq!(expressions("Wie viele Urlaubstage habe ich für Umzüge?"), [r#""urlaubstage""#, r#""umzuge""#]);
        assert_eq!(expressions(r#"leave" OR title:x* NOT (y)"#), [r#""leave""#, r#""title""#, r#""x""#, r#""y""#]);
        assert_eq!(expressions("请问年假"), [r#""问 年""#, r#""年 假""#]);
    }

    #[test]
    fn stop_words_alone_are_a_phrase() {
        assert_eq!(expressions("To be, or not to be?"), [r#""to be or not to be""#]);
        for nothing in ["", "?", "What", "\"\u{0}*"] {
            assert_eq!(expressions(nothing), [""; 0], "{nothing:?}");
        }
        assert_eq!(SearchQuestion::parse("And what is that?").telling_words(), 0);
    }

    #[test]
    fn a_question_has_its_words_once_and_not_too_many() {
        assert_eq!(expressions("leave LEAVE Léave"), [r#""leave""#]);
        let long: String = (0..100).map(|number| format!("w{number} ")).collect();
        assert_eq!(expressions(&long).len(), MAX_WORDS);
    }

    #[test]
    fn a_beginning_leaves_endings_to_the_text() {
        let beginning = |word: &str| SearchQuestion::parse(word).terms()[0].beginning().map(|term| term.expression());
        assert_eq!(beginning("Kündigungen").as_deref(), Some(r#""kundigung"*"#));
        assert_eq!(beginning("Urlaub").as_deref(), Some(r#""urlau"*"#));
        assert_eq!(beginning("leave"), None);
        assert_eq!(beginning("年假"), None);
    }
}
