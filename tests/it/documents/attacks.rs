//! PDFs that were made to harm their reader: each ends within its limits, with its text or with a reason.

use std::collections::BTreeMap;
use std::io::Write as _;

use citewire::document::FileOutcome;
use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::folder;
use super::formats::{library, of_objects};

/// The content of every page but those that are the attack.
const WORDS: &str = "BT /F1 12 Tf 50 700 Td (The canteen opens at noon) Tj ET";
const CATALOG: &str = "<< /Type /Catalog /Pages 2 0 R >>";
const PAGES: &str = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
const FONT: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
const FONTS: &str = "/Font << /F1 5 0 R >>";

/// The reasons of documents without a text.
const MEMORY: &str = "reading it took too much memory: split it";
const TOO_MUCH_TEXT: &str = "it has more than 33554432 bytes of text: split it";
const NO_PAGES: &str = "it is damaged: open it, and save it again (details: it has no pages that can be found)";
const UNREAD: &str = "it is damaged: open it, and save it again (details: none of its pages can be read)";
const WITHOUT_TEXT: &str =
    "it is damaged: open it, and save it again (details: the pages that can be read have no text)";

fn stream(parts: &str, content: &[u8]) -> Vec<u8> {
    let mut stream = format!("<< {parts} /Length {} >>\nstream\n", content.len()).into_bytes();
    stream.extend(content);
    stream.extend(b"\nendstream");
    stream
}

fn packed(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).expect("written");
    encoder.finish().expect("packed")
}

/// The parts of a PDF with one page: its catalog and list of pages, the content and resources of the page, its font and what else there is.
struct Parts {
    catalog: String,
    pages: String,
    content: Vec<u8>,
    resources: String,
    font: String,
    more: Vec<Vec<u8>>,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            catalog: CATALOG.to_owned(),
            pages: PAGES.to_owned(),
            content: stream("", WORDS.as_bytes()),
            resources: FONTS.to_owned(),
            font: FONT.to_owned(),
            more: Vec::new(),
        }
    }
}

impl Parts {
    fn file(self) -> Vec<u8> {
        let page = format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << {} >> >>",
            self.resources
        );
        let head = [self.catalog, self.pages, page].map(String::into_bytes);
        let objects: Vec<Vec<u8>> =
            head.into_iter().chain([self.content, self.font.into_bytes()]).chain(self.more).collect();
        of_objects(&objects)
    }
}

/// A page with this content.
fn content(content: &str) -> Vec<u8> {
    Parts { content: stream("/Filter /FlateDecode", &packed(content.as_bytes())), ..Parts::default() }.file()
}

/// A page whose font says this, with another object.
fn font(font: &str, more: Vec<u8>) -> Vec<u8> {
    Parts { font: format!("<< /Type /Font {font} >>"), more: vec![more], ..Parts::default() }.file()
}

/// A character map that says this of its codes.
fn character_map(says: &str) -> Vec<u8> {
    let map = format!("begincmap 1 begincodespacerange <00> <ff> endcodespacerange {says} endcmap");
    stream("", map.as_bytes())
}

/// Forms of which each draws the next one twice.
fn doubling_forms() -> Vec<u8> {
    let form = |next: usize| format!("/Subtype /Form /Resources << {FONTS} /XObject << /A {next} 0 R >> >>");
    let mut more: Vec<Vec<u8>> = (7..33).map(|next| stream(&form(next), b"/A Do /A Do")).collect();
    more.push(stream("/Subtype /Form", WORDS.as_bytes()));
    Parts {
        content: stream("", b"/A Do"),
        resources: format!("{FONTS} /XObject << /A 6 0 R >>"),
        more,
        ..Parts::default()
    }
    .file()
}

/// A list of pages in a list of pages, so many times.
fn deep_pages(depth: usize) -> Vec<u8> {
    let list = |number: usize| format!("<< /Type /Pages /Kids [{} 0 R] /Count 1 >>", number + 1).into_bytes();
    let page = format!(
        "<< /Type /Page /MediaBox [0 0 600 800] /Contents {} 0 R /Resources << /Font << /F1 {} 0 R >> >> >>",
        depth + 3,
        depth + 4
    );
    let last = [page.into_bytes(), stream("", WORDS.as_bytes()), FONT.as_bytes().to_vec()];
    let objects: Vec<Vec<u8>> =
        [CATALOG.as_bytes().to_vec()].into_iter().chain((2..depth + 2).map(list)).chain(last).collect();
    of_objects(&objects)
}

/// The attacks with their outcomes: a reason or a loss; an empty one is the whole text.
fn attacks() -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let blanks = packed(&vec![b' '; 500 << 20]);
    let composite = "/Subtype /Type0 /BaseFont /X /Encoding /Identity-H /DescendantFonts [6 0 R]";
    let wide = b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /X /W [0 4000000000 500] >>";
    let mapped = "/Subtype /Type1 /BaseFont /Helvetica /ToUnicode 6 0 R";
    let long = format!("1 beginbfchar <41> <{}> endbfchar", "0041".repeat(5_000));
    let shapes = "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 1 1] /XStep 0.0001 /YStep 0.0001 \
                  /Resources << /Pattern << /P 6 0 R >> >>";
    let paint = "/Pattern cs /P scn 0 0 600 800 re f ";
    let glyphs = "/Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /CharProcs << /a 6 0 R >> /Encoding \
                  << /Differences [97 /a] >> /FirstChar 97 /LastChar 97 /Widths [1] /Resources << /Font << /F1 5 0 R >> >>";
    let catalog = |more: &str| format!("<< /Type /Catalog /Pages 2 0 R {more} >>");
    let pages = |kids: &str, count: usize| Parts {
        pages: format!("<< /Type /Pages /Kids [{kids}] /Count {count} >>"),
        ..Parts::default()
    };
    let missing = "not read: 2 pages that the file counts and lacks";
    vec![
        ("widths", font(composite, wide.to_vec()), MEMORY),
        ("doubling-forms", doubling_forms(), UNREAD),
        (
            "letters",
            content(&format!("BT /F1 12 Tf 50 700 Td {} ET", "(abcdefghi ) Tj ".repeat(150_000))),
            TOO_MUCH_TEXT,
        ),
        ("states", content(&format!("{}{WORDS}", "q ".repeat(5_000_000))), ""),
        ("bomb", Parts { content: stream("/Filter /FlateDecode", &blanks), ..Parts::default() }.file(), MEMORY),
        (
            "bomb-in-a-bomb",
            Parts { content: stream("/Filter [/FlateDecode /FlateDecode]", &packed(&blanks)), ..Parts::default() }
                .file(),
            MEMORY,
        ),
        ("open-lists", content(&format!("{} {WORDS}", "[".repeat(300_000))), WITHOUT_TEXT),
        (
            "open-lists-behind-words",
            content(&format!("{WORDS} {} {WORDS}", "[".repeat(300_000))),
            "a part of page 1 is damaged",
        ),
        ("nested-font", font(&format!("{}1{}", "/A << ".repeat(60_000), " >>".repeat(60_000)), Vec::new()), ""),
        (
            "nested-list",
            Parts { catalog: catalog("/Z 6 0 R"), more: vec!["[".repeat(600_000).into_bytes()], ..Parts::default() }
                .file(),
            "",
        ),
        ("many-times-one-page", pages(&"3 0 R ".repeat(100_000), 3).file(), missing),
        ("pages-in-themselves", pages("2 0 R 2 0 R 3 0 R", 3).file(), missing),
        ("deep-pages", deep_pages(60_000), ""),
        (
            "range-of-all-codes",
            font(mapped, character_map("1 beginbfrange <00000000> <ffffffff> <0000> endbfrange")),
            "",
        ),
        (
            "long-text-of-a-letter",
            Parts {
                content: stream(
                    "",
                    format!("BT /F1 12 Tf 50 700 Td {} ET", "(AAAAAAAAAA) Tj ".repeat(1_000)).as_bytes(),
                ),
                font: format!("<< /Type /Font {mapped} >>"),
                more: vec![character_map(&long)],
                ..Parts::default()
            }
            .file(),
            TOO_MUCH_TEXT,
        ),
        ("letters-that-draw-themselves", font(glyphs, stream("", b"1 0 d0 BT /F1 1 Tf (aaaaaaaaaa) Tj ET")), ""),
        (
            "pattern-of-itself",
            Parts {
                content: stream("", format!("{paint}{WORDS}").as_bytes()),
                resources: format!("{FONTS} /Pattern << /P 6 0 R >>"),
                more: vec![stream(shapes, paint.as_bytes())],
                ..Parts::default()
            }
            .file(),
            "",
        ),
        (
            "outline-in-itself",
            Parts {
                catalog: catalog("/Outlines 6 0 R"),
                more: vec![
                    b"<< /First 7 0 R /Last 7 0 R /Count 9 >>".to_vec(),
                    b"<< /Title (Loop) /Next 7 0 R /First 6 0 R /Dest [3 0 R /Fit] >>".to_vec(),
                ],
                ..Parts::default()
            }
            .file(),
            "",
        ),
        (
            "fields-in-themselves",
            Parts {
                catalog: catalog("/AcroForm << /Fields [6 0 R] >>"),
                more: vec![
                    b"<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /Parent 7 0 R /Rect [0 0 1 1] >>".to_vec(),
                    b"<< /T (b) /Parent 6 0 R /Kids [6 0 R 7 0 R] >>".to_vec(),
                ],
                ..Parts::default()
            }
            .file(),
            "",
        ),
        ("pages-that-are-lists", of_objects(&[CATALOG, "<< /Type /Pages /Kids 3 0 R >>", "3 0 R"]), NO_PAGES),
    ]
}

#[tokio::test]
async fn each_ends_within_its_limits_with_a_text_or_a_reason() {
    let attacks = attacks();
    let files: Vec<(String, &[u8])> =
        attacks.iter().map(|(name, file, _)| (format!("{name}.pdf"), file.as_slice())).collect();
    let folder = folder(&files);
    let library = library(folder.path(), |reader| reader.memory = 512 << 20).await;
    let came_of: BTreeMap<String, String> = library
        .files()
        .into_iter()
        .map(|(path, outcome)| match outcome {
            FileOutcome::Unreadable(reason) => (path, reason.to_string()),
            FileOutcome::Ready { passages: 0, .. } => (path, "no passages".to_owned()),
            FileOutcome::Ready { loss, .. } => (path, loss.map(|loss| loss.words.clone()).unwrap_or_default()),
            FileOutcome::Skipped => (path, "skipped".to_owned()),
        })
        .collect();
    let expected = attacks.iter().map(|(name, _, outcome)| (format!("{name}.pdf"), (*outcome).to_owned())).collect();
    assert_eq!(came_of, expected);
}
