//! The distances of the lines of a page: those of its paragraphs, where they are wider than usual.

use std::collections::BTreeMap;

use super::lines::{Line, half_points};

/// A line that goes on in the next one reaches this much of the widest line.
const FULL: f32 = 0.85;
/// A distance that is this much wider than that of most lines is one of paragraphs, and so is one of so many sizes.
const WIDER: f32 = 1.12;
const WIDEST: f32 = 3.0;
/// A line goes on over a distance of so many sizes where nothing says which is usual.
const NEAR: f32 = 1.75;
/// The distances of so many lines say which is usual.
const LEAST_LINES: usize = 4;

/// Joins the lines of paragraphs that are set with wide distances. Without, each of their lines would be a paragraph.
pub(super) fn join(lines: &mut [Line]) {
    let usual = usual(lines);
    let widest = lines.iter().map(|line| line.right - line.x).fold(0.0, f32::max);
    for at in 1..lines.len() {
        let (before, line) = (&lines[at - 1], &lines[at]);
        let is_usual = |usual: f32| follows(before, line).is_some_and(|step| step <= usual * WIDER);
        let is_full = before.right - before.x >= FULL * widest;
        let is_near =
            follows(before, line).is_some_and(|step| step <= NEAR) && !before.text.ends_with(['.', ':', '!', '?']);
        let is_divided = before.text.ends_with('-') && line.text.starts_with(char::is_lowercase);
        let goes_on =
            is_full && (usual.is_some_and(is_usual) || is_near) || is_divided && follows(before, line).is_some();
        if line.begins_paragraph && goes_on && !line.has_dot {
            lines[at].begins_paragraph = false;
        }
    }
}

/// The distance of a line from the one above it, in sizes of the font, where both may be of one paragraph.
fn follows(before: &Line, line: &Line) -> Option<f32> {
    let is_one = !line.is_turned
        && half_points(before.size) == half_points(line.size)
        && before.is_bold == line.is_bold
        && line.x < before.right
        && before.x < line.right;
    let step = (line.y - before.y) / line.size.max(0.1);
    (is_one && step > 0.9 && step <= WIDEST).then_some(step)
}

/// The distance of most lines of a page, in sizes of the font.
fn usual(lines: &[Line]) -> Option<f32> {
    let mut counts: BTreeMap<i32, usize> = BTreeMap::new();
    for pair in lines.windows(2) {
        if let Some(step) = follows(&pair[0], &pair[1]) {
            *counts.entry((step * 20.0).round() as i32).or_default() += 1;
        }
    }
    let (step, count) = counts.into_iter().max_by_key(|(step, count)| (*count, -step))?;
    (count >= LEAST_LINES).then_some(step as f32 / 20.0)
}
