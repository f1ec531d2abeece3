//! The letters of a page as lines of text.

use std::collections::BTreeMap;
use std::ops::Range;

use unicode_normalization::UnicodeNormalization as _;

use super::direction::{BLANK, InLine, in_reading_order};
use super::letters::{Letter, Letters};
use crate::extracted::Rectangle;
use crate::script::raised;

/// A letter that stands this much higher or lower is in another line: letters of formulas are not.
const LINE: f32 = 0.5;
/// A step back to the left of this many sizes begins a line: the same height, in the next column or drawn again.
const BACK: f32 = 4.0;
/// A step back that is no longer than this is kerning, or the next letter of a script from right to left.
const STEP: f32 = 2.2;
/// Lines further apart than this, and fonts that differ more than this, are those of two paragraphs.
const PARAGRAPH: f32 = 1.6;
const FONT: f32 = 1.15;

/// A gap this wide, in sizes of the font and in blanks of its line, divides the cells of a table.
const GAP: f32 = 0.6;
const GAP_OF_BLANKS: f32 = 1.8;

/// A raised letter is smaller than this part of the others, and this much higher.
const RAISED_SIZE: f32 = 0.85;
const RAISED_BY: f32 = 0.15;

/// A letter reaches this much of its size above and below its line.
const ABOVE: f32 = 0.8;
const BELOW: f32 = 0.2;

/// A line of text.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// Its text, with one blank between words.
    pub(super) text: String,
    /// Its words, if they were asked for.
    pub(super) words: Vec<PlacedWord>,
    /// The parts of it between wide gaps, of which most lines have one.
    pub(super) cells: Vec<LineCell>,
    /// The beginning of the line, in points from the upper left corner of the page.
    pub(super) x: f32,
    pub(super) right: f32,
    pub(super) y: f32,
    pub(super) size: f32,
    pub(super) is_bold: bool,
    /// It is not written from left to right along the page.
    pub(super) is_turned: bool,
    /// A paragraph begins here.
    pub(super) begins_paragraph: bool,
    /// A small shape stands before it, which is the mark of an item.
    pub(super) has_dot: bool,
}

/// A part of a line between wide gaps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LineCell {
    /// Where it begins in the text.
    pub(super) start: usize,
    pub(super) left: f32,
    pub(super) right: f32,
}

impl Line {
    /// One of its cells as a line.
    pub(super) fn cell(&self, at: usize) -> Self {
        let Some(cell) = self.cells.get(at).filter(|_| self.cells.len() > 1) else { return self.clone() };
        let end = self.cells.get(at + 1).map_or(self.text.len(), |next| next.start);
        let text = self.text.get(cell.start..end).unwrap_or_default().trim_end();
        let words = self.words.iter().filter(|word| word.range.start >= cell.start && word.range.start < end);
        let words = words.map(|word| PlacedWord {
            range: word.range.start - cell.start..(word.range.end - cell.start).min(text.len()),
            rectangle: word.rectangle,
        });
        Self {
            text: text.to_owned(),
            words: words.collect(),
            cells: vec![LineCell { start: 0, ..*cell }],
            x: cell.left,
            right: cell.right,
            ..self.clone()
        }
    }
}

/// The bytes of text in each size of type, in half points.
pub(super) fn sizes<'l>(lines: impl Iterator<Item = &'l Line>) -> BTreeMap<i32, usize> {
    let mut sizes = BTreeMap::new();
    for line in lines {
        *sizes.entry(half_points(line.size)).or_default() += line.text.len();
    }
    sizes
}

/// The size of most letters.
pub(super) fn usual_size(sizes: &BTreeMap<i32, usize>) -> f32 {
    sizes.iter().max_by_key(|(_, bytes)| **bytes).map_or(0.0, |(size, _)| *size as f32 / 2.0)
}

/// A size in half points.
pub(super) fn half_points(size: f32) -> i32 {
    (size * 2.0).round() as i32
}

/// A word in the text of its line.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlacedWord {
    pub(super) range: Range<usize>,
    pub(super) rectangle: Rectangle,
}

/// Where the letter before ended.
#[derive(Clone, Copy, Debug)]
struct Pen {
    along: f32,
    across: f32,
    size: f32,
    direction: [f32; 2],
}

/// The place of the next letter, seen from the one before.
enum Next {
    /// In the same line; behind a blank or not.
    Here { is_apart: bool },
    /// In a new line, which begins a paragraph or not.
    NewLine { begins_paragraph: bool },
}

impl Pen {
    fn at(letter: &Letter) -> Self {
        let [dx, dy] = letter.direction;
        Self {
            along: letter.x * dx + letter.y * dy,
            across: letter.y * dx - letter.x * dy,
            size: letter.size,
            direction: letter.direction,
        }
    }

    fn next(self, next: Self, line_size: f32) -> Next {
        let is_turned =
            (self.direction[0] - next.direction[0]).abs() + (self.direction[1] - next.direction[1]).abs() > 0.1;
        let size = self.size.max(next.size).max(0.1);
        let down = next.across - self.across;
        if is_turned || down.abs() > LINE * size {
            let begins_paragraph =
                is_turned || down > PARAGRAPH * size || next.size > line_size * FONT || next.size * FONT < line_size;
            return Next::NewLine { begins_paragraph };
        }
        let gap = next.along - self.along;
        if gap < -BACK * size {
            return Next::NewLine { begins_paragraph: false };
        }
        Next::Here { is_apart: gap > BLANK * size || gap < -STEP * size }
    }
}

/// The lines of a page, in the order in which it draws them.
pub(super) fn lines(letters: &Letters, with_words: bool) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut open: Vec<InLine<'_>> = Vec::new();
    let mut begins_paragraph = true;
    let (mut pen, mut line_size): (Option<Pen>, f32) = (None, 0.0);
    for letter in &letters.list {
        let at = Pen::at(letter);
        let mut is_apart = false;
        match pen.map(|pen| pen.next(at, line_size)) {
            None => line_size = at.size,
            Some(Next::Here { is_apart: apart }) => is_apart = apart,
            Some(Next::NewLine { begins_paragraph: begins }) => {
                lines.extend(line(&mut open, begins_paragraph, with_words));
                // An empty line before it keeps its paragraph for this one.
                begins_paragraph = begins;
                line_size = at.size;
            }
        }
        let end = at.along + letter.width;
        open.push(InLine { text: letters.text(letter), letter, start: at.along, end, is_apart });
        pen = Some(Pen { along: end, ..at });
    }
    lines.extend(line(&mut open, begins_paragraph, with_words));
    lines
}

/// Takes the letters of a line; `None` where nothing stands in it.
fn line(letters: &mut Vec<InLine<'_>>, begins_paragraph: bool, with_words: bool) -> Option<Line> {
    let letters = std::mem::take(letters);
    let first = letters.iter().find(|letter| !letter.text.trim().is_empty())?.letter;
    let usual = usual_letter(&letters).unwrap_or(first);
    let bold = letters.iter().filter(|letter| letter.letter.is_bold).count();
    let mut line = Line {
        x: letters.iter().map(|letter| letter.letter.x).fold(f32::INFINITY, f32::min),
        right: letters.iter().map(|letter| letter.letter.x + letter.letter.width).fold(f32::NEG_INFINITY, f32::max),
        y: usual.y,
        size: usual.size,
        is_bold: bold * 10 > letters.len() * 9,
        is_turned: first.direction[0] < 0.9,
        begins_paragraph,
        ..Line::default()
    };
    let gaps = if line.is_turned { Vec::new() } else { gaps(&letters) };
    write(&mut line, &in_reading_order(letters), &gaps, with_words);
    (!line.text.is_empty()).then_some(line)
}

/// The middles of the wide gaps of a line, from left to right.
fn gaps(letters: &[InLine<'_>]) -> Vec<f32> {
    let mut places: Vec<(f32, f32, f32)> = letters
        .iter()
        .filter(|letter| !letter.text.trim().is_empty())
        .map(|letter| (letter.start, letter.end, letter.letter.size))
        .collect();
    places.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut gaps = Vec::new();
    let (mut least, mut blanks) = (f32::INFINITY, 0);
    let mut end = f32::INFINITY;
    for (start, to, size) in places {
        let wide = start - end;
        if wide > BLANK * size {
            (least, blanks) = (least.min(wide), blanks + 1);
        }
        if wide > GAP * size {
            gaps.push((f32::midpoint(end, start), wide));
        }
        end = if end.is_finite() { end.max(to) } else { to };
    }
    // The blanks of a line that fills its column are all wide.
    gaps.retain(|(_, wide)| blanks == 1 || *wide > least * GAP_OF_BLANKS || *wide > 4.0 * GAP * height(letters));
    gaps.into_iter().map(|(middle, _)| middle).collect()
}

fn height(letters: &[InLine<'_>]) -> f32 {
    letters.iter().map(|letter| letter.letter.size).fold(0.0, f32::max)
}

/// Writes the letters of a line as text, with one blank for several.
fn write(line: &mut Line, letters: &[InLine<'_>], gaps: &[f32], with_words: bool) {
    let mut word: Option<PlacedWord> = None;
    let mut cell = None;
    let mut seen = Vec::new();
    let usual = usual_letter(letters);
    for letter in letters {
        let is_raised = usual.is_some_and(|usual| is_raised(letter.letter, usual)) && !line.is_turned;
        let is_seen = !letter.text.trim().is_empty();
        let of_letter = gaps.partition_point(|gap| *gap < letter.start);
        let begins_cell = is_seen && cell.replace(of_letter).is_some_and(|before| before != of_letter);
        if letter.is_apart || begins_cell {
            line.words.extend(word.take());
            blank(&mut line.text);
        }
        if is_seen && (begins_cell || line.cells.is_empty()) {
            seen.push(of_letter);
            line.cells.push(LineCell { start: line.text.len(), left: letter.start, right: letter.end });
        }
        if let Some(open) = line.cells.last_mut().filter(|_| is_seen) {
            open.left = open.left.min(letter.start);
            open.right = open.right.max(letter.end);
        }
        let start = line.text.len();
        if is_raised && letter.text.chars().all(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | '\u{2212}')) {
            let text = raised(line.text.chars().next_back(), letter.text);
            line.text.push_str(&text);
        } else {
            letter.text.chars().for_each(|c| character(&mut line.text, c));
        }
        if !with_words {
            continue;
        }
        if line.text[start..].trim().is_empty() {
            if line.text.ends_with(' ') {
                line.words.extend(word.take());
            }
            continue;
        }
        let rectangle = rectangle(letter.letter);
        let word = word.get_or_insert(PlacedWord { range: start..start, rectangle });
        word.range.end = line.text.trim_end().len();
        word.rectangle = word.rectangle.and(&rectangle);
    }
    line.words.extend(word);
    line.text.truncate(line.text.trim_end().len());
    // Runs of another direction may divide a cell.
    seen.sort_unstable();
    if seen.windows(2).any(|pair| pair[0] == pair[1]) || line.cells.iter().any(|cell| cell.start >= line.text.len()) {
        line.cells.clear();
    }
    if line.cells.len() < 2 {
        line.cells = vec![LineCell { start: 0, left: line.x, right: line.right }];
    }
}

/// The letter that stands for the most of a line: its size and height are those of the text.
fn usual_letter<'l>(letters: &[InLine<'l>]) -> Option<&'l Letter> {
    let mut counts: BTreeMap<(i32, i32), (usize, &Letter)> = BTreeMap::new();
    for letter in letters.iter().filter(|letter| !letter.text.trim().is_empty()) {
        let key = (half_points(letter.letter.size), letter.letter.y.round() as i32);
        counts.entry(key).or_insert((0, letter.letter)).0 += 1;
    }
    counts.into_values().max_by_key(|(count, _)| *count).map(|(_, letter)| letter)
}

/// Whether a letter is written higher than the others of its line, and smaller.
fn is_raised(letter: &Letter, usual: &Letter) -> bool {
    letter.size < RAISED_SIZE * usual.size && letter.y < usual.y - RAISED_BY * usual.size
}

fn blank(text: &mut String) {
    if !text.is_empty() && !text.ends_with(' ') {
        text.push(' ');
    }
}

/// Writes a character: ligatures and forms of letters as the letters, and no marks that are not seen.
fn character(text: &mut String, c: char) {
    match c {
        '\u{2010}' => text.push('-'),
        c if c.is_whitespace() => blank(text),
        '\u{ad}' | '\u{200b}' | '\u{feff}' | '\u{fffd}' | '\u{e000}'..='\u{f8ff}' => {}
        c if c.is_control() => {}
        '\u{fb00}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}' | '\u{2f00}'..='\u{2fdf}' | '\u{2e80}'..='\u{2eff}' => {
            text.extend(std::iter::once(c).nfkc());
        }
        c => text.push(c),
    }
}

/// The rectangle of a letter, by the size of its font.
fn rectangle(letter: &Letter) -> Rectangle {
    let [dx, dy] = letter.direction;
    let corner = |along: f32, up: f32| (letter.x + along * dx + up * dy, letter.y + along * dy - up * dx);
    let (above, below) = (letter.size * ABOVE, -letter.size * BELOW);
    let corners = [corner(0.0, above), corner(letter.width, above), corner(0.0, below), corner(letter.width, below)];
    let least = |of: fn(&(f32, f32)) -> f32| corners.iter().map(of).fold(f32::INFINITY, f32::min);
    let most = |of: fn(&(f32, f32)) -> f32| corners.iter().map(of).fold(f32::NEG_INFINITY, f32::max);
    Rectangle { left: least(|at| at.0), top: least(|at| at.1), right: most(|at| at.0), bottom: most(|at| at.1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ligatures_are_letters_and_marks_that_are_not_seen_are_gone() {
        let mut text = String::new();
        "The o\u{fb03}ce  of\u{ad} \u{2010}\u{e001}\u{feff}x".chars().for_each(|c| character(&mut text, c));
        assert_eq!(text, "The office of -x");
    }
}
