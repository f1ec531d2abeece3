//! Tests of whole PDFs.

use super::*;
use crate::example::pdf;
use crate::{Format, extract as extract_any};

fn read(bytes: &[u8]) -> Result<Extracted, Unreadable> {
    extract_any(bytes, Format::Pdf, &Limits::default())
}

#[test]
fn each_page_has_its_number_and_words_have_blanks() {
    let extracted = read(&pdf(&["The hand-\nbook of\nContoso", "", "Leave: 30 days"], "")).expect("text");
    let pages: Vec<_> = extracted.pages.iter().map(|page| (page.number, page.text.as_str())).collect();
    assert_eq!(pages, [(Some(1), "The handbook of\nContoso\n"), (Some(2), ""), (Some(3), "Leave: 30 days\n")]);
    assert_eq!((extracted.page_count, extracted.markup, extracted.lost_pages.len()), (Some(3), Markup::Markdown, 0));
}

#[test]
fn three_thousand_pages_are_read_and_more_than_the_limit_are_refused() {
    let file = pdf(&vec!["some words"; 3_000], "");
    assert_eq!(read(&file).map(|extracted| extracted.pages.len()), Ok(3_000));
    let limits = Limits { max_pages: 2_999, ..Limits::default() };
    assert_eq!(extract(&file, &limits), Err(Unreadable::TooManyPages { pages: 3_000, limit: 2_999 }));
    let limits = Limits { max_text_bytes: 100, ..Limits::default() };
    assert_eq!(extract(&file, &limits), Err(Unreadable::TooMuchText { limit: 100 }));
}

#[test]
fn what_cannot_be_read_says_why() {
    let whole = pdf(&["some words"], "");
    assert_eq!(read(b""), Err(Unreadable::Empty));
    assert_eq!(read(b"PK\x03\x04"), Err(Unreadable::NotWhatItsNameSays("PDF".to_owned())));
    assert_eq!(read(&pdf(&["", ""], "")), Err(Unreadable::Empty));
    let encrypted = "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 \
        /O <0000000000000000000000000000000000000000000000000000000000000000> \
        /U <0000000000000000000000000000000000000000000000000000000000000000> >> /ID [<00> <00>]";
    assert_eq!(read(&pdf(&["some words"], encrypted)), Err(Unreadable::Encrypted));
    for length in (20..whole.len() - 1).step_by(37) {
        let cut = read(&whole[..length]);
        assert!(matches!(cut, Ok(_) | Err(Unreadable::Damaged(_) | Unreadable::Empty)), "{length}: {cut:?}");
    }
    assert!(matches!(read(&whole[..whole.len() / 2]), Err(Unreadable::Damaged(_))));
}

/// A PDF of these objects, numbered from 1, of which the first is the catalog.
pub(super) fn of_objects(objects: &[&str]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut rows = String::new();
    for (number, object) in (1..).zip(objects) {
        rows.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    let (start, count) = (file.len(), objects.len() + 1);
    let trailer = format!("trailer\n<< /Size {count} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n");
    file.extend(format!("xref\n0 {count}\n0000000000 65535 f \n{rows}{trailer}").bytes());
    file
}

pub(super) fn stream(parts: &str, content: &str) -> String {
    format!("<< {parts} /Length {} >>\nstream\n{content}\nendstream", content.len())
}

pub(super) const CATALOG: &str = "<< /Type /Catalog /Pages 2 0 R >>";
const FONT: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
const WORDS: &str = "BT /F1 12 Tf 50 700 Td (some words) Tj ET";

#[test]
fn pages_that_the_file_counts_and_lacks_and_content_that_breaks_off_are_losses() {
    let page = |content: usize| {
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {content} 0 R \
             /Resources << /Font << /F1 7 0 R >> /XObject << /X 8 0 R >> >> >>"
        )
    };
    let whole = stream("", WORDS);
    let broken = stream("", &format!("{WORDS} ) {WORDS}"));
    let form = stream("/Type /XObject /Subtype /Form", &format!("{WORDS} [ {WORDS}"));
    for (kids, count, contents, pages, loss) in [
        ("3 0 R 4 0 R", 2, [&*whole, &*whole], 2, None),
        ("3 0 R 4 0 R", 1, [&*whole, &*whole], 2, None),
        ("3 0 R 9 0 R", 2, [&*whole, &*whole], 1, Some("not read: 1 page that the file counts and lacks")),
        ("3 0 R 4 0 R", 2, [&*whole, &*broken], 2, Some("a part of page 2 is damaged")),
        ("3 0 R 4 0 R", 2, [&*stream("", "/X Do"), &*whole], 2, Some("a part of page 1 is damaged")),
    ] {
        let list = format!("<< /Type /Pages /Kids [{kids}] /Count {count} >>");
        let [first, second] = contents;
        let file = of_objects(&[CATALOG, &list, &page(5), &page(6), first, second, FONT, &form]);
        let extracted = read(&file).expect("a text");
        assert_eq!(extracted.pages.len(), pages, "{kids} {count}");
        let told = extracted.loss().map(|loss| (loss.to_string(), loss.is_partial));
        assert_eq!(told, loss.map(|loss| (loss.to_owned(), pages < 2)), "{kids} {count}");
    }
    let unlisted =
        of_objects(&["<< /Type /Catalog /Pages 20 0 R >>", "null", &page(5), &page(6), &whole, &whole, FONT, &form]);
    let extracted = read(&unlisted).expect("a text");
    assert_eq!(extracted.pages.len(), 2);
    let loss = extracted.loss().expect("a loss");
    assert_eq!(loss.to_string(), "not read: 1 list of pages, so that some may be missing");
    assert!(loss.is_partial);
}

#[test]
fn lists_of_pages_that_lead_to_themselves_come_to_an_end() {
    let words = stream("", WORDS);
    let page = |parent: &str, more: &str| format!("<< /Type /Page /Parent {parent} /Contents 4 0 R {more} >>");
    let whole = "/MediaBox [0 0 600 800] /Resources << /Font << /F1 5 0 R >> >>";
    let list = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
    let mine = "<< /Type /Pages /Kids [2 0 R 3 0 R] /Parent 2 0 R /Count 2 >>";
    let own = format!("<< /Type /Pages /Kids [3 0 R 2 0 R] /Parent 2 0 R {whole} /Count 1 >>");
    for (list, page) in [
        (list, page("3 0 R", "")),
        (list, page("3 0 R", whole)),
        (mine, page("2 0 R", "")),
        (mine, page("2 0 R", whole)),
        (own.as_str(), page("2 0 R", "")),
    ] {
        let read = read(&of_objects(&[CATALOG, list, &page, &words, FONT]));
        let texts = read.map(|read| read.pages.into_iter().map(|page| page.text).collect::<Vec<_>>());
        assert_eq!(texts, Ok(vec!["some words\n".to_owned()]), "{list} {page}");
    }
}

#[test]
fn drawings_that_draw_themselves_or_each_other_without_end_are_a_lost_page() {
    let list = "<< /Type /Pages /Kids [3 0 R 6 0 R] /Count 2 /MediaBox [0 0 600 800] >>";
    let good = "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> /XObject << /X 9 0 R >> >> >>";
    let content = stream("", "/X Do");
    let twice = "/X Do ".repeat(12);
    // Eight steps of twelve drawings each are 430 million.
    let steps: Vec<String> = (0..8)
        .map(|step| {
            stream(
                &format!("/Type /XObject /Subtype /Form /Resources << /XObject << /X {} 0 R >> >>", 11 + step),
                &twice,
            )
        })
        .collect();
    let last = stream("/Type /XObject /Subtype /Form", "0 0 m");
    for drawing in ["8 0 R", "10 0 R"] {
        let bad =
            format!("<< /Type /Page /Parent 2 0 R /Contents 7 0 R /Resources << /XObject << /X {drawing} >> >> >>");
        let words = stream("", &format!("{WORDS} /X Do"));
        let own = stream("/Type /XObject /Subtype /Form", "/X Do");
        let mut objects = vec![CATALOG, list, good, &words, FONT, &bad, &content, &own, &last];
        objects.extend(steps.iter().map(String::as_str));
        objects.push(&last);
        let extracted = read(&of_objects(&objects)).expect("the good page");
        assert_eq!((extracted.pages[0].text.as_str(), extracted.lost_pages), ("some words\n", vec![2]), "{drawing}");
    }
}

#[test]
fn a_page_of_shapes_alone_is_a_picture() {
    let page = "<< /Type /Page /Parent 2 0 R /Contents 4 0 R >>";
    let list = "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 600 800] >>";
    let shape = stream("", "10 10 100 100 re f");
    assert_eq!(read(&of_objects(&[CATALOG, list, page, &shape])), Err(Unreadable::OnlyPictures));
}

#[test]
fn a_picture_with_blanks_over_it_is_a_picture() {
    let page = "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> /XObject << /X 6 0 R >> >> >>";
    let list = "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 600 800] >>";
    let parts = "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /ASCIIHexDecode";
    for blanks in ["", "BT /F1 12 Tf 50 700 Td (   ) Tj ET"] {
        let content = stream("", &format!("600 0 0 800 0 0 cm /X Do {blanks}"));
        let read = read(&of_objects(&[CATALOG, list, page, &content, FONT, &stream(parts, "00>")]));
        assert_eq!(read, Err(Unreadable::OnlyPictures), "{blanks}");
    }
}

#[test]
fn letters_without_a_text_are_counted_and_never_called_pictures() {
    let list = "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 600 800] >>";
    let page = "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 8 0 R >> >> >>";
    let drawing = stream("", "1000 0 0 0 750 750 d1 0 0 750 750 re f");
    let font = "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 750 750] /FontMatrix [0.001 0 0 0.001 0 0] /CharProcs << /x1 6 0 R >> \
        /Encoding << /Type /Encoding /Differences [200 /x1] >> /FirstChar 200 /LastChar 200 /Widths [1000] >>";
    let read = |content: &str| {
        let content = stream("", content);
        read(&of_objects(&[CATALOG, list, page, &content, font, &drawing, "null", FONT]))
    };
    let unknown = "BT /F1 12 Tf 50 700 Td <C8C8C8C8> Tj ET";
    assert_eq!(read(unknown), Err(Unreadable::Undecodable));
    let extracted = read(&format!("{unknown} BT /F2 12 Tf 50 600 Td (six words) Tj ET")).expect("some words");
    assert_eq!(extracted.lossy_pages, [LossyPage { page: 1, shown: 13, undecoded: 4 }]);
    assert_eq!((extracted.is_partial, extracted.pages[0].text.as_str()), (false, "six words\n"));
    let extracted = read(&format!("{unknown} BT /F2 12 Tf 50 600 Td (so) Tj ET")).expect("a word");
    assert!(extracted.is_partial, "more is lost than read");
}

#[test]
fn words_have_their_places_where_they_are_asked_for() {
    let limits = Limits { keep_words: true, ..Limits::default() };
    let extracted = extract(&pdf(&["some *words*"], ""), &limits).expect("text");
    let page = &extracted.pages[0];
    let word = |at: usize| &page.text[page.words[at].range.start as usize..page.words[at].range.end as usize];
    assert_eq!((page.words.len(), word(0), word(1)), (2, "some", "\\*words\\*"));
    let place = page.words[0].rectangle;
    // The line stands 700 points above the lower edge of a page of 800.
    assert!((place.left - 50.0).abs() < 0.1 && place.top < 100.0 && place.bottom > 100.0, "{place:?}");
    assert!(place.right > 70.0 && place.right < page.words[1].rectangle.left, "{place:?}");
    assert!(read(&pdf(&["some words"], "")).expect("text").pages[0].words.is_empty());
}

#[test]
fn content_that_cannot_be_unpacked_and_a_font_that_cannot_be_loaded_are_named() {
    let list = "<< /Type /Pages /Kids [3 0 R 6 0 R] /Count 2 /MediaBox [0 0 600 800] >>";
    let page = |contents: &str| {
        format!(
            "<< /Type /Page /Parent 2 0 R /Contents {contents} /Resources << /Font << /F1 5 0 R /F2 8 0 R >> /XObject << /X 12 0 R >> >> >>"
        )
    };
    let (good, words) = (page("4 0 R"), stream("", WORDS));
    let broken = stream("/Filter /ASCIIHexDecode", "zz");
    let odd = stream("", "BT /F2 12 Tf 50 700 Td (some words) Tj ET");
    let drawing = stream("", &format!("{WORDS} /X Do"));
    let inner = stream("/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Filter /ASCIIHexDecode", "zz");
    let outer =
        stream("/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 11 0 R >> >>", "/X Do");
    for contents in ["7 0 R", "[4 0 R 7 0 R]", "[4 0 R 99 0 R]", "99 0 R", "9 0 R", "10 0 R"] {
        let page = page(contents);
        let rest = [&broken, "<< /Type /Font >>", odd.as_str(), &drawing, &inner, &outer];
        let objects = [[CATALOG, list, &good, &words, FONT, &page].as_slice(), &rest].concat();
        let extracted = read(&of_objects(&objects)).expect("the good page");
        assert_eq!((extracted.damaged_pages.as_slice(), extracted.pages.len()), ([2].as_slice(), 2), "{contents}");
        let objects = [[CATALOG, list, &page, &words, FONT, &page].as_slice(), &rest].concat();
        let alone = read(&of_objects(&objects));
        assert!(!matches!(alone, Err(Unreadable::Empty | Unreadable::OnlyPictures)), "{contents}: {alone:?}");
        // A drawing that two pages share is counted once, and damages both.
        let damaged = alone.map_or(2, |read| read.damaged_pages.len());
        assert_eq!(damaged, 2, "{contents}");
    }
}

#[test]
fn small_type_and_a_long_text_in_place_of_a_letter_lose_no_letter() {
    let list = "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 600 800] >>";
    let page = "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>";
    let read = |content: &str| {
        let extracted = read(&of_objects(&[CATALOG, list, page, &stream("", content), FONT])).expect("a text");
        (extracted.pages[0].text.clone(), extracted.loss())
    };
    assert_eq!(read("BT /F1 1 Tf 50 700 Td (illicit fill) Tj ET"), ("illicit fill\n".to_owned(), None));
    let twice = "BT /F1 10 Tf 50 700 Td (bold) Tj ET BT /F1 10 Tf 50.1 700 Td (bold) Tj ET";
    assert_eq!(read(twice), ("bold\n".to_owned(), None));
    // Four strikes, and a shadow.
    let strikes = [(0.0, 0.0), (0.16, 0.0), (0.0, 0.32), (0.16, 0.32), (1.0, -1.0)];
    let strikes =
        strikes.map(|(x, y)| format!("BT /F1 11 Tf {} {} Td (a bill, still illicit) Tj ET ", 50.0 + x, 700.0 + y));
    assert_eq!(read(&strikes.concat()), ("a bill, still illicit\n".to_owned(), None));
    assert_eq!(read("BT /F1 10 Tf 40 Tz 50 700 Td (illicit fill ...) Tj ET"), ("illicit fill ...\n".to_owned(), None));
    let long = "word ".repeat(20_000);
    let (text, _) = read(&format!("BT /F1 10 Tf 50 700 Td /Span << /ActualText ({long}) >> BDC (x) Tj EMC ET"));
    assert_eq!(text.trim_end(), long.trim_end());
}

#[test]
fn a_font_that_names_another_encoding_than_it_has_is_a_loss() {
    let list = "<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 600 800] >>";
    let page = "<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>";
    let read = |bytes: &str| {
        let content = stream("", &format!("BT /F1 12 Tf 50 700 Td <{bytes}> Tj ET"));
        read(&of_objects(&[CATALOG, list, page, &content, FONT])).expect("a text")
    };
    // Chinese in the codes of GBK, by a font that says that its codes are those of Western Europe.
    let chinese = read(&"c4ead6d0bcd9c6da".repeat(3));
    assert_eq!(chinese.loss().expect("a loss").lossy_pages, [LossyPage { page: 1, shown: 24, undecoded: 24 }]);
    assert!(chinese.is_partial);
    let french = "e974e920c0206c61206dea6d65206865757265206f75206520";
    assert_eq!(read(french).loss(), None);
    // A row of raised dots leads from a word to a number.
    assert_eq!(read(&format!("5465612020{}2033", "b7".repeat(40))).loss(), None);
}

/// Numbers that are the same each time, for changes to files.
fn numbers(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below.max(1)
    }
}

#[test]
fn a_file_that_was_changed_anywhere_is_read_or_refused() {
    let count: u64 = std::env::var("CITEWIRE_MUTATED_FILES").map_or(60, |count| count.parse().expect("a number"));
    let text = ["The handbook of Contoso\n1. Leave is 30 days.", "Ask in writing."];
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let samples = std::fs::read_dir(folder).expect("samples").map(|file| file.expect("a file").path());
    let samples = samples.filter(|path| path.extension().is_some_and(|ending| ending == "pdf"));
    let mut files: Vec<Vec<u8>> = samples.map(|path| std::fs::read(path).expect("a sample")).collect();
    files.push(pdf(&text, ""));
    for seed in 0..count {
        let mut number = numbers(seed);
        let mut file = files[number(files.len())].clone();
        for _ in 0..=number(8) {
            let at = number(file.len());
            if file.len() < 20 {
                break;
            }
            match number(4) {
                0 => file[at] ^= 1 << number(8),
                1 => file.truncate(at.max(20)),
                2 => drop(file.splice(at..at, number(usize::MAX).to_string().into_bytes())),
                _ => drop(file.drain(at..(at + number(40)).min(file.len()))),
            }
        }
        // A panic that leaves the crate would end the test.
        drop(read(&file));
    }
}
