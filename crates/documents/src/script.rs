//! Letters that are written higher: `10⁶` is no `106`.

/// The characters that Unicode has in a raised form.
const RAISED: [(char, char); 17] = [
    ('0', '⁰'),
    ('1', '¹'),
    ('2', '²'),
    ('3', '³'),
    ('4', '⁴'),
    ('5', '⁵'),
    ('6', '⁶'),
    ('7', '⁷'),
    ('8', '⁸'),
    ('9', '⁹'),
    ('+', '⁺'),
    ('-', '⁻'),
    ('−', '⁻'),
    ('(', '⁽'),
    (')', '⁾'),
    ('n', 'ⁿ'),
    ('i', 'ⁱ'),
];

/// A raised text behind a character: in raised characters, or behind `^` where it would read as a number or a name without. Letters
/// such as those of `5th` stay.
pub(crate) fn raised(before: Option<char>, text: &str) -> String {
    let inner = text.trim();
    let form = |c: char| RAISED.iter().find(|(plain, _)| *plain == c).map(|(_, raised)| *raised);
    let is_ending = inner.chars().count() > 1 && inner.chars().all(char::is_alphabetic);
    if inner.is_empty() || is_ending {
        return text.to_owned();
    }
    if let Some(raised) = inner.chars().map(form).collect::<Option<String>>() {
        return text.replacen(inner, &raised, 1);
    }
    let is_power =
        before.is_some_and(|c| c.is_alphanumeric() || c == ')') && inner.starts_with(|c: char| c.is_alphanumeric());
    match (is_power, inner.chars().count()) {
        (true, 1) => format!("^{inner}"),
        (true, _) => format!("^({inner})"),
        (false, _) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_never_becomes_a_number() {
        for (before, text, expected) in [
            (Some('0'), "6", "⁶"),
            (Some('m'), "-2", "⁻²"),
            (Some('0'), " 12 ", " ¹² "),
            (Some('2'), "x", "^x"),
            (Some('2'), "2k", "^(2k)"),
            (Some('5'), "th", "th"),
            (Some('d'), "[1]", "[1]"),
            (None, "a", "a"),
        ] {
            assert_eq!(raised(before, text), expected, "{text}");
        }
    }
}
