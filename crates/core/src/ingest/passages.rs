//! Passages that a retrieval returns as JSON text where a model's answer could stand. They become text that people can read.

use std::ops::Range;

use serde_json::{Map, Value};

use super::document_facts::DocumentFacts;

/// Names of members with the list of passages, where a tool wraps it into an object.
const LISTS: [&str; 9] =
    ["results", "documents", "passages", "references", "sources", "items", "data", "chunks", "result"];

/// One passage.
#[derive(Debug, PartialEq)]
pub(super) struct Passage {
    /// `ref_id`, else `id`.
    pub(super) id: Option<String>,
    pub(super) facts: DocumentFacts,
    /// Its place below the text: `/0`, `/results/0`, or nothing.
    pub(super) place: String,
    pub(super) members: Map<String, Value>,
}

/// The passages in a text that is JSON: a list of objects, an object with such a list, or one object with a passage. `None`
/// for any other text.
pub(super) fn passages(text: &str) -> Option<Vec<Passage>> {
    if !text.trim_start().starts_with(['[', '{']) {
        return None;
    }
    in_value(serde_json::from_str(text).ok()?)
}

/// Like [`passages`], for JSON that is read already.
pub(super) fn in_value(value: Value) -> Option<Vec<Passage>> {
    match value {
        Value::Array(list) => all_passages(list, ""),
        Value::Object(mut members) => {
            let list = LISTS.iter().find(|name| members.get(**name).is_some_and(Value::is_array));
            match list.and_then(|name| Some((name, members.remove(*name)?))) {
                Some((name, Value::Array(list))) => all_passages(list, &format!("/{name}")),
                Some(_) | None => {
                    let passage = Passage::new(members, String::new());
                    passage.filter(|passage| passage.facts.passage.is_some()).map(|passage| vec![passage])
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// `None` when an entry is no passage: then the list is something else.
fn all_passages(list: Vec<Value>, place: &str) -> Option<Vec<Passage>> {
    let entries = list.into_iter().enumerate();
    let passage = |(at, entry)| match entry {
        Value::Object(members) => Passage::new(members, format!("{place}/{at}")),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    };
    entries.map(passage).collect()
}

impl Passage {
    fn new(members: Map<String, Value>, place: String) -> Option<Self> {
        let mut facts = DocumentFacts::of(&members);
        let id = ["ref_id", "id"].iter().find_map(|name| match members.get(*name)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        });
        // An index names its fields itself. The longest text that is nothing else is the passage.
        if facts.passage.is_none() {
            let known = [&id, &facts.title, &facts.file, &facts.address];
            let others = members.values().filter_map(Value::as_str);
            let others = others.filter(|text| !known.iter().any(|known| known.as_deref() == Some(*text)));
            facts.passage = others.max_by_key(|text| text.len()).filter(|text| text.contains(' ')).map(str::to_owned);
        }
        (id.is_some() || !facts.is_empty()).then_some(Self { id, facts, place, members })
    }

    /// The part of it that readers see: the passage, else its name.
    pub(super) fn shown(&self) -> &str {
        let DocumentFacts { title, file, address, passage } = &self.facts;
        let shown = [passage, title, file, address].into_iter().flatten().next().or(self.id.as_ref());
        shown.map_or("", |shown| shown.trim())
    }
}

/// Writes each passage as a paragraph behind `text`, and returns where each stands.
pub(super) fn write(passages: &[Passage], text: &mut String) -> Vec<Range<usize>> {
    let mut places = Vec::with_capacity(passages.len());
    for passage in passages {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        let start = text.len();
        text.push_str(passage.shown());
        places.push(start..text.len());
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        let mut written = String::new();
        write(&passages(text)?, &mut written);
        Some(written)
    }

    #[test]
    fn json_text_becomes_a_paragraph_for_each_passage() {
        let list = r#"[{"ref_id": 0, "title": "Leave", "content": " 30 days. "}, {"ref_id": "1", "title": "Form"}]"#;
        assert_eq!(read(list).as_deref(), Some("30 days.\n\nForm"));
        let wrapped =
            r#"{"query": "q", "results": [{"title": "Leave", "url": "https://x.example/", "snippet": "30 days"}]}"#;
        assert_eq!(read(wrapped).as_deref(), Some("30 days"));
        assert_eq!(read(r#"{"id": "7", "title": "Leave", "text": "30 days"}"#).as_deref(), Some("30 days"));
        let own = r#"[{"ref_id": "0", "hotel": "Sea View", "pitch": "Quiet rooms at the sea", "stars": 4}]"#;
        assert_eq!(read(own).as_deref(), Some("Quiet rooms at the sea"));
        assert_eq!(read("[]").as_deref(), Some(""));
    }

    #[test]
    fn other_text_is_no_list_of_passages() {
        for text in ["[ref_id:0] says so.", "[1, 2]", "{}", r#"["a"]"#, r#"{"a": 1}"#, "5", "null", r#"[{"a": 1}]"#] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
