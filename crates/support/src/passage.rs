//! A passage of a source, read once for all citations of an answer.

use std::cell::OnceCell;
use std::ops::Range;

use crate::fact::{Fact, FactKind};
use crate::facts::facts;
use crate::language::{Language, Scripts};
use crate::rows::Rows;
use crate::spellings::Spellings;
use crate::token::{Token, tokens};
use crate::word_sequence::WordSequence;
use crate::words::{Dimension, Unit};

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

/// A number of a passage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Value {
    pub(crate) value: f64,
    pub(crate) origin: Origin,
    pub(crate) is_negative: bool,
}

/// Where the value of a number comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Origin {
    /// It is written so.
    Written(Option<Unit>),
    /// It is written in another unit, and is this in the base unit of its dimension.
    Converted(Unit),
    /// It is a part of one, in words.
    Fraction,
    /// It is a day, a month or a year.
    DatePart,
}

impl Origin {
    pub(crate) fn unit(self) -> Option<Unit> {
        match self {
            Self::Written(unit) => unit,
            Self::Converted(unit) => Some(unit),
            Self::Fraction | Self::DatePart => None,
        }
    }

    /// Its place among values that are equal.
    fn rank(self) -> (u8, Option<Dimension>) {
        let kind = match self {
            Self::Written(_) => 0,
            Self::Converted(_) => 1,
            Self::Fraction => 2,
            Self::DatePart => 3,
        };
        (kind, self.unit().map(|unit| unit.dimension))
    }
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
        let values = self.values.get_or_init(|| values(&self.tokens, self.facts()));
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

/// The values of all numbers, sorted, each once, so that one is found without looking at each.
fn values(tokens: &[Token], facts: &[Fact]) -> Vec<Value> {
    let mut values = Vec::new();
    let mut is_read = vec![false; tokens.len()];
    for fact in facts {
        is_read[fact.first..fact.end].fill(true);
        match fact.kind {
            FactKind::Amount(amount) => {
                let base = Value { value: 0.0, origin: Origin::Written(amount.unit), is_negative: amount.is_negative };
                // Most numbers have one reading.
                let readings = 1 + usize::from(amount.values[0] != amount.values[1]);
                for (value, in_base) in amount.values.into_iter().zip(amount.in_base()).take(readings) {
                    values.push(Value { value, ..base });
                    let unit = amount.unit;
                    values.extend(unit.map(|unit| Value { value: in_base, origin: Origin::Converted(unit), ..base }));
                }
                values.extend(amount.joined.map(|value| Value { value, ..base }));
            }
            FactKind::Fraction(value) => values.push(Value { value, origin: Origin::Fraction, is_negative: false }),
            FactKind::Date(date) => {
                let parts = [date.year, date.month.map(u16::from), date.day.map(u16::from)].into_iter().flatten();
                let value = |part| Value { value: f64::from(part), origin: Origin::DatePart, is_negative: false };
                values.extend(parts.map(value));
            }
            FactKind::Time(_) => {}
        }
    }
    // Numbers of items: a number that stands there is not missing.
    let others = tokens.iter().zip(is_read).filter(|(_, is_read)| !is_read).filter_map(|(token, _)| token.numeral());
    let written = |value| Value { value, origin: Origin::Written(None), is_negative: false };
    values.extend(others.flat_map(|numeral| numeral.values).map(written));
    values.sort_unstable_by(|one, other| {
        let factor = |value: &Value| value.origin.unit().map_or(1.0, |unit| unit.factor);
        let rank = |value: &Value| (value.origin.rank(), value.is_negative);
        let by_value = one.value.total_cmp(&other.value).then_with(|| rank(one).cmp(&rank(other)));
        by_value.then_with(|| factor(one).total_cmp(&factor(other)))
    });
    values.dedup();
    values
}
