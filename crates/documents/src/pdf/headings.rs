//! The headings among the lines of a document: by its outline, by the size of the letters, and by their weight.

use std::collections::HashMap;

use super::left_out::PageLines;
use super::lines::{Line, half_points, sizes, usual_size};
use super::outline::letters;

/// A heading is this much larger than the text.
const LARGER: f32 = 1.15;
/// A heading has no more letters, and one in bold type alone has fewer.
const LONGEST: usize = 200;
const LONGEST_BOLD: usize = 90;
/// Bold type makes headings where no more than one letter of so many is bold.
const BOLD_IN: usize = 5;
/// The number of levels by size.
const LEVELS: usize = 3;
const LAST_LEVEL: u8 = 6;

/// The headings of a document.
pub(super) struct Headings {
    outline: HashMap<String, u8>,
    text_size: f32,
    /// The sizes of larger lines, the largest first.
    sizes: Vec<i32>,
    /// The level behind those of the outline.
    below: u8,
    is_bold_rare: bool,
}

impl Headings {
    pub(super) fn new(outline: HashMap<String, u8>, pages: &[PageLines]) -> Self {
        let lines = || pages.iter().flat_map(|page| &page.lines);
        let counts = sizes(lines());
        let all: usize = counts.values().sum();
        let bold: usize = lines().filter(|line| line.is_bold).map(|line| line.text.len()).sum();
        let text_size = usual_size(&counts);
        let larger = counts.keys().rev().filter(|size| **size as f32 / 2.0 >= text_size * LARGER);
        let sizes = larger.copied().collect();
        let deepest = outline.values().copied().max().unwrap_or(0);
        Self { outline, text_size, sizes, below: deepest + 1, is_bold_rare: bold * BOLD_IN <= all }
    }

    /// The size above which a line is a heading and no text.
    pub(super) fn largest_text(&self) -> f32 {
        if self.text_size > 0.0 { self.text_size * LARGER } else { f32::INFINITY }
    }

    /// The level of a heading that is these lines; `None` if they are none.
    pub(super) fn level(&self, lines: &[&Line]) -> Option<u8> {
        let text: String = lines.iter().map(|line| line.text.as_str()).collect();
        self.of_outline(&text).or_else(|| self.of_type(lines, &text)).map(|level| level.clamp(1, LAST_LEVEL))
    }

    /// The level in the outline, whose titles may lack the number of the heading.
    pub(super) fn of_outline(&self, text: &str) -> Option<u8> {
        if self.outline.is_empty() || text.len() > 4 * LONGEST {
            return None;
        }
        let without_number = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ' ');
        let without_word = text.split_once(' ').and_then(|(_, rest)| rest.split_once(' ')).map(|(_, rest)| rest);
        let is_numbered =
            text.starts_with(|c: char| c.is_ascii_uppercase()) && text.contains(|c: char| c.is_ascii_digit());
        let candidates = [Some(text), Some(without_number), without_word.filter(|_| is_numbered)];
        candidates.into_iter().flatten().map(letters).find_map(|title| self.outline.get(&title).copied())
    }

    fn of_type(&self, lines: &[&Line], text: &str) -> Option<u8> {
        let first = lines.first()?;
        let is_short = text.chars().count() <= LONGEST && text.chars().filter(|c| c.is_alphabetic()).count() > 1;
        if !is_short || first.is_turned || self.text_size <= 0.0 {
            return None;
        }
        if first.size >= self.text_size * LARGER {
            let rank = self.sizes.iter().position(|size| *size <= half_points(first.size)).unwrap_or(0).min(LEVELS - 1);
            return Some(self.below + u8::try_from(rank).unwrap_or(0));
        }
        let is_title = text.starts_with(|c: char| c.is_uppercase() || c.is_numeric())
            && !text.ends_with(['.', ',', ';', ':', '!'])
            && text.chars().count() <= LONGEST_BOLD
            && first.size >= self.text_size * 0.95;
        let is_bold = self.is_bold_rare && lines.len() == 1 && first.is_bold;
        let level = self.below + u8::try_from(self.sizes.len().min(LEVELS)).unwrap_or(0);
        (is_bold && is_title).then_some(level)
    }
}
