//! Sources that a model names by numbers.

use std::collections::BTreeMap;

use crate::answer::{IdOf, Source};
use crate::ingest::StreamEvent;

/// The member of the metadata that holds what only a model reads.
const CONTEXT: &str = "context";

/// The event that hands over the sources behind numbers, from 1.
pub(super) fn sources_event(sources: &[Source]) -> StreamEvent {
    StreamEvent::Sources(sources.iter().enumerate().map(|(at, source)| named_by_number(source, at)).collect())
}

/// A source whose only name in the text is its number, from 0.
///
/// It has no marker of its own, and no id that looks like a number: either could give a second meaning to a number, or one
/// to a number that was never given out.
fn named_by_number(source: &Source, at: usize) -> Source {
    let is_number = |id: &String| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    let filled = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let metadata = source.metadata.iter().filter(|(name, _)| *name != CONTEXT);
    Source {
        pointer: format!("/0/sources/{at}"),
        id: filled(&source.id).filter(|id| !is_number(id)),
        id_of: IdOf::Document,
        title: filled(&source.title),
        filepath: filled(&source.filepath),
        content: filled(&source.content),
        score: source.score.filter(|score| (0.0..=1.0).contains(score)),
        metadata: metadata.map(|(name, value)| (name.clone(), value.clone())).collect(),
        address: None,
        chunk_id: None,
        kind: None,
        rank: None,
        raw_scores: None,
        marker: None,
        ..source.clone()
    }
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
    use serde_json::{Value, json};

    use super::*;
    use crate::ingest::{ingest, retrieved};

    fn read(sources: &Value) -> Vec<Source> {
        retrieved(sources.to_string().as_bytes()).expect("sources").sources
    }

    fn named(sources: &[Source]) -> Vec<Source> {
        let StreamEvent::Sources(sources) = sources_event(sources) else { panic!("sources") };
        sources
    }

    #[test]
    fn a_source_is_the_one_that_citewires_own_stream_has() {
        let given = json!([{
            "id": "A-1", "title": "Leave", "url": "https://hr.contoso.example/leave.pdf", "filepath": "hr/leave.pdf",
            "page": 2, "content": "30 days.", "media_type": "application/pdf", "modified": "2024-03-01", "author": "Kim",
            "score": 0.87, "keywords": ["HR"], "icon": "PDF", "metadata": {"x": [1]},
            "label": {"id": "s1", "name": "Confidential", "description": "d", "priority": 3, "color": "orange", "encrypted": true},
        }, {}]);
        let body = format!("data: {}\n\ndata: {}\n\n", json!({"sources": given}), json!({"delta": "a"}));
        let streamed = ingest(body.as_bytes(), None).expect("an answer").sources;
        assert_eq!(named(&read(&given)), streamed);
    }

    #[test]
    fn nothing_gives_a_second_meaning_to_a_number() {
        let sources = read(&json!([{"id": "12", "marker": "[2]", "title": "A", "metadata": {"context": "long"}}]));
        let named = named(&sources);
        assert_eq!((named[0].id.as_ref(), named[0].marker.as_ref(), named[0].metadata.len()), (None, None, 0));
        assert_eq!(named[0].title.as_deref(), Some("A"));
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
