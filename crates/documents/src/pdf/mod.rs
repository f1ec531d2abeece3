//! PDF: the text of each page.

mod blocks;
mod contents;
mod decoding;
mod direction;
mod fields;
mod forms;
mod headings;
mod items;
mod joining;
mod leading;
mod left_out;
mod letters;
mod lines;
mod outline;
mod strings;
mod tables;

use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro_syntax::object::Dict;
use hayro_syntax::page::Page;
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};

use self::blocks::written;
use self::forms::Forms;
use self::headings::Headings;
use self::left_out::PageLines;
use self::letters::LetterReader;
use self::lines::Line;
use crate::extracted::{Extracted, LeftOut, LossyPage, PageText, number};
use crate::title;
use crate::{Limits, Markup, UnreadKind, Unreadable};

/// A page with fewer letters of Western Europe that have marks is not judged.
const LEAST_MISREAD: usize = 12;

/// The text of a PDF.
pub(crate) fn extract(bytes: &[u8], limits: &Limits) -> Result<Extracted, Unreadable> {
    let pdf = Pdf::new(bytes.to_vec()).map_err(unreadable)?;
    let count = pdf.pages().len();
    if count > limits.max_pages {
        return Err(Unreadable::TooManyPages { pages: count, limit: limits.max_pages });
    }
    if count == 0 {
        return Err(Unreadable::damaged("it has no pages"));
    }
    let mut document = Document { limits: *limits, room: limits.max_text_bytes, ..Document::default() };
    let mut reader = LetterReader::new(&pdf);
    for page in pdf.pages().iter() {
        document.take(page, &mut reader)?;
    }
    if document.lost.len() == count {
        return Err(Unreadable::damaged("none of its pages can be read"));
    }
    let title = pdf.metadata().title.as_deref().and_then(|title| title::of_properties(&strings::text_string(title)));
    let headings = Headings::new(outline::levels(&pdf), &document.pages);
    let without_text = document.without_text();
    let mut extracted = document.finish(&headings);
    if extracted.is_empty() {
        return Err(without_text);
    }
    match counted_pages(&pdf) {
        Some(counted) => extracted.unread.add(UnreadKind::MissingPages, counted.saturating_sub(count)),
        None => extracted.unread.add(UnreadKind::ListOfPages, 1),
    }
    extracted.is_partial |= !extracted.unread.is_empty();
    Ok(Extracted { title, page_count: u32::try_from(count).ok(), ..extracted })
}

fn unreadable(error: LoadPdfError) -> Unreadable {
    match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected | DecryptionError::UnsupportedAlgorithm) => {
            Unreadable::Encrypted
        }
        LoadPdfError::Decryption(DecryptionError::MissingIDEntry | DecryptionError::InvalidEncryption) => {
            Unreadable::damaged("what says how it is encrypted is broken")
        }
        LoadPdfError::Invalid => Unreadable::damaged("it has no pages that can be found"),
    }
}

/// The number of pages that the file counts; `None` if its list of pages is broken. The parser leaves a page out whose object is broken,
/// and looks for pages everywhere where it finds no list.
fn counted_pages(pdf: &Pdf) -> Option<usize> {
    let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id())?;
    let pages = catalog.get::<Dict<'_>>(b"Pages".as_slice())?;
    pages.contains_key(b"Kids".as_slice()).then_some(())?;
    Some(pages.get::<i32>(b"Count".as_slice()).and_then(|count| usize::try_from(count).ok()).unwrap_or(0))
}

/// The letters of a page that are those of another writing, read as letters of Western Europe. No language has most of its letters with
/// marks: such a font names an encoding that it has not.
fn misread(text: &str) -> u32 {
    let letters = || text.chars().filter(|c| !c.is_whitespace());
    let marked = || letters().filter(|c| matches!(c, '\u{a1}'..='\u{ff}'));
    // Rows of raised dots, degrees and the like are no letters.
    let count = marked().filter(|c| c.is_alphabetic()).count();
    let is_misread = count >= LEAST_MISREAD && count * 2 > letters().count();
    if is_misread { number(marked().count()) } else { 0 }
}

/// The pages of a document that have been read.
#[derive(Default)]
struct Document {
    limits: Limits,
    forms: Forms,
    /// The bytes of text that it may have yet.
    room: usize,
    pages: Vec<PageLines>,
    /// For each page, the values of its fields that it does not draw.
    values: Vec<Vec<String>>,
    /// The pages over which the parser stumbled, from 0.
    lost: Vec<usize>,
    damaged: Vec<u32>,
    pictures: Vec<u32>,
    /// A page draws shapes, which may be those of letters.
    has_shapes: bool,
    lossy: Vec<LossyPage>,
    shown: u64,
    undecoded: u64,
}

impl Document {
    fn take<'p>(&mut self, page: &'p Page<'p>, reader: &mut LetterReader<'p>) -> Result<(), Unreadable> {
        let at = self.pages.len();
        let (room, keep_words) = (self.room, self.limits.keep_words);
        // Parsers are in memory alone: nothing that outlives the panic is left half done.
        let read = catch_unwind(AssertUnwindSafe(|| {
            let drawn = self.forms.drawn(page)?;
            let letters = reader.read(page, room);
            // Such a document is refused.
            let mut lines = if letters.is_too_much { Vec::new() } else { lines::lines(&letters, keep_words) };
            items::find_marks(&mut lines, letters.dots.clone());
            leading::join(&mut lines);
            let is_damaged = letters.lacks_font || drawn.is_damaged || !contents::are_unpacked(page);
            Some((letters, lines, fields::values(page), is_damaged))
        }));
        let Ok(Some((letters, lines, values, is_damaged))) = read else {
            self.lost.push(at);
            self.pages.push(PageLines::default());
            self.values.push(Vec::new());
            return Ok(());
        };
        let text: String = lines.iter().map(|line| line.text.as_str()).collect();
        let values = fields::missing(values, &text);
        let bytes = text.len() + values.iter().map(String::len).sum::<usize>();
        let too_much = Unreadable::TooMuchText { limit: self.limits.max_text_bytes };
        if letters.is_too_much {
            return Err(too_much);
        }
        self.room = self.room.checked_sub(bytes).ok_or(too_much)?;
        self.shown += u64::from(letters.shown);
        let undecoded = letters.undecoded.saturating_add(misread(&text)).min(letters.shown);
        self.undecoded += u64::from(undecoded);
        self.has_shapes |= letters.has_shapes;
        if is_damaged {
            self.damaged.push(number(at + 1));
        }
        // Some programs write blanks alone over a picture.
        let has_letters = undecoded > 0 || text.contains(char::is_alphanumeric);
        if !has_letters && letters.has_pictures && values.is_empty() {
            self.pictures.push(number(at + 1));
        }
        let loss = LossyPage { page: number(at + 1), shown: letters.shown, undecoded };
        self.lossy.extend(Some(loss).filter(LossyPage::is_noticeable));
        self.pages.push(PageLines { height: page.render_dimensions().1, lines });
        self.values.push(values);
        Ok(())
    }

    /// Why the document has no text, if it has none.
    fn without_text(&self) -> Unreadable {
        match (self.shown, self.undecoded) {
            (_, 0) if !self.pictures.is_empty() => Unreadable::OnlyPictures,
            _ if !self.lost.is_empty() || !self.damaged.is_empty() => {
                Unreadable::damaged("the pages that can be read have no text")
            }
            (0, _) if self.has_shapes => Unreadable::OnlyPictures,
            (_, 0) => Unreadable::Empty,
            (_, _) => Unreadable::Undecodable,
        }
    }

    /// The text of all pages.
    fn finish(self, headings: &Headings) -> Extracted {
        let mut reasons = left_out::reasons(&self.pages);
        // A document of which nothing else is left is no head of a page.
        if reasons.iter().flatten().all(Option::is_some) {
            reasons.iter_mut().for_each(|page| page.fill(None));
        }
        let mut left_out = Vec::new();
        let mut numbers = Vec::with_capacity(self.pages.len());
        let mut kept_pages: Vec<(Vec<&Line>, &[String])> = Vec::with_capacity(self.pages.len());
        let lost = self.lost.iter().map(|page| number(page + 1)).collect();
        for (at, (page, values)) in self.pages.iter().zip(&self.values).enumerate() {
            if self.lost.contains(&at) {
                continue;
            }
            let mut kept: Vec<&Line> = Vec::with_capacity(page.lines.len());
            for (line, reason) in page.lines.iter().zip(&reasons[at]) {
                match reason {
                    Some(reason) => {
                        left_out.push(LeftOut { page: number(at + 1), reason: *reason, text: line.text.clone() });
                    }
                    None => kept.push(line),
                }
            }
            numbers.push(number(at + 1));
            kept_pages.push((kept, values));
        }
        let pages = numbers
            .into_iter()
            .zip(written(&kept_pages, headings))
            .map(|(page, written)| PageText { number: Some(page), text: written.text, words: written.words })
            .collect();
        let mut extracted = Extracted::whole(None, Markup::Markdown, String::new());
        extracted.pages = pages;
        extracted.lost_pages = lost;
        extracted.damaged_pages = self.damaged;
        extracted.lossy_pages = self.lossy;
        extracted.picture_pages = self.pictures;
        extracted.left_out = left_out;
        extracted.is_partial = self.undecoded * 2 > self.shown;
        extracted
    }
}

#[cfg(test)]
mod layout_tests;
#[cfg(test)]
mod tests;
