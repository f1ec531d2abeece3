//! Tables for channels that have none.

use unicode_segmentation::UnicodeSegmentation as _;

/// The widest column to which others are padded, so that one long cell does not widen all rows.
const MAX_WIDTH: usize = 40;

/// The rows as lines with padded columns, for monospaced fonts. The first row is the head.
pub(crate) fn padded(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |cell: &String| cell.graphemes(true).count().min(MAX_WIDTH);
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().filter_map(|row| row.get(column)).map(width).max().unwrap_or_default())
        .collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, all)| format!("{cell}{}", " ".repeat(all - width(cell))));
        cells.collect::<Vec<_>>().join(" | ").trim_end().to_owned()
    };
    let mut lines: Vec<String> = rows.iter().map(line).collect();
    let below_head = widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>().join("-|-");
    lines.insert(1.min(lines.len()), below_head);
    lines.join("\n")
}

/// The rows as lines, without padding.
pub(super) fn lines(rows: &[Vec<String>]) -> String {
    rows.iter().map(|row| row.join(" | ")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_what_readers_see() {
        let rows = [["Kind", "Days"], ["Naïve 👩‍👩‍👧", "1"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(padded(&rows), "Kind    | Days\n--------|-----\nNaïve 👩‍👩‍👧 | 1");
        assert_eq!(lines(&rows), "Kind | Days\nNaïve 👩‍👩‍👧 | 1");
    }
}
