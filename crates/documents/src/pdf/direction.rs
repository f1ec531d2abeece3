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
    /// That of its neighbors.
    Any,
}

/// Whether a character is written from right to left: Hebrew, Arabic, and their forms.
fn is_leftwards(c: char) -> bool {
    let is_of_script = matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}');
    is_of_script && !c.is_numeric()
}

fn direction(letter: &InLine<'_>) -> Direction {
    if letter.text.chars().any(is_leftwards) {
        Direction::Left
    } else if letter.text.chars().any(char::is_alphanumeric) {
        Direction::Right
    } else {
        Direction::Any
    }
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
    let own: Vec<Direction> = letters.iter().map(direction).collect();
    let line = if is_line_leftwards { Direction::Left } else { Direction::Right };
    let mut before = vec![None; own.len()];
    let mut last = None;
    for (at, direction) in own.iter().enumerate() {
        before[at] = last;
        last = if *direction == Direction::Any { last } else { Some(*direction) };
    }
    let mut runs: Vec<(Direction, Vec<InLine<'_>>)> = Vec::new();
    let mut behind = None;
    for (at, letter) in letters.into_iter().enumerate().rev() {
        let direction = match own[at] {
            Direction::Any if before[at].is_some() && before[at] == behind => before[at].unwrap_or(line),
            Direction::Any => line,
            strong @ (Direction::Left | Direction::Right) => {
                behind = Some(strong);
                strong
            }
        };
        // From the end to the beginning: letters to the left are in the order in which they are read.
        match runs.last_mut() {
            Some((of_run, run)) if *of_run == direction => run.push(letter),
            _ => runs.push((direction, vec![letter])),
        }
    }
    for (direction, run) in &mut runs {
        if *direction == Direction::Right {
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
            ("\u{60c}", "\u{60c}"),
            ("plain", "plain"),
        ] {
            assert_eq!(read(painted), expected, "{painted}");
        }
    }
}
