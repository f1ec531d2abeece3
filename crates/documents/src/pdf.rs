//! PDF: the text of each page.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_extract::{Dictionary, Document, Error, Object, ObjectId, decode_text_string, output_doc_page};

use crate::extracted::{Extracted, PageText, one_line};
use crate::pdf_forms::Forms;
use crate::pdf_layout::Layout;
use crate::{Limits, Markup, Unreadable};

/// What the parser may stumble over in a font. A page is readable without it, if less well.
const OPTIONAL: [&[u8]; 4] = [b"ToUnicode", b"FontFile", b"FontFile2", b"FontFile3"];

/// The attributes that a page inherits from the lists of pages above it.
const INHERITED: [&[u8]; 2] = [b"Resources", b"MediaBox"];

/// The maximum number of lists of pages to look at above a page. One may name itself as the list above it.
const MAX_ANCESTORS: usize = 64;

/// A document has so many attempts to read pages without parts of their fonts, each as long as reading a page.
const MAX_ATTEMPTS: usize = 256;

/// The text of a PDF.
pub(crate) fn extract(bytes: &[u8], limits: &Limits) -> Result<Extracted, Unreadable> {
    let document = Document::load_mem(bytes).map_err(unreadable)?;
    let pages: Vec<ObjectId> = document.page_iter().take(limits.max_pages.saturating_add(1)).collect();
    if document.is_encrypted() || pages.is_empty() && document.trailer.has(b"Encrypt") {
        return Err(Unreadable::Encrypted);
    }
    let count = pages.len();
    if count > limits.max_pages {
        return Err(Unreadable::TooManyPages { pages: document.page_iter().count(), limit: limits.max_pages });
    }
    if count == 0 {
        return Err(Unreadable::damaged("it has no pages"));
    }
    let title = title(&document);
    let mut reader = Reader::new(document, limits.max_text_bytes)?;
    let mut room = limits.max_text_bytes;
    let (mut texts, mut lost) = (Vec::with_capacity(count), Vec::new());
    for (number, page) in (1..).zip(pages) {
        reader.turn_to(page);
        let is_bounded = reader.forms.are_bounded(&reader.document, page);
        let read = if is_bounded { reader.page().or_else(|| reader.page_without_broken_fonts()) } else { None };
        let Some(text) = read else {
            lost.push(number);
            continue;
        };
        room = room.checked_sub(text.len()).ok_or(Unreadable::TooMuchText { limit: limits.max_text_bytes })?;
        texts.push(PageText { number: Some(number), text });
    }
    if texts.is_empty() {
        return Err(Unreadable::damaged("none of its pages can be read"));
    }
    let page_count = u32::try_from(count).ok();
    Ok(Extracted {
        pages: texts,
        page_count,
        lost_pages: lost,
        ..Extracted::whole(title, Markup::Plain, String::new())
    })
}

fn unreadable(error: Error) -> Unreadable {
    let is_encrypted = matches!(error, Error::Decryption(_) | Error::InvalidPassword);
    if is_encrypted { Unreadable::Encrypted } else { Unreadable::damaged(error) }
}

/// The title among the properties, unless a program made it up from the name of a file.
fn title(document: &Document) -> Option<String> {
    let properties = document.trailer.get(b"Info").and_then(|info| document.dereference(info)).ok()?.1;
    let (_, title) = document.dereference(properties.as_dict().ok()?.get(b"Title").ok()?).ok()?;
    let title = one_line(&decode_text_string(title).ok()?);
    let title = title.strip_prefix("Microsoft Word - ").unwrap_or(&title);
    let title: String = title.chars().filter(|c| !c.is_control()).collect();
    let is_name =
        title.rsplit_once('.').is_some_and(|(_, ending)| (2..=4).contains(&ending.len()) && !title.contains(' '));
    Some(title).filter(|title| title.len() > 2 && !is_name && !title.eq_ignore_ascii_case("untitled"))
}

/// Reads one page at a time. The parser looks for a page from the first one on, which takes long at the end of a long document:
/// so the document has one page at a time.
struct Reader {
    document: Document,
    /// The list of pages.
    list: ObjectId,
    forms: Forms,
    /// The attempts that are left.
    attempts: usize,
    /// The bytes of text that a page may have.
    room: usize,
}

/// A part of a font that was taken out.
struct Taken {
    font: ObjectId,
    key: &'static [u8],
    value: Object,
}

impl Reader {
    fn new(mut document: Document, room: usize) -> Result<Self, Unreadable> {
        let list = document.add_object(Dictionary::new());
        document.catalog_mut().map_err(unreadable)?.set("Pages", Object::Reference(list));
        Ok(Self { document, list, forms: Forms::default(), attempts: MAX_ATTEMPTS, room })
    }

    /// Makes this the only page.
    fn turn_to(&mut self, page: ObjectId) {
        let mut list = Dictionary::new();
        list.set("Type", Object::Name(b"Pages".to_vec()));
        list.set("Count", Object::Integer(1));
        list.set("Kids", Object::Array(vec![Object::Reference(page)]));
        self.document.set_object(self.list, list);
        for key in INHERITED {
            if let Some(value) = self.inherited(page, key) {
                self.dictionary(page).into_iter().for_each(|page| page.set(key, value.clone()));
            }
        }
        // The parser follows it without end.
        self.dictionary(page).and_then(|page| page.remove(b"Parent"));
    }

    /// A reference to what the page or a list above it has under this key.
    fn inherited(&mut self, page: ObjectId, key: &[u8]) -> Option<Object> {
        let mut node = page;
        for _ in 0..MAX_ANCESTORS {
            let parts = self.document.get_dictionary(node).ok()?;
            let value = parts.get(key).ok().cloned();
            let is_one = |value: &Object| {
                let (_, value) = self.document.dereference(value).ok()?;
                (value.as_dict().is_ok() || value.as_array().is_ok()).then_some(())
            };
            if let Some(value) = value.filter(|value| is_one(value).is_some()) {
                if value.as_reference().is_ok() {
                    return Some(value);
                }
                // One copy for all pages below the list.
                let shared = Object::Reference(self.document.add_object(value));
                self.dictionary(node)?.set(key, shared.clone());
                return Some(shared);
            }
            node = parts.get(b"Parent").and_then(Object::as_reference).ok()?;
        }
        None
    }

    /// The text of a page, which the parser may panic over.
    fn page(&self) -> Option<String> {
        let mut layout = Layout::new(self.room);
        let read = catch_unwind(AssertUnwindSafe(|| output_doc_page(&self.document, &mut layout, 1)));
        matches!(read, Ok(Ok(()))).then(|| layout.finish())
    }

    /// The same after the parts of fonts are taken out over which the parser panics. They stay out for the pages behind.
    fn page_without_broken_fonts(&mut self) -> Option<String> {
        let taken: Vec<Taken> = OPTIONAL.iter().flat_map(|key| self.take_out(key)).collect();
        self.attempts = self.attempts.checked_sub(1)?;
        self.page()?;
        self.put_back(taken);
        self.page()
    }

    /// Puts back what the parser does not panic over.
    fn put_back(&mut self, mut taken: Vec<Taken>) {
        let Some(left) = self.attempts.checked_sub(1) else { return };
        self.attempts = left;
        for Taken { font, key, value } in &taken {
            self.dictionary(*font).into_iter().for_each(|font| font.set(*key, value.clone()));
        }
        if self.page().is_some() {
            return;
        }
        for Taken { font, key, .. } in &taken {
            self.dictionary(*font).and_then(|font| font.remove(key));
        }
        if taken.len() > 1 {
            let others = taken.split_off(taken.len() / 2);
            self.put_back(taken);
            self.put_back(others);
        }
    }

    fn take_out(&mut self, key: &'static [u8]) -> Vec<Taken> {
        let objects = self.document.objects.iter_mut();
        let dictionaries = objects.filter_map(|(id, object)| Some((*id, object.as_dict_mut().ok()?)));
        dictionaries.filter_map(|(font, parts)| Some(Taken { font, key, value: parts.remove(key)? })).collect()
    }

    fn dictionary(&mut self, id: ObjectId) -> Option<&mut Dictionary> {
        self.document.objects.get_mut(&id)?.as_dict_mut().ok()
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!((extracted.page_count, extracted.markup, extracted.lost_pages.len()), (Some(3), Markup::Plain, 0));
    }

    #[test]
    fn two_thousand_pages_are_read_and_more_than_the_limit_are_refused() {
        let file = pdf(&vec!["some words"; 2_000], "");
        assert_eq!(read(&file).map(|extracted| extracted.pages.len()), Ok(2_000));
        let limits = Limits { max_pages: 1_999, ..Limits::default() };
        assert_eq!(extract(&file, &limits), Err(Unreadable::TooManyPages { pages: 2_000, limit: 1_999 }));
        let limits = Limits { max_text_bytes: 100, ..Limits::default() };
        assert_eq!(extract(&file, &limits), Err(Unreadable::TooMuchText { limit: 100 }));
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        let whole = pdf(&["some words"], "");
        assert_eq!(read(b""), Err(Unreadable::Empty));
        assert_eq!(read(b"PK\x03\x04"), Err(Unreadable::NotWhatItsNameSays("PDF".to_owned())));
        assert_eq!(read(&pdf(&["", ""], "")), Err(Unreadable::OnlyPictures));
        let encrypted = "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 \
            /O <0000000000000000000000000000000000000000000000000000000000000000> \
            /U <0000000000000000000000000000000000000000000000000000000000000000> >> /ID [<00> <00>]";
        assert_eq!(read(&pdf(&["some words"], encrypted)), Err(Unreadable::Encrypted));
        for length in (20..whole.len() - 1).step_by(37) {
            let cut = read(&whole[..length]);
            assert!(matches!(cut, Ok(_) | Err(Unreadable::Damaged(_) | Unreadable::OnlyPictures)), "{length}: {cut:?}");
        }
        assert!(matches!(read(&whole[..whole.len() / 2]), Err(Unreadable::Damaged(_))));
    }

    /// A PDF of these objects, numbered from 1, of which the first is the catalog.
    fn of_objects(objects: &[&str]) -> Vec<u8> {
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

    fn stream(parts: &str, content: &str) -> String {
        format!("<< {parts} /Length {} >>\nstream\n{content}\nendstream", content.len())
    }

    const CATALOG: &str = "<< /Type /Catalog /Pages 2 0 R >>";
    const FONT: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";
    const WORDS: &str = "BT /F1 12 Tf 50 700 Td (some words) Tj ET";

    #[test]
    fn lists_of_pages_that_lead_to_themselves_come_to_an_end() {
        let words = stream("", WORDS);
        let page = |parent: &str, more: &str| format!("<< /Type /Page /Parent {parent} /Contents 4 0 R {more} >>");
        let whole = "/MediaBox [0 0 600 800] /Resources << /Font << /F1 5 0 R >> >>";
        let list = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
        let mine = "<< /Type /Pages /Kids [2 0 R 3 0 R] /Parent 2 0 R /Count 2 >>";
        for (list, page, is_read) in [
            (list, page("3 0 R", ""), false),
            (list, page("3 0 R", whole), true),
            (mine, page("2 0 R", ""), false),
            (mine, page("2 0 R", whole), false),
            (
                &*format!("<< /Type /Pages /Kids [3 0 R 2 0 R] /Parent 2 0 R {whole} /Count 1 >>"),
                page("2 0 R", ""),
                true,
            ),
        ] {
            let read = read(&of_objects(&[CATALOG, list, &page, &words, FONT]));
            assert_eq!(read.is_ok(), is_read, "{page} {read:?}");
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
            assert_eq!(
                (extracted.pages[0].text.as_str(), extracted.lost_pages),
                ("some words\n", vec![2]),
                "{drawing}"
            );
        }
    }
}
