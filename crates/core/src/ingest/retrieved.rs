//! Retrieved sources before a model has answered: a manifest without a text, and optionally the messages of a chat.

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::IngestError;
use super::json::{self, list};
use super::manifest::WireSource;
use super::surrogates::mended;
use crate::answer::Source;

/// The input of a prompt: sources, and the chat that they go into.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Retrieved {
    /// The sources; `[n]` is the place in this list, counted from 1.
    pub sources: Vec<Source>,
    /// The messages of the chat, unchanged; `None` if the input has none.
    pub messages: Option<Vec<Map<String, Value>>>,
}

#[derive(Deserialize)]
struct Manifest {
    text: Option<IgnoredAny>,
    #[serde(default, deserialize_with = "present")]
    sources: Option<Vec<Option<WireSource>>>,
    #[serde(default)]
    messages: Option<Vec<Map<String, Value>>>,
}

/// Reads a member that is present: `null` is an empty list. An absent member stays `None`.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<Vec<T>>, D::Error> {
    list(deserializer).map(Some)
}

/// Reads retrieved sources from UTF-8 JSON: a native manifest, or a bare list of its sources.
///
/// The manifest needs at least one of `sources`, `messages` and `text`; its `text` is ignored. A byte order mark and blanks
/// before the JSON are skipped. Warnings about sources are not returned.
///
/// # Errors
///
/// When the bytes are not UTF-8, not JSON, or not such a document; the error names the place.
pub fn retrieved(body: &[u8]) -> Result<Retrieved, IngestError> {
    let body = std::str::from_utf8(body).map_err(|error| IngestError::NotUtf8 { offset: error.valid_up_to() })?;
    let body = body.strip_prefix('\u{feff}').unwrap_or(body).trim_ascii();
    let body = &*mended(body);
    let (sources, messages, place) = match body.bytes().next() {
        None => return Err(IngestError::member("", "empty")),
        Some(b'[') => (json::read(body)?, None, ""),
        Some(b'{') => {
            let Manifest { text, sources, messages } = json::read(body)?;
            if text.is_none() && sources.is_none() && messages.is_none() {
                return Err(IngestError::member("/sources", "missing; the sources are required"));
            }
            (sources.unwrap_or_default(), messages, "/sources")
        }
        Some(_) => {
            let wanted = || IngestError::member("", "an object with `sources`, or a list of sources, is required");
            return Err(json::read::<IgnoredAny>(body).err().unwrap_or_else(wanted));
        }
    };
    // Warnings about addresses and labels are discarded: neither reaches a model.
    let warnings = &mut Vec::new();
    let sources = sources.into_iter().enumerate();
    let sources = sources.map(|(at, source)| source.unwrap_or_default().into_source(format!("{place}/{at}"), warnings));
    Ok(Retrieved { sources: sources.collect(), messages })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: &[u8]) -> String {
        retrieved(body).expect_err("unusable input").to_string()
    }

    #[test]
    fn sources_come_in_a_manifest_with_or_without_a_text_or_as_a_list() {
        for body in [
            r#"{"sources": [{"title": "A"}, null]}"#,
            r#"{"text": "x [1]", "sources": [{"title": "A"}, {}], "label": {"name": "x"}}"#,
            "\u{feff}\r\n[{\"title\": \"A\"},\r\n null]",
        ] {
            let found = retrieved(body.as_bytes()).expect(body);
            assert_eq!((found.sources.len(), found.messages), (2, None));
            assert_eq!(found.sources[0].title.as_deref(), Some("A"));
        }
        for body in [r#"{"sources": null}"#, "[]", r#"{"text": "a"}"#, r#"{"sources": []}"#] {
            assert_eq!(retrieved(body.as_bytes()).expect(body), Retrieved::default());
        }
    }

    #[test]
    fn messages_are_kept_as_they_came() {
        let body = r#"{"messages": [{"role": "user", "content": [{"type": "image_url"}], "x": 1.5}]}"#;
        let messages = retrieved(body.as_bytes()).expect("messages").messages.expect("messages");
        assert_eq!(
            Value::from_iter(messages[0].clone()),
            serde_json::json!({"role": "user", "content": [{"type": "image_url"}], "x": 1.5})
        );
    }

    #[test]
    fn unusable_input_says_what_is_wrong_and_where() {
        assert_eq!(refused(b" "), "the document: empty");
        assert_eq!(refused(b"{}"), "/sources: missing; the sources are required");
        assert_eq!(refused(b"5"), "the document: an object with `sources`, or a list of sources, is required");
        assert_eq!(refused(b"sources"), "not JSON: expected value at line 1, column 1");
        assert_eq!(refused(b"[{}, {\"title\": 5}]"), "/1/title: invalid type: integer `5`, expected a string");
        assert!(refused(br#"{"sources": [{"content": []}]}"#).starts_with("/sources/0/content: invalid type"));
        assert!(refused(br#"{"messages": ["x"]}"#).starts_with("/messages/0: invalid type"));
        assert_eq!(refused(b"[\"\xff\"]"), "not UTF-8: the byte at offset 2 does not begin a character");
    }
}
