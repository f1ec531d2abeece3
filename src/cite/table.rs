//! Whether two lines begin a table: engines do not agree on all of them, and where a cell ends, so does a link or code.

use super::scan::BYTE_ORDER_MARK;

/// Which engines read a table where a line of delimiters stands under another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Table {
    /// A header needs a border, and every backslash before one escapes it.
    pub(super) to_markdown_it: bool,
    /// A header needs none, and an escaped backslash escapes nothing.
    pub(super) to_micromark: bool,
}

impl Table {
    pub(super) const NONE: Self = Self { to_markdown_it: false, to_micromark: false };
    pub(super) const ALL: Self = Self { to_markdown_it: true, to_micromark: true };

    /// What `delimiters` under `header` are, both without what stands before their block.
    pub(super) fn read(header: &str, delimiters: &str) -> Self {
        let Some(columns) = columns(delimiters).filter(|_| !header.is_empty()) else { return Self::NONE };
        let cells_to_markdown_it = || cells(header.trim_matches(is_trimmed_by_markdown_it), |escapes| escapes > 0);
        let cells_to_micromark = || cells(header.trim_matches(BLANKS), |escapes| escapes % 2 == 1);
        Self {
            to_markdown_it: header.contains('|')
                && delimiters.trim_matches(BLANKS) != "-"
                && cells_to_markdown_it() == columns,
            // Hyphens alone underline a heading, or are a rule.
            to_micromark: delimiters.contains(['|', ':']) && cells_to_micromark() == columns,
        }
    }
}

/// Whether the last line of a text, which is complete, makes a table of itself and the line before to any engine, whatever block
/// that line is in: markdown-it looks for tables before it looks for anything else.
pub(super) fn ends_like_table(text: &str) -> bool {
    const LINE_ENDS: [char; 2] = ['\n', '\r'];
    const CONTAINERS: [char; 3] = [' ', '\t', '>'];
    let Some((before, line)) = text.rsplit_once(LINE_ENDS) else { return false };
    let delimiters = line.trim_start_matches(CONTAINERS);
    let before = before.strip_suffix('\r').unwrap_or(before);
    let header = before.rsplit(LINE_ENDS).next().unwrap_or_default().trim_start_matches(CONTAINERS);
    // As the line of a list, and as the text in it.
    [header, without_markers(header)].into_iter().any(|header| Table::read(header, delimiters) != Table::NONE)
}

/// A line without the bullets, numbers and `>` that it begins with.
fn without_markers(line: &str) -> &str {
    const PREFIX: [char; 3] = [' ', '\t', '>'];
    let mut rest = line.trim_start_matches(PREFIX);
    loop {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let signs: &[char] = if digits == 0 { &['-', '+', '*'] } else { &['.', ')'] };
        match rest[digits..].strip_prefix(signs).filter(|content| content.starts_with(BLANKS)) {
            Some(content) => rest = content.trim_start_matches(PREFIX),
            None => return rest,
        }
    }
}

const BLANKS: [char; 2] = [' ', '\t'];

/// How many columns a line of delimiters has, if it is one.
fn columns(line: &str) -> Option<usize> {
    let line = line.trim_matches(BLANKS);
    // One bar at each end belongs to the row; what stands between two bars is a cell.
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = line.strip_suffix('|').unwrap_or(line);
    let is_delimiter = |cell: &str| {
        let cell = cell.trim_matches(BLANKS);
        let cell = cell.strip_prefix(':').unwrap_or(cell);
        let cell = cell.strip_suffix(':').unwrap_or(cell);
        !cell.is_empty() && cell.bytes().all(|byte| byte == b'-')
    };
    line.split('|').all(is_delimiter).then(|| line.split('|').count())
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
