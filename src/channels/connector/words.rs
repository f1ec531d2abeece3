//! What the other side says when it refuses, fit to be shown.

use std::fmt;

use serde_json::Value;

use crate::secret::Secret;

/// A code for programs and words for people, each on one line and shortened, without secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Words {
    /// Such as `BadSyntax`.
    pub code: Option<String>,
    /// Such as `Multiple root message entities found in the bot activity`.
    pub message: Option<String>,
}

impl Words {
    /// The most that is repeated of a code, in characters.
    pub(super) const LONGEST_CODE: usize = 64;
    /// The most that is repeated of a message, in characters.
    pub(super) const LONGEST_MESSAGE: usize = 300;

    /// Reads `{"error": {"code", "message"}}`, and the same without its wrapper, which emulators leave out. A body of any
    /// other shape, such as a page of HTML from a proxy, says nothing.
    pub(super) fn read(body: &[u8], bearer: Option<&Secret>) -> Self {
        let Ok(body) = serde_json::from_slice::<Value>(body) else { return Self::default() };
        let error = body.get("error").filter(|error| error.is_object()).unwrap_or(&body);
        let member = |name: &str, longest| shown(error.get(name).and_then(Value::as_str), bearer, longest);
        let said = Self { code: member("code", Self::LONGEST_CODE), message: member("message", Self::LONGEST_MESSAGE) };
        if said.code.is_none() && said.message.is_none() {
            // Some gateways say it in one word.
            let code = shown(body.get("error").and_then(Value::as_str), bearer, Self::LONGEST_CODE);
            return Self { code, message: None };
        }
        said
    }

    /// Whether these words stand in code or message, in any case.
    pub(super) fn say(&self, words: &str) -> bool {
        let said = [&self.code, &self.message].into_iter().flatten();
        said.into_iter().any(|text| text.to_ascii_lowercase().contains(&words.to_ascii_lowercase()))
    }
}

/// A text of others on one line, without the credential, since some servers repeat what they were sent, and without anything
/// that moves a terminal's cursor.
pub(super) fn shown(text: Option<&str>, secret: Option<&Secret>, longest: usize) -> Option<String> {
    let text = match secret {
        Some(secret) => text?.replace(secret.expose(), "****"),
        None => text?.to_owned(),
    };
    let words = text.split(|c: char| c.is_control() || c.is_whitespace()).filter(|word| !word.is_empty());
    let text = words.collect::<Vec<_>>().join(" ");
    let cut = text.char_indices().nth(longest).map(|(at, _)| format!("{}…", &text[..at]));
    Some(cut.unwrap_or(text)).filter(|text| !text.is_empty())
}

impl fmt::Display for Words {
    /// With a blank before it; nothing where nothing was said.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.code, &self.message) {
            (Some(code), Some(message)) => write!(f, " {code}: {message}"),
            (Some(code), None) => write!(f, " {code}"),
            (None, Some(message)) => write!(f, ": {message}"),
            (None, None) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> (Option<String>, Option<String>) {
        let Words { code, message } = Words::read(body.as_bytes(), None);
        (code, message)
    }

    #[test]
    fn code_and_words_are_read_with_and_without_a_wrapper() {
        let expected = (Some("BadArgument".to_owned()), Some("Streaming API is not enabled".to_owned()));
        assert_eq!(
            read(r#"{"error":{"code":"BadArgument","message":" Streaming API is not enabled","innerHttpError":{}}}"#),
            expected
        );
        assert_eq!(read(r#"{"code":"BadArgument","message":" Streaming API is not enabled"}"#), expected);
        assert_eq!(read(r#"{"error":"invalid_request"}"#), (Some("invalid_request".to_owned()), None));
    }

    #[test]
    fn a_body_of_any_other_shape_says_nothing() {
        for body in
            ["", "<html>413 Payload Too Large</html>", "null", "[]", "7", r#"{"error":{"code":5}}"#, "{}", "\u{0}"]
        {
            assert_eq!(read(body), (None, None), "{body}");
        }
        assert_eq!(Words::read(&[0xff, 0xfe], None), Words::default());
    }

    #[test]
    fn point_13_a_token_that_is_repeated_is_masked_and_words_stay_on_their_line() {
        let bearer = Secret::issued("ey.token").expect("a token");
        let body = br#"{"error":{"code":"Bad\u001b[2JToken","message":"Bearer ey.token\r\nis\tbad"}}"#;
        let said = Words::read(body, Some(&bearer));
        assert_eq!(said.to_string(), " Bad [2JToken: Bearer **** is bad");
        let long = Words::read(format!("{{\"message\": \"{}\"}}", "ä".repeat(1000)).as_bytes(), None);
        assert_eq!(long.message.map(|text| text.chars().count()), Some(Words::LONGEST_MESSAGE + 1));
    }
}
