//! What the other side says when it refuses, fit to be shown.

use std::fmt;

use serde_json::Value;

use crate::secret::Unsaid;

/// A code for programs and words for people, each on one line and shortened, without secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Words {
    /// Such as `BadSyntax`.
    pub code: Option<String>,
    /// Such as `Multiple root message entities found in the bot activity`.
    pub message: Option<String>,
}

/// Code and words as they came. What they mean is looked for here: what is not repeated of them may be among it.
#[derive(Default)]
pub(super) struct Said {
    pub(super) code: Option<String>,
    pub(super) message: Option<String>,
}

impl Words {
    /// The most that is repeated of a code, in characters.
    pub(super) const LONGEST_CODE: usize = 64;
    /// The most that is repeated of a message, in characters.
    pub(super) const LONGEST_MESSAGE: usize = 300;
}

impl Said {
    /// Reads `{"error": {"code", "message"}}`, and the same without its wrapper, which emulators leave out. A body of any
    /// other shape, such as a page of HTML from a proxy, says nothing.
    pub(super) fn read(body: &[u8]) -> Self {
        let Ok(body) = serde_json::from_slice::<Value>(body) else { return Self::default() };
        let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
        let error = body.get("error").filter(|error| error.is_object()).unwrap_or(&body);
        let said = Self { code: text(error.get("code")), message: text(error.get("message")) };
        if said.code.is_none() && said.message.is_none() {
            // Some gateways say it in one word.
            return Self { code: text(body.get("error")), message: None };
        }
        said
    }

    /// Whether these words stand in code or message, in any case.
    pub(super) fn holds(&self, words: &str) -> bool {
        let said = [&self.code, &self.message].into_iter().flatten();
        said.into_iter().any(|text| text.to_ascii_lowercase().contains(&words.to_ascii_lowercase()))
    }

    /// The same, fit to be shown: some servers repeat what they were sent.
    pub(super) fn without(&self, unsaid: Unsaid<'_>) -> Words {
        Words {
            code: shown(self.code.as_deref(), unsaid, Words::LONGEST_CODE),
            message: shown(self.message.as_deref(), unsaid, Words::LONGEST_MESSAGE),
        }
    }
}

/// A text of others, where there is one in it.
pub(super) fn shown(text: Option<&str>, unsaid: Unsaid<'_>, longest: usize) -> Option<String> {
    Some(unsaid.line(text?, longest)).filter(|text| !text.is_empty())
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
    use crate::secret::Secret;

    fn read(body: &str) -> (Option<String>, Option<String>) {
        let Words { code, message } = Said::read(body.as_bytes()).without(Unsaid::default());
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
        assert_eq!(Said::read(&[0xff, 0xfe]).without(Unsaid::default()), Words::default());
    }

    #[test]
    fn point_13_what_is_repeated_of_a_call_is_masked_and_words_stay_on_their_line() {
        let bearer = [Secret::issued("ey.token").expect("a token")];
        let unsaid = Unsaid { secrets: &bearer, said: "30 days [1]." };
        let body =
            br#"{"error":{"code":"Bad\u001b[2JToken","message":"Bearer ey.token\r\nis\tbad for '30 days [1].'"}}"#;
        let said = Said::read(body).without(unsaid);
        assert_eq!(said.to_string(), " Bad [2JToken: Bearer **** is bad for '****'");
        let long = Said::read(format!("{{\"message\": \"{}\"}}", "ä".repeat(1000)).as_bytes()).without(unsaid);
        assert_eq!(long.message.map(|text| text.chars().count()), Some(Words::LONGEST_MESSAGE + 1));
    }
}
