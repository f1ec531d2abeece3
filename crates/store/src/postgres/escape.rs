//! Texts that PostgreSQL cannot keep as they are.

use std::borrow::Cow;

/// U+0001 begins an escape: `0` behind it is U+0000, which a text of PostgreSQL cannot contain, `1` is U+0001 itself.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', '\u{1}']) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace('\u{1}', "\u{1}1").replace('\0', "\u{1}0"))
}

/// Undoes [`escape`].
pub(super) fn unescape(text: String) -> String {
    if !text.contains('\u{1}') {
        return text;
    }
    text.replace("\u{1}0", "\0").replace("\u{1}1", "\u{1}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back() {
        for text in ["", "plain \u{1F600}", "\0", "a\0b", "\u{1}", "\u{1}0", "\u{1}\0\u{1}1", "\u{1}\u{1}0"] {
            let escaped = escape(text);
            assert!(!escaped.contains('\0'));
            assert_eq!(unescape(escaped.into_owned()), text);
        }
    }
}
