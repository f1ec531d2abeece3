//! Labels of links and definitions.

/// A label in the form that Web Chat compares: trimmed, inner blanks collapsed, lower case.
pub(super) fn normal_label(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// True if a label is a citation number: one to three ASCII digits.
pub(super) fn is_number(label: &str) -> bool {
    (1..=3).contains(&label.len()) && label.bytes().all(|byte| byte.is_ascii_digit())
}

/// The citation numbers in brackets, wherever they stand.
pub(super) fn bracketed_numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split('[')
        .skip(1)
        .filter_map(|rest| rest.split_once(']'))
        .map(|(label, _)| label)
        .filter(|label| is_number(label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_compared_without_case_and_blanks() {
        assert_eq!(normal_label("  Doc \n 1 "), "doc 1");
        assert!(is_number("12") && !is_number("1234") && !is_number("a"));
    }

    #[test]
    fn numbers_in_brackets_are_found() {
        let found: Vec<_> = bracketed_numbers("a[0] = b[x[12]][1").collect();
        assert_eq!(found, ["0", "12"]);
    }
}
