//! Excel files: a table for each sheet, under a heading with its name.

use std::io::Cursor;

use calamine::{CellErrorType, DataRef, Reader as _, SheetVisible, Xlsx, XlsxError};

use crate::archive::Archive;
use crate::extracted::Extracted;
use crate::markdown::Markdown;
use crate::relationships;
use crate::{Limits, Markup, Unreadable};

/// Cells of a sheet that stand further right are left out: nothing is written there by hand.
const MAX_COLUMNS: u32 = 1_024;

/// The visible sheets with the values that their cells show.
pub(crate) fn extract(bytes: &[u8], limits: &Limits) -> Result<Extracted, Unreadable> {
    let mut archive = Archive::open(bytes, limits)?;
    let main = relationships::main_part(&mut archive, limits, "xl/workbook.xml")?;
    if !archive.has(&main) || !main.starts_with("xl/") {
        return Err(Unreadable::NotWhatItsNameSays("XLSX".to_owned()));
    }
    archive.measure()?;
    let title = relationships::title(&mut Archive::open(bytes, limits)?, limits)?;
    let mut workbook = Xlsx::new(Cursor::new(bytes)).map_err(unreadable)?;
    let mut markdown = Markdown::new(limits.max_text_bytes);
    let sheets: Vec<_> =
        workbook.sheets_metadata().iter().filter(|sheet| sheet.visible == SheetVisible::Visible).collect();
    let names: Vec<String> = sheets.into_iter().map(|sheet| sheet.name.clone()).collect();
    for name in names {
        let rows = rows(&mut workbook, &name, limits)?;
        if !rows.is_empty() {
            markdown.heading(1, &name)?;
            markdown.table(&rows)?;
        }
    }
    Ok(Extracted::whole(title, Markup::Markdown, markdown.finish()))
}

/// The rows of a sheet in which something stands, without the columns in which nothing does.
fn rows(workbook: &mut Xlsx<Cursor<&[u8]>>, name: &str, limits: &Limits) -> Result<Vec<Vec<String>>, Unreadable> {
    // Charts have no cells.
    let Ok(mut cells) = workbook.worksheet_cells_reader(name) else { return Ok(Vec::new()) };
    let mut filled: Vec<(u32, u32, String)> = Vec::new();
    let mut size = 0;
    while let Some(cell) = cells.next_cell().map_err(unreadable)? {
        let (row, column) = cell.get_position();
        let text = shown(cell.get_value());
        if !text.trim().is_empty() && column < MAX_COLUMNS {
            size += text.len();
            filled.push((row, column, text));
        }
        if size > limits.max_text_bytes {
            return Err(Unreadable::TooMuchText { limit: limits.max_text_bytes });
        }
    }
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
        cells.resize(at.max(cells.len()), String::new());
        cells.push(text);
    }
    Ok(rows)
}

/// What a cell shows.
fn shown(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
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

fn unreadable(error: XlsxError) -> Unreadable {
    if matches!(error, XlsxError::Password) { Unreadable::Encrypted } else { Unreadable::damaged(error) }
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
}
