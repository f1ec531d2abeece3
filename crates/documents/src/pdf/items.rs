//! The lines of a page with which items of lists begin.

use std::collections::BTreeMap;

use super::lines::Line;

/// The mark of an item stands no higher, and so far before its line, in sizes of the font.
const DOT_HEIGHT: f32 = 0.75;
const DOT_BEFORE: (f32, f32) = (0.3, 2.5);

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

/// Finds the marks of items, which are lines of their own or small shapes with these middles.
pub(super) fn find_marks(lines: &mut Vec<Line>, mut dots: Vec<(f32, f32)>) {
    take_marks(lines, &mut dots);
    find_dots(lines, &dots);
}

/// Takes the lines that are a mark alone, before another line: some programs write all marks of a list behind it. A mark elsewhere, such
/// as one in a column of a table, is text.
fn take_marks(lines: &mut Vec<Line>, dots: &mut Vec<(f32, f32)>) {
    let is_mark =
        |line: &Line| matches!(line.text.as_str(), "•" | "◦" | "▪" | "‣" | "●" | "○" | "■") && !line.is_turned;
    let key = |x: f32, y: f32| (y.round() as i32, x.floor() as i32);
    let others: BTreeMap<(i32, i32), (f32, f32)> = lines
        .iter()
        .filter(|line| !is_mark(line) && !line.is_turned)
        .map(|line| (key(line.x, line.y), (line.x, line.size)))
        .collect();
    let leads = |x: f32, y: f32| {
        let (height, from) = key(x, y);
        (height.saturating_sub(1)..=height.saturating_add(1)).any(|height| {
            let next = others.range((height, from)..=(height, i32::MAX)).next();
            next.is_some_and(|(_, (left, size))| is_before(x, *left, *size))
        })
    };
    lines.retain(|line| {
        let middle = f32::midpoint(line.x, line.right);
        let is_taken = is_mark(line) && leads(middle, line.y);
        if is_taken {
            dots.push((middle, line.y - DOT_HEIGHT / 2.0 * line.size));
        }
        !is_taken
    });
}

/// Whether a mark with its middle at this place stands before a line of this beginning and size.
fn is_before(middle: f32, left: f32, size: f32) -> bool {
    (DOT_BEFORE.0..=DOT_BEFORE.1).contains(&((left - middle) / size.max(0.1)))
}

/// Finds the lines before which a small shape stands, beside the height of small letters.
fn find_dots(lines: &mut [Line], dots: &[(f32, f32)]) {
    let mut rows: BTreeMap<i64, Vec<(f32, f32)>> = BTreeMap::new();
    for dot in dots {
        rows.entry(dot.1.round() as i64).or_default().push(*dot);
    }
    for line in lines.iter_mut().filter(|line| !line.is_turned) {
        let (top, bottom) = (line.y - DOT_HEIGHT * line.size, line.y);
        let mut beside = rows.range(top.floor() as i64..=bottom.ceil() as i64).flat_map(|(_, dots)| dots);
        let has_dot = beside.any(|(x, y)| (top..=bottom).contains(y) && is_before(*x, line.x, line.size));
        line.has_dot = has_dot;
    }
}
