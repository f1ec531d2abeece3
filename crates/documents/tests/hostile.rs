//! Files at the edges: very much text in a small file, writing from right to left in a book, very wide tables.

use std::io::{Cursor, Write as _};

use citewire_documents::{Format, Limits, Unreadable, extract};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).expect("a part");
        writer.write_all(text.as_bytes()).expect("written");
    }
    writer.finish().expect("an archive").into_inner()
}

#[test]
fn a_word_file_with_very_much_text_for_its_size_is_refused() {
    let text = "leave ".repeat(29 * 1024 * 1024 / 6);
    let body = format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>");
    let file = archive(&[("word/document.xml", &format!("<w:document><w:body>{body}</w:body></w:document>"))]);
    assert!(file.len() * Limits::default().max_text_ratio < text.len(), "{}", file.len());
    let limits = Limits::default();
    assert_eq!(extract(&file, Format::Docx, &limits), Err(Unreadable::TooDense { limit: limits.max_text_ratio }));
}

#[test]
fn a_book_in_arabic_is_read_in_the_order_of_reading() {
    let container = r#"<container><rootfiles><rootfile full-path="o/book.opf"/></rootfiles></container>"#;
    let book = r#"<package><metadata><dc:title>دليل الموظف</dc:title></metadata><manifest><item id="a" href="%D9%81.xhtml"/></manifest>
        <spine page-progression-direction="rtl"><itemref idref="a"/></spine></package>"#;
    let chapter = r#"<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml" dir="rtl"><body><h1>الإجازات</h1>
        <p>يحق لكل موظف <b>ثلاثون</b> يوما في السنة.</p></body></html>"#;
    let file = archive(&[("META-INF/container.xml", container), ("o/book.opf", book), ("o/\u{641}.xhtml", chapter)]);
    let extracted = extract(&file, Format::Epub, &Limits::default()).expect("a text");
    assert_eq!(extracted.title.as_deref(), Some("دليل الموظف"));
    assert_eq!(extracted.pages[0].text, "# الإجازات\n\nيحق لكل موظف ثلاثون يوما في السنة.\n");
}

#[test]
fn a_table_of_two_hundred_columns_keeps_each_value_in_its_column() {
    let row = |cell: &dyn Fn(usize) -> String| (0..200).map(cell).collect::<Vec<_>>().join(";");
    let mut text = row(&|column| format!("column {column}"));
    for line in 0..50 {
        text.push('\n');
        text.push_str(&row(&|column| if column % 7 == 3 { String::new() } else { format!("{line}-{column}") }));
    }
    let extracted = extract(text.as_bytes(), Format::Csv, &Limits::default()).expect("a table");
    let rows: Vec<&str> = extracted.pages[0].text.lines().collect();
    assert_eq!(rows.len(), 52);
    for (line, row) in rows[2..].iter().enumerate() {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        assert_eq!((cells.len(), cells[3], cells[151]), (200, "", format!("{line}-151").as_str()), "{row}");
    }
}
