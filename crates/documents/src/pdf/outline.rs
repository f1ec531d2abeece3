//! The outline of a PDF, which viewers show beside the pages.

use std::collections::HashMap;

use hayro_syntax::Pdf;
use hayro_syntax::object::{Dict, String as PdfString};

use super::strings::text_string;

/// An outline has so many entries, and levels.
const MAX_ENTRIES: usize = 20_000;
const MAX_DEPTH: u8 = 6;

/// The levels of the titles in the outline, from 1, by the letters and digits of the titles.
pub(super) fn levels(pdf: &Pdf) -> HashMap<String, u8> {
    let mut levels = HashMap::new();
    let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    let outline = catalog.and_then(|catalog| catalog.get::<Dict<'_>>(b"Outlines".as_slice()));
    let Some(first) = outline.and_then(|outline| outline.get::<Dict<'_>>(b"First".as_slice())) else { return levels };
    // Entries may lead to each other without end: the number of entries ends it.
    let mut open = vec![(first, 1_u8)];
    for _ in 0..MAX_ENTRIES {
        let Some((entry, level)) = open.pop() else { break };
        if let Some(title) = entry.get::<PdfString<'_>>(b"Title".as_slice()) {
            let letters = letters(&text_string(title.as_bytes()));
            if !letters.is_empty() {
                levels.entry(letters).or_insert(level);
            }
        }
        open.extend(entry.get::<Dict<'_>>(b"Next".as_slice()).map(|next| (next, level)));
        let below = entry.get::<Dict<'_>>(b"First".as_slice()).filter(|_| level < MAX_DEPTH);
        open.extend(below.map(|below| (below, level + 1)));
    }
    levels
}

/// The letters and digits of a text in lower case.
pub(super) fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
