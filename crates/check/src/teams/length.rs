//! Lengths.

/// The length of a text as Teams counts it.
pub(super) fn utf16(text: &str) -> usize {
    text.encode_utf16().count()
}
