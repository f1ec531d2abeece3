//! Texts on one line, for messages and terminals.

use std::borrow::Cow;

use super::visible::{goes, is_blank, visible};

/// Puts a text on one line. Each run of blanks, including line ends, becomes one space; control characters and direction
/// overrides are removed, because they could change the display. A text without visible characters becomes empty.
pub fn one_line(text: &str) -> Cow<'_, str> {
    let is_plain = text.bytes().all(|byte| (b' '..0x7f).contains(&byte));
    if is_plain && !text.contains("  ") && text.trim().len() == text.len() {
        return text.into();
    }
    let text = visible(text);
    if is_blank(&text) {
        return "".into();
    }
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.chars().filter(|c| !c.is_control()).collect())
        .filter(|word: &String| !word.is_empty())
        .collect();
    words.join(" ").into()
}

/// Escapes a text for one line of a terminal. Control characters and direction overrides could move the cursor or forge
/// lines, so they are written as Rust escapes such as `\n` or `\u{202e}`.
pub fn in_terminal(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut line, c| {
        if c.is_control() || goes("", c) {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
        line
    })
}
