//! The cells of an HTML table, of which some reach over several rows and columns.

use html5ever::Attribute;

/// A cell has no more columns, and a table no more.
const MOST_COLUMNS: usize = 1_000;
/// A cell has no more rows.
const MOST_ROWS: usize = 65_534;
/// A table has so many cells that only fill places.
const MOST_FILLED: usize = 500_000;
/// A longer text stands in the first row alone.
const REPEATED_BYTES: usize = 200;

/// The number of rows and columns that a cell has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    rows: usize,
    columns: usize,
}

impl Span {
    /// Those that the attributes say.
    pub(crate) fn of(attributes: &[Attribute]) -> Self {
        let number = |name: &str| {
            let value = attributes.iter().find(|attribute| &*attribute.name.local == name);
            value.and_then(|attribute| attribute.value.trim().parse::<usize>().ok())
        };
        // No rows are all rows that follow.
        let rows = number("rowspan").map_or(1, |rows| if rows == 0 { MOST_ROWS } else { rows.min(MOST_ROWS) });
        Self { rows, columns: number("colspan").unwrap_or(1).clamp(1, MOST_COLUMNS) }
    }
}

/// A table that is being read.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
    /// For each column, the rows below that a cell reaches into.
    below: Vec<usize>,
    /// The span of the open cell.
    open: Option<Span>,
    filled: usize,
}

impl Table {
    pub(crate) fn begin_row(&mut self) {
        self.end_cell();
        self.rows.push(Vec::new());
    }

    /// Begins a cell, behind those that reach into its row from above.
    pub(crate) fn begin_cell(&mut self, span: &Span) {
        self.end_cell();
        self.fill_from_above();
        let Some(row) = self.rows.last_mut() else { return };
        row.push(String::new());
        self.open = Some(*span);
    }

    /// The text of the cell that is being read.
    pub(crate) fn cell(&mut self) -> Option<&mut String> {
        self.rows.last_mut().and_then(|row| row.last_mut())
    }

    /// Ends a cell, and keeps the places of its other columns and rows free.
    pub(crate) fn end_cell(&mut self) {
        let Some(Span { rows, columns }) = self.open.take() else { return };
        let Some(row) = self.rows.last_mut() else { return };
        let first = row.len().saturating_sub(1);
        let free = MOST_FILLED.saturating_sub(self.filled).min(MOST_COLUMNS.saturating_sub(row.len()));
        let more = (columns - 1).min(free);
        row.extend(std::iter::repeat_n(String::new(), more));
        self.filled += more;
        let end = row.len();
        if rows > 1 {
            self.below.resize(self.below.len().max(end), 0);
            self.below[first..end].fill(rows - 1);
        }
    }

    pub(crate) fn end_row(&mut self) {
        self.end_cell();
        self.fill_from_above();
    }

    pub(crate) fn rows(self) -> Vec<Vec<String>> {
        self.rows
    }

    /// Writes the cells that reach into the open row at its next places: short ones again, so that each row says what it is about.
    fn fill_from_above(&mut self) {
        let Some((row, above)) = self.rows.split_last_mut() else { return };
        let above = above.last();
        while let Some(rows) = self.below.get_mut(row.len()).filter(|rows| **rows > 0) {
            if self.filled >= MOST_FILLED {
                return;
            }
            self.filled += 1;
            *rows -= 1;
            let text = above.and_then(|above| above.get(row.len())).filter(|text| text.len() <= REPEATED_BYTES);
            row.push(text.cloned().unwrap_or_default());
        }
    }
}
