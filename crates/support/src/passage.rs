//! A passage of a source, read once for all citations of an answer.

use std::cell::OnceCell;
use std::ops::Range;

use crate::fact::Fact;
use crate::facts::facts;
use crate::language::{Language, Scripts};
use crate::loose;
use crate::rows::Rows;
use crate::spellings::Spellings;
use crate::token::{Token, tokens};
use crate::value::{Value, values};
use crate::word_sequence::WordSequence;

/// The bytes of a passage that are read; the rest is not looked at.
pub const MAX_PASSAGE_BYTES: usize = 64 * 1024;

/// The text of a cited source, cut into its words and sentences. The rest is read once, when a sentence has something to hold
/// against it.
#[derive(Debug)]
pub struct Passage<'t> {
    pub(crate) text: &'t str,
    pub(crate) is_cut: bool,
    pub(crate) tokens: Vec<Token>,
    pub(crate) language: Language,
    pub(crate) scripts: Scripts,
    facts: OnceCell<Vec<Fact>>,
    /// The values of amounts, sorted, each once with its unit.
    values: OnceCell<Vec<Value>>,
    rows: OnceCell<Rows>,
    names: OnceCell<Spellings>,
}

impl<'t> Passage<'t> {
    /// Reads a passage, at most its first [`MAX_PASSAGE_BYTES`].
    #[must_use]
    pub fn read(text: &'t str) -> Self {
        let read = cut(text, MAX_PASSAGE_BYTES);
        let tokens = tokens(read);
        Self {
            text: read,
            is_cut: read.len() < text.len(),
            scripts: Scripts::of(read),
            language: Language::of(&tokens),
            tokens,
            facts: OnceCell::new(),
            values: OnceCell::new(),
            rows: OnceCell::new(),
            names: OnceCell::new(),
        }
    }

    /// Whether it has no words: `€` alone says nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.tokens.iter().any(|token| token.first.is_alphanumeric())
    }

    /// Whether the words of a text stand in it as they are.
    #[must_use]
    pub fn holds(&self, text: &str) -> bool {
        let words = tokens(text).into_iter().filter(|token| !token.is_mark()).map(|token| token.full);
        WordSequence::new(words.collect()).find(&self.tokens, 0).is_some()
    }

    /// Its facts.
    pub(crate) fn facts(&self) -> &[Fact] {
        self.facts.get_or_init(|| facts(&self.tokens, self.language.or_english()))
    }

    /// Its rows, if it has a table.
    pub(crate) fn rows(&self) -> &Rows {
        self.rows.get_or_init(|| Rows::of(self.text, &self.tokens, self.facts()))
    }

    /// Its words as names may be spelt elsewhere.
    pub(crate) fn spellings(&self) -> &Spellings {
        self.names.get_or_init(|| Spellings::of(self.text, &self.tokens))
    }

    /// The amounts with a value, up to a difference.
    pub(crate) fn values_near(&self, value: f64, within: f64) -> impl Iterator<Item = &Value> {
        let slack = value.abs() * 1e-9 + 1e-9;
        let (least, most) = (value - within - slack, value + within + slack);
        let values = self.values.get_or_init(|| {
            values(
                &self.tokens,
                self.facts(),
                loose::values(&self.tokens, self.text, self.language.or_english(), self.facts()),
            )
        });
        let from = values.partition_point(|known| known.value < least);
        values[from..].iter().take_while(move |known| known.value <= most)
    }

    /// The text between two tokens, both included, as a place.
    pub(crate) fn place(&self, tokens: Range<usize>) -> Option<Range<usize>> {
        let (first, last) = (self.tokens.get(tokens.start)?, self.tokens.get(tokens.end.checked_sub(1)?)?);
        Some(first.start as usize..last.end as usize)
    }

    /// The tokens of a sentence.
    pub(crate) fn sentence(&self, number: u32) -> Range<usize> {
        let from = self.tokens.partition_point(|token| token.sentence < number);
        let to = self.tokens.partition_point(|token| token.sentence <= number);
        from..to
    }
}

/// The start of a text, at most so many bytes, and no part of a word.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let start = &text[..text.floor_char_boundary(bytes)];
    start.rfind(char::is_whitespace).map_or(start, |blank| &start[..blank])
}
