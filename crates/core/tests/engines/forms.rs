//! The table of the forms of markers in the documentation, and the sample that holds each of them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use citewire_core::answer::{First, Formats, MARKER_ROWS, MarkerRow, Reads, Unresolved};

/// The lines between which the table stands.
const BEGIN: &str = "<!-- The test `forms` prints this table. -->\n";
const END: &str = "<!-- The end of the table. -->\n";

fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

#[test]
fn the_table_in_the_documentation_is_that_of_the_rows() {
    let page = file("docs/reference/citations.md");
    let found = fs::read_to_string(&page).expect("the page");
    let (before, rest) = found.split_once(BEGIN).expect("the beginning of the table");
    let (_, behind) = rest.split_once(END).expect("the end of the table");
    let expected = format!("{before}{BEGIN}\n{}\n{END}{behind}", table());
    if std::env::var_os("CITEWIRE_UPDATE").is_some() {
        fs::write(&page, &expected).expect("the page is written");
    } else {
        assert!(found == expected, "run this test with CITEWIRE_UPDATE=1; the table is:\n\n{}", table());
    }
}

#[test]
fn a_sample_holds_each_form() {
    let sample = fs::read_to_string(file("samples/answers/native/marker-words/input.json")).expect("the sample");
    let text = serde_json::from_str::<serde_json::Value>(&sample).expect("JSON")["text"].to_string();
    for row in MARKER_ROWS {
        let first = serde_json::Value::from(row.samples[0]).to_string();
        assert!(text.contains(first.trim_matches('"')), "the sample `marker-words` lacks {first}");
    }
}

fn table() -> String {
    let mut table = String::from(
        "| the model writes | words | counts from | in formats | without a source |\n|---|---|---|---|---|\n",
    );
    for row in MARKER_ROWS {
        let samples: Vec<String> = row.samples.iter().map(|sample| shown(sample)).collect();
        let words: Vec<String> = row.words.iter().map(|word| format!("`{word}`")).collect();
        writeln!(
            table,
            "| {} | {} | {} | {} | {} |",
            samples.join(" "),
            words.join(" "),
            first(row.first),
            formats(row),
            unresolved(row.unresolved)
        )
        .expect("a string");
    }
    table
}

/// A sample in Markdown; letters that nobody sees are named.
fn shown(sample: &str) -> String {
    if sample.starts_with('\u{e200}') { "U+E200…U+E201".to_owned() } else { format!("`{sample}`") }
}

fn first(first: First) -> &'static str {
    match first {
        First::One => "1",
        First::Zero => "0",
        First::Told => "the text tells",
        First::Nothing => "",
    }
}

fn formats(row: &MarkerRow) -> &'static str {
    match row.formats {
        Formats::All if row.reads == Reads::WordInParentheses => "all, also in `( )`",
        Formats::All => "all",
        Formats::Numbers => "with numbers",
        Formats::Footnotes => "with footnotes",
        Formats::Documents => "with documents",
        Formats::Names => "with names",
        Formats::Lenticular => "with `【】`",
        Formats::PrivateUse => "with U+E200",
    }
}

fn unresolved(unresolved: Unresolved) -> &'static str {
    match unresolved {
        Unresolved::Text => "stays",
        Unresolved::Stays => "stays, `unresolved`",
        Unresolved::StaysNoted => "stays, `looks-like-marker`",
        Unresolved::Vanishes => "vanishes, `unresolved`",
    }
}
