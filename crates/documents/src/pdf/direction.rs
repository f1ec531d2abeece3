//! The order of the letters of a line with letters that are written from right to left.

use super::letters::Letter;

/// A gap this wide, in sizes of the font, is a blank.
pub(super) const BLANK: f32 = 0.1;

/// A letter of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct InLine<'l> {
    pub(super) text: &'l str,
    pub(super) letter: &'l Letter,
    /// The beginning and the end along the line, in points.
    pub(super) start: f32,
    pub(super) end: f32,
    /// A blank stands before it.
    pub(super) is_apart: bool,
}

/// The direction of a letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Left,
    Right,
    /// A digit: its number is written to the right, and stands in the line like a word of the line's direction.
    Number,
    /// That of its neighbors.
    Any,
}

/// Whether a character is written from right to left: Hebrew, Arabic, and their forms.
pub(super) fn is_leftwards(c: char) -> bool {
    let is_of_script = matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}');
    is_of_script && !c.is_numeric()
}

fn direction(letter: &InLine<'_>) -> Direction {
    if letter.text.chars().any(is_leftwards) {
        Direction::Left
    } else if letter.text.chars().any(char::is_alphabetic) {
        Direction::Right
    } else if letter.text.chars().any(char::is_numeric) {
        Direction::Number
    } else {
        Direction::Any
    }
}

/// Whether a mark belongs to the number in which it stands. Behind Arabic letters a sign parts two numbers.
fn is_of_number(mark: &str, has_arabic: bool) -> bool {
    matches!(mark, "." | "," | ":" | "/" | "\u{66b}" | "\u{66c}" | "\u{a0}")
        || !has_arabic && matches!(mark, "-" | "+" | "\u{2212}")
}

/// The directions of letters in the order in which they are painted, those of numbers and marks by what is beside them.
fn settled(letters: &[InLine<'_>], line: Direction) -> Vec<Direction> {
    let own: Vec<Direction> = letters.iter().map(direction).collect();
    let has_arabic = letters.iter().any(|letter| {
        letter
            .text
            .contains(|c: char| matches!(c, '\u{600}'..='\u{8ff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}'))
    });
    // A number behind a word to the right is a part of it, such as that of a version.
    let mut strong = line;
    let with_words: Vec<Direction> = own
        .iter()
        .map(|own| match own {
            Direction::Number if strong == Direction::Right => Direction::Right,
            Direction::Left | Direction::Right => {
                strong = *own;
                *own
            }
            other @ (Direction::Number | Direction::Any) => *other,
        })
        .collect();
    let before = seen_before(with_words.iter().copied());
    let mut behind = seen_before(with_words.iter().rev().copied());
    behind.reverse();
    let touches = |at: Option<usize>| at.and_then(|at| with_words.get(at)) == Some(&Direction::Number);
    let of_mark = |at: usize| match (before[at], behind[at]) {
        _ if touches(at.checked_sub(1)) && touches(Some(at + 1)) && is_of_number(letters[at].text, has_arabic) => {
            Direction::Number
        }
        (Some(before), Some(behind)) if before == behind && before != Direction::Number => before,
        _ => line,
    };
    let settled = with_words.iter().enumerate();
    settled.map(|(at, own)| if *own == Direction::Any { of_mark(at) } else { *own }).collect()
}

/// For each letter, the direction of the last one before it that has one.
fn seen_before(directions: impl Iterator<Item = Direction>) -> Vec<Option<Direction>> {
    let mut last = None;
    let mut before = Vec::new();
    for direction in directions {
        before.push(last);
        last = if direction == Direction::Any { last } else { Some(direction) };
    }
    before
}

/// The letters as they are read. Where letters that are written from right to left are drawn from left to right, the file has them in
/// the order in which they are painted; where they are drawn from right to left, in the order in which they are read.
pub(super) fn in_reading_order(letters: Vec<InLine<'_>>) -> Vec<InLine<'_>> {
    let leftwards: Vec<bool> = letters.iter().map(|letter| direction(letter) == Direction::Left).collect();
    let count = leftwards.iter().filter(|is_leftwards| **is_leftwards).count();
    if count == 0 {
        return letters;
    }
    let (mut painted, mut read) = (0_usize, 0_usize);
    for (pair, are_leftwards) in letters.windows(2).zip(leftwards.windows(2)) {
        if are_leftwards == [true, true] {
            if pair[1].start > pair[0].start { painted += 1 } else { read += 1 }
        }
    }
    if read > painted || letters.len() == 1 {
        return letters;
    }
    // Numbers are written from left to right in lines of both directions.
    let is_rightwards =
        |letter: &&InLine<'_>| direction(letter) == Direction::Right && letter.text.chars().any(char::is_alphabetic);
    let rightwards = letters.iter().filter(is_rightwards).count();
    reordered(by_place(letters), count >= rightwards)
}

/// The letters from left to right, with blanks where there are gaps.
fn by_place(mut letters: Vec<InLine<'_>>) -> Vec<InLine<'_>> {
    letters.sort_by(|one, other| one.start.total_cmp(&other.start));
    let mut placed: Vec<InLine<'_>> = Vec::with_capacity(letters.len());
    for letter in letters {
        let end = placed.last().map(|last| last.end);
        if let Some(end) = end.filter(|end| letter.start > end + BLANK * letter.letter.size) {
            placed.push(InLine { text: " ", start: end, end: letter.start, is_apart: false, ..letter });
        }
        placed.push(InLine { is_apart: false, ..letter });
    }
    placed
}

/// Turns the runs from right to left, and the order of the runs if the line is read from the right.
fn reordered(letters: Vec<InLine<'_>>, is_line_leftwards: bool) -> Vec<InLine<'_>> {
    let line = if is_line_leftwards { Direction::Left } else { Direction::Right };
    let settled = settled(&letters, line);
    let mut runs: Vec<(Direction, Vec<InLine<'_>>)> = Vec::new();
    for (letter, direction) in letters.into_iter().zip(settled).rev() {
        // From the end to the beginning: letters to the left are in the order in which they are read.
        match runs.last_mut() {
            Some((of_run, run)) if *of_run == direction => run.push(letter),
            _ => runs.push((direction, vec![letter])),
        }
    }
    for (direction, run) in &mut runs {
        if *direction != Direction::Left {
            run.reverse();
        }
    }
    if !is_line_leftwards {
        runs.reverse();
    }
    runs.into_iter().flat_map(|(_, run)| run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let mut letter = Letter::default();
        letter.size = 10.0;
        let letters: Vec<InLine<'_>> = text
            .char_indices()
            .zip(0_u8..)
            .map(|((at, c), place)| {
                let start = f32::from(place) * 5.0;
                let text = &text[at..at + c.len_utf8()];
                InLine { text, letter: &letter, start, end: start + 5.0, is_apart: false }
            })
            .collect();
        in_reading_order(letters).iter().map(|letter| letter.text).collect()
    }

    #[test]
    fn painted_letters_are_turned_and_marks_among_numbers_alone_are_no_fault() {
        for (painted, expected) in [
            ("\u{5d1}\u{5d0} 12", "12 \u{5d0}\u{5d1}"),
            ("abc \u{5d1}\u{5d0}", "abc \u{5d0}\u{5d1}"),
            ("5\u{60c}6", "6\u{60c}5"),
            ("1234-555 \u{628}\u{627}", "\u{627}\u{628} 555-1234"),
            ("555-1234 \u{5d1}\u{5d0}", "\u{5d0}\u{5d1} 555-1234"),
            ("34 12 \u{5d1}\u{5d0}", "\u{5d0}\u{5d1} 12 34"),
            ("1,234.50 \u{628}\u{627}", "\u{627}\u{628} 1,234.50"),
            ("\u{628}\u{628}\u{628}\u{628} Mac 11 \u{627}", "\u{627} Mac 11 \u{628}\u{628}\u{628}\u{628}"),
            ("\u{60c}", "\u{60c}"),
            ("plain", "plain"),
        ] {
            assert_eq!(read(painted), expected, "{painted}");
        }
    }
}
