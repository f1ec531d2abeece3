//! [AssistantHub](https://github.com/jchristn/AssistantHub): a chat completion with a `citations` object beside its
//! choices (rules AH-01 and AH-06).

use serde::Deserialize;
use serde_json::{Map, Value};

use super::chat::{self, CHAT_MEMBERS, ChatKind, Content};
use super::escaped_markers::escaped_markers;
use super::event::{Event, ReadEvents, StreamEvent};
use super::format::Format;
use super::json::{self, filled, list, offset, text_or_number};
use super::location::{Located, web_url};
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, Source, SourceIndex, SourceKind};

pub(super) const FORMAT: Format = Format {
    provider: Provider::AssistantHub,
    sign: "`citations`",
    members: &[CHAT_MEMBERS, &["citations", "retrieval"]],
    is_whole: |members| ChatKind::AssistantHub.is_whole(members),
    is_event: |members| ChatKind::of(members) == Some(ChatKind::AssistantHub),
    parse,
    reader: || Box::new(AssistantHubEvents::default()),
};

#[derive(Deserialize)]
struct Cited {
    citations: Option<Manifest>,
}

#[derive(Default, Deserialize)]
struct Manifest {
    #[serde(default, deserialize_with = "list")]
    sources: Vec<Option<Entry>>,
    /// Numbers of sources, counted from 1 (rule AH-03).
    #[serde(default, deserialize_with = "list")]
    referenced_indices: Vec<Number>,
}

/// A number that may come as a text.
#[derive(Deserialize)]
struct Number(#[serde(deserialize_with = "offset")] Option<usize>);

/// A chunk of a document.
#[derive(Default, Deserialize)]
struct Entry {
    #[serde(default, deserialize_with = "offset")]
    index: Option<usize>,
    #[serde(default, deserialize_with = "text_or_number")]
    document_id: Option<String>,
    document_name: Option<String>,
    content_type: Option<String>,
    score: Option<f64>,
    /// From 0 to 10.
    rerank_score: Option<f64>,
    excerpt: Option<String>,
    download_url: Option<String>,
    metadata: Option<Map<String, Value>>,
}

impl Entry {
    fn into_source(self, pointer: String) -> Source {
        // A path of the server is an address only together with the server's own address, which the answer does not contain.
        let given = filled(self.download_url);
        let Located { url, address, .. } = web_url(given.clone(), String::new, &mut Vec::new());
        let mut metadata = self.metadata.unwrap_or_default();
        if let Some(given) = given.filter(|_| url.is_none()) {
            metadata.entry("download_url").or_insert(Value::from(given));
        }
        if let Some(score) = self.rerank_score {
            metadata.entry("rerank_score").or_insert(Value::from(score));
        }
        let name = filled(self.document_name);
        Source {
            id: filled(self.document_id),
            filepath: name.clone(),
            title: name,
            url,
            address,
            kind: Some(SourceKind::Document),
            content: filled(self.excerpt),
            media_type: filled(self.content_type),
            score: self.score.filter(|score| (0.0..=1.0).contains(score)),
            metadata,
            pointer,
            ..Source::default()
        }
    }
}

/// The sources of the manifest, and those that the answer refers to.
#[derive(Debug, Default)]
struct Sources {
    all: Vec<Source>,
    referenced: Vec<SourceIndex>,
}

impl Manifest {
    fn into_sources(self, pointer: &str) -> Sources {
        let entries = self.sources.into_iter().enumerate();
        let mut numbered: Vec<(usize, Source)> = entries
            .map(|(at, entry)| (at, entry.unwrap_or_default()))
            .map(|(at, entry)| (entry.index.unwrap_or(at + 1), entry.into_source(format!("{pointer}/sources/{at}"))))
            .collect();
        // Markers in the text name sources by `index`, so the sources are sorted by it. In all known answers the list has
        // this order.
        numbered.sort_by_key(|(index, _)| *index);
        let place = |index: usize| numbered.iter().position(|(n, _)| *n == index).map(SourceIndex);
        let indices = self.referenced_indices.into_iter().filter_map(|number| number.0);
        let mut referenced: Vec<SourceIndex> = indices.filter_map(place).collect();
        referenced.sort();
        referenced.dedup();
        Sources { all: numbered.into_iter().map(|(_, source)| source).collect(), referenced }
    }
}

/// Adds citations of escaped markers, which need the whole text, and the sources that the provider reports as used.
fn conclude(answer: &mut Answer, referenced: Vec<SourceIndex>) {
    answer.citations = escaped_markers(&answer.text, answer.sources.len());
    if !answer.sources.is_empty() {
        answer.shown = Some(referenced);
    }
}

fn parse(body: &str) -> Result<Answer, IngestError> {
    let mut answer = Answer { grammar: MarkerGrammar::ASSISTANT_HUB, complete: true, ..Answer::default() };
    let (content, _) = chat::whole(body, &mut answer.warnings)?;
    answer.text = content.into_text();
    let manifest = json::read::<Cited>(body)?.citations.unwrap_or_default();
    let Sources { all, referenced } = manifest.into_sources("/citations");
    answer.sources = all;
    conclude(&mut answer, referenced);
    Ok(answer)
}

/// The chunks of one streamed answer. The manifest comes with the last one (rule AH-06).
#[derive(Debug, Default)]
pub(super) struct AssistantHubEvents {
    referenced: Vec<SourceIndex>,
    /// Whether the sources have arrived.
    told: bool,
}

impl ReadEvents for AssistantHubEvents {
    fn grammar(&self) -> MarkerGrammar {
        MarkerGrammar::ASSISTANT_HUB
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<crate::report::Entry>,
        events: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let chunk = chat::chunk(event, json, notes)?;
        if let Some(error) = chunk.error {
            events.push(StreamEvent::Error(error));
            return Ok(());
        }
        if !self.told
            && json.contains("\"citations\"")
            && let Some(manifest) = json::read::<Cited>(json)?.citations
        {
            let Sources { all, referenced } = manifest.into_sources(&format!("{}/citations", event.pointer()));
            self.told = true;
            self.referenced = referenced;
            events.push(StreamEvent::Sources(all));
        }
        let Some(said) = chunk.said else { return Ok(()) };
        let text = said.content.map(Content::into_text).filter(|text| !text.is_empty());
        events.extend(text.map(StreamEvent::Text));
        if said.ended {
            events.push(StreamEvent::Done);
        }
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        conclude(answer, self.referenced);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ingest;
    use super::*;

    fn read(content: &str, citations: &Value) -> Answer {
        let body = json!({"choices": [{"message": {"content": content}}], "citations": citations}).to_string();
        ingest(body.as_bytes(), None).expect("an answer")
    }

    fn stream(events: &[Value]) -> Answer {
        let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        ingest(format!("{body}data: [DONE]\n\n").as_bytes(), None).expect("an answer")
    }

    #[test]
    fn everything_of_an_entry_is_kept_and_null_is_absent() {
        let answer = read(
            "a",
            &json!({"sources": [
            {"index": "2", "document_id": 7, "document_name": "B", "download_url": "https://x/b", "score": 1.5, "rerank_score": 7},
            {"index": 1, "document_name": "A", "download_url": "/v1.0/a", "excerpt": null, "content_type": null,
             "metadata": {"label": "Secret"}}], "referenced_indices": [2, 9, "1", 2]}),
        );
        let names: Vec<_> = answer.sources.iter().filter_map(|source| source.title.as_deref()).collect();
        assert_eq!(names, ["A", "B"]);
        let [a, b] = &answer.sources[..] else { panic!("two sources") };
        assert_eq!((a.url.as_ref(), &a.metadata["download_url"]), (None, &json!("/v1.0/a")));
        assert_eq!((b.id.as_deref(), b.score, b.pointer.as_str()), (Some("7"), None, "/citations/sources/0"));
        assert_eq!((&a.metadata["label"], &b.metadata["rerank_score"]), (&json!("Secret"), &json!(7.0)));
        assert_eq!(answer.shown, Some(vec![SourceIndex(0), SourceIndex(1)]));
    }

    #[test]
    fn escaped_brackets_are_cited() {
        let answer = read("a \\[1\\] b \\[2\\]", &json!({"sources": [{"document_name": "A"}]}));
        let cited: Vec<_> = answer.citations.iter().map(|citation| &answer.text[citation.span.range()]).collect();
        assert_eq!(cited, ["\\[1\\]"]);
    }

    #[test]
    fn the_last_chunk_has_the_citations_and_without_it_the_answer_is_incomplete() {
        let text = json!({"choices": [{"index": 0, "delta": {"content": "a \\[1\\]"}}]});
        let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
            "citations": {"sources": [{"document_name": "A"}], "referenced_indices": null}});
        let answer = stream(&[text.clone(), end]);
        assert_eq!((answer.complete, answer.sources.len(), answer.citations.len()), (true, 1, 1));
        assert_eq!(answer.shown, Some(Vec::new()));
        assert!(!stream(&[text]).complete);
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let citations = json!({"sources": [{"excerpt": 5}]});
        let body = json!({"choices": [{"message": {"content": "a"}}], "citations": citations}).to_string();
        let error = ingest(body.as_bytes(), None).expect_err("a number is no excerpt");
        assert_eq!(error.pointer(), Some("/citations/sources/0/excerpt"));
    }
}
