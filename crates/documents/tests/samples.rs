//! Files as people have them, each with one thing that readers stumble over: `samples/README.md` says which.

#![expect(clippy::panic, reason = "an unreadable sample is a failed test")]

use std::path::PathBuf;

use citewire_documents::{Extracted, Format, Limits, Unreadable, extract};

fn read(name: &str) -> Result<Extracted, Unreadable> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("samples").join(name);
    let bytes = std::fs::read(&path).expect("a sample");
    extract(&bytes, Format::of_name(name).expect("a format"), &Limits::default())
}

/// The text with one blank for several, and without the marks of Markdown.
fn text(name: &str) -> String {
    let extracted = read(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    let text: String = extracted.pages.iter().map(|page| page.text.as_str()).collect();
    text.split_whitespace().filter(|word| !word.starts_with('#')).collect::<Vec<_>>().join(" ")
}

#[test]
fn each_sample_is_read_as_it_is_shown() {
    for (name, expected) in [
        ("pdf-next-line-operators.pdf", "First line is shown. Leave is thirty days. Ask in writing."),
        ("pdf-filter-by-reference.pdf", "Leave is thirty days."),
        ("pdf-embedded-code-map.pdf", "Leave is thirty days."),
        ("pdf-tounicode-by-name.pdf", "Urlop trwa trzydzieści dni."),
        ("pdf-unigb-without-tounicode.pdf", "年假三十天"),
        ("pdf-unijis-without-tounicode.pdf", "休暇は三十日"),
        ("pdf-gbk-without-tounicode.pdf", "年假三十天"),
        ("pdf-japan1-identity.pdf", "あいう"),
        ("pdf-width-ranges.pdf", "Leave is thirty days."),
        ("pdf-hebrew-visual.pdf", "ימי חופשה שלושים יום בשנה"),
        ("pdf-hebrew-logical.pdf", "ימי חופשה"),
        ("pdf-form-field.pdf", "Human Resources grants leave"),
        ("pdf-form-choice.pdf", "Sick leave"),
        ("pdf-no-cross-references.pdf", "First line is shown."),
        ("pdf-bytes-before-header.pdf", "First line is shown."),
        ("pdf-missing-font.pdf", "First line is shown."),
        ("pdf-page-size-by-reference.pdf", "First line is shown."),
        ("pdf-glyph-suffix.pdf", "13A0"),
        ("html-rowspan.html", "| A | sick | 10 |"),
        ("html-exponent.html", "10⁶"),
        ("html-exponent.html", "m²"),
        ("xlsx-percent.xlsx", "12.5%"),
        ("xlsx-general-number.xlsx", "6.6 |"),
    ] {
        assert_eq!(read(name).expect("a text").loss(), None, "{name}");
        let text = text(name);
        assert!(text.contains(expected), "{name}: {text}");
    }
}

#[test]
fn a_title_that_a_program_made_up_is_no_title() {
    for name in ["pdf-title-anonymous.pdf", "pdf-title-untitled.pdf"] {
        assert_eq!(read(name).expect("a text").title, None, "{name}");
    }
}
