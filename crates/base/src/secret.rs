//! Secrets: text that never appears in logs, and the masking of secrets in other texts.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use aws_lc_rs::constant_time::verify_slices_are_equal;

/// A key, a password, a token: compared in constant time, printed as dots, never serialised.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// The text is too short, or has characters that are not valid in an `Authorization` header.
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

/// A secret cannot be read from its configured place. It never repeats a value.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The file cannot be read.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file is larger than any secret.
    #[error("{path} has more than {LARGEST_FILE} bytes; it must contain only the secret")]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// A variable and the file for it are both there.
    #[error("{name} and {name}_FILE are both set; leave one of them out")]
    Twice {
        /// The name of the variable.
        name: String,
    },
}

/// The maximum size of a file with a secret, in bytes.
const LARGEST_FILE: u64 = 16 * 1024;

/// The text of a file that holds a secret and nothing else. Blanks and line ends around it do not count, nor does a byte order
/// mark.
///
/// # Errors
/// When the file cannot be read as UTF-8, or is too large.
pub fn in_file(path: &Path) -> Result<String, SecretError> {
    let fault = |source| SecretError::File { path: path.to_owned(), source };
    let mut text = String::new();
    File::open(path).and_then(|file| file.take(LARGEST_FILE + 1).read_to_string(&mut text)).map_err(fault)?;
    if text.len() as u64 > LARGEST_FILE {
        return Err(SecretError::TooLarge { path: path.to_owned() });
    }
    Ok(text.trim_start_matches('\u{feff}').trim().to_owned())
}

/// The secret of the environment under `name`: the value of that variable, or the text of the file that `name_FILE`
/// names, as container platforms mount secrets. An empty variable counts as absent.
///
/// # Errors
///
/// When both are there, or the file cannot be read.
pub fn in_environment(environment: &BTreeMap<String, String>, name: &str) -> Result<Option<String>, SecretError> {
    let value = |name: &str| environment.get(name).filter(|text| !text.is_empty());
    match (value(name), value(&format!("{name}_FILE"))) {
        (Some(_), Some(_)) => Err(SecretError::Twice { name: name.to_owned() }),
        (Some(text), None) => Ok(Some(text.clone())),
        (None, Some(path)) => in_file(Path::new(path)).map(Some),
        (None, None) => Ok(None),
    }
}

/// The texts to mask in messages of other servers, which may repeat what was sent to them.
#[derive(Clone, Copy, Default)]
pub struct Redaction<'a> {
    /// The keys.
    pub secrets: &'a [Secret],
    /// The words of people, or for them.
    pub said: &'a str,
}

/// A shorter text tells a reader nothing, and taking it out would leave holes in the words.
const SHORTEST: usize = 5;

impl Redaction<'_> {
    /// The words of others on one line, without what was sent to them and without anything that moves a terminal's cursor. Of a
    /// longer line the first `longest` characters.
    #[must_use]
    pub fn line(&self, words: &str, longest: usize) -> String {
        // First of all: what is repeated may have its blanks changed, and what is cut would not be found.
        let mut line = on_one_line(words);
        for secret in self.secrets {
            line = line.replace(secret.expose(), "****");
        }
        let said = on_one_line(self.said);
        if said.chars().nth(SHORTEST - 1).is_some() {
            line = line.replace(&said, "****");
        }
        let cut = line.char_indices().nth(longest).map(|(at, _)| format!("{}…", &line[..at]));
        cut.unwrap_or(line)
    }
}

fn on_one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_control() || c.is_whitespace()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

impl fmt::Debug for Redaction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Redaction(…)")
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
    fn a_secret_may_stand_in_a_file_that_a_variable_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        std::fs::write(&path, "\u{feff}correct-horse-battery\r\n").expect("written");
        let of = |set: &[(&str, &str)]| {
            let set = set.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
            in_environment(&set, "KEY").map_err(|error| error.to_string())
        };
        let file = path.to_str().expect("a path");
        assert_eq!(of(&[("KEY_FILE", file)]), Ok(Some("correct-horse-battery".to_owned())));
        assert_eq!(of(&[("KEY", "another"), ("KEY_FILE", "")]), Ok(Some("another".to_owned())));
        assert_eq!(of(&[("KEY", "")]), Ok(None));
        assert_eq!(
            of(&[("KEY", "a"), ("KEY_FILE", file)]),
            Err("KEY and KEY_FILE are both set; leave one of them out".to_owned())
        );
        assert!(of(&[("KEY_FILE", "/nowhere/key")]).is_err_and(|words| words.starts_with("/nowhere/key: ")));
        std::fs::write(&path, "x".repeat(20_000)).expect("written");
        assert!(of(&[("KEY_FILE", file)]).is_err_and(|words| words.contains("only the secret")));
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

    fn shown(words: &str, said: &str) -> String {
        let secrets = ["sk-1234", "sk-5678"].map(|secret| Secret::issued(secret).expect("a secret"));
        Redaction { secrets: &secrets, said }.line(words, 300)
    }

    #[test]
    fn words_of_others_are_one_short_line_without_the_keys() {
        assert_eq!(shown("bad\r\nkey\u{1b}[2J sk-1234,sk-5678\u{7}", ""), "bad key [2J ****,****");
        assert_eq!(shown(&"ä".repeat(1000), "").chars().count(), 301);
        assert_eq!(Redaction::default().line(" \n", 300), "");
    }

    #[test]
    fn what_people_said_is_not_repeated_unless_it_says_nothing() {
        assert_eq!(shown("Filtered: How long is leave?!", " How long is leave? "), "Filtered: ****!");
        assert_eq!(shown("Filtered: 30 days [1]. Ask first.", "30 days [1].\n\nAsk first."), "Filtered: ****");
        assert_eq!(shown("a bad one", "a"), "a bad one");
        let long = format!("{} not: How long is leave?", "x".repeat(290));
        assert!(!shown(&long, "How long is leave?").contains("How"), "not even where it is cut");
    }

    #[test]
    fn what_was_sent_does_not_print() {
        assert_eq!(format!("{:?}", Redaction { secrets: &[], said: "How long is leave?" }), "Redaction(…)");
    }
}
