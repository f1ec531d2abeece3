//! The tables of a page, by the places of their cells.

use super::direction::is_leftwards;
use super::items::begins_item;
use super::lines::Line;

/// A table has so many rows with several cells.
const LEAST_ROWS: usize = 2;
/// A table has no more columns.
const MOST_COLUMNS: usize = 60;
/// A third of the rows may be longer: text that stands side by side is no table.
const LONG_ROW: usize = 500;
/// A cell has no more lines: longer ones are columns of text.
const CELL_LINES: usize = 12;
/// A line this much below the one before it, in sizes of the font, is in another cell.
const LEADING: f32 = 1.45;
/// Lines of a cell begin or end within this many sizes of the font at one place.
const SAME_PLACE: f32 = 0.6;
/// Lines within this many sizes of the font are at one height.
const SAME_HEIGHT: f32 = 0.35;
/// A cell begins this much higher than the one before it, in sizes of the font, where that is set to its middle or its end.
const HIGHER: f32 = 4.0;
/// A row this much below another one, in sizes of the font, is in no table with it.
const FAR: f32 = 3.5;
/// A column of text has so many letters a line, and most of its lines are full.
const PROSE_LETTERS: usize = 20;
/// A column that is drawn as a whole has at least so many cells, with no more letters on average.
const LEAST_DRAWN: usize = 3;
const MOST_DRAWN: usize = 200;
const SHORT_LETTERS: usize = 24;

/// A part of a page.
#[derive(Debug)]
pub(super) enum PagePart<'l> {
    Line(&'l Line),
    Table(Table),
}

/// A table, row by row. The lines of each cell stand in it, and may be none.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) rows: Vec<Vec<Vec<Line>>>,
    /// The first row names the columns.
    pub(super) has_head: bool,
}

/// Some text at its place, of one or several lines.
#[derive(Clone, Debug)]
struct Cell {
    left: f32,
    right: f32,
    top: f32,
    bottom: f32,
    lines: Vec<Line>,
}

impl Cell {
    fn of(line: &Line, at: usize) -> Self {
        let part = line.cell(at);
        Self { left: part.x, right: part.right, top: part.y, bottom: part.y, lines: vec![part] }
    }

    fn meets(&self, left: f32, right: f32) -> bool {
        self.left < right && left < self.right
    }

    fn letters(&self) -> usize {
        self.lines.iter().map(|line| line.text.chars().count()).sum()
    }
}

/// Cells side by side.
#[derive(Debug)]
struct Row {
    /// The places of the lines of the page that it consists of.
    lines: Vec<usize>,
    cells: Vec<Cell>,
    /// It is large, turned, or an item, and no row of a table.
    is_other: bool,
}

/// The lines and the tables of a page. Lines in larger type than `largest` are no rows.
pub(super) fn parts<'l>(lines: &[&'l Line], largest: f32) -> Vec<PagePart<'l>> {
    let rows = rows(lines, largest);
    let mut parts = Vec::with_capacity(lines.len());
    let mut at = 0;
    while at < rows.len() {
        let (count, columns) = run(&rows[at..]);
        let is_text = count > 0
            && [at.checked_sub(1), Some(at + count)]
                .into_iter()
                .flatten()
                .any(|beside| rows.get(beside).is_some_and(|beside| is_paragraph(&rows[at..at + count], beside)));
        match table(&rows[at..at + count], &columns).filter(|_| !is_text) {
            Some(table) => {
                parts.push(PagePart::Table(table));
                at += count;
            }
            None => {
                let count = count.max(1);
                let mut of_rows: Vec<usize> = rows[at..at + count].iter().flat_map(|row| &row.lines).copied().collect();
                of_rows.sort_unstable();
                parts.extend(of_rows.into_iter().filter_map(|line| lines.get(line).copied()).map(PagePart::Line));
                at += count;
            }
        }
    }
    parts
}

/// The lines of a page as rows of cells, in the order in which the page draws them.
fn rows(lines: &[&Line], largest: f32) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if let Some(drawn) = drawn_by_columns(lines, at, largest) {
            at += drawn.iter().map(|row| row.lines.len()).sum::<usize>();
            rows.extend(drawn);
            continue;
        }
        let can_be_row =
            !line.is_turned && line.size <= largest && line.cells.len() <= MOST_COLUMNS && !is_marked(line);
        let cells: Vec<Cell> = if can_be_row && line.cells.len() > 1 {
            (0..line.cells.len()).map(|cell| Cell::of(line, cell)).collect()
        } else {
            vec![Cell { left: line.x, right: line.right, top: line.y, bottom: line.y, lines: vec![(*line).clone()] }]
        };
        let above = rows.len().checked_sub(2).and_then(|at| rows.get(at)).map(bottom);
        let joins = can_be_row && rows.last_mut().is_some_and(|row| !row.is_other && joins(row, above, &cells, line));
        if joins && let Some(row) = rows.last_mut() {
            row.lines.push(at);
        } else {
            rows.push(Row { lines: vec![at], cells, is_other: !can_be_row });
        }
        at += 1;
    }
    rows
}

/// Adds the cells of a line to a row that goes on with them; says whether it does. `above` is where the row before it ends.
fn joins(row: &mut Row, above: Option<f32>, cells: &[Cell], line: &Line) -> bool {
    let Some(last) = row.cells.last() else { return false };
    if last.lines.last().is_some_and(|last| last.is_turned || (last.size - line.size).abs() > 0.2 * line.size) {
        return false;
    }
    if let [cell] = cells {
        let others = &row.cells[..row.cells.len() - 1];
        let meets_others = others.iter().any(|other| other.meets(cell.left, cell.right));
        let Some(last) = row.cells.last_mut() else { return false };
        let step = cell.top - last.bottom;
        let near = |one: f32, other: f32| (one - other).abs() <= SAME_PLACE * line.size;
        let is_below = near(last.left, cell.left)
            || near(last.right, cell.right)
            || near(f32::midpoint(last.left, last.right), f32::midpoint(cell.left, cell.right));
        let goes_on = is_below && step > 0.0 && step <= LEADING * line.size && !meets_others;
        if goes_on && !is_marked(line) {
            last.bottom = cell.bottom;
            last.left = last.left.min(cell.left);
            last.right = last.right.max(cell.right);
            last.lines.extend(cell.lines.iter().cloned());
            return true;
        }
    }
    let height = SAME_HEIGHT * line.size;
    let top = row.cells.iter().map(|cell| cell.top).fold(f32::INFINITY, f32::min);
    let bottom = bottom(row);
    // A cell of one line may stand beside the middle or the end of one with several.
    let highest = above.map_or(top, |above| (above + height).max(top - HIGHER * line.size));
    let is_beside = |cell: &Cell| {
        cell.top >= highest.min(top - height)
            && cell.top <= bottom + height
            && row.cells.iter().all(|other| !other.meets(cell.left, cell.right))
    };
    let are_beside = row.cells.len() + cells.len() <= MOST_COLUMNS && cells.iter().all(is_beside);
    if are_beside {
        row.cells.extend(cells.iter().cloned());
    }
    are_beside
}

fn bottom(row: &Row) -> f32 {
    row.cells.iter().map(|cell| cell.bottom).fold(f32::NEG_INFINITY, f32::max)
}

/// Whether a line begins with the mark of an item or the number of a heading, and has no other cells.
fn is_marked(line: &Line) -> bool {
    if line.cells.len() != 2 {
        return false;
    }
    let mark = line.text[..line.cells[1].start].trim();
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_mark = mark.chars().count() == 1 && !mark.contains(char::is_alphanumeric)
        || is_number(mark.trim_end_matches([')', '.']).trim_start_matches('('))
        || mark.len() <= 3 && mark.ends_with(['.', ')']);
    is_mark && line.text[line.cells[1].start..].starts_with(|c: char| !c.is_numeric())
}

/// The rows of a table whose columns are drawn one after the other: each has the same heights.
fn drawn_by_columns(page: &[&Line], at: usize, largest: f32) -> Option<Vec<Row>> {
    let lines = page.get(at..)?;
    let first = lines.first()?;
    let is_short = |line: &&&Line| !line.is_turned && line.cells.len() == 1 && line.size <= largest;
    let goes_down = |pair: &[&Line]| {
        let (one, next) = (pair[0], pair[1]);
        next.y > one.y && next.x < one.right && one.x < next.right
    };
    let count = 1 + lines.windows(2).take(MOST_DRAWN).take_while(|pair| goes_down(pair)).count();
    if !(LEAST_DRAWN..=MOST_DRAWN).contains(&count) {
        return None;
    }
    let mut columns: Vec<&[&Line]> = Vec::new();
    let mut rest = lines;
    let mut right = f32::NEG_INFINITY;
    while rest.len() >= count && columns.len() <= MOST_COLUMNS {
        let (column, behind) = rest.split_at(count);
        let left = column.iter().map(|line| line.x).fold(f32::INFINITY, f32::min);
        let is_one = column.windows(2).all(goes_down) && column.iter().all(|line| is_short(&line));
        let are_level = column
            .iter()
            .zip(&lines[..count])
            .all(|(line, other)| (line.y - other.y).abs() <= SAME_HEIGHT * first.size);
        let letters: usize = column.iter().map(|line| line.text.chars().count()).sum();
        if !is_one || !are_level || left <= right || letters > SHORT_LETTERS * count {
            break;
        }
        right = column.iter().map(|line| line.right).fold(right, f32::max);
        columns.push(column);
        rest = behind;
    }
    if !(2..=MOST_COLUMNS).contains(&columns.len())
        || columns.iter().any(|column| column.iter().all(|line| begins_item(line)))
    {
        return None;
    }
    let row = |row: usize| Row {
        lines: (0..columns.len()).map(|column| at + column * count + row).collect(),
        cells: columns.iter().map(|column| Cell::of(column[row], 0)).collect(),
        is_other: false,
    };
    Some((0..count).map(row).collect())
}

/// A column: the widest place of its cells.
type Column = (f32, f32);

/// The number of rows from the first on that share their columns, and these columns from left to right; 0 where they are no table.
fn run(rows: &[Row]) -> (usize, Vec<Column>) {
    let mut columns: Vec<Column> = Vec::new();
    let (mut count, mut full) = (0, 0);
    for (at, row) in rows.iter().enumerate() {
        if row.is_other || row.cells.iter().any(|cell| cell.lines.len() > CELL_LINES) {
            break;
        }
        if full > 0 && is_far(&rows[at - 1], row) {
            break;
        }
        if row.cells.len() > 1 {
            let Some(wider) = with_row(&columns, row) else { break };
            columns = wider;
            full += 1;
            count = at + 1;
        } else if full == 0 || met(&columns, &row.cells[0]) != 1 {
            // A row of one cell is one only before another row of the table.
            break;
        }
    }
    if full < LEAST_ROWS { (0, columns) } else { (count, columns) }
}

/// Whether rows are lines of the paragraph of which the row beside them is a full line: their gaps are wide blanks.
fn is_paragraph(rows: &[Row], beside: &Row) -> bool {
    let [full] = beside.cells.as_slice() else { return false };
    let Some(size) = full.lines.first().map(|line| line.size) else { return false };
    let cells = || rows.iter().flat_map(|row| &row.cells);
    let left = cells().map(|cell| cell.left).fold(f32::INFINITY, f32::min);
    let right = cells().map(|cell| cell.right).fold(f32::NEG_INFINITY, f32::max);
    let top = cells().map(|cell| cell.top).fold(f32::INFINITY, f32::min);
    let bottom = cells().map(|cell| cell.bottom).fold(f32::NEG_INFINITY, f32::max);
    let is_adjacent = (full.top - bottom).abs() <= LEADING * size || (top - full.bottom).abs() <= LEADING * size;
    is_adjacent && (full.left - left).abs() <= size && full.right >= right - size
}

fn is_far(before: &Row, row: &Row) -> bool {
    let bottom = bottom(before);
    let size = row.cells[0].lines.first().map_or(0.0, |line| line.size);
    let top = row.cells.iter().map(|cell| cell.top).fold(f32::INFINITY, f32::min);
    top - bottom > FAR * size || top <= bottom - SAME_HEIGHT * size
}

fn met(columns: &[Column], cell: &Cell) -> usize {
    columns.iter().filter(|(left, right)| cell.meets(*left, *right)).count()
}

/// The columns with those of one more row; `None` if it has others, or is not below.
fn with_row(columns: &[Column], row: &Row) -> Option<Vec<Column>> {
    let mut wider = columns.to_vec();
    let mut shared = 0;
    for cell in &row.cells {
        match met(columns, cell) {
            0 => {
                let at = wider.iter().position(|(left, _)| *left > cell.left).unwrap_or(wider.len());
                wider.insert(at, (cell.left, cell.right));
            }
            1 => {
                shared += 1;
                let column = wider.iter_mut().find(|(left, right)| cell.meets(*left, *right))?;
                *column = (column.0.min(cell.left), column.1.max(cell.right));
            }
            // It spans several.
            _ => {}
        }
    }
    let is_apart = wider.len() <= MOST_COLUMNS && wider.windows(2).all(|pair| pair[0].1 <= pair[1].0);
    (columns.is_empty() || shared >= 2 || shared == 1 && row.cells.len() > 2 && is_apart)
        .then_some(wider)
        .filter(|_| is_apart)
}

/// The table of these rows; `None` where they are none, or columns of text.
fn table(rows: &[Row], columns: &[Column]) -> Option<Table> {
    let cells = |column: &Column| -> Vec<&Cell> {
        rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.meets(column.0, column.1)).collect()
    };
    if columns.len() < 2 || rows.is_empty() {
        return None;
    }
    let letters = |row: &Row| row.cells.iter().map(Cell::letters).sum::<usize>();
    if rows.iter().filter(|row| letters(row) > LONG_ROW).count() * 3 > rows.len() {
        return None;
    }
    let is_prose = columns.iter().all(|column| is_prose(*column, &cells(column)));
    if is_prose && rows.len() > 3 {
        return None;
    }
    let mut written: Vec<Vec<Vec<Line>>> = Vec::with_capacity(rows.len());
    for row in rows {
        let mut of_row = vec![Vec::new(); columns.len()];
        for cell in &row.cells {
            let column = columns.iter().position(|(left, right)| cell.meets(*left, *right)).unwrap_or(0);
            of_row[column].extend(cell.lines.iter().cloned());
        }
        written.push(of_row);
    }
    let letters =
        || rows.iter().flat_map(|row| &row.cells).flat_map(|cell| &cell.lines).flat_map(|line| line.text.chars());
    if letters().filter(|c| is_leftwards(*c)).count() * 2 > letters().filter(|c| c.is_alphabetic()).count() {
        written.iter_mut().for_each(|row| row.reverse());
    }
    let has_head = has_head(&written);
    Some(Table { rows: written, has_head })
}

/// Whether the lines of a column go on from one to the next.
fn is_prose(column: Column, cells: &[&Cell]) -> bool {
    let letters: usize = cells.iter().map(|cell| cell.letters()).sum();
    let full = cells.iter().filter(|cell| (cell.right - cell.left) > 0.8 * (column.1 - column.0)).count();
    letters > PROSE_LETTERS * cells.len() && full * 10 > cells.len() * 6
}

/// Whether the first row names the columns: it is the only bold one, or the only one without numbers.
fn has_head(rows: &[Vec<Vec<Line>>]) -> bool {
    let Some((head, rest)) = rows.split_first() else { return false };
    let lines = |row: &[Vec<Line>]| row.iter().flatten().cloned().collect::<Vec<Line>>();
    let is_bold = |row: &[Vec<Line>]| lines(row).iter().all(|line| line.is_bold);
    let has_number = |row: &[Vec<Line>]| lines(row).iter().any(|line| line.text.contains(|c: char| c.is_numeric()));
    let is_full = head.iter().filter(|cell| !cell.is_empty()).count() * 2 > head.len();
    let is_only_bold = is_bold(head) && !rest.iter().any(|row| is_bold(row));
    is_full && (is_only_bold || !has_number(head) && rest.iter().filter(|row| has_number(row)).count() * 2 > rest.len())
}
