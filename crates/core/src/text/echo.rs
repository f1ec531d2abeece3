//! Repeats what somebody sent, in an error that names it.

use std::borrow::Cow;

/// Error texts repeat at most so many characters of what a caller sends.
const SHOWN: usize = 100;

/// The beginning of what somebody sent: at most 100 characters, behind which `…` stands for the rest.
#[must_use]
pub fn echo(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_long_is_cut() {
        assert_eq!(echo(&"ä".repeat(100)), "ä".repeat(100));
        assert_eq!(echo(&"ä".repeat(101)), format!("{}…", "ä".repeat(100)));
    }
}
