//! Numbers of cells as Excel shows them.

/// The formats that a file names by their number alone.
const BUILT_IN: [(u32, &str); 8] = [
    (1, "0"),
    (2, "0.00"),
    (3, "#,##0"),
    (4, "#,##0.00"),
    (9, "0%"),
    (10, "0.00%"),
    (37, "#,##0;(#,##0)"),
    (39, "#,##0.00;(#,##0.00)"),
];

/// A number in a cell without a format has so many digits.
const DIGITS: i32 = 10;
/// A format has no more digits behind the point.
const MOST_DECIMALS: usize = 15;

/// The format of this number.
pub(crate) fn built_in(id: u32) -> Option<&'static str> {
    BUILT_IN.iter().find(|(known, _)| *known == id).map(|(_, code)| *code)
}

/// A number in a cell without a format: sums of decimal fractions have no digits that nobody wrote.
pub(crate) fn general(value: f64) -> String {
    if !value.is_finite() || value == 0.0 {
        return if value == 0.0 { "0".to_owned() } else { value.to_string() };
    }
    let exponent = value.abs().log10().floor() as i32;
    if !(-9..15).contains(&exponent) {
        return value.to_string();
    }
    let decimals = usize::try_from((DIGITS - 1 - exponent.max(0)).max(0)).unwrap_or(0);
    // A number that is smaller than what this shows keeps its first digits.
    let small = usize::try_from((-exponent).max(0)).unwrap_or(0);
    let decimals = if exponent < -4 { small + 5 } else { decimals };
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.to_owned()
}

/// A number in a cell with a format; `None` where the format is none of a plain number, a percentage or an amount.
pub(crate) fn formatted(value: f64, code: &str) -> Option<String> {
    let sections: Vec<&str> = sections(code);
    // Sections with conditions of their own, such as `[>100]`, are not chosen by the sign.
    if sections.iter().any(|section| ["[<", "[>", "[="].iter().any(|condition| section.contains(condition))) {
        return None;
    }
    let (section, is_for_negative) = match (sections.as_slice(), value) {
        ([_, negative, ..], value) if value < 0.0 => (*negative, true),
        ([_, _, zero, ..], 0.0) => (*zero, false),
        ([first, ..], _) => (*first, false),
        ([], _) => return None,
    };
    let pattern = Pattern::read(section)?;
    let number = pattern.digits(value.abs());
    // A section for negative numbers has a sign of its own. Red is one that would be lost.
    let is_told_by_color = section.to_ascii_lowercase().contains("[red]")
        && ![&pattern.before, &pattern.behind].iter().any(|text| text.contains(['-', '(']));
    // A number that is shown as zero has no sign.
    let is_negative =
        value < 0.0 && (!is_for_negative || is_told_by_color) && number.contains(|c: char| ('1'..='9').contains(&c));
    let sign = if is_negative { "-" } else { "" };
    Some(format!("{sign}{}{number}{}", pattern.before, pattern.behind).trim().to_owned())
}

/// The parts of a format for numbers above, below and at zero.
fn sections(code: &str) -> Vec<&str> {
    let (mut sections, mut start, mut is_quoted, mut is_escaped) = (Vec::new(), 0, false, false);
    for (at, c) in code.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ';' if !is_quoted => {
                sections.push(&code[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    sections.push(&code[start..]);
    sections
}

/// The format of numbers.
#[derive(Debug, Default)]
struct Pattern {
    before: String,
    behind: String,
    least_digits: usize,
    least_decimals: usize,
    decimals: usize,
    has_groups: bool,
    /// The number is shown divided by a thousand so often.
    thousands: i32,
    is_percentage: bool,
}

impl Pattern {
    fn read(section: &str) -> Option<Self> {
        let mut pattern = Self::default();
        let (mut has_digits, mut is_behind_point) = (false, false);
        let mut characters = section.chars();
        while let Some(c) = characters.next() {
            match c {
                '0' | '#' | '?' => {
                    if !pattern.behind.trim().is_empty() {
                        return None;
                    }
                    has_digits = true;
                    pattern.has_groups |= std::mem::take(&mut pattern.thousands) > 0 && !is_behind_point;
                    match (is_behind_point, c) {
                        (true, c) => {
                            pattern.decimals += 1;
                            pattern.least_decimals = if c == '0' { pattern.decimals } else { pattern.least_decimals };
                        }
                        (false, '0') => pattern.least_digits += 1,
                        (false, _) => {}
                    }
                }
                '.' if has_digits || !is_behind_point => is_behind_point = true,
                ',' if has_digits => pattern.thousands += 1,
                '%' => {
                    pattern.is_percentage = true;
                    pattern.literal(has_digits, '%');
                }
                '"' => characters.by_ref().take_while(|c| *c != '"').for_each(|c| pattern.literal(has_digits, c)),
                '\\' => pattern.literal(has_digits, characters.next()?),
                // A blank as wide as the next character, and one that fills the cell.
                '_' | '*' => drop(characters.next()?),
                '[' => {
                    let inner: String = characters.by_ref().take_while(|c| *c != ']').collect();
                    let symbol = inner.strip_prefix('$').map(|symbol| symbol.split('-').next().unwrap_or_default());
                    symbol.unwrap_or_default().chars().for_each(|c| pattern.literal(has_digits, c));
                }
                '$' | '€' | '£' | '¥' | '+' | '-' | '(' | ')' | ' ' | ':' | '\u{a0}' | '/' if c != '/' => {
                    pattern.literal(has_digits, c);
                }
                // Dates, fractions, powers of ten, and texts.
                _ => return None,
            }
        }
        (has_digits && pattern.decimals <= MOST_DECIMALS).then_some(pattern)
    }

    fn literal(&mut self, is_behind: bool, c: char) {
        if is_behind { self.behind.push(c) } else { self.before.push(c) }
    }

    fn digits(&self, value: f64) -> String {
        let scale = if self.is_percentage { 100.0 } else { 1.0 };
        // A tenth of the last digit that a number of this kind has: 1.005 is not rounded down for its last bit.
        let value = value * scale / 1000_f64.powi(self.thousands) * (1.0 + 1e-15);
        let text = format!("{value:.*}", self.decimals);
        let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
        let shown = decimals.trim_end_matches('0').len().max(self.least_decimals);
        let decimals = decimals.get(..shown).unwrap_or(decimals);
        let whole = if whole == "0" && self.least_digits == 0 && !decimals.is_empty() { "" } else { whole };
        let mut written = format!("{whole:0>width$}", width = self.least_digits);
        if self.has_groups {
            let digits: Vec<char> = written.chars().collect();
            let groups: Vec<String> = digits.rchunks(3).rev().map(|group| group.iter().collect()).collect();
            written = groups.join(",");
        }
        if !decimals.is_empty() {
            written.push('.');
            written.push_str(decimals);
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_without_a_format_has_no_digits_that_nobody_wrote() {
        for (value, text) in [
            (6.600_000_000_000_001, "6.6"),
            (2.5, "2.5"),
            (0.1 + 0.2, "0.3"),
            (41.0, "41"),
            (4_006_381_333_931.0, "4006381333931"),
            (1.0 / 3.0, "0.333333333"),
            (-0.000_012_345, "-0.000012345"),
            (0.0, "0"),
        ] {
            assert_eq!(general(value), text);
        }
    }

    #[test]
    fn a_format_shows_percentages_amounts_and_signs() {
        for (value, code, text) in [
            (0.125, "0.0%", Some("12.5%")),
            (0.5, "0%", Some("50%")),
            (1234.5, "#,##0.00", Some("1,234.50")),
            (-1234.5, "#,##0.00;(#,##0.00)", Some("(1,234.50)")),
            (-0.001, "0.00", Some("0.00")),
            (-5.0, "0;0", Some("5")),
            (-1234.5, "#,##0.0;[Red]#,##0.0", Some("-1,234.5")),
            (-1234.5, "#,##0.0;[Red]-#,##0.0", Some("-1,234.5")),
            (-1234.5, "#,##0.0_);[Red](#,##0.0)", Some("(1,234.5)")),
            (500.0, "[>=1000]0,\"K\";0", None),
            (12.0, "#,##0.00\\ \"€\"", Some("12.00 €")),
            (12.0, "_-[$$-409]* #,##0_-", Some("$12")),
            (7.0, "000", Some("007")),
            (12_000.0, "0,", Some("12")),
            (0.5, "# ?/?", None),
            (1.0, "General", None),
            (46_023.0, "yyyy-mm-dd", None),
            (1e9, "0.00E+00", None),
        ] {
            assert_eq!(formatted(value, code).as_deref(), text, "{code}");
        }
    }
}
