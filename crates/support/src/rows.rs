//! The rows of a passage that is, or has, a table.

use std::ops::Range;

use crate::fact::Fact;
use crate::token::Token;

/// The rows that are looked at. A longer table is no evidence.
const MOST_ROWS: usize = 256;

/// The rows of a passage that have numbers; none if no number stands in a cell.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    pub(crate) rows: Vec<Row>,
    /// Whether each fact of the passage stands alone in a cell.
    pub(crate) is_cell: Vec<bool>,
}

/// A line of a passage: its tokens and its facts.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) tokens: Range<usize>,
    pub(crate) facts: Range<usize>,
}

impl Rows {
    pub(crate) fn of(text: &str, tokens: &[Token], facts: &[Fact]) -> Self {
        let is_cell: Vec<bool> = facts.iter().map(|fact| is_cell(text, tokens, fact)).collect();
        if !is_cell.contains(&true) || text.matches('\n').count() >= MOST_ROWS {
            return Self::default();
        }
        Self { rows: rows(text, tokens, facts), is_cell }
    }

    /// Whether some of these tokens of the passage stand in a row with a number in a cell.
    pub(crate) fn touch(&self, tokens: &Range<usize>) -> bool {
        self.rows.iter().any(|row| {
            let overlaps = row.tokens.start < tokens.end && tokens.start < row.tokens.end;
            overlaps && self.is_cell[row.facts.clone()].contains(&true)
        })
    }
}

/// Whether a cell ends behind a token.
pub(crate) fn ends_cell(text: &str, last: &Token) -> bool {
    let behind = text[last.end as usize..].trim_start_matches(' ');
    behind.is_empty()
        || behind.starts_with(['|', '\t', ';', '\n', '\r'])
        // A comma parts cells where no blank follows it.
        || behind.starts_with(',') && !behind[1..].starts_with(' ')
}

/// Whether a number stands alone between the marks that part cells.
fn is_cell(text: &str, tokens: &[Token], fact: &Fact) -> bool {
    let (Some(first), Some(last)) = (tokens.get(fact.first), tokens.get(fact.end.saturating_sub(1))) else {
        return false;
    };
    let before = text[..first.start as usize].trim_end_matches(' ');
    let begins = before.ends_with(['|', '\t', ';']) || before.ends_with(',') && before.len() == first.start as usize;
    begins && ends_cell(text, last)
}

/// The lines that have facts.
fn rows(text: &str, tokens: &[Token], facts: &[Fact]) -> Vec<Row> {
    let start = |fact: &Fact| tokens.get(fact.first).map_or(usize::MAX, |token| token.start as usize);
    let (mut token, mut fact) = (0, 0);
    let mut rows = Vec::new();
    for end in text.match_indices('\n').map(|(at, _)| at).chain([text.len()]) {
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
