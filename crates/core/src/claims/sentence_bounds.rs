//! Finds where sentences end (UAX #29) without asking for the class of each character: only few can end one.

use unicode_segmentation::UnicodeSegmentation as _;

/// The length of the first sentence of a text, with the blanks behind it.
pub(super) fn first_sentence(text: &str) -> usize {
    let bytes = text.as_bytes();
    // No letter ends a sentence.
    let may_end = |c: char| if c.is_ascii() { matches!(c, '.' | '!' | '?' | '\n' | '\r') } else { !c.is_alphabetic() };
    for (at, stop) in text.match_indices(may_end) {
        match bytes[at + stop.len()..] {
            // Rule SB6 fits, or SB8.
            [b'0'..=b'9' | b'a'..=b'z', ..] if stop == "." => {}
            // Only rule SB11 fits.
            [b' ', b'A'..=b'Z', ..] if stop != "\n" && stop != "\r" && stop.is_ascii() => return at + 2,
            [] => return text.len(),
            _ => return text.split_sentence_bounds().next().map_or(text.len(), str::len),
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_first_sentence_is_that_of_the_standard(
            text in proptest::collection::vec(
                proptest::sample::select(vec!["word", "Word", "A", "z", " ", " ", ". ", "! ", ".", "?", ", ", "\"", ")", "3", "\n", "\r",
                    "é", "\u{301}", "年", "。", "…", "\u{a0}", "Ü", ":", "e.g. ", "\u{345}", "\u{2028}", "\u{85}", "½", "-", "٣", "\u{ad}"]),
                0..40),
        ) {
            let text = text.concat();
            let first = text.split_sentence_bounds().next().map_or(0, str::len);
            prop_assert_eq!(first_sentence(&text), first);
        }
    }
}
