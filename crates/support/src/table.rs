//! Tables in passages: a number of one row says nothing about what another row names.

use std::cell::OnceCell;
use std::ops::Range;

use crate::fact::{Fact, FactKind};
use crate::passage::Passage;
use crate::rows::{Row, Rows};
use crate::token::Token;
use crate::words::{Hashes, Languages};

/// The numbers of a row, and of a sentence, that are compared.
const MOST: usize = 32;

/// The rows of a passage beside a sentence.
pub(crate) struct NamedRows<'a> {
    passage: &'a Passage<'a>,
    sentence: &'a [Token],
    /// Whether each row has a word of the sentence.
    are_named: OnceCell<Vec<bool>>,
}

impl<'a> NamedRows<'a> {
    pub(crate) fn new(sentence: &'a [Token], passage: &'a Passage<'a>) -> Self {
        Self { passage, sentence, are_named: OnceCell::new() }
    }

    /// Whether a number stands in rows alone that have no word of the sentence, while another row with numbers has one.
    pub(crate) fn have_elsewhere(&self, fact: &Fact, own: &[Fact]) -> bool {
        let (facts, Rows { rows, is_cell, is_named }) = (self.passage.facts(), self.passage.rows());
        if rows.is_empty() {
            return false;
        }
        let is_in_row = |at: usize| is_cell[at] || is_named[at];
        let mut places = (0..facts.len()).filter(|at| has_value(fact, &facts[*at])).peekable();
        if places.peek().is_none() || !places.clone().all(is_in_row) {
            return false;
        }
        let named = || rows.iter().zip(self.are_named()).filter(|(_, is_named)| **is_named).map(|(row, _)| row);
        let has_it = |row: &Row| facts[row.facts.clone()].iter().any(|known| has_value(fact, known));
        if named().next().is_none() || named().any(has_it) {
            return false;
        }
        // A line may be called otherwise by the sentence. It names one line for certain if that has another number of this kind, which the
        // sentence lacks.
        let lacks = |row: &Row| {
            let of_kind = || row.facts.clone().filter(|at| is_of_kind(fact, &facts[*at])).take(MOST);
            let is_said = |at: usize| own.iter().take(MOST).any(|own| has_value(own, &facts[at]));
            of_kind().next().is_some() && !of_kind().any(is_said)
        };
        let is_time = matches!(fact.kind, FactKind::Time(_));
        let is_plain = || !self.sentence.iter().any(|token| token.negates(Languages::ANY));
        !is_time && places.all(|at| is_cell[at]) || is_plain() && named().count() == 1 && named().all(lacks)
    }

    fn are_named(&self) -> &[bool] {
        self.are_named.get_or_init(|| {
            let own: Hashes = self.sentence.iter().filter(|token| says(token)).map(|token| token.stem).collect();
            let all: Hashes = self.sentence.iter().filter(|token| !token.is_mark()).map(|token| token.full).collect();
            let tokens = &self.passage.tokens;
            let rows = &self.passage.rows().rows;
            let words = |range: &Range<usize>| tokens[range.clone()].iter().filter(|token| !token.is_mark());
            let is_named_whole = |row: &Row| {
                let mut key = words(&row.key).peekable();
                key.peek().is_some() && key.all(|token| all.contains(&token.full))
            };
            let whole: Vec<bool> = rows.iter().map(is_named_whole).collect();
            // "DM 160" names one row, although others have a "DM" as well.
            let keys = rows.iter().zip(&whole).filter(|(_, is_whole)| **is_whole).flat_map(|(row, _)| words(&row.key));
            let in_keys: Hashes = keys.map(|token| token.stem).collect();
            let has_word = |row: &Row| {
                let is_own = |token: &Token| says(token) && own.contains(&token.stem) && !in_keys.contains(&token.stem);
                words(&row.tokens).any(is_own)
            };
            // The first cell names its row, whatever word stands there alone.
            rows.iter().zip(&whole).map(|(row, is_whole)| *is_whole || has_word(row)).collect()
        })
    }
}

/// Whether two facts may stand in one place.
fn is_of_kind(fact: &Fact, known: &Fact) -> bool {
    match (fact.kind, known.kind) {
        (FactKind::Amount(amount), FactKind::Amount(other)) => {
            amount.unit.map(|unit| unit.dimension) == other.unit.map(|unit| unit.dimension)
        }
        (one, other) => std::mem::discriminant(&one) == std::mem::discriminant(&other),
    }
}

fn has_value(fact: &Fact, known: &Fact) -> bool {
    match (fact.kind, known.kind) {
        (FactKind::Amount(amount), FactKind::Amount(other)) => {
            amount.values.iter().any(|value| other.values.contains(value))
        }
        (FactKind::Time(times), FactKind::Time(known)) => times.iter().any(|time| known.contains(time)),
        _ => false,
    }
}

/// Whether a word may name a row.
fn says(token: &Token) -> bool {
    token.weight() > 0.0 && token.numeral().is_none()
}
