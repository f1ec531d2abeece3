//! Tells whether a definition stands inside a list or quote.
//!
//! The parser's ranges of lists reach over the definitions behind them, because such a definition leaves no event. So the
//! beginning of the line decides: inside a quote it has `>`, inside a list the marker or the indentation of the item.

use std::ops::Range;

use super::definition::Definition;

/// The containers of one text that stand in no other container.
#[derive(Debug, Default)]
pub(super) struct Containers {
    /// The byte ranges of lists and quotes, in order.
    pub(super) ranges: Vec<Range<usize>>,
    /// The first bytes of the items of these lists, in order.
    pub(super) items: Vec<usize>,
}

impl Containers {
    /// Marks the definitions that stand inside a container. `definitions` are in the order of the text.
    pub(super) fn mark_nested(&self, text: &str, definitions: &mut [Definition]) {
        let mut before: Option<(Range<usize>, bool)> = None;
        for definition in definitions {
            let line = line_start(text, definition.span.start);
            // A line right below a definition continues its paragraph, so both stand in one container.
            let continued = before.take().filter(|(span, _)| is_right_above(text, span.end, line));
            definition.nested = match continued {
                Some((_, nested)) => nested,
                None => self.holds(text, line, definition.span.start),
            };
            before = Some((definition.span.clone(), definition.nested));
        }
    }

    fn holds(&self, text: &str, line: usize, start: usize) -> bool {
        let prefix = &text[line..start];
        if !prefix.trim().is_empty() {
            return true;
        }
        let next = self.ranges.partition_point(|range| range.start <= start);
        if next == 0 || !self.ranges[next - 1].contains(&start) {
            return false;
        }
        let range = &self.ranges[next - 1];
        let next = self.items.partition_point(|item| *item <= start);
        let item = next.checked_sub(1).map(|index| self.items[index]).filter(|item| range.contains(item));
        item.is_some_and(|item| width(prefix) >= content_column(text, item))
    }
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1)
}

/// Whether no blank line separates a definition that ends at `end` from the line at `line`.
fn is_right_above(text: &str, end: usize, line: usize) -> bool {
    text.get(end..line).is_some_and(|between| between.trim().is_empty() && between.matches('\n').count() <= 1)
}

/// The column at which the content of the item at `item` begins.
fn content_column(text: &str, item: usize) -> usize {
    let line = line_start(text, item);
    let rest = text[item..].lines().next().unwrap_or_default();
    let indentation = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let marker = &rest[indentation..];
    let digits = marker.bytes().take_while(u8::is_ascii_digit).count();
    let marker_end = indentation + digits + 1;
    let after = rest.get(marker_end..).unwrap_or_default();
    let blanks = &after[..after.len() - after.trim_start_matches([' ', '\t']).len()];
    let column = width(&text[line..item]) + marker_end;
    let wide = advance(column, blanks) - column;
    // Five blanks begin indented code behind one blank, and an empty item has one blank.
    if after.trim().is_empty() || wide > 4 { column + 1 } else { column + wide }
}

/// The columns that blanks take, with tab stops of four.
fn width(blanks: &str) -> usize {
    advance(0, blanks)
}

fn advance(column: usize, blanks: &str) -> usize {
    blanks.chars().fold(column, |column, c| if c == '\t' { column + 4 - column % 4 } else { column + 1 })
}
