//! The lines of a page with which items of lists begin.

use super::lines::Line;

/// The mark of an item: what it is written behind in Markdown, and the bytes of the mark in its line.
#[derive(Debug, PartialEq)]
pub(super) struct Mark {
    pub(super) mark: String,
    pub(super) taken: usize,
}

/// The item of a list that begins with this line, behind the step of this number.
pub(super) fn item(line: &Line, step: u32) -> Option<Mark> {
    if line.has_dot {
        return Some(Mark { mark: "-".to_owned(), taken: 0 });
    }
    let (mark, text) = line.text.split_once(' ')?;
    if text.is_empty() {
        return None;
    }
    let taken = mark.len() + 1;
    let bullet = || Mark { mark: "-".to_owned(), taken };
    match mark {
        "•" | "◦" | "▪" | "‣" | "●" | "○" | "■" | "□" | "∙" | "·" | "–" | "➢" | "➤" | "✓" | "✔" | "❖" | "*" =>
        {
            return Some(bullet());
        }
        "-" | "—" | "o" if line.begins_paragraph => return Some(bullet()),
        _ => {}
    }
    let number = mark.strip_suffix(['.', ')'])?;
    // Markdown has no lists with letters: the letter stays.
    if let [letter @ b'a'..=b'z'] = number.trim_start_matches('(').as_bytes() {
        let before = u32::from(letter - b'a');
        let begins = line.begins_paragraph && (before == 0 || mark.ends_with(')'));
        return (begins || before > 0 && before == step).then(|| Mark { mark: "-".to_owned(), taken: 0 });
    }
    let value: u32 = number.parse().ok().filter(|_| number.len() <= 3)?;
    // A line of a paragraph may begin with the number that ends a sentence.
    (line.begins_paragraph || value == 1 || value == step + 1).then(|| Mark { mark: mark.to_owned(), taken })
}

/// The number of the step that begins with this line, or the place of its letter.
pub(super) fn step_of(line: &Line) -> Option<u32> {
    let mark = line.text.split(' ').next()?.trim_end_matches(['.', ')']).trim_start_matches('(');
    match mark.as_bytes() {
        [letter @ b'a'..=b'z'] => Some(u32::from(letter - b'a') + 1),
        _ => mark.parse().ok(),
    }
}

/// Whether an item of a list begins with this line.
pub(super) fn begins_item(line: &Line) -> bool {
    item(line, 0).is_some()
}
