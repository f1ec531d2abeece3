//! A text that has to fit on one line.

use std::borrow::Cow;

use super::visible::{goes, is_blank, visible};

/// A text on one line: blanks of every kind become one space, and what cannot be seen but could steer the reader's
/// screen (controls, direction overrides) goes. A text of which nothing is seen is empty.
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

/// A text in one line of a terminal. Control characters and changes of writing direction could move the cursor or forge lines, so
/// they are shown instead of sent.
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
