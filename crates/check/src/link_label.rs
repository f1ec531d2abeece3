//! Labels of links and definitions.

/// A label in the form that Web Chat compares: trimmed, inner blanks collapsed, lower case.
pub(super) fn normal_label(label: &str) -> String {
    label.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// True if a label is a citation number: one to three ASCII digits.
pub(super) fn is_number(label: &str) -> bool {
    (1..=3).contains(&label.len()) && label.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_compared_without_case_and_blanks() {
        assert_eq!(normal_label("  Doc \n 1 "), "doc 1");
        assert!(is_number("12") && !is_number("1234") && !is_number("a"));
    }
}
