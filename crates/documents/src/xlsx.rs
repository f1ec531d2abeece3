//! Excel files: a table for each sheet, under a heading with its name.

use std::io::Cursor;

use calamine::{CellErrorType, DataRef, NumberFormat, Reader as _, SheetVisible, Xlsx, XlsxError};

use crate::archive::Archive;
use crate::extracted::Extracted;
use crate::markdown::Markdown;
use crate::{Limits, Markup, Unread, UnreadKind, Unreadable};
use crate::{number_format, relationships};

/// All sheets have so many cells together. Several sheets may be one part of the archive.
const MAX_CELLS: usize = 8_000_000;
/// The bytes of texts that stand in more than one row of a sheet.
const MAX_REPEATED: usize = 1024 * 1024;

/// The visible sheets with the values that their cells show.
pub(crate) fn extract(bytes: &[u8], limits: &Limits) -> Result<Extracted, Unreadable> {
    let mut archive = Archive::open(bytes, limits)?;
    let main = relationships::main_part(&mut archive, limits, "xl/workbook.xml")?;
    if !archive.has(&main) || !main.starts_with("xl/") {
        return Err(Unreadable::NotWhatItsNameSays("XLSX".to_owned()));
    }
    archive.measure()?;
    let title = relationships::title(&mut Archive::open(bytes, limits)?, limits)?;
    let text = match sheets(bytes, limits) {
        // Some programs write blanks around numbers, such as `<v> 41</v>`, and calamine takes them for damage.
        Err(Fault::Workbook(XlsxError::ParseFloat(_))) => {
            let is_sheet = |name: &str| name.starts_with("xl/worksheets/");
            let trimmed = Archive::open(bytes, limits)?
                .rewritten(|name, part| if is_sheet(name) { without_blanks(&part) } else { part })?;
            sheets(&trimmed, limits)?
        }
        read => read?,
    };
    let unread = unread(bytes, limits)?;
    Ok(Extracted { unread, ..Extracted::whole(title, Markup::Markdown, text) })
}

/// The reason why sheets have no text.
enum Fault {
    Workbook(XlsxError),
    Text(Unreadable),
}

impl From<XlsxError> for Fault {
    fn from(error: XlsxError) -> Self {
        Self::Workbook(error)
    }
}

impl From<Unreadable> for Fault {
    fn from(error: Unreadable) -> Self {
        Self::Text(error)
    }
}

impl From<Fault> for Unreadable {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Workbook(XlsxError::Password) => Self::Encrypted,
            Fault::Workbook(error) => Self::damaged(error),
            Fault::Text(error) => error,
        }
    }
}

/// The sheets that are not shown, and the parts of sheets that are no cells.
fn unread(bytes: &[u8], limits: &Limits) -> Result<Unread, Unreadable> {
    let mut unread = Unread::default();
    if let Ok(workbook) = Xlsx::new(Cursor::new(bytes)) {
        let is_hidden = |sheet: &&calamine::Sheet| sheet.visible != SheetVisible::Visible;
        unread.add(UnreadKind::HiddenSheets, workbook.sheets_metadata().iter().filter(is_hidden).count());
    }
    let mut archive = Archive::open(bytes, limits)?;
    // Newer programs write comments twice, for older ones as well.
    let (mut comments, mut threads) = (0, 0);
    for name in archive.names() {
        let Some(name) = name.strip_prefix("xl/").filter(|name| name.ends_with(".xml")) else { continue };
        let kind = match name.split('/').next().unwrap_or_default() {
            "charts" if name.starts_with("charts/chart") => UnreadKind::Charts,
            "threadedComments" => {
                threads += 1;
                continue;
            }
            first if first.starts_with("comments") => {
                comments += 1;
                continue;
            }
            "drawings" if says_something(archive.part(&format!("xl/{name}"))?) => UnreadKind::Drawings,
            _ => continue,
        };
        unread.add(kind, 1);
    }
    unread.add(UnreadKind::Comments, comments.max(threads));
    Ok(unread)
}

/// Whether a drawing has text.
fn says_something(part: Option<Vec<u8>>) -> bool {
    part.is_some_and(|part| memchr::memmem::find(&part, b"<a:t>").is_some())
}

/// The visible sheets as Markdown.
fn sheets(bytes: &[u8], limits: &Limits) -> Result<String, Fault> {
    let mut workbook = Xlsx::new(Cursor::new(bytes))?;
    let mut markdown = Markdown::new(limits.max_text_bytes);
    let sheets: Vec<_> =
        workbook.sheets_metadata().iter().filter(|sheet| sheet.visible == SheetVisible::Visible).collect();
    let names: Vec<String> = sheets.into_iter().map(|sheet| sheet.name.clone()).collect();
    let mut cells = MAX_CELLS;
    for name in names {
        let rows = rows(&mut workbook, &name, &mut cells, limits)?;
        if !rows.is_empty() {
            markdown.heading(1, &name)?;
            markdown.table(&rows)?;
        }
    }
    Ok(markdown.finish())
}

/// The XML of a sheet without blanks at the beginnings and ends of values.
fn without_blanks(sheet: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(sheet);
    let begun: Vec<&str> = text.split("<v>").map(str::trim_start).collect();
    let text = begun.join("<v>");
    let ended: Vec<&str> = text.split("</v>").map(str::trim_end).collect();
    ended.join("</v>").into_bytes()
}

/// The rows of a sheet in which something stands, without the columns in which nothing does.
fn rows(
    workbook: &mut Xlsx<Cursor<&[u8]>>,
    name: &str,
    room: &mut usize,
    limits: &Limits,
) -> Result<Vec<Vec<String>>, Fault> {
    let mut cells = match workbook.worksheet_cells_reader(name) {
        // Charts have no cells. A worksheet without them is cut off.
        Err(XlsxError::NotAWorksheet(kind)) if kind != "worksheet" => return Ok(Vec::new()),
        cells => cells?,
    };
    let mut filled: Vec<(u32, u32, String)> = Vec::new();
    let mut size = 0;
    while let Some((cell, style)) = cells.next_cell_with_style_id()? {
        *room = room.checked_sub(1).ok_or(Unreadable::TooMuchText { limit: limits.max_text_bytes })?;
        let (row, column) = cell.get_position();
        let format = cells.styles().get(style).and_then(|style| style.number_format.as_ref());
        let text = shown(cell.get_value(), format);
        if !text.trim().is_empty() {
            size += text.len();
            filled.push((row, column, text));
        }
        if size > limits.max_text_bytes {
            return Err(Unreadable::TooMuchText { limit: limits.max_text_bytes }.into());
        }
    }
    drop(cells);
    in_order(&mut filled);
    repeat_merged(workbook, name, &mut filled);
    let mut columns: Vec<u32> = filled.iter().map(|(_, column, _)| *column).collect();
    columns.sort_unstable();
    columns.dedup();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut last = None;
    for (row, column, text) in filled {
        if last != Some(row) {
            rows.push(Vec::new());
            last = Some(row);
        }
        let Some(cells) = rows.last_mut() else { continue };
        let at = columns.binary_search(&column).unwrap_or_default();
        // An empty cell is a blank and a bar.
        size += at.saturating_sub(cells.len()) * 2;
        if size > limits.max_text_bytes {
            return Err(Unreadable::TooMuchText { limit: limits.max_text_bytes }.into());
        }
        cells.resize(at.max(cells.len()), String::new());
        cells.push(text);
    }
    Ok(rows)
}

/// Sorts cells by their places. A place that comes twice, which damaged files have, keeps both of its texts.
fn in_order(filled: &mut Vec<(u32, u32, String)>) {
    filled.sort_by_key(|(row, column, _)| (*row, *column));
    filled.dedup_by(|(row, column, text), (first_row, first_column, first)| {
        let is_same = (*row, *column) == (*first_row, *first_column);
        if is_same && !first.ends_with(text.as_str()) {
            first.push(' ');
            first.push_str(text);
        }
        is_same
    });
}

/// Writes the text of a cell that reaches over several rows into each of them: without it, a row says less than it shows.
fn repeat_merged(workbook: &mut Xlsx<Cursor<&[u8]>>, name: &str, filled: &mut Vec<(u32, u32, String)>) {
    // A file whose merged cells cannot be read still has its values.
    let Ok(merged) = workbook.merge_cells_by_sheet_name(name) else { return };
    let mut room = MAX_REPEATED;
    let mut more = Vec::new();
    for cells in merged.iter().filter(|cells| cells.start.0 < cells.end.0) {
        let found = filled.binary_search_by(|(row, column, _)| (*row, *column).cmp(&cells.start));
        let Some((_, column, text)) = found.ok().and_then(|at| filled.get(at)) else { continue };
        let last = filled.last().map_or(0, |(row, ..)| *row);
        for row in cells.start.0 + 1..=cells.end.0.min(last) {
            let Some(rest) = room.checked_sub(text.len()) else { break };
            room = rest;
            more.push((row, *column, text.clone()));
        }
    }
    filled.extend(more);
    filled.sort_by_key(|(row, column, _)| (*row, *column));
    filled.dedup_by_key(|(row, column, _)| (*row, *column));
}

fn formatted(value: f64, format: &NumberFormat) -> Option<String> {
    let known = format.format_id.and_then(number_format::built_in);
    number_format::formatted(value, known.unwrap_or(&format.format_code))
}

/// The text that a spreadsheet program shows in a cell of this value and format.
fn shown(value: &DataRef<'_>, format: Option<&NumberFormat>) -> String {
    match value {
        DataRef::Int(number) => {
            format.and_then(|format| formatted(*number as f64, format)).unwrap_or_else(|| number.to_string())
        }
        DataRef::Float(number) => {
            format.and_then(|format| formatted(*number, format)).unwrap_or_else(|| number_format::general(*number))
        }
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(truth) => truth.to_string(),
        DataRef::DateTime(time) => {
            let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
            let clock =
                format!("{hour:02}:{minute:02}{}", if second > 0 { format!(":{second:02}") } else { String::new() });
            match (time.as_f64() < 1.0, (hour, minute, second) == (0, 0, 0)) {
                _ if time.is_duration() => {
                    let seconds = (time.as_f64() * 86_400.0).round().max(0.0) as u64;
                    format!("{}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
                }
                (true, _) => clock,
                (false, true) => format!("{year:04}-{month:02}-{day:02}"),
                (false, false) => format!("{year:04}-{month:02}-{day:02} {clock}"),
            }
        }
        DataRef::Error(CellErrorType::GettingData) | DataRef::Empty => String::new(),
        DataRef::Error(error) => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::xlsx;

    #[test]
    fn a_sheet_is_a_table_under_its_name() {
        let sheet = r#"<row r="2"><c r="B2" t="inlineStr"><is><t>item</t></is></c><c r="D2" t="inlineStr"><is><t>price|day</t></is></c></row>
            <row r="4"><c r="B4" t="inlineStr"><is><t>tea</t></is></c><c r="D4"><v>2.5</v></c></row>
            <row r="5"><c r="B5" t="inlineStr"><is><t>since</t></is></c><c r="D5" s="1"><v>46023</v></c></row>"#;
        let extracted = extract(&xlsx("Prices 2026", sheet), &Limits::default()).expect("text");
        assert_eq!(
            extracted.pages[0].text,
            "# Prices 2026\n\n| item | price\\|day |\n| --- | --- |\n| tea | 2.5 |\n| since | 2026-01-01 |\n"
        );
    }

    #[test]
    fn a_cell_over_several_rows_stands_in_each_and_hidden_sheets_and_comments_are_counted() {
        let text = |place: &str, text: &str| format!(r#"<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>"#);
        let rows = format!(
            r#"<row r="1">{}{}</row><row r="2">{}</row><row r="3">{}{}</row>"#,
            text("A1", "Grade A"),
            text("B1", "paid"),
            text("B2", "sick"),
            text("A3", "Grade B"),
            text("B3", "none")
        );
        let merged = r#"</sheetData><mergeCells count="1"><mergeCell ref="A1:A2"/></mergeCells><sheetData>"#;
        let file = xlsx("Leave", &format!("{rows}{merged}"));
        let hidden = Archive::open(&file, &Limits::default()).and_then(|mut archive| {
            archive.rewritten(|name, part| match name {
                "xl/workbook.xml" => String::from_utf8_lossy(&part)
                    .replace("</sheets>", r#"<sheet name="Old" sheetId="2" state="hidden" r:id="r1"/></sheets>"#)
                    .into_bytes(),
                _ => part,
            })
        });
        let extracted = extract(&hidden.expect("a file"), &Limits::default()).expect("text");
        assert_eq!(
            extracted.pages[0].text,
            "# Leave\n\n| Grade A | paid |\n| --- | --- |\n| Grade A | sick |\n| Grade B | none |\n"
        );
        assert_eq!(extracted.loss().expect("a loss").to_string(), "not read: 1 hidden sheet");
    }

    #[test]
    fn a_cell_far_to_the_right_is_read_and_a_sheet_that_is_cut_off_is_damaged() {
        let sheet = r#"<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row>"#;
        let file = xlsx("Wide", sheet);
        let extracted = extract(&file, &Limits::default()).expect("text");
        assert_eq!(extracted.pages[0].text, "# Wide\n\n| 1 | 2 |\n| --- | --- |\n");
        let is_sheet = |name: &str| name.starts_with("xl/worksheets/");
        let change =
            |name: &str, part: Vec<u8>| if is_sheet(name) { part[..part.len().min(15)].to_vec() } else { part };
        let cut = Archive::open(&file, &Limits::default()).and_then(|mut archive| archive.rewritten(change));
        let error = extract(&cut.expect("a file"), &Limits::default()).expect_err("no sheet");
        assert!(matches!(error, Unreadable::Damaged(_)), "{error}");
    }

    #[test]
    fn blanks_around_a_number_are_no_damage() {
        let sheet = r#"<row r="1"><c r="A1" t="n"><v> 41</v></c><c r="B1" t="n"><v>7.5 </v></c></row>"#;
        let extracted = extract(&xlsx("Ozone", sheet), &Limits::default()).expect("text");
        assert_eq!(extracted.pages[0].text, "# Ozone\n\n| 41 | 7.5 |\n| --- | --- |\n");
        let broken = r#"<row r="1"><c r="A1" t="n"><v>many</v></c></row>"#;
        let error = extract(&xlsx("Ozone", broken), &Limits::default()).expect_err("no number");
        assert!(error.to_string().contains("damaged"), "{error}");
    }

    #[test]
    fn a_place_that_comes_twice_keeps_both_texts_and_one_out_of_order_stands_in_its_column() {
        let text = |place: &str, text: &str| format!(r#"<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>"#);
        let row = [text("B1", "second"), text("A1", "first"), text("A1", "again"), text("A1", "again")].concat();
        let sheet = format!(r#"<row r="1">{row}</row><row r="2">{}</row>"#, text("B2", "below"));
        let extracted = extract(&xlsx("Twice", &sheet), &Limits::default()).expect("text");
        assert_eq!(extracted.pages[0].text, "# Twice\n\n| first again | second |\n| --- | --- |\n| | below |\n");
    }

    #[test]
    fn comments_that_are_written_twice_are_counted_once() {
        let with = |names: &[&str]| {
            let parts: Vec<(&str, &[u8])> = names.iter().map(|name| (*name, b"<x/>".as_slice())).collect();
            unread(&crate::example::zip(&parts), &Limits::default()).expect("a count").count(UnreadKind::Comments)
        };
        assert_eq!(with(&["xl/comments1.xml", "xl/threadedComments/threadedComment1.xml"]), 1);
        assert_eq!(with(&["xl/comments1.xml", "xl/comments2.xml", "xl/threadedComments/threadedComment1.xml"]), 2);
        assert_eq!(with(&["xl/threadedComments/threadedComment1.xml"]), 1);
    }
}
