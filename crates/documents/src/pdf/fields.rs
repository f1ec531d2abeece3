//! The values of fields and the texts of notes that a page of a PDF does not draw.

use hayro_syntax::object::{Array, Dict, Name, Object, String as PdfString};
use hayro_syntax::page::Page;

use super::strings::text_string;

/// Flags of what is not shown: hidden, and not on a screen.
const UNSEEN: u32 = 0b10_0010;

/// A field is in so many others.
const MAX_PARENTS: usize = 8;

/// A page has so many fields and notes.
const MAX_ANNOTATIONS: usize = 10_000;

/// The values of fields, and the texts of notes without a drawing of their own, in the order of the page.
pub(super) fn values(page: &Page<'_>) -> Vec<String> {
    let Some(annotations) = page.raw().get::<Array<'_>>(b"Annots".as_slice()) else { return Vec::new() };
    annotations.iter::<Dict<'_>>().take(MAX_ANNOTATIONS).flat_map(|annotation| texts(&annotation)).collect()
}

fn texts(annotation: &Dict<'_>) -> Vec<String> {
    if annotation.get::<u32>(b"F".as_slice()).unwrap_or(0) & UNSEEN != 0 {
        return Vec::new();
    }
    let kind = annotation.get::<Name<'_>>(b"Subtype".as_slice());
    match kind.as_ref().map(AsRef::as_ref) {
        Some(b"Widget") => value(annotation),
        Some(b"FreeText") if !is_drawn(annotation) => {
            let text = annotation.get::<PdfString<'_>>(b"Contents".as_slice());
            text.map(|text| text_string(text.as_bytes())).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn is_drawn(annotation: &Dict<'_>) -> bool {
    let drawings = annotation.get::<Dict<'_>>(b"AP".as_slice());
    drawings.is_some_and(|drawings| drawings.contains_key(b"N".as_slice()))
}

/// The value of a field, which may be that of a field above it.
fn value(field: &Dict<'_>) -> Vec<String> {
    let mut field = Some(field.clone());
    for _ in 0..MAX_PARENTS {
        let Some(parts) = field else { break };
        match parts.get::<Object<'_>>(b"V".as_slice()) {
            Some(Object::String(text)) => return vec![text_string(text.as_bytes())],
            Some(Object::Array(list)) => {
                return list.iter::<PdfString<'_>>().map(|text| text_string(text.as_bytes())).collect();
            }
            _ => field = parts.get::<Dict<'_>>(b"Parent".as_slice()),
        }
    }
    Vec::new()
}

/// The values that are not yet in the text of the page.
pub(super) fn missing(values: Vec<String>, text: &str) -> Vec<String> {
    let mut known = letters(text);
    let mut missing = Vec::new();
    for value in values {
        let wanted = letters(&value);
        if !wanted.is_empty() && !known.contains(&wanted) {
            known.push_str(&wanted);
            missing.push(value);
        }
    }
    missing
}

/// A text without what stands between its letters.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}
