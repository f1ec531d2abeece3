//! Reads a document of any format.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::extracted::Extracted;
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
    let bytes: usize = extracted.pages.iter().map(|page| page.text.len()).sum();
    if bytes > limits.max_text_bytes {
        return Err(Unreadable::TooMuchText { limit: limits.max_text_bytes });
    }
    match format {
        _ if !extracted.is_empty() => Ok(extracted),
        Format::Pdf => Err(Unreadable::OnlyPictures),
        Format::Docx
        | Format::Pptx
        | Format::Xlsx
        | Format::Html
        | Format::Epub
        | Format::Csv
        | Format::Markdown
        | Format::Text => Err(Unreadable::Empty),
    }
}

fn utf16_contains(bytes: &[u8], word: &str) -> bool {
    let wanted: Vec<u8> = word.encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.windows(wanted.len()).any(|window| window == wanted)
}
