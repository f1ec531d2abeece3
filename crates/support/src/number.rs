//! Numbers in digits, with the separators of every country.

use crate::date::Date;
use crate::fold::digit;

/// A number in digits. `1,234` has two readings, of which either may be meant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Numeral {
    /// The value, and the other one if there are two.
    pub(crate) values: [f64; 2],
    /// How many digits are significant: leading zeros are not.
    pub(crate) significant: u8,
    /// How many digits it has, of both sides of a separator.
    pub(crate) digits: u8,
    /// It has a decimal mark.
    pub(crate) is_decimal: bool,
}

/// The meaning of digits with separators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Figures {
    Number(Numeral),
    /// `24.12.2026`
    Date(Date),
    /// `3.4.2`
    Identifier,
}

/// A separator between digits.
#[derive(Clone, Copy, PartialEq)]
enum Separator {
    Point,
    Comma,
    /// Only for decimals: U+066B.
    Decimal,
    /// Only between groups of three: an apostrophe, a blank that does not break.
    Group,
}

#[derive(Clone, Copy)]
struct Digits {
    value: f64,
    length: u32,
}

/// Reads the digits that begin with `char(0)`, and says how many characters they take.
pub(crate) fn figures(char: impl Fn(usize) -> char) -> (Figures, usize) {
    let (mut groups, mut separators) = (Vec::new(), Vec::new());
    let (mut at, mut significant) = (0, 0_u8);
    let mut group = Digits { value: 0.0, length: 0 };
    loop {
        if let Some(value) = digit(char(at)) {
            group = Digits { value: group.value * 10.0 + f64::from(value), length: group.length + 1 };
            significant = significant.saturating_add(u8::from(significant > 0 || value > 0));
            at += 1;
            continue;
        }
        let Some(separator) = separator(char(at)).filter(|_| digit(char(at + 1)).is_some()) else { break };
        groups.push(group);
        separators.push(separator);
        group = Digits { value: 0.0, length: 0 };
        at += 1;
    }
    // Most numbers are one group.
    if groups.is_empty() {
        let digits = u8::try_from(group.length).unwrap_or(u8::MAX);
        let values = [group.value; 2];
        return (Figures::Number(Numeral { values, significant, digits, is_decimal: false }), at);
    }
    groups.push(group);
    let digits = u8::try_from(groups.iter().map(|group| group.length).sum::<u32>()).unwrap_or(u8::MAX);
    let figures = match (date(&groups, &separators), values(&groups, &separators)) {
        (Some(date), _) => Figures::Date(date),
        (None, Some(values)) => {
            let is_decimal = values.iter().any(|value| value.fract() != 0.0);
            Figures::Number(Numeral { values, significant, digits, is_decimal })
        }
        (None, None) => Figures::Identifier,
    };
    (figures, at)
}

/// Whether commas part numbers here, as in a row of a file of values: `11,32,55`. They part no groups of three digits.
pub(crate) fn is_list(char: impl Fn(usize) -> char) -> bool {
    let (mut commas, mut length, mut is_list) = (0, 0, false);
    for at in 0..64 {
        match char(at) {
            ',' if digit(char(at + 1)).is_some() => {
                is_list |= commas > 0 && length != 3 || length > 3;
                commas += 1;
                length = 0;
            }
            character if digit(character).is_some() => length += 1,
            _ => break,
        }
    }
    commas > 1 && (is_list || length != 3)
}

fn separator(character: char) -> Option<Separator> {
    match character {
        '.' | '．' => Some(Separator::Point),
        ',' | '，' => Some(Separator::Comma),
        '\u{66b}' => Some(Separator::Decimal),
        '\u{66c}' | '\'' | '\u{2019}' | '\u{a0}' | '\u{202f}' | '\u{2009}' => Some(Separator::Group),
        _ => None,
    }
}

/// All digits as one number.
fn whole(groups: &[Digits]) -> f64 {
    groups.iter().fold(0.0, |value, group| value * 10_f64.powi(group.length.cast_signed()) + group.value)
}

/// Whether the groups are those of thousands.
fn are_thousands(groups: &[Digits]) -> bool {
    groups.first().is_some_and(|first| first.length <= 3) && groups.iter().skip(1).all(|group| group.length == 3)
}

/// The readings of a number, of which both are one if there is only one; `None` for an identifier.
fn values(groups: &[Digits], separators: &[Separator]) -> Option<[f64; 2]> {
    let (last, before) = groups.split_last()?;
    let Some((mark, marks)) = separators.split_last() else { return Some([last.value; 2]) };
    let decimal = whole(before) + last.value / 10_f64.powi(last.length.cast_signed());
    let grouped = are_thousands(groups).then(|| whole(groups));
    if marks.is_empty() {
        return match mark {
            Separator::Group => grouped.map(|value| [value; 2]),
            Separator::Decimal => Some([decimal; 2]),
            // `0.125` has no thousands.
            Separator::Point | Separator::Comma => {
                let other = grouped.filter(|_| before.iter().any(|group| group.value > 0.0));
                Some([other.unwrap_or(decimal), decimal])
            }
        };
    }
    if marks.iter().all(|other| other == mark) {
        return grouped.map(|value| [value; 2]);
    }
    let has_groups = marks.windows(2).all(|pair| pair[0] == pair[1]) && are_thousands(before);
    has_groups.then_some([decimal; 2])
}

/// A day, a month and a year with points between them, or a year, a month and a day.
fn date(groups: &[Digits], separators: &[Separator]) -> Option<Date> {
    let [Separator::Point, Separator::Point] = separators else { return None };
    let [first, second, third] = groups else { return None };
    match (first.length, second.length, third.length) {
        (1 | 2, 1 | 2, 4) => Date::of(third.value, second.value, first.value),
        (4, 1 | 2, 1 | 2) => Date::of(first.value, second.value, third.value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Option<[f64; 2]>, usize) {
        let characters: Vec<char> = text.chars().collect();
        let (figures, end) = figures(|at| characters.get(at).copied().unwrap_or(' '));
        (if let Figures::Number(numeral) = figures { Some(numeral.values) } else { None }, end)
    }

    #[test]
    fn numbers_have_the_readings_of_every_country() {
        for (text, first, second) in [
            ("42", 42.0, 42.0),
            ("1,234", 1234.0, 1.234),
            ("1.234", 1234.0, 1.234),
            ("0.125", 0.125, 0.125),
            ("3,5", 3.5, 3.5),
            ("1.234,56", 1234.56, 1234.56),
            ("1,234,567", 1_234_567.0, 1_234_567.0),
            ("1'234'567.8", 1_234_567.8, 1_234_567.8),
            ("12\u{202f}000", 12_000.0, 12_000.0),
            ("٣٫٥", 3.5, 3.5),
            ("１２", 12.0, 12.0),
        ] {
            let (values, end) = read(text);
            assert_eq!((values, end), (Some([first, second]), text.chars().count()), "{text}");
        }
    }

    #[test]
    fn numbers_that_commas_part_are_a_list() {
        let list = |text: &str| is_list(|at| text.chars().nth(at).unwrap_or(' '));
        assert!(list("11,32,55") && list("2020,11,32") && list("1,2,3"));
        assert!(!list("1,234,567") && !list("3,5") && !list("16,384, and") && !list("42"));
    }

    #[test]
    fn numbers_of_several_parts_are_identifiers() {
        for text in ["3.4.2", "192.168.1.1", "1,2,3", "31.13.2026"] {
            assert_eq!(read(text).0, None, "{text}");
        }
        assert_eq!(read("5. Then").1, 1);
    }
}
