//! Reads JSON with errors that name the place, and the tolerant types that all formats use (rule N-16).

use std::marker::PhantomData;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{DeserializeOwned, MapAccess, SeqAccess};
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use serde_path_to_error::{Path, Segment};

use super::IngestError;
use crate::answer::ProviderError;

/// Reads a whole document.
pub(super) fn read<'de, T: Deserialize<'de>>(body: &'de str) -> Result<T, IngestError> {
    // The pointer is determined only after an error, because tracking it costs more than reading.
    serde_json::from_str(body).or_else(|_| read_with_pointer(body, ""))
}

/// Reads a part of a document from a value. `pointer` is its JSON pointer.
pub(super) fn member<T: DeserializeOwned>(value: Value, pointer: &str) -> Result<T, IngestError> {
    // See `read`.
    T::deserialize(&value).or_else(|_| {
        serde_path_to_error::deserialize(value).map_err(|error| {
            let pointer = format!("{pointer}{}", self::pointer(error.path()));
            IngestError::member(pointer, without_place(error.inner()))
        })
    })
}

/// Reads a part of a document from its bytes. `pointer` makes its JSON pointer.
pub(super) fn raw_member<'de, T: Deserialize<'de>>(
    raw: &'de RawValue,
    pointer: impl FnOnce() -> String,
) -> Result<T, IngestError> {
    serde_json::from_str(raw.get()).or_else(|_| read_with_pointer(raw.get(), &pointer()))
}

fn read_with_pointer<'de, T: Deserialize<'de>>(body: &'de str, below: &str) -> Result<T, IngestError> {
    let mut reader = serde_json::Deserializer::from_str(body);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let pointer = format!("{below}{}", pointer(error.path()));
        match error.inner().classify() {
            Category::Data => IngestError::member(pointer, without_place(error.inner())),
            Category::Io | Category::Syntax | Category::Eof => not_json(error.inner()),
        }
    })?;
    reader.end().map_err(|error| not_json(&error))?;
    Ok(value)
}

fn not_json(error: &serde_json::Error) -> IngestError {
    IngestError::NotJson { reason: without_place(error), line: error.line(), column: error.column() }
}

/// The message of the parser, without the line and column at its end.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
    // The message may quote the input, which may contain anything.
    message.chars().take(MAX_MESSAGE_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// The maximum length of a parser message.
const MAX_MESSAGE_CHARS: usize = 300;

fn pointer(path: &Path) -> String {
    path.iter()
        .map(|segment| match segment {
            Segment::Seq { index } => format!("/{index}"),
            Segment::Map { key } | Segment::Enum { variant: key } => {
                format!("/{}", key.replace('~', "~0").replace('/', "~1"))
            }
            Segment::Unknown => String::new(),
        })
        .collect()
}

/// A list. `null` and a missing list are empty.
pub(super) fn list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// An object. Any other value, as an empty text, counts as absent.
pub(super) fn object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Map<String, Value>>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Object(members) => Some(members),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    })
}

/// A list in which `null` is an entry without members, so that the other entries keep their indexes.
pub(super) fn entries<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    let entries: Vec<Option<T>> = list(deserializer)?;
    Ok(entries.into_iter().map(Option::unwrap_or_default).collect())
}

/// A string that may be written as a number.
pub(super) fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<TextOrNumber>::deserialize(deserializer)?.map(|value| value.0))
}

/// An integer that may be written as a string.
pub(super) fn number_or_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let Some(TextOrNumber(text)) = Option::deserialize(deserializer)? else { return Ok(None) };
    text.trim().parse().map(Some).map_err(|_| serde::de::Error::custom(format_args!("{text:?} is not a whole number")))
}

/// An offset in a text, as a number or a string. A negative offset is `None`.
pub(super) fn offset<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<usize>, D::Error> {
    let Some(TextOrNumber(text)) = Option::deserialize(deserializer)? else { return Ok(None) };
    let text = text.trim();
    match text.strip_suffix(".0").unwrap_or(text) {
        number if number.starts_with('-') => Ok(None),
        number => {
            number.parse().map(Some).map_err(|_| serde::de::Error::custom(format_args!("{text:?} is not a position")))
        }
    }
}

/// A string, or a number as a string.
#[derive(Debug)]
pub(super) struct TextOrNumber(pub(super) String);

impl<'de> Deserialize<'de> for TextOrNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = TextOrNumber;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string or a number")
            }
            fn visit_str<E>(self, text: &str) -> Result<TextOrNumber, E> {
                Ok(TextOrNumber(text.to_owned()))
            }
            fn visit_u64<E>(self, number: u64) -> Result<TextOrNumber, E> {
                Ok(TextOrNumber(number.to_string()))
            }
            fn visit_i64<E>(self, number: i64) -> Result<TextOrNumber, E> {
                Ok(TextOrNumber(number.to_string()))
            }
            fn visit_f64<E>(self, number: f64) -> Result<TextOrNumber, E> {
                Ok(TextOrNumber(number.to_string()))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// Text in one string or in parts.
#[derive(Debug)]
pub(super) enum Content<T> {
    Text(String),
    Parts(Vec<T>),
}

impl<T> Default for Content<T> {
    fn default() -> Self {
        Self::Parts(Vec::new())
    }
}

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for Content<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + Default> serde::de::Visitor<'de> for Visitor<T> {
            type Value = Content<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a string or a list of parts")
            }
            fn visit_str<E>(self, text: &str) -> Result<Content<T>, E> {
                Ok(Content::Text(text.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, parts: A) -> Result<Content<T>, A::Error> {
                let parts: Vec<Option<T>> = Vec::deserialize(SeqAccessDeserializer::new(parts))?;
                Ok(Content::Parts(parts.into_iter().map(Option::unwrap_or_default).collect()))
            }
        }
        deserializer.deserialize_any(Visitor(PhantomData))
    }
}

/// One entry, or a list of entries.
#[derive(Debug)]
pub(super) enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    pub(super) fn into_list(self) -> Vec<T> {
        match self {
            Self::One(one) => vec![one],
            Self::Many(many) => many,
        }
    }
}

impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de> + Default> serde::de::Visitor<'de> for Visitor<T> {
            type Value = OneOrMany<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object or a list of them")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<OneOrMany<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(OneOrMany::One)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<OneOrMany<T>, A::Error> {
                let many: Vec<Option<T>> = Vec::deserialize(SeqAccessDeserializer::new(seq))?;
                Ok(OneOrMany::Many(many.into_iter().map(Option::unwrap_or_default).collect()))
            }
        }
        deserializer.deserialize_any(Visitor(PhantomData))
    }
}

/// The text, unless it is empty or blank.
pub(super) fn filled(text: Option<String>) -> Option<String> {
    text.filter(|text| text.contains(|c: char| !c.is_whitespace()))
}

/// Whether the value of an `error` member tells of an error. Some services write the member into each body, and `null`, `false`,
/// 0, an empty text, list or object then says that there was none.
pub(super) fn is_error(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is_error) => *is_error,
        Value::Number(code) => code.as_f64() != Some(0.0),
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(errors) => errors.iter().any(is_error),
        Value::Object(members) => !members.is_empty(),
    }
}

/// An `error` member, if it tells of one.
pub(super) fn reported<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Ok(Option::deserialize(deserializer)?.filter(is_error))
}

/// Reads a provider's error: an object with a code, type and message, or a string.
pub(super) fn provider_error(error: &Value) -> ProviderError {
    let text = |name: &str| match &error[name] {
        Value::String(text) => filled(Some(text.clone())),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let mut found = ProviderError::default();
    (found.code, found.kind, found.message) = (text("code"), text("type"), text("message"));
    if found == ProviderError::default() {
        found.message = Some(error.as_str().map_or_else(|| error.to_string(), str::to_owned));
    }
    found
}

/// The error for a body that contains a provider's error instead of an answer.
pub(super) fn error_instead(error: &Value) -> IngestError {
    let error = provider_error(error);
    IngestError::member("/error", format!("the provider reports an error instead of an answer ({error})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    struct Inner {
        #[serde(default, deserialize_with = "text_or_number")]
        id: Option<String>,
        #[serde(default, deserialize_with = "number_or_text")]
        page: Option<u32>,
    }

    #[derive(Debug, Deserialize)]
    struct Outer {
        #[serde(default, rename = "a/b", deserialize_with = "list")]
        items: Vec<Inner>,
    }

    #[test]
    fn a_fault_names_its_place() {
        let error = read::<Outer>(r#"{"a/b": [{"id": 1}, {"id": []}]}"#).expect_err("a list is no id");
        assert_eq!(error.pointer(), Some("/a~1b/1/id"));
        assert_eq!(error.to_string(), "/a~1b/1/id: invalid type: sequence, expected a string or a number");
        let error = read::<Outer>("{\n  \"a\": }").expect_err("not JSON");
        assert_eq!(error.to_string(), "not JSON: expected value at line 2, column 8");
        let error = read::<Outer>("{} x").expect_err("something follows");
        assert_eq!(error.to_string(), "not JSON: trailing characters at line 1, column 4");
    }

    #[test]
    fn numbers_may_be_texts_and_the_reverse_and_null_is_absent() {
        let outer: Outer = read(r#"{"a/b": [{"id": 7, "page": "3"}, {"id": null, "page": null}]}"#).expect("readable");
        assert_eq!(outer.items[0].id.as_deref(), Some("7"));
        assert_eq!(outer.items[0].page, Some(3));
        assert_eq!(outer.items[1].id, None);
        let outer: Outer = read(r#"{"a/b": null}"#).expect("readable");
        assert!(outer.items.is_empty());
    }

    #[test]
    fn an_error_is_read_in_every_form() {
        let read = |json: &str| provider_error(&serde_json::from_str(json).expect("JSON")).to_string();
        assert_eq!(read(r#"{"code": 429, "type": "limit", "message": "slow down"}"#), "429: limit: slow down");
        assert_eq!(read(r#""overloaded""#), "overloaded");
        assert_eq!(read(r#"{"status": 500}"#), r#"{"status":500}"#);
    }

    #[test]
    fn an_error_that_says_nothing_is_none() {
        let value = |json: &str| serde_json::from_str::<Value>(json).expect("JSON");
        for none in ["null", "false", "0", "0.0", r#""""#, r#"" ""#, "{}", "[]", "[null, {}]"] {
            assert!(!is_error(&value(none)), "{none}");
        }
        for error in ["true", "429", r#""overloaded""#, r#"{"code": 0}"#, r#"["slow"]"#] {
            assert!(is_error(&value(error)), "{error}");
        }
    }
}
