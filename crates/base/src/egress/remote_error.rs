//! Error messages of other servers, made safe to log.

use std::fmt;

use serde_json::Value;

use crate::secret::Redaction;

/// Where services put a code for programs and words for people: JSON pointers, of which an empty one leads nowhere. The first row
/// counts by which a body has one of the two.
pub type ErrorForms = [(&'static str, &'static str)];

/// The code and the message of an error, each on one line, shortened and without secrets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoteError {
    /// Such as `BadSyntax`.
    pub code: Option<String>,
    /// Such as `Multiple root message entities found in the bot activity`.
    pub message: Option<String>,
}

/// Code and words as they came. What they mean is looked for here: what is not repeated of them may be among it.
#[derive(Default)]
pub struct RawRemoteError {
    code: Option<String>,
    message: Option<String>,
}

impl RemoteError {
    /// The most that is repeated of a code, in characters.
    pub const LONGEST_CODE: usize = 64;
    /// The most that is repeated of a message, in characters.
    pub const LONGEST_MESSAGE: usize = 300;
}

impl RawRemoteError {
    /// Reads a body, or the first of a list of such. One that has none of the forms, such as a page of HTML from a proxy, says nothing.
    #[must_use]
    pub fn read(body: &[u8], forms: &ErrorForms) -> Self {
        let Ok(body) = serde_json::from_slice::<Value>(body) else { return Self::default() };
        let body = body.as_array().and_then(|list| list.first()).unwrap_or(&body);
        let text = |pointer: &str| {
            let value = if pointer.is_empty() { None } else { body.pointer(pointer) };
            value.and_then(Value::as_str).map(str::to_owned)
        };
        let mut said = forms.iter().map(|(code, message)| Self { code: text(code), message: text(message) });
        said.find(|said| said.code.is_some() || said.message.is_some()).unwrap_or_default()
    }

    /// Whether these words stand in code or message, in any case.
    #[must_use]
    pub fn holds(&self, words: &str) -> bool {
        let said = [&self.code, &self.message].into_iter().flatten();
        said.into_iter().any(|text| text.to_ascii_lowercase().contains(&words.to_ascii_lowercase()))
    }

    /// Cuts code and message to a length that can be shown, and redacts them: some servers repeat what they were sent.
    #[must_use]
    pub fn without(&self, redaction: Redaction<'_>) -> RemoteError {
        RemoteError {
            code: shown(self.code.as_deref(), redaction, RemoteError::LONGEST_CODE),
            message: shown(self.message.as_deref(), redaction, RemoteError::LONGEST_MESSAGE),
        }
    }
}

/// A text of others, where there is one in it.
#[must_use]
pub fn shown(text: Option<&str>, redaction: Redaction<'_>, longest: usize) -> Option<String> {
    Some(redaction.line(text?, longest)).filter(|text| !text.is_empty())
}

impl fmt::Display for RemoteError {
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

    const FORMS: &ErrorForms = &[("/error/code", "/error/message"), ("/code", "/message"), ("/error", "")];

    fn read(body: &str) -> (Option<String>, Option<String>) {
        let RemoteError { code, message } = RawRemoteError::read(body.as_bytes(), FORMS).without(Redaction::default());
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
        assert_eq!(RawRemoteError::read(&[0xff, 0xfe], FORMS).without(Redaction::default()), RemoteError::default());
    }

    #[test]
    fn point_13_what_is_repeated_of_a_call_is_masked_and_words_stay_on_their_line() {
        let bearer = [Secret::issued("ey.token").expect("a token")];
        let redaction = Redaction { secrets: &bearer, said: "30 days [1]." };
        let body =
            br#"{"error":{"code":"Bad\u001b[2JToken","message":"Bearer ey.token\r\nis\tbad for '30 days [1].'"}}"#;
        let said = RawRemoteError::read(body, FORMS).without(redaction);
        assert_eq!(said.to_string(), " Bad [2JToken: Bearer **** is bad for '****'");
        let long = format!("{{\"message\": \"{}\"}}", "ä".repeat(1000));
        let long = RawRemoteError::read(long.as_bytes(), FORMS).without(redaction);
        assert_eq!(long.message.map(|text| text.chars().count()), Some(RemoteError::LONGEST_MESSAGE + 1));
    }
}
