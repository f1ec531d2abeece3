//! The provider's own objects of the sources of an answer: a second reading, for who wants them.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

use super::carrier::{Carrier, Form};
use crate::answer::Source;

/// The object that each source was read from, untouched, in the order of the sources; `null` for a source that the text
/// alone names.
///
/// `body` is what [`ingest`](super::ingest) read, `sources` are those of the answer that came out of it. Of a stream, only
/// those events are read again that a source points into.
#[must_use]
pub fn source_objects(body: &[u8], sources: &[Source]) -> Vec<Value> {
    let pointed: Vec<&str> =
        sources.iter().map(|source| source.pointer.as_str()).filter(|pointer| !pointer.is_empty()).collect();
    if pointed.is_empty() {
        return vec![Value::Null; sources.len()];
    }
    let document = match Form::of(body) {
        Form::Whole => whole(body, &pointed),
        Form::Events | Form::JsonLines => Document::Events(streamed(body, &pointed)),
    };
    sources.iter().map(|source| document.find(&source.pointer).unwrap_or_default()).collect()
}

/// What pointers lead into.
enum Document {
    /// A whole answer.
    Whole(Value),
    /// The events of a stream that matter, by their places, counted from 0.
    Events(BTreeMap<usize, Value>),
}

impl Document {
    fn find(&self, pointer: &str) -> Option<Value> {
        match self {
            Self::Whole(document) => find(document, pointer.strip_prefix('/')?),
            Self::Events(events) => {
                let (event, rest) = split(pointer.strip_prefix('/')?);
                let event = events.get(&event.parse().ok()?)?;
                rest.map_or_else(|| Some(event.clone()), |rest| find(event, rest))
            }
        }
    }
}

/// The first part of a pointer, and the rest of it.
fn split(pointer: &str) -> (&str, Option<&str>) {
    pointer.split_once('/').map_or((pointer, None), |(first, rest)| (first, Some(rest)))
}

/// The value to which a pointer leads, which has no slash before it.
///
/// Two things are more than RFC 6901 knows. A text on the way that is JSON itself is gone into, since an old form of Azure
/// OpenAI On Your Data puts its citations there. And a name may be written in the other of Google's two ways (rule N-17).
fn find(value: &Value, pointer: &str) -> Option<Value> {
    let (name, rest) = split(pointer);
    let inner = match value {
        Value::Array(list) => list.get(name.parse::<usize>().ok()?)?,
        Value::Object(map) => {
            let name = name.replace("~1", "/").replace("~0", "~");
            map.get(&name).or_else(|| map.get(&camel(&name))).or_else(|| map.get(&snake(&name)))?
        }
        Value::String(text) => return find(&serde_json::from_str(text).ok()?, pointer),
        Value::Null | Value::Bool(_) | Value::Number(_) => return None,
    };
    rest.map_or_else(|| Some(inner.clone()), |rest| find(inner, rest))
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let mut letters = word.chars();
        let initial = letters.next().map(|letter| letter.to_ascii_uppercase());
        name.chars().chain(initial).chain(letters).collect()
    })
}

fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// A document, or a list of events in one.
fn whole(body: &[u8], pointed: &[&str]) -> Document {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii();
    if body.starts_with(b"[") {
        let events: Vec<&RawValue> = serde_json::from_slice(body).unwrap_or_default();
        return Document::Events(read(pointed, |at| events.get(at).map(|event| event.get().as_bytes())));
    }
    Document::Whole(serde_json::from_slice(body).unwrap_or_default())
}

/// The events of a stream, cut as they were for the answer.
fn streamed(body: &[u8], pointed: &[&str]) -> BTreeMap<usize, Value> {
    let mut events = Vec::new();
    let mut carrier = Carrier::default();
    // Whatever cannot be carried was an error for the answer as well.
    if carrier.push(body, &mut events).and_then(|()| carrier.finish(&mut events)).is_err() {
        return BTreeMap::new();
    }
    let data = |at: usize| {
        let found = events.binary_search_by_key(&(at + 1), |event| event.number).ok();
        found.map(|found| events[found].data.as_slice())
    };
    read(pointed, data)
}

/// The events that pointers lead into.
fn read<'e>(pointed: &[&str], data: impl Fn(usize) -> Option<&'e [u8]>) -> BTreeMap<usize, Value> {
    let mut read = BTreeMap::new();
    for pointer in pointed {
        let Some(at) = pointer.strip_prefix('/').and_then(|pointer| split(pointer).0.parse().ok()) else { continue };
        if let Some(data) = data(at).filter(|_| !read.contains_key(&at)) {
            read.insert(at, serde_json::from_slice(data).unwrap_or_default());
        }
    }
    read
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ingest;
    use super::*;

    fn objects(body: &str) -> Vec<Value> {
        let answer = ingest(body.as_bytes(), None).expect("an answer");
        source_objects(body.as_bytes(), &answer.sources)
    }

    #[test]
    fn a_source_comes_with_the_object_it_was_read_from_members_that_nobody_knows_included() {
        let sources = json!([{"id": "A", "novelty": {"x": [1]}}, null, {"title": "C"}]);
        let whole = json!({"text": "a [1]", "sources": sources});
        assert_eq!(objects(&format!("\u{feff}{whole}")), sources.as_array().expect("a list")[..]);
        let events = [json!({"delta": "a [1]"}), json!({"sources": sources}), json!({"done": true})];
        let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
        let sse: String = events.iter().map(|event| format!(": ping\n\ndata: {event}\n\n")).collect();
        for body in [lines, format!("data: no JSON\n\n{sse}"), json!(events).to_string()] {
            assert_eq!(objects(&body), sources.as_array().expect("a list")[..], "{body}");
        }
    }

    #[test]
    fn a_tool_message_is_gone_into() {
        let inner = json!({"citations": [{"title": "A", "content": "a"}, {"title": "B", "content": "b"}]});
        let body = json!({"choices": [{"message": {"content": "x [doc2]",
            "context": {"messages": [{"role": "tool", "content": inner.to_string()}]}}}]});
        assert_eq!(objects(&body.to_string()), inner["citations"].as_array().expect("a list")[..]);
    }

    #[test]
    fn n17_a_name_is_found_in_either_spelling() {
        let entry = json!({"startIndex": 0, "endIndex": 1, "uri": "https://x.example/"});
        for (metadata, sources) in [("citationMetadata", "citationSources"), ("citation_metadata", "citation_sources")]
        {
            let candidate = json!({"content": {"parts": [{"text": "x"}]}, metadata: {sources: [entry]}});
            assert_eq!(objects(&json!({"candidates": [candidate]}).to_string()), std::slice::from_ref(&entry));
        }
    }

    #[test]
    fn a_source_that_the_text_alone_names_has_no_object() {
        let body = json!({"model": "grok-4", "choices": [{"message": {"content": "a[[1]](https://x.example/)"}}]});
        assert_eq!(objects(&body.to_string()), [Value::Null]);
    }
}
