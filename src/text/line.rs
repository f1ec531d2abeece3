//! A text that has to fit on one line.

use std::borrow::Cow;

/// A text on one line: blanks of every kind become one space, and what cannot be seen but could steer the reader's
/// screen (controls, direction overrides) goes.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    let visible = |c: &char| !c.is_control() && !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_plain = text.bytes().all(|byte| (b' '..0x7f).contains(&byte));
    if is_plain && !text.contains("  ") && text.trim().len() == text.len() {
        return text.into();
    }
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.chars().filter(visible).collect())
        .filter(|word: &String| !word.is_empty())
        .collect();
    words.join(" ").into()
}
