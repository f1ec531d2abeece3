//! Tables in passages: a number of one row says nothing about what another row names.

use std::cell::OnceCell;

use crate::fact::{Amount, Fact, FactKind};
use crate::passage::Passage;
use crate::rows::{Row, Rows, ends_cell};
use crate::token::Token;
use crate::words::Hashes;

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
    pub(crate) fn have_elsewhere(&self, fact: &Fact) -> bool {
        let FactKind::Amount(amount) = fact.kind else { return false };
        let (facts, Rows { rows, is_cell }) = (self.passage.facts(), self.passage.rows());
        if rows.is_empty() {
            return false;
        }
        let mut places = facts.iter().zip(is_cell).filter(|(known, _)| has_value(&amount, known)).peekable();
        if places.peek().is_none() || !places.all(|(_, is_cell)| *is_cell) {
            return false;
        }
        let named = || rows.iter().zip(self.are_named()).filter(|(_, is_named)| **is_named).map(|(row, _)| row);
        let has_it = |row: &Row| facts[row.facts.clone()].iter().any(|known| has_value(&amount, known));
        named().next().is_some() && !named().any(has_it)
    }

    fn are_named(&self) -> &[bool] {
        self.are_named.get_or_init(|| {
            let own: Hashes = self.sentence.iter().filter(|token| says(token)).map(|token| token.stem).collect();
            let all: Hashes = self.sentence.iter().filter(|token| token.is_word()).map(|token| token.full).collect();
            let is_named = |row: &Row| {
                let words = &self.passage.tokens[row.tokens.clone()];
                // The first cell names its row, whatever word stands there alone.
                let first = words.iter().find(|token| !token.is_mark());
                first.is_some_and(|first| all.contains(&first.full) && ends_cell(self.passage.text, first))
                    || words.iter().any(|token| says(token) && own.contains(&token.stem))
            };
            self.passage.rows().rows.iter().map(is_named).collect()
        })
    }
}

fn has_value(amount: &Amount, known: &Fact) -> bool {
    matches!(known.kind, FactKind::Amount(other) if amount.values.iter().any(|value| other.values.contains(value)))
}

/// Whether a word may name a row.
fn says(token: &Token) -> bool {
    token.weight() > 0.0 && token.numeral().is_none()
}
