//! The provider's raw JSON object of each source, found by reading the body a second time.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::event::Arrived;
use super::framing::{BodyKind, Framing};
use super::surrogates::mended;
use crate::answer::{ProviderObject, Source};

/// Returns the JSON object that each source was read from, in the order of `sources`.
///
/// `body` is the input of [`ingest`](super::ingest), and `sources` are those of the answer that it returned. Objects are
/// unchanged, except that unpaired surrogate escapes become U+FFFD. A source without an object, which only the text names, gets
/// `null`. In a stream, only the events that hold a source are parsed again.
#[must_use]
pub fn source_objects(body: &[u8], sources: &[Source]) -> Vec<ProviderObject> {
    if sources.iter().all(|source| source.pointer.is_empty()) {
        return vec![ProviderObject::default(); sources.len()];
    }
    let mut document = match BodyKind::of_any(body) {
        BodyKind::Whole => Document::whole(body),
        BodyKind::Events | BodyKind::JsonLines => Document::streamed(body),
    };
    sources.iter().map(|source| document.find(&source.pointer).unwrap_or_default()).collect()
}

/// A document in which JSON pointers are resolved, with the values parsed so far.
#[derive(Default)]
struct Document {
    /// Parsed values by JSON pointer; the whole document has the empty pointer.
    opened: BTreeMap<String, Members>,
}

/// The direct members of an object or a list, as raw JSON.
enum Members {
    Object(BTreeMap<String, Box<RawValue>>),
    List(Vec<Box<RawValue>>),
    /// The events of a stream by their number, counted from 0.
    Events(BTreeMap<usize, Box<RawValue>>),
    Nothing,
}

impl Document {
    /// A body that is one JSON document.
    fn whole(body: &[u8]) -> Self {
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body).trim_ascii();
        let body = mended(std::str::from_utf8(body).unwrap_or_default());
        Self { opened: [(String::new(), Members::of(&body))].into() }
    }

    /// A body that is a stream, split into the same events as for the answer.
    fn streamed(body: &[u8]) -> Self {
        let (mut events, mut carrier) = (Arrived::default(), Framing::naming_events());
        // If splitting fails here, it failed for the answer too.
        if carrier.push(body, &mut events).and_then(|()| carrier.finish(&mut events)).is_err() {
            return Self::default();
        }
        let json =
            |data: &[u8]| RawValue::from_string(mended(std::str::from_utf8(data).ok()?.trim()).into_owned()).ok();
        let events = events.iter().filter_map(|event| Some((event.number - 1, json(event.data)?)));
        Self { opened: [(String::new(), Members::Events(events.collect()))].into() }
    }

    /// The value at a JSON pointer.
    ///
    /// There are two extensions to RFC 6901. A pointer may lead through a string that holds JSON, because an old form of
    /// Azure OpenAI On Your Data has its citations in one. And a name also matches in the other of Google's two spellings,
    /// snake case or camel case (rule N-17).
    fn find(&mut self, pointer: &str) -> Option<ProviderObject> {
        let (parent, name) = pointer.rsplit_once('/')?;
        self.open(parent);
        self.opened.get(parent)?.get(name).map(ProviderObject::new)
    }

    /// Parses the value at a pointer and all its ancestors, each only once for all sources.
    fn open(&mut self, pointer: &str) {
        if self.opened.contains_key(pointer) {
            return;
        }
        let Some((parent, name)) = pointer.rsplit_once('/') else { return };
        self.open(parent);
        let members = self.opened.get(parent).and_then(|parent| parent.get(name));
        let members = members.map_or(Members::Nothing, |json| Members::of(json.get()));
        self.opened.insert(pointer.to_owned(), members);
    }
}

impl Members {
    fn of(json: &str) -> Self {
        match json.bytes().next() {
            Some(b'{') => serde_json::from_str(json).map_or(Self::Nothing, Self::Object),
            Some(b'[') => serde_json::from_str(json).map_or(Self::Nothing, Self::List),
            Some(b'"') => match serde_json::from_str::<String>(json) {
                Ok(text) if !text.trim_start().starts_with('"') => Self::of(text.trim()),
                _ => Self::Nothing,
            },
            _ => Self::Nothing,
        }
    }

    fn get(&self, name: &str) -> Option<&RawValue> {
        let place = || name.parse::<usize>().ok();
        let found = match self {
            Self::List(list) => list.get(place()?),
            Self::Events(events) => events.get(&place()?),
            Self::Object(map) => {
                let name = name.replace("~1", "/").replace("~0", "~");
                map.get(&name).or_else(|| map.get(&camel(&name))).or_else(|| map.get(&snake(&name)))
            }
            Self::Nothing => None,
        };
        found.map(|json| &**json)
    }
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::ingest;
    use super::*;

    fn objects(body: &str) -> Vec<Value> {
        let answer = ingest(body.as_bytes(), None).expect("an answer");
        source_objects(body.as_bytes(), &answer.sources).iter().map(ProviderObject::to_value).collect()
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
    fn every_digit_stays_as_it_was() {
        let source = r#"{"s":0.83333334326744080,"n":12345678901234567890123,"a":1.0}"#;
        let body = format!("{{\"delta\": \"a\"}}\n{{\"sources\": [{source}]}}\n");
        let answer = ingest(body.as_bytes(), None).expect("an answer");
        assert_eq!(source_objects(body.as_bytes(), &answer.sources)[0].get(), source);
    }

    #[test]
    fn a_tool_message_is_gone_into() {
        let inner = json!({"citations": [{"title": "A", "content": "a"}, {"title": "B", "content": "b"}]});
        let body = json!({"choices": [{"message": {"content": "x [doc2]",
            "context": {"messages": [{"role": "tool", "content": inner.to_string()}]}}}]});
        assert_eq!(objects(&body.to_string()), inner["citations"].as_array().expect("a list")[..]);
    }

    #[test]
    fn a_name_is_found_in_either_spelling() {
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
