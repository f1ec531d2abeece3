//! The values of fields and the texts of notes that a page of a PDF does not draw.

use std::collections::HashSet;

use hayro_syntax::object::{Array, Dict, Name, Object, String as PdfString};
use hayro_syntax::page::Page;

use super::strings::text_string;

/// Flags of what is not shown: hidden, and not on a screen.
const UNSEEN: u32 = 0b10_0010;

/// A field is in so many others.
const MAX_PARENTS: usize = 8;

/// A page has so many fields and notes.
const MAX_ANNOTATIONS: usize = 10_000;

/// The value of a field or the text of a note.
#[derive(Debug)]
pub(super) struct Value {
    text: String,
    /// The field has a drawing, which shows this value or an older one.
    is_drawn: bool,
}

/// The values of fields, and the texts of notes without a drawing of their own, in the order of the page.
pub(super) fn values(page: &Page<'_>) -> Vec<Value> {
    let Some(annotations) = page.raw().get::<Array<'_>>(b"Annots".as_slice()) else { return Vec::new() };
    annotations.iter::<Dict<'_>>().take(MAX_ANNOTATIONS).flat_map(|annotation| texts(&annotation)).collect()
}

fn texts(annotation: &Dict<'_>) -> Vec<Value> {
    if annotation.get::<u32>(b"F".as_slice()).unwrap_or(0) & UNSEEN != 0 {
        return Vec::new();
    }
    let kind = annotation.get::<Name<'_>>(b"Subtype".as_slice());
    let is_drawn = is_drawn(annotation);
    let texts = match kind.as_ref().map(AsRef::as_ref) {
        Some(b"Widget") => value(annotation),
        Some(b"FreeText") if !is_drawn => {
            let text = annotation.get::<PdfString<'_>>(b"Contents".as_slice());
            text.map(|text| text_string(text.as_bytes())).into_iter().collect()
        }
        _ => Vec::new(),
    };
    texts.into_iter().map(|text| Value { text, is_drawn }).collect()
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

/// The values that are not yet in the text of the page, each once. The letters of one without a drawing may stand there by chance.
pub(super) fn missing(values: Vec<Value>, text: &str) -> Vec<String> {
    let known = letters(text);
    let mut seen = HashSet::new();
    let is_missing = |value: &Value| {
        let wanted = letters(&value.text);
        let is_shown = value.is_drawn && known.contains(&wanted);
        !wanted.is_empty() && !is_shown && seen.insert(wanted)
    };
    values.into_iter().filter(is_missing).map(|value| value.text).collect()
}

/// A text without what stands between its letters.
fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_missing_unless_its_drawing_shows_it() {
        let value = |text: &str, is_drawn| Value { text: text.to_owned(), is_drawn };
        let values =
            vec![value("5", false), value("1 5", true), value("old", true), value("5", false), value(" ", false)];
        assert_eq!(missing(values, "15 days in 2026"), ["5", "old"]);
    }
}
