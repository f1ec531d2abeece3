//! The paragraphs of a plain text, and the items of its lists.

/// The marks of items without numbers.
const BULLETS: &str = "-*•◦▪‣●○■–—·+";

/// The mark at the beginning of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mark {
    Bullet(char),
    Number(u32),
    /// The place of a letter in the alphabet.
    Letter(u32),
}

/// A paragraph or an item on one line, without its mark.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PlainLine {
    pub(super) text: String,
    /// The number of an item that has one.
    pub(super) number: Option<u32>,
}

impl PlainLine {
    fn of(mark: Option<Mark>, text: &str) -> Self {
        let number = match mark {
            Some(Mark::Number(number)) => Some(number),
            Some(Mark::Bullet(_) | Mark::Letter(_)) | None => None,
        };
        Self { text: text.to_owned(), number }
    }
}

/// The paragraphs and the items of a text.
pub(super) fn lines(text: &str) -> Vec<PlainLine> {
    let mut lines: Vec<PlainLine> = Vec::new();
    let mut open: Option<PlainLine> = None;
    let mut last = None;
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() {
            lines.extend(open.take());
            continue;
        }
        let begins = |mark: Mark| match (&open, mark, last) {
            (None, ..) => true,
            (Some(_), Mark::Number(number), Some(Mark::Number(before))) if number == before + 1 => true,
            (Some(_), Mark::Letter(letter), Some(Mark::Letter(before))) if letter == before + 1 => true,
            (Some(_), Mark::Bullet(one), Some(Mark::Bullet(other))) if one == other => true,
            // A line of a paragraph may begin with a dash, or with the number of a day.
            (Some(before), ..) => before.text.ends_with(['.', ':', ';', '!', '?', '。', '：']),
        };
        match mark(line).filter(|(mark, _)| begins(*mark)) {
            Some((mark, rest)) => {
                lines.extend(open.replace(PlainLine::of(Some(mark), rest)));
                last = Some(mark);
            }
            None => match &mut open {
                Some(PlainLine { text, .. }) => {
                    text.push(' ');
                    text.push_str(line);
                }
                None => {
                    open = Some(PlainLine::of(None, line));
                    last = None;
                }
            },
        }
    }
    lines.extend(open);
    lines
}

/// The mark of an item, and the text behind it.
fn mark(line: &str) -> Option<(Mark, &str)> {
    let (mark, rest) = line.split_once([' ', '\t'])?;
    let rest = rest.trim_start();
    let mut characters = mark.chars();
    if let (Some(bullet), None) = (characters.next(), characters.next())
        && BULLETS.contains(bullet)
    {
        return Some((Mark::Bullet(bullet), rest));
    }
    let number = mark.strip_suffix(['.', ')'])?.trim_start_matches('(');
    let mark = match number.as_bytes() {
        [letter @ b'a'..=b'z'] if mark.ends_with(')') => Mark::Letter(u32::from(letter - b'a') + 1),
        _ => Mark::Number(number.parse().ok().filter(|_| number.len() <= 3)?),
    };
    Some((mark, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_lines_without_their_marks_and_days_are_none() {
        let lines = |text: &str| lines(text).into_iter().map(|line| line.text).collect::<Vec<_>>();
        for (text, expected) in [
            (
                "Rules of the house\n\n1. Pets need a\n   permit.\n2. Be quiet. Always.\n3) Ask",
                vec!["Rules of the house", "Pets need a permit.", "Be quiet. Always.", "Ask"],
            ),
            ("Bring:\n- tea\n- a cup\n", vec!["Bring:", "tea", "a cup"]),
            ("a) one\nb) two", vec!["one", "two"]),
            (
                "It begins on the\n1. May of the year -\n- so they say.",
                vec!["It begins on the 1. May of the year - - so they say."],
            ),
            ("One\nparagraph.\n\n\nAnother.", vec!["One paragraph.", "Another."]),
            ("", vec![]),
        ] {
            assert_eq!(lines(text), expected, "{text}");
        }
    }

    #[test]
    fn items_keep_their_numbers() {
        let numbers = |text: &str| lines(text).into_iter().map(|line| line.number).collect::<Vec<_>>();
        assert_eq!(numbers("To leave:\n1. Pack.\n2. Lock\n   the door.\n\n3) Go."), [None, Some(1), Some(2), Some(3)]);
        assert_eq!(numbers("- tea\n- a cup\n\na) one\nb) two"), [None; 4]);
    }
}
