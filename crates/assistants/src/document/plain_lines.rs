//! The paragraphs of a plain text, and the items of its lists.

/// The marks of items without numbers.
const BULLETS: &str = "-*•◦▪‣●○■–—·+";

/// The mark at the beginning of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mark {
    Bullet(char),
    Number(u32),
}

/// The paragraphs and the items of a text, each on one line and without its mark.
pub(super) fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut open: Option<String> = None;
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
            (Some(_), Mark::Bullet(one), Some(Mark::Bullet(other))) if one == other => true,
            // A line of a paragraph may begin with a dash, or with the number of a day.
            (Some(before), ..) => before.ends_with(['.', ':', ';', '!', '?', '。', '：']),
        };
        match mark(line).filter(|(mark, _)| begins(*mark)) {
            Some((mark, rest)) => {
                lines.extend(open.replace(rest.to_owned()));
                last = Some(mark);
            }
            None => match &mut open {
                Some(open) => {
                    open.push(' ');
                    open.push_str(line);
                }
                None => {
                    open = Some(line.to_owned());
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
    let number = match number.as_bytes() {
        [letter @ b'a'..=b'z'] if mark.ends_with(')') => u32::from(letter - b'a') + 1,
        _ => number.parse().ok().filter(|_| number.len() <= 3)?,
    };
    Some((Mark::Number(number), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_lines_without_their_marks_and_days_are_none() {
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
}
