//! Reads a document of any format.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::extracted::Extracted;
use crate::limits::FREE_TEXT_BYTES;
use crate::{Format, Limits, Markup, Unreadable, csv, docx, encoding, epub, html, pdf, pptx, xlsx};

/// Archives of Office and EPUB begin like this; so do encrypted and old files of Office.
const ZIP: &[u8] = b"PK";
const COMPOUND: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// A PDF may have so many bytes before its header.
const BEFORE_PDF: usize = 1024;

/// The text of a document.
///
/// # Errors
/// When it is not what its format says, is damaged, has no text, or has more in it than the limits allow.
pub fn extract(bytes: &[u8], format: Format, limits: &Limits) -> Result<Extracted, Unreadable> {
    if bytes.is_empty() {
        return Err(Unreadable::Empty);
    }
    match format {
        Format::Docx | Format::Pptx | Format::Xlsx | Format::Epub => {
            // A password turns the archive of an Office file into a compound file with the archive in it.
            if bytes.starts_with(COMPOUND) && utf16_contains(bytes, "EncryptedPackage") {
                return Err(Unreadable::Encrypted);
            }
            if !bytes.starts_with(ZIP) {
                return Err(Unreadable::NotWhatItsNameSays(format.name().to_uppercase()));
            }
        }
        Format::Pdf => {
            let start = &bytes[..bytes.len().min(BEFORE_PDF)];
            if !start.windows(5).any(|window| window == b"%PDF-") {
                return Err(Unreadable::NotWhatItsNameSays(format.name().to_uppercase()));
            }
        }
        Format::Html | Format::Csv | Format::Markdown | Format::Text => {}
    }
    // Parsers are in memory alone: nothing that outlives the panic is left half done.
    let extracted = catch_unwind(AssertUnwindSafe(|| match format {
        Format::Pdf => pdf::extract(bytes, limits),
        Format::Docx => docx::extract(bytes, limits),
        Format::Pptx => pptx::extract(bytes, limits),
        Format::Xlsx => xlsx::extract(bytes, limits),
        Format::Html => html::extract(bytes, limits),
        Format::Epub => epub::extract(bytes, limits),
        Format::Csv => csv::extract(bytes, limits),
        Format::Markdown => encoding::text_of(bytes).map(|text| Extracted::whole(None, Markup::Markdown, text)),
        Format::Text => encoding::text_of(bytes).map(|text| Extracted::whole(None, Markup::Plain, text)),
    }));
    let extracted = extracted.unwrap_or_else(|_| Err(Unreadable::damaged("its parts contradict each other")))?;
    let text: usize = extracted.pages.iter().map(|page| page.text.len()).sum();
    if text > limits.max_text_bytes {
        return Err(Unreadable::TooMuchText { limit: limits.max_text_bytes });
    }
    if text > FREE_TEXT_BYTES && text / limits.max_text_ratio.max(1) > bytes.len() {
        return Err(Unreadable::TooDense { limit: limits.max_text_ratio });
    }
    if extracted.is_empty() { Err(Unreadable::Empty) } else { Ok(extracted) }
}

fn utf16_contains(bytes: &[u8], word: &str) -> bool {
    let wanted: Vec<u8> = word.encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::docx;

    #[test]
    fn a_small_file_with_much_text_is_refused_and_one_that_packs_well_is_not() {
        let paragraph = format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", "All leave is 30 days. ".repeat(50));
        let limits = Limits { max_text_ratio: 20, ..Limits::default() };
        let read = |count: usize, limits: &Limits| extract(&docx(&paragraph.repeat(count)), Format::Docx, limits);
        assert!(read(900, &limits).is_ok(), "below what is free");
        let loose = Limits { max_text_ratio: 1_000, ..limits };
        assert!(read(1_100, &loose).is_ok(), "below the ratio");
        assert_eq!(read(1_100, &limits), Err(Unreadable::TooDense { limit: 20 }));
    }
}
