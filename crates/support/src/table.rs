//! Tables in passages: a number of one row says nothing about what another row names.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use crate::fact::{Amount, Fact, FactKind};
use crate::passage::Passage;
use crate::sentence::Sentence;
use crate::token::Token;
use crate::words::Identity;

/// The rows that are looked at. A longer table is no evidence.
const MOST_ROWS: usize = 256;

/// Whether the number stands in rows alone that have no word of the sentence, while another row with numbers has one.
pub(crate) fn is_of_another_row(fact: &Fact, sentence: &Sentence<'_>, passage: &Passage<'_>) -> bool {
    let FactKind::Amount(amount) = fact.kind else { return false };
    let mut places = passage.facts.iter().filter(|known| has_value(&amount, known)).peekable();
    if places.peek().is_none() || !places.all(|known| is_cell(passage, known)) {
        return false;
    }
    let own = sentence.tokens.iter().filter(|token| says(token)).map(|token| token.stem);
    let own: HashSet<u64, BuildHasherDefault<Identity>> = own.collect();
    let (mut has_other, mut rows) = (false, 0);
    for row in rows_of(passage) {
        rows += 1;
        if rows > MOST_ROWS {
            return false;
        }
        let facts = facts_of(passage, row);
        if facts.is_empty() {
            continue;
        }
        let is_named = row.iter().any(|token| says(token) && own.contains(&token.stem));
        match (is_named, facts.iter().any(|known| has_value(&amount, known))) {
            (true, true) => return false,
            (true, false) => has_other = true,
            (false, _) => {}
        }
    }
    has_other
}

fn has_value(amount: &Amount, known: &Fact) -> bool {
    matches!(known.kind, FactKind::Amount(other) if amount.values.iter().any(|value| other.values.contains(value)))
}

/// Whether a word may name a row.
fn says(token: &Token) -> bool {
    token.weight() > 0.0 && token.numeral().is_none()
}

/// Whether a number stands alone between the marks that part cells.
fn is_cell(passage: &Passage<'_>, fact: &Fact) -> bool {
    let (Some(first), Some(last)) = (passage.tokens.get(fact.first), passage.tokens.get(fact.end.saturating_sub(1)))
    else {
        return false;
    };
    let before = passage.text[..first.start as usize].trim_end_matches(' ');
    let behind = passage.text[last.end as usize..].trim_start_matches(' ');
    let parts = |mark: char| matches!(mark, '|' | '\t' | ';');
    // A comma parts cells where no blank follows it.
    let begins = before.ends_with(parts) || before.ends_with(',') && before.len() == first.start as usize;
    let ends = behind.is_empty()
        || behind.starts_with(|mark: char| parts(mark) || matches!(mark, '\n' | '\r'))
        || behind.starts_with(',') && !behind[1..].starts_with(' ');
    begins && ends
}

/// The tokens of each line.
fn rows_of<'p>(passage: &'p Passage<'_>) -> impl Iterator<Item = &'p [Token]> {
    let mut rest = &passage.tokens[..];
    let mut ends = passage.text.match_indices('\n').map(|(at, _)| at).chain([passage.text.len()]);
    std::iter::from_fn(move || {
        let end = ends.next()?;
        let length = rest.partition_point(|token| (token.start as usize) < end);
        let (row, others) = rest.split_at(length);
        rest = others;
        Some(row)
    })
}

/// The facts of a row.
fn facts_of<'p>(passage: &'p Passage<'_>, row: &[Token]) -> &'p [Fact] {
    let (Some(first), Some(last)) = (row.first(), row.last()) else { return &[] };
    let start = |fact: &Fact| passage.tokens.get(fact.first).map_or(u32::MAX, |token| token.start);
    let from = passage.facts.partition_point(|fact| start(fact) < first.start);
    let to = passage.facts.partition_point(|fact| start(fact) < last.end);
    &passage.facts[from..to.max(from)]
}
