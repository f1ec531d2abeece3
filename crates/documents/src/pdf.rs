//! PDF: the text of each page.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pdf_extract::{Dictionary, Document, Error, Object, ObjectId, decode_text_string, output_doc_page};

use crate::extracted::{Extracted, PageText, one_line};
use crate::pdf_layout::Layout;
use crate::{Limits, Markup, Unreadable};

/// What the parser may stumble over in a font. A page is readable without it, if less well.
const OPTIONAL: [&[u8]; 4] = [b"ToUnicode", b"FontFile", b"FontFile2", b"FontFile3"];

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
    let mut reader = Reader::new(document)?;
    let mut room = limits.max_text_bytes;
    let (mut texts, mut lost) = (Vec::with_capacity(count), Vec::new());
    for (number, page) in (1..).zip(pages) {
        reader.turn_to(page);
        let Some(text) = reader.page().or_else(|| reader.page_without_broken_fonts()) else {
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
}

/// A part of a font that was taken out.
struct Taken {
    font: ObjectId,
    key: &'static [u8],
    value: Object,
}

impl Reader {
    fn new(mut document: Document) -> Result<Self, Unreadable> {
        let list = document.add_object(Dictionary::new());
        document.catalog_mut().map_err(unreadable)?.set("Pages", Object::Reference(list));
        Ok(Self { document, list })
    }

    /// Makes this the only page.
    fn turn_to(&mut self, page: ObjectId) {
        let mut list = Dictionary::new();
        list.set("Type", Object::Name(b"Pages".to_vec()));
        list.set("Count", Object::Integer(1));
        list.set("Kids", Object::Array(vec![Object::Reference(page)]));
        self.document.set_object(self.list, list);
    }

    /// The text of a page, which the parser may panic over.
    fn page(&self) -> Option<String> {
        let mut layout = Layout::default();
        let read = catch_unwind(AssertUnwindSafe(|| output_doc_page(&self.document, &mut layout, 1)));
        matches!(read, Ok(Ok(()))).then(|| layout.finish())
    }

    /// The same after the parts of fonts are taken out over which the parser panics. They stay out for the pages behind.
    fn page_without_broken_fonts(&mut self) -> Option<String> {
        let taken: Vec<Taken> = OPTIONAL.iter().flat_map(|key| self.take_out(key)).collect();
        self.page()?;
        self.put_back(taken);
        self.page()
    }

    /// Puts back what the parser does not panic over.
    fn put_back(&mut self, mut taken: Vec<Taken>) {
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
}
