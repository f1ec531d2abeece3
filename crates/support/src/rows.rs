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
    /// Whether each fact of the passage stands behind the name of its line: `Highlights: from $90`.
    pub(crate) is_named: Vec<bool>,
}

/// A line of a passage: its tokens and its facts.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) tokens: Range<usize>,
    pub(crate) facts: Range<usize>,
    /// The tokens that name it: its first cell, or what stands before a colon.
    pub(crate) key: Range<usize>,
}

/// The tokens before a colon that name a line, and those behind it: a longer line is a sentence.
const LONGEST_KEY: usize = 8;
const LONGEST_VALUE: usize = 14;

impl Rows {
    pub(crate) fn of(text: &str, tokens: &[Token], facts: &[Fact]) -> Self {
        let is_cell: Vec<bool> = facts.iter().map(|fact| is_cell(text, tokens, fact)).collect();
        let may_be_named = || text.contains(':') && text.contains('\n');
        if !(is_cell.contains(&true) || may_be_named()) || text.matches('\n').count() >= MOST_ROWS {
            return Self::default();
        }
        let rows = rows(text, tokens, facts);
        let mut is_named = vec![false; facts.len()];
        let named = rows.iter().filter(|row| {
            let is_short = row.tokens.end - row.key.end <= LONGEST_VALUE && row.key.len() <= LONGEST_KEY;
            is_short && tokens.get(row.key.end).is_some_and(|token| token.is(':'))
        });
        named.for_each(|row| {
            row.facts.clone().filter(|at| facts[*at].first > row.key.end).for_each(|at| is_named[at] = true);
        });
        Self { rows, is_cell, is_named }
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

/// The tokens that name a line: those before its first colon, or of its first cell.
fn key(text: &str, tokens: &[Token], line: Range<usize>) -> Range<usize> {
    let begin = line.clone().find(|at| !tokens[*at].is_mark()).unwrap_or(line.end);
    for at in begin..line.end.min(begin + LONGEST_KEY + 1) {
        if tokens[at].is(':') && tokens.get(at + 1).is_some_and(|next| next.start > tokens[at].end) {
            return begin..at;
        }
        if !tokens[at].is_mark() && ends_cell(text, &tokens[at]) {
            return begin..at + 1;
        }
    }
    begin..begin
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
            rows.push(Row { tokens: token..next, facts: fact..next_fact, key: key(text, tokens, token..next) });
        }
        (token, fact) = (next, next_fact);
    }
    rows
}
