//! Diagnostics for an answer whose provider searched but which has no sources (rule RC-07).

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value};

use super::event::Arrived;
use super::framing::{BodyKind, Framing};
use super::surrogates::mended;
use crate::answer::Answer;

/// Members in which the formats put the results of a search.
const METADATA: [&str; 8] = [
    "groundingMetadata",
    "grounding_metadata",
    "citationMetadata",
    "citation_metadata",
    "context",
    "citations",
    "search_results",
    "action",
];

/// Limits of the listing: names per kind, and characters per name.
const MAX_NAMES: usize = 32;
const MAX_NAME_CHARS: usize = 40;

/// A summary of an answer whose search led to no source that citewire reads. Its `Display` is one line for a log and leaves
/// out [`first`](Self::first).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EmptySearch {
    /// The slug of the format.
    pub provider: Option<&'static str>,
    /// The number of documents or events in the body.
    pub events: usize,
    /// The number of tool calls and tool results, by their `type`. At most 32 types.
    pub tools: BTreeMap<String, usize>,
    /// The members of the objects that should hold sources, such as `groundingMetadata.webSearchQueries`, each with its
    /// length if it is a list. At most 32.
    pub members: BTreeMap<String, Option<usize>>,
    /// The first object in such a list, else the first tool call or result. It may contain the subject of the answer, so it
    /// does not belong in every log.
    pub first: Option<Value>,
}

/// Summarizes an answer whose provider used tools and which has no source; `None` for every other answer.
///
/// `body` must be the input from which [`ingest`](super::ingest) read `answer`.
#[must_use]
pub fn empty_search(body: &[u8], answer: &Answer) -> Option<EmptySearch> {
    if answer.tools_invoked != Some(true) || !answer.sources.is_empty() {
        return None;
    }
    let mut found = EmptySearch { provider: answer.provider, ..EmptySearch::default() };
    let mut first_of_tool = None;
    for document in documents(body) {
        found.events += 1;
        found.look_at(&document, &mut first_of_tool);
    }
    found.first = found.first.or(first_of_tool);
    Some(found)
}

/// The document, or the events of a stream.
fn documents(body: &[u8]) -> Vec<Value> {
    let parsed = |json: &[u8]| serde_json::from_str::<Value>(&mended(std::str::from_utf8(json).ok()?)).ok();
    if BodyKind::of(body) == BodyKind::Whole {
        return match parsed(body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body)) {
            Some(Value::Array(events)) => events,
            Some(document) => vec![document],
            None => Vec::new(),
        };
    }
    let (mut carrier, mut events) = (Framing::default(), Arrived::default());
    if carrier.push(body, &mut events).and_then(|()| carrier.finish(&mut events)).is_err() {
        return Vec::new();
    }
    events.iter().filter_map(|event| parsed(event.data)).collect()
}

impl EmptySearch {
    fn look_at(&mut self, value: &Value, first_of_tool: &mut Option<Value>) {
        match value {
            Value::Array(list) => list.iter().for_each(|value| self.look_at(value, first_of_tool)),
            Value::Object(map) => {
                if self.count(map) {
                    first_of_tool.get_or_insert_with(|| value.clone());
                }
                for (name, inner) in map {
                    if METADATA.contains(&name.as_str()) {
                        self.list(name, inner);
                    }
                    self.look_at(inner, first_of_tool);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Counts a tool call or result. Returns whether the object is one.
    fn count(&mut self, map: &Map<String, Value>) -> bool {
        let Some(kind) = map.get("type").and_then(Value::as_str) else { return false };
        let is_tool =
            ["_call", "_result", "_results", "tool_use", "tool.execution"].iter().any(|sign| kind.contains(sign));
        let kind = shown(kind);
        if is_tool && (self.tools.len() < MAX_NAMES || self.tools.contains_key(&kind)) {
            *self.tools.entry(kind).or_default() += 1;
        }
        is_tool
    }

    fn list(&mut self, name: &str, metadata: &Value) {
        let members: Vec<(String, &Value)> = match metadata {
            Value::Object(map) => {
                map.iter().map(|(member, value)| (format!("{}.{}", shown(name), shown(member)), value)).collect()
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                vec![(shown(name), metadata)]
            }
        };
        for (name, value) in members {
            let length = value.as_array().map(Vec::len);
            if self.first.is_none() {
                self.first = value.as_array().into_iter().flatten().find(|entry| entry.is_object()).cloned();
            }
            if self.members.len() < MAX_NAMES || self.members.contains_key(&name) {
                let known = self.members.entry(name).or_default();
                *known = (*known).max(length);
            }
        }
    }
}

/// A name for the one-line message: cut and escaped, because it may contain anything.
fn shown(name: &str) -> String {
    name.chars().take(MAX_NAME_CHARS).collect::<String>().escape_debug().to_string()
}

/// One line, without the content of the answer.
impl fmt::Display for EmptySearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { provider, events, tools, members, first: _ } = self;
        write!(f, "tools ran and no source was found: {} in {events} parts", provider.unwrap_or("an answer"))?;
        for (kind, count) in tools {
            write!(f, ", {count} of type {kind}")?;
        }
        for (name, length) in members {
            match length {
                Some(length) => write!(f, ", {length} in {name}")?,
                None => write!(f, ", {name}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ingest;
    use super::*;

    fn vain(body: &str) -> Option<EmptySearch> {
        empty_search(body.as_bytes(), &ingest(body.as_bytes(), None).expect("an answer"))
    }

    #[test]
    fn counts_and_members_are_told_when_tools_ran_and_nothing_was_found() {
        let metadata =
            json!({"webSearchQueries": ["the secret question"], "novelSources": [{"title": "secret"}], "n": 1});
        let gemini = json!({"candidates": [{"content": {"parts": [{"text": "x"}]}, "groundingMetadata": metadata}]});
        let found = vain(&gemini.to_string()).expect("a search in vain");
        assert_eq!(found.first, Some(json!({"title": "secret"})));
        let line = found.to_string();
        assert_eq!(
            line,
            "tools ran and no source was found: gemini in 1 parts, groundingMetadata.n, \
             1 in groundingMetadata.novelSources, 1 in groundingMetadata.webSearchQueries"
        );
        assert!(!line.contains("secret"));
        let call = json!({"type": "web_search_call", "id": "ws_1", "action": {"type": "search", "query": "q"}});
        let response = json!({"object": "response", "output": [call, {"type": "web_search_call"},
            {"type": "message", "content": [{"type": "output_text", "text": "x", "annotations": []}]}]});
        let found = vain(&response.to_string()).expect("a search in vain");
        assert_eq!(found.tools, [("web_search_call".to_owned(), 2)].into());
        assert_eq!(found.first, Some(call), "there is no list of sources whose first object could be told");
    }

    #[test]
    fn an_answer_with_sources_or_without_tools_has_nothing_to_tell() {
        assert_eq!(vain(r#"{"text": "x"}"#), None);
        let grounded = json!({"candidates": [{"content": {"parts": [{"text": "x"}]}, "groundingMetadata":
            {"groundingChunks": [{"web": {"uri": "https://x.example/"}}]}}]});
        assert_eq!(vain(&grounded.to_string()), None);
    }
}
