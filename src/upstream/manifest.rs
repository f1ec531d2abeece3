//! Writes sources in the format of the native manifest (`docs/reference/manifest.md`).

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::answer::{SensitivityLabel, Source};
use crate::url::WebUrl;

/// The member of the metadata that holds what only a model reads.
const CONTEXT: &str = "context";

/// A source in a manifest in which numbers are the only markers that were given out.
///
/// It has no marker of its own, and no id that looks like a number: either could give a second meaning to a number, or one
/// to a number that was never given out.
pub(super) fn source(source: &Source) -> Value {
    let mut members = Map::new();
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            members.insert(name.to_owned(), value);
        }
    };
    let text = |text: &Option<String>| text.as_ref().map(|text| json!(text));
    let is_number = |id: &&String| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    set("id", source.id.as_ref().filter(|id| !is_number(id)).map(|id| json!(id)));
    set("title", text(&source.title));
    set("url", source.url.as_ref().map(|url| json!(WebUrl::as_str(url))));
    set("filepath", text(&source.filepath));
    set("page", source.page.map(|page| json!(page)));
    set("content", text(&source.content));
    set("media_type", text(&source.media_type));
    set("modified", text(&source.modified));
    set("author", text(&source.author));
    set("score", source.score.map(|score| json!(score)));
    set("keywords", Some(&source.keywords).filter(|words| !words.is_empty()).map(|words| json!(words)));
    set("icon", text(&source.icon));
    set("label", source.label.as_ref().map(label));
    let metadata: Map<_, _> = source
        .metadata
        .iter()
        .filter(|(name, _)| *name != CONTEXT)
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    set("metadata", Some(metadata).filter(|metadata| !metadata.is_empty()).map(Value::Object));
    Value::Object(members)
}

fn label(label: &SensitivityLabel) -> Value {
    let SensitivityLabel { id, name, description, priority, colour, encrypted, .. } = label;
    let texts = [("id", id), ("name", name), ("description", description)];
    let texts = texts.into_iter().filter_map(|(member, text)| Some((member.to_owned(), json!(text.as_ref()?))));
    let mut members: Map<_, _> = texts.collect();
    members.insert("priority".to_owned(), json!(priority));
    members.insert("encrypted".to_owned(), json!(encrypted));
    if let Some(colour) = colour {
        members.insert("color".to_owned(), json!(colour.to_string()));
    }
    Value::Object(members)
}

/// One source for each number, from 1: those that share a number become one, whose passage is all of theirs.
pub(super) fn one_for_each_number(numbered: impl IntoIterator<Item = (usize, Source)>) -> Vec<Source> {
    let mut by_number: BTreeMap<usize, Source> = BTreeMap::new();
    for (number, mut source) in numbered {
        match by_number.get_mut(&number) {
            Some(first) => {
                match (&mut first.content, source.content.take()) {
                    (Some(content), Some(more)) => content.extend(["\n\n", &more]),
                    (content @ None, more) => *content = more,
                    (Some(_), None) => {}
                }
                first.fill_in(source);
            }
            None => {
                by_number.insert(number, source);
            }
        }
    }
    by_number.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ingest::{ingest, retrieved};

    fn read(sources: &Value) -> Vec<Source> {
        retrieved(sources.to_string().as_bytes()).expect("sources").sources
    }

    #[test]
    fn a_source_is_read_as_it_was_written() {
        let given = json!([{
            "id": "A-1", "title": "Leave", "url": "https://hr.contoso.example/leave.pdf", "filepath": "hr/leave.pdf",
            "page": 2, "content": "30 days.", "media_type": "application/pdf", "modified": "2024-03-01", "author": "Kim",
            "score": 0.87, "keywords": ["HR"], "icon": "PDF", "metadata": {"x": [1]},
            "label": {"id": "s1", "name": "Confidential", "description": "d", "priority": 3, "color": "orange", "encrypted": true},
        }, {}]);
        let sources = read(&given);
        let written: Vec<Value> = sources.iter().map(source).collect();
        assert_eq!(json!(written), given);
        let body = json!({"text": "a", "sources": written}).to_string();
        let mut again = ingest(body.as_bytes(), None).expect("an answer").sources;
        for (again, first) in again.iter_mut().zip(&sources) {
            again.pointer.clone_from(&first.pointer);
        }
        assert_eq!(again, sources);
    }

    #[test]
    fn nothing_gives_a_second_meaning_to_a_number() {
        let sources = read(&json!([{"id": "12", "marker": "[2]", "title": "A", "metadata": {"context": "long"}}]));
        assert_eq!(source(&sources[0]), json!({"title": "A"}));
    }

    #[test]
    fn sources_under_one_number_become_one() {
        let sources =
            read(&json!([{"title": "A", "content": "one"}, {"content": "two"}, {"content": "three", "author": "K"}]));
        let merged = one_for_each_number([1, 2, 1].into_iter().zip(sources));
        let passages: Vec<_> = merged.iter().filter_map(|source| source.content.as_deref()).collect();
        assert_eq!(passages, ["one\n\nthree", "two"]);
        assert_eq!((merged[0].title.as_deref(), merged[0].author.as_deref()), (Some("A"), Some("K")));
    }
}
