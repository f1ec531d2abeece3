//! Converts one answer, from the bytes of its body to its activities.

use super::{Conversion, ConvertError, Converted, Streaming, convert_answer};
use crate::ingest::{ingest, ingest_whole};

/// Converts the body of one answer, whole or as a stream.
///
/// A stream gives updates before its message, at most [`Options::updates`](super::Options::updates). The message equals the
/// one that the same answer gives as a whole; behind updates, it also carries the end sign of the stream. The same input and
/// options give the same bytes.
///
/// # Errors
/// [`ConvertError::Ingest`] when the input is not valid in its format, and the other variants when required grounding is
/// missing.
pub fn convert(body: &[u8], conversion: &Conversion) -> Result<Converted, ConvertError> {
    if conversion.max_updates() == 0 {
        return convert_answer(ingest(body, &conversion.from)?, conversion);
    }
    if let Some(answer) = ingest_whole(body, &conversion.from)? {
        return convert_answer(answer, conversion);
    }
    let mut streaming = Streaming::new(conversion.clone());
    streaming.push(body)?;
    streaming.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;

    fn with(json: &str, body: &str) -> Result<Converted, ConvertError> {
        let options = serde_json::from_str(json).expect("options");
        convert(body.as_bytes(), &Conversion { options, ..Conversion::to(Dialect::WebChat) })
    }

    #[test]
    fn required_grounding_fails_closed_with_two_reasons() {
        let required = r#"{"require_grounding": "any"}"#;
        let failed = |body: &str| with(required, body).expect_err("no grounding").to_string();
        assert!(failed(r#"{"text": "a [1]"}"#).contains("used no retrieval"));
        assert!(failed(r#"{"text": "a", "sources": [{}]}"#).contains("cites no source"));
        assert!(with(required, r#"{"text": "a [1]", "sources": [{}]}"#).is_ok());
        let attested = r#"{"id": "m", "role": "assistant", "parts": [{"type": "text", "text": "a"},
            {"type": "source-url", "sourceId": "1", "url": "https://x.example/"}]}"#;
        assert!(with(required, attested).is_ok());
        let anchored = with(r#"{"require_grounding": "anchored"}"#, attested).expect_err("cited nowhere");
        assert!(anchored.to_string().contains("cites no source"), "{anchored}");
    }

    #[test]
    fn the_same_input_gives_the_same_bytes() {
        let body =
            r#"{"text": "b [2] a [1]", "sources": [{"title": "A", "metadata": {"label": "X"}}, {"title": "B"}]}"#;
        let bytes = || {
            let converted = with("{}", body).expect("an activity");
            serde_json::to_string(&(&converted.activities, &converted.report)).expect("JSON")
        };
        assert_eq!(bytes(), bytes());
    }

    #[test]
    fn feedback_asks_for_thumbs() {
        let converted = with(r#"{"feedback": true}"#, r#"{"text": "a"}"#).expect("an activity");
        let activity = serde_json::to_value(&converted.activities[0]).expect("JSON");
        assert_eq!(activity["entities"][0]["potentialAction"][1]["@type"], "DislikeAction");
    }

    #[test]
    fn hard_breaks_are_kept_only_when_asked_for_and_never_in_code() {
        let text = |options: &str| {
            let converted = with(options, r#"{"text": "a\nb\n\n```\nc\nd\n```"}"#).expect("an activity");
            converted.activities[0].text.clone().expect("a text")
        };
        assert_eq!(text("{}"), "a\nb\n\n```\nc\nd\n```");
        assert_eq!(text(r#"{"hard_breaks": true}"#), "a  \nb\n\n```\nc\nd\n```");
    }
}
