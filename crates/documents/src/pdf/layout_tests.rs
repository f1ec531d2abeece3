//! Tests of lines, tables, items and marks, by PDFs that place each text.

use super::tests::{CATALOG, of_objects, stream};
use super::*;
use crate::{Format, extract as extract_any};

const FONTS: &str = "<< /Font << /F1 5 0 R /F2 6 0 R >> >>";
const REGULAR: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
const BOLD: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>";

/// A text at a place, in type of ten points.
fn at(x: u32, y: u32, text: &str) -> String {
    format!("BT /F1 10 Tf {x} {y} Td ({}) Tj ET\n", text.replace(')', "\\)"))
}

fn bold(x: u32, y: u32, text: &str) -> String {
    at(x, y, text).replace("/F1", "/F2")
}

/// The text of a page with this content.
fn read(content: &str) -> String {
    let list = "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 600 800] >>";
    let page = format!("<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources {FONTS} >>");
    let file = of_objects(&[CATALOG, list, &page, &stream("", content), REGULAR, BOLD]);
    extract_any(&file, Format::Pdf, &Limits::default()).expect("a text").pages[0].text.clone()
}

const TABLE: &str = "| Item | Price | Stock |\n| --- | --- | --- |\n| Tea | 3 EUR | 12 |\n| Green coffee, roasted on order | 9 EUR | 4 |\n| Water | 1 EUR | 90 |\n";

#[test]
fn a_table_that_is_drawn_row_by_row_has_its_rows() {
    let mut content = at(50, 760, "The prices of this year are in the table.");
    content += &[bold(50, 720, "Item"), bold(200, 720, "Price"), bold(300, 720, "Stock")].concat();
    content += &[at(50, 700, "Tea"), at(200, 700, "3 EUR"), at(300, 700, "12")].concat();
    content +=
        &[at(50, 680, "Green coffee,"), at(50, 668, "roasted on order"), at(200, 680, "9 EUR"), at(300, 680, "4")]
            .concat();
    content += &[at(50, 640, "Water"), at(200, 640, "1 EUR"), at(300, 640, "90")].concat();
    content += &at(50, 600, "Prices are without tax.");
    let expected = format!("The prices of this year are in the table.\n\n{TABLE}\nPrices are without tax.\n");
    assert_eq!(read(&content), expected);
}

#[test]
fn a_table_that_is_drawn_column_by_column_has_its_rows() {
    let column = |x: u32, cells: [&str; 4]| -> String {
        (0..).zip(cells).map(|(row, cell)| at(x, 700 - row * 24, cell)).collect()
    };
    let content = column(50, ["Item", "Tea", "Coffee", "Water"])
        + &column(200, ["Price", "3 EUR", "9 EUR", "1 EUR"])
        + &column(300, ["Stock", "12", "4", "90"]);
    let expected = "| Item | Price | Stock |\n| --- | --- | --- |\n| Tea | 3 EUR | 12 |\n| Coffee | 9 EUR | 4 |\n| Water | 1 EUR | 90 |\n";
    assert_eq!(read(&content), expected);
}

#[test]
fn a_table_without_names_of_columns_has_all_rows_and_empty_cells_stay_empty() {
    let content = [
        at(50, 700, "Order"),
        at(200, 700, "4711"),
        at(50, 680, "Date"),
        at(200, 680, "1 May"),
        at(50, 660, "Paid"),
        at(200, 660, "yes"),
        at(300, 660, "in cash"),
    ];
    let expected = "| | | |\n| --- | --- | --- |\n| Order | 4711 | |\n| Date | 1 May | |\n| Paid | yes | in cash |\n";
    assert_eq!(read(&content.concat()), expected);
}

#[test]
fn columns_of_text_wide_blanks_and_numbered_lines_are_no_tables() {
    let lines = |x: u32, words: &str| -> String {
        (0..5).map(|row| at(x, 700 - row * 12, &format!("{words} {row} of a text that fills its column"))).collect()
    };
    let columns = read(&(lines(50, "left") + &lines(320, "right")));
    assert!(!columns.contains('|') && columns.find("left 4") < columns.find("right 0"), "{columns}");
    // Each blank of a justified line is wide.
    let justified = [
        at(50, 700, "A paragraph that is set in a narrow"),
        at(50, 688, "column,"),
        at(130, 688, "and"),
        at(190, 688, "wide"),
        at(50, 676, "blanks,"),
        at(180, 676, "here"),
        at(50, 664, "goes on in the lines that follow it."),
    ];
    assert!(!read(&justified.concat()).contains('|'), "{}", read(&justified.concat()));
    let numbered = [at(50, 700, "1."), at(80, 700, "Ask."), at(50, 680, "2."), at(80, 680, "Wait.")];
    assert_eq!(read(&numbered.concat()), "1. Ask.\n2. Wait.\n");
}

#[test]
fn small_shapes_before_lines_are_marks_of_items_and_others_are_none() {
    let dot = |x: u32, y: u32| format!("{x} {y} 4 4 re f\n");
    let content = [
        at(50, 700, "Waste goes here"),
        dot(60, 681),
        at(72, 680, "Paper into the blue bin"),
        dot(60, 667),
        at(72, 666, "Glass into the street"),
        dot(400, 640),
        at(50, 640, "A line with a box far behind it."),
    ];
    let expected =
        "Waste goes here\n\n- Paper into the blue bin\n- Glass into the street\n\nA line with a box far behind it.\n";
    assert_eq!(read(&content.concat()), expected);
}

#[test]
fn marks_that_are_drawn_behind_a_list_are_those_of_its_items_and_marks_in_a_column_are_text() {
    let bullet = |x: u32, y: u32| at(x, y, "\\225");
    let list = [at(72, 700, "Paper"), at(72, 680, "Glass"), at(72, 640, "The end."), bullet(60, 700), bullet(60, 680)];
    assert_eq!(read(&list.concat()), "- Paper\n- Glass\n\nThe end.\n");
    let column = [at(50, 700, "Search by meaning"), at(50, 676, "Answers"), bullet(300, 700), bullet(300, 676)];
    assert_eq!(read(&column.concat()).matches('•').count(), 2);
}

#[test]
fn raised_digits_are_no_part_of_the_number_before_them() {
    let raised = |text: &str| {
        format!(
            "BT /F1 10 Tf 50 700 Td (There are 10) Tj 4 Ts /F1 6 Tf ({text}) Tj 0 Ts /F1 10 Tf ( cells in it.) Tj ET\n"
        )
    };
    assert_eq!(read(&raised("6")), "There are 10⁶ cells in it.\n");
    let lowered = raised("2").replace("4 Ts", "-3 Ts");
    assert_eq!(read(&lowered), "There are 102 cells in it.\n");
}

#[test]
fn a_paragraph_that_is_set_with_wide_distances_is_one_paragraph() {
    let long = "This line of the text is long and goes on in the next";
    let content: String = (0..6).map(|row| at(50, 760 - row * 20, long)).collect();
    let text = read(&(content + &at(50, 600, "Another paragraph.")));
    assert_eq!(text, format!("{}\nAnother paragraph.\n", format!("{long}\n").repeat(6)));
    let short: String = (0..6).map(|row| at(50, 760 - row * 20, if row == 0 { long } else { "Short" })).collect();
    assert!(read(&short).ends_with("Short\n\nShort\n"));
}

#[test]
fn items_with_letters_keep_their_letters() {
    let content =
        [at(50, 700, "a) Ask"), at(50, 680, "b) Wait"), at(50, 660, "a. One"), at(50, 640, "i.e. this is none")];
    assert_eq!(read(&content.concat()), "- a) Ask\n- b) Wait\n- a. One\n\ni.e. this is none\n");
}

#[test]
fn a_heading_at_the_end_of_a_page_is_that_of_the_text_on_the_next() {
    let list = "<< /Type /Pages /Kids [3 0 R 7 0 R] /Count 2 /MediaBox [0 0 600 800] >>";
    let page = |contents: u32| format!("<< /Type /Page /Parent 2 0 R /Contents {contents} 0 R /Resources {FONTS} >>");
    let large = at(50, 60, "Guidance").replace("10 Tf", "16 Tf");
    let text = at(50, 600, "Text of the manual in many words.");
    let (first, second) = (stream("", &(text.clone() + &large)), stream("", &text));
    let file = of_objects(&[CATALOG, list, &page(4), &first, REGULAR, BOLD, &page(8), &second]);
    let read = extract_any(&file, Format::Pdf, &Limits::default()).expect("a text");
    assert!(read.pages[0].text.ends_with("\n\n# Guidance\n"), "{:?}", read.pages);
    let alone = of_objects(&[
        CATALOG,
        &list.replace(" 7 0 R", "").replace("/Count 2", "/Count 1"),
        &page(4),
        &first,
        REGULAR,
        BOLD,
    ]);
    let read = extract_any(&alone, Format::Pdf, &Limits::default()).expect("a text");
    assert!(read.pages[0].text.ends_with("\n\nGuidance\n"), "{:?}", read.pages);
}
