//! Text lengths.

/// The length of a text in UTF-16 code units, which Teams counts.
pub(super) fn utf16(text: &str) -> usize {
    text.encode_utf16().count()
}
