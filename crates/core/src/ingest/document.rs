//! Reads whole answers: one JSON document, whose format the caller names or its members reveal.

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::account::Account;
use super::mapping::Mapping;
use super::surrogates::{has_lone_half, mended, mended_with_note};
use super::{AnswerFormat, IngestError, Provider, bedrock, formats, json, native};
use crate::answer::Answer;

/// The text of a document, which must begin as an object or a list. A byte order mark and blanks before it are skipped.
///
/// # Errors
/// When the bytes are not UTF-8, empty, or not such a document.
pub(super) fn document_text(body: &[u8]) -> Result<&str, IngestError> {
    let body = std::str::from_utf8(body).map_err(|error| IngestError::NotUtf8 { offset: error.valid_up_to() })?;
    let body = body.strip_prefix('\u{feff}').unwrap_or(body).trim_ascii();
    match body.bytes().next() {
        Some(b'{' | b'[') => Ok(body),
        None => Err(IngestError::member("", "empty")),
        Some(_) => Err(json::read::<IgnoredAny>(body).err().unwrap_or_else(not_an_object)),
    }
}

/// Reads one document. A list is read as a list of events.
pub(super) fn document(body: &[u8], from: &AnswerFormat) -> Result<Answer, IngestError> {
    let body = document_text(body)?;
    if let Some(mapping) = mapping(body, from)? {
        let (body, lost) = mended_with_note(body, "");
        let mut answer = mapping.parse(&body)?;
        let unread = Account::of_body(&body).unread(&answer);
        answer.warnings.extend(lost.entry().into_iter().chain(unread));
        return Ok(answer);
    }
    if body.starts_with('[') {
        return formats::growing(from).of_list(body);
    }
    if !has_lone_half(body) {
        return object(body, from);
    }
    let body = bedrock::with_joined_events(body);
    let (body, lost) = mended_with_note(&body, "");
    let mut answer = object(&body, from)?;
    answer.warnings.extend(lost.entry());
    Ok(answer)
}

/// The mapping that reads a whole document: the one that is named, else the first that recognizes it.
///
/// # Errors
/// When a mapping may read the document, and it is not JSON.
fn mapping<'f>(body: &str, from: &'f AnswerFormat) -> Result<Option<&'f Mapping>, IngestError> {
    let read = || json::read::<Value>(&mended(body));
    Ok(match from {
        AnswerFormat::Known(_) => None,
        AnswerFormat::Mapped(mapping) if body.starts_with('{') || mapping.reads_list(&read()?) => Some(mapping),
        AnswerFormat::Mapped(_) => None,
        AnswerFormat::Detected(mappings) if mappings.recognizable().next().is_none() => None,
        AnswerFormat::Detected(mappings) => {
            let value = read()?;
            mappings.recognizable().find(|mapping| mapping.recognizes(&value)).map(|mapping| &**mapping)
        }
    })
}

fn object(body: &str, from: &AnswerFormat) -> Result<Answer, IngestError> {
    let (format, chosen) = match from {
        AnswerFormat::Known(provider) => (formats::of(*provider), None),
        AnswerFormat::Detected(_) | AnswerFormat::Mapped(_) => formats::detect(body)?,
    };
    let answer = (format.parse)(body).map(|mut answer| {
        answer.warnings.extend(chosen);
        let unread = Account::of_body(body).unread(&answer);
        answer.warnings.extend(unread);
        answer
    });
    if answer.as_ref().is_ok_and(|answer| !answer.text.is_empty()) {
        return answer.map(|answer| format.provider.gave(answer));
    }
    // A body may report an error instead of an answer, even if the caller named the format.
    let error = json::read::<Map<String, Value>>(body).ok().and_then(|mut members| members.remove("error"));
    match error.filter(json::is_error) {
        Some(error) => Err(json::error_instead(&error)),
        None => answer.map(|answer| format.provider.gave(answer)),
    }
}

/// A fast path for native manifests without faults. It returns `None` for everything else; [`document`] and the stream
/// readers then report what is wrong.
///
/// A body that this path reads cannot be a stream: it has a `text` member at the top, and events have none.
pub(super) fn at_once(body: &[u8], from: &AnswerFormat) -> Option<Answer> {
    let is_open = from.is_open() || *from == AnswerFormat::Known(Provider::Native);
    let body = std::str::from_utf8(body).ok().filter(|_| is_open)?;
    let body = body.strip_prefix('\u{feff}').unwrap_or(body).trim_ascii();
    let answer = body.starts_with('{').then(|| native::parse_faultless(body)).flatten()?;
    Some(Provider::Native.gave(answer))
}

fn not_an_object() -> IngestError {
    IngestError::member("", "an answer must be a JSON object")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: &[u8]) -> String {
        document(body, &AnswerFormat::default()).expect_err("unusable input").to_string()
    }

    #[test]
    fn the_envelope_tells_the_format() {
        assert_eq!(formats::detect(r#"{"text": "a"}"#).expect("native").0.provider, Provider::Native);
        assert_eq!(formats::detect(r#"{"choices": []}"#).expect("a chat").0.provider, Provider::OpenAiChat);
        assert_eq!(
            refused(br#"{"output": [], "id": 1}"#),
            "the format was not recognized: it has `id`, `output`; name it with `from`"
        );
        // The names and values of members may hold line breaks, which once split the message into two lines.
        assert!(!refused(b"{\"text\": \"a\", \"annotations\": [{\"unit\": \"x\\ny\"}]}").contains('\n'));
        assert!(refused(b"{\"a\\nb\": 1}").contains("it has `a\\nb`;"));
        assert!(refused(br#"{"text": "a", "choices": []}"#).contains("`choices`, as openai-chat has, and `text`"));
    }

    #[test]
    fn unusable_input_says_what_is_wrong_and_where() {
        assert_eq!(refused(b""), "the document: empty");
        assert_eq!(refused(b"hello"), "not JSON: expected value at line 1, column 1");
        assert_eq!(refused(b"[]"), "the stream contains no answer: it ended before any text");
        let reason = "event 2 at line 2 could not be read (it is no JSON object)";
        assert_eq!(refused(b"[null,\n5]"), format!("the stream contains no answer: {}", reason.replace('2', "1")));
        let unknown = "the format was not recognized: its events have `x`; name it with `from`";
        assert_eq!(refused(b"[{\"x\": 1},\n5]"), unknown);
        assert_eq!(refused(b"\"text\""), "the document: an answer must be a JSON object");
        assert_eq!(refused(b"{\"text\": \"\xff\"}"), "not UTF-8: the byte at offset 10 does not begin a character");
        assert_eq!(refused(b"{\"text\": \"a\""), "not JSON: EOF while parsing an object at line 1, column 12");
        assert_eq!(refused(br#"{"text": null}"#), "/text: missing; the text of the answer is required");
        let error = br#"{"error": {"code": 429, "message": "slow\ndown"}}"#;
        let told = "/error: the provider reports an error instead of an answer (429: slow down)";
        assert_eq!(refused(error), told);
        for provider in Provider::all() {
            assert_eq!(
                document(error, &provider.into()).map_err(|error| error.to_string()),
                Err(told.to_owned()),
                "{provider:?}"
            );
        }
        let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
        let deep = format!(r#"{{"text": "a", "sources": [{{"metadata": {{"x": {deep}}}}}]}}"#);
        assert!(refused(deep.as_bytes()).starts_with("not JSON: recursion limit exceeded at line 1"));
    }

    #[test]
    fn a_byte_order_mark_and_windows_line_ends_are_fine() {
        let answer =
            document("\u{feff}\r\n{\r\n\"text\": \"a\"}\r\n".as_bytes(), &AnswerFormat::default()).expect("an answer");
        assert_eq!(answer.text, "a");
    }
}
