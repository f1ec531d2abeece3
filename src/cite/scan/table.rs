//! Whether two lines begin a table: engines do not agree on all of them.

use super::scanner::BYTE_ORDER_MARK;

/// Whether a line makes a table of itself and the line before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MakesTable {
    No,
    Yes,
    /// For some engines, and then not even what is a link in the lines below is the same for all.
    Disputed,
}

/// Whether `delimiters` under `header` make a table: to micromark a header needs no border, and an escaped backslash escapes
/// none; to markdown-it it does, and every backslash does.
pub(super) fn makes_table(header: &str, delimiters: &str) -> MakesTable {
    let trimmed = delimiters.trim_matches([' ', '\t']);
    // One bar at each end belongs to the row; what stands between two bars is a cell.
    let trimmed = trimmed.strip_prefix('|').unwrap_or(trimmed);
    let trimmed = trimmed.strip_suffix('|').unwrap_or(trimmed);
    let is_delimiter = |cell: &str| {
        let cell = cell.trim_matches([' ', '\t']);
        let cell = cell.strip_prefix(':').unwrap_or(cell);
        let cell = cell.strip_suffix(':').unwrap_or(cell);
        !cell.is_empty() && cell.bytes().all(|byte| byte == b'-')
    };
    if !trimmed.split('|').all(is_delimiter) {
        return MakesTable::No;
    }
    let columns = trimmed.split('|').count();
    let has_border = header.contains('|');
    let to_markdown_it =
        has_border && columns == cells(header.trim_matches(is_trimmed_by_markdown_it), |backslashes| backslashes > 0);
    let to_micromark = (has_border || delimiters.contains(['|', ':']))
        && columns == cells(header.trim_matches([' ', '\t']), |backslashes| backslashes % 2 == 1);
    match (to_markdown_it, to_micromark) {
        (true, true) => MakesTable::Yes,
        (false, false) => MakesTable::No,
        _ => MakesTable::Disputed,
    }
}

fn is_trimmed_by_markdown_it(c: char) -> bool {
    c.is_whitespace() || c == BYTE_ORDER_MARK
}

/// How many cells a row has, without the blanks around it. A border alone holds none.
fn cells(row: &str, are_escaping: impl Fn(usize) -> bool) -> usize {
    if row == "|" {
        return 0;
    }
    let row = row.strip_prefix('|').unwrap_or(row);
    let is_border = |at: usize| !are_escaping(row[..at].bytes().rev().take_while(|byte| *byte == b'\\').count());
    let borders = row.match_indices('|').filter(|(at, _)| is_border(*at)).count();
    let is_closed = row.ends_with('|') && is_border(row.len() - 1);
    borders + usize::from(!is_closed)
}
