//! Tables in passages: a number of one row says nothing about what another row names.

use std::cell::OnceCell;
use std::ops::Range;

use crate::fact::{Amount, Fact, FactKind};
use crate::passage::Passage;
use crate::token::Token;
use crate::words::Hashes;

/// The rows that are looked at. A longer table is no evidence.
const MOST_ROWS: usize = 256;

/// The rows of a passage that have numbers; none if no number stands in a cell.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    rows: Vec<Row>,
    /// Whether each fact of the passage stands alone in a cell.
    is_cell: Vec<bool>,
}

/// A line of a passage: its tokens and its facts.
#[derive(Debug)]
struct Row {
    tokens: Range<usize>,
    facts: Range<usize>,
}

impl Rows {
    pub(crate) fn of(passage: &Passage<'_>) -> Self {
        let is_cell: Vec<bool> = passage.facts().iter().map(|fact| is_cell(passage, fact)).collect();
        if !is_cell.contains(&true) || passage.text.matches('\n').count() >= MOST_ROWS {
            return Self::default();
        }
        Self { rows: rows(passage), is_cell }
    }

    /// Whether some of these tokens of the passage stand in a row with a number in a cell.
    pub(crate) fn touch(&self, tokens: &Range<usize>) -> bool {
        self.rows.iter().any(|row| {
            let overlaps = row.tokens.start < tokens.end && tokens.start < row.tokens.end;
            overlaps && self.is_cell[row.facts.clone()].contains(&true)
        })
    }
}

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
                first.is_some_and(|first| all.contains(&first.full) && ends_cell(self.passage, first))
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

/// Whether a cell ends behind a token.
fn ends_cell(passage: &Passage<'_>, last: &Token) -> bool {
    let behind = passage.text[last.end as usize..].trim_start_matches(' ');
    behind.is_empty()
        || behind.starts_with(['|', '\t', ';', '\n', '\r'])
        // A comma parts cells where no blank follows it.
        || behind.starts_with(',') && !behind[1..].starts_with(' ')
}

/// Whether a number stands alone between the marks that part cells.
fn is_cell(passage: &Passage<'_>, fact: &Fact) -> bool {
    let (Some(first), Some(last)) = (passage.tokens.get(fact.first), passage.tokens.get(fact.end.saturating_sub(1)))
    else {
        return false;
    };
    let before = passage.text[..first.start as usize].trim_end_matches(' ');
    let begins = before.ends_with(['|', '\t', ';']) || before.ends_with(',') && before.len() == first.start as usize;
    begins && ends_cell(passage, last)
}

/// The lines that have facts.
fn rows(passage: &Passage<'_>) -> Vec<Row> {
    let (tokens, facts) = (&passage.tokens, passage.facts());
    let start = |fact: &Fact| tokens.get(fact.first).map_or(usize::MAX, |token| token.start as usize);
    let (mut token, mut fact) = (0, 0);
    let mut rows = Vec::new();
    for end in passage.text.match_indices('\n').map(|(at, _)| at).chain([passage.text.len()]) {
        let (next, next_fact) = (
            token + tokens[token..].partition_point(|token| (token.start as usize) < end),
            fact + facts[fact..].partition_point(|fact| start(fact) < end),
        );
        if next_fact > fact {
            rows.push(Row { tokens: token..next, facts: fact..next_fact });
        }
        (token, fact) = (next, next_fact);
    }
    rows
}
