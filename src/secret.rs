//! Text that must never be seen.

use std::fmt;

use aws_lc_rs::constant_time::verify_slices_are_equal;

/// A key, a password, a token: compared in constant time, printed as dots, never serialised.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// The given text is too short or has characters that cannot stand in an `Authorization` header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a secret has at least 16 visible ASCII characters and no blanks")]
pub struct UnusableSecret;

impl Secret {
    /// A secret from text that someone chose.
    ///
    /// # Errors
    /// When the text has fewer than 16 characters, or others than visible ASCII.
    pub fn parse(text: &str) -> Result<Self, UnusableSecret> {
        if text.len() < 16 || !text.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(UnusableSecret);
        }
        Ok(Self(text.to_owned()))
    }

    /// A secret that another service has issued, which alone answers for its length.
    ///
    /// # Errors
    /// When the text is empty, or has characters other than visible ASCII.
    pub fn issued(text: &str) -> Result<Self, UnusableSecret> {
        if text.is_empty() || !text.bytes().all(|b| b.is_ascii_graphic()) {
            return Err(UnusableSecret);
        }
        Ok(Self(text.to_owned()))
    }

    /// Whether `candidate` is this secret. Takes the same time wherever the two differ.
    #[must_use]
    pub fn matches(&self, candidate: &str) -> bool {
        verify_slices_are_equal(self.0.as_bytes(), candidate.as_bytes()).is_ok()
    }

    /// The secret itself. Every call is a place where it could leak.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_does_not_print() {
        let secret = Secret::parse("correct-horse-battery").expect("a secret");
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }

    #[test]
    fn only_the_same_text_matches() {
        let secret = Secret::parse("correct-horse-battery").expect("a secret");
        assert!(secret.matches("correct-horse-battery"));
        assert!(!secret.matches("correct-horse-batterz"));
        assert!(!secret.matches("correct-horse"));
        assert!(!secret.matches(""));
    }

    #[test]
    fn short_and_unprintable_secrets_are_refused() {
        for bad in ["", "short", "with a blank inside it", "mit-ümlaut-und-so-weiter"] {
            assert_eq!(Secret::parse(bad), Err(UnusableSecret), "{bad:?}");
        }
    }

    #[test]
    fn a_secret_of_another_service_may_be_short() {
        assert!(Secret::issued("sk-1234").is_ok_and(|secret| secret.expose() == "sk-1234"));
        for bad in ["", "a b", "line\nbreak"] {
            assert_eq!(Secret::issued(bad), Err(UnusableSecret), "{bad:?}");
        }
    }
}
