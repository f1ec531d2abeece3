//! [LlamaIndex](https://docs.llamaindex.ai/en/stable/examples/query_engine/citation_query_engine/): the output of a query
//! engine; `[N]` counts `source_nodes` from 1.

use std::num::NonZeroU32;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::annotated::Sources;
use super::event::{Event, ReadEvents, StreamEvent};
use super::format::{Format, is_something};
use super::json::{self, entries, filled, text_or_number};
use super::location::{Located, location};
use super::{IngestError, Provider};
use crate::answer::{Answer, IdOf, MarkerGrammar, Source, SourceKind};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::LlamaIndex,
    sign: "`response` and `source_nodes`",
    members: &[&["metadata", "response", "source_nodes"]],
    is_whole: |members| is_something(members, "response") && members.get("source_nodes").is_some_and(Value::is_array),
    is_event: |members| {
        members.get("response").is_some_and(Value::is_string)
            || members.get("source_nodes").is_some_and(Value::is_array)
    },
    parse,
    reader: || Box::new(EngineAnswer::default()),
};

/// The output of an engine, or a chunk of its stream.
#[derive(Deserialize)]
struct Response {
    response: Option<String>,
    #[serde(default, deserialize_with = "entries")]
    source_nodes: Vec<ScoredNode>,
    #[serde(default, deserialize_with = "json::reported")]
    error: Option<Value>,
}

#[derive(Default, Deserialize)]
struct ScoredNode {
    node: Option<Node>,
    score: Option<f64>,
}

#[derive(Default, Deserialize)]
struct Node {
    #[serde(default, alias = "node_id", alias = "id", deserialize_with = "text_or_number")]
    id_: Option<String>,
    text: Option<String>,
    metadata: Option<Map<String, Value>>,
}

/// The state of an answer while it is read, whole or as a stream.
#[derive(Debug, Default)]
struct EngineAnswer {
    sources: Sources,
}

fn parse(body: &str) -> Result<Answer, IngestError> {
    let mut answer = Answer { grammar: MarkerGrammar::BRACKETED_NUMBERS, ..Answer::default() };
    let mut engine = EngineAnswer::default();
    let Response { response, source_nodes, .. } = json::read(body)?;
    answer.text =
        response.ok_or_else(|| IngestError::member("/response", "missing; the text of the answer is required"))?;
    engine.add(source_nodes, "", &mut answer.warnings);
    Box::new(engine).finish(&mut answer);
    Ok(answer)
}

impl EngineAnswer {
    fn add(&mut self, nodes: Vec<ScoredNode>, place: &str, warnings: &mut Vec<Entry>) {
        for (at, node) in nodes.into_iter().enumerate() {
            // Markers count nodes, so equal ones are not merged.
            self.sources.push(node.into_source(format!("{place}/source_nodes/{at}"), warnings));
        }
    }
}

impl ScoredNode {
    fn into_source(self, pointer: String, warnings: &mut Vec<Entry>) -> Source {
        let Node { id_: id, text: passage, metadata } = self.node.unwrap_or_default();
        let metadata = metadata.unwrap_or_default();
        let text = |name: &str| filled(metadata.get(name).and_then(Value::as_str).map(str::to_owned));
        let address = ["url", "source", "file_path", "file_name"].iter().find_map(|name| text(name));
        let Located { url, filepath, address } = location(address, || format!("{pointer}/node/metadata"), warnings);
        let page = ["page_label", "page_number"].iter().filter_map(|name| metadata.get(*name)).find_map(|page| {
            let text = page.as_str().map(str::to_owned).or_else(|| page.as_u64().map(|page| page.to_string()));
            text?.trim().parse::<NonZeroU32>().ok()
        });
        Source {
            id: filled(id),
            id_of: IdOf::Passage,
            title: text("title").or_else(|| text("file_name")),
            kind: Some(SourceKind::Document),
            url,
            address,
            filepath,
            page,
            content: filled(passage.as_deref().map(without_number)),
            media_type: text("file_type"),
            modified: text("last_modified_date"),
            author: text("author"),
            score: self.score.filter(|score| (0.0..=1.0).contains(score)),
            metadata,
            pointer,
            ..Source::default()
        }
    }
}

/// Reads a node of [LlamaIndexServer](https://github.com/run-llama/chat-ui), which has the names of its file beside the
/// metadata. Its address is one of the server's own, which leads nowhere from elsewhere, unless it is absolute.
pub(super) fn of_server(mut node: Value, pointer: String, warnings: &mut Vec<Entry>) -> Source {
    let mut metadata = node["metadata"].take().as_object().cloned().unwrap_or_default();
    for (name, member) in [("file_name", "fileName"), ("file_path", "filePath"), ("url", "url")] {
        let text = node[member].as_str().filter(|text| name != "url" || text.contains("://"));
        if let Some(text) = text.filter(|text| !text.is_empty() && !metadata.contains_key(name)) {
            metadata.insert(name.to_owned(), text.into());
        }
    }
    let text = |member: &str| node[member].as_str().map(str::to_owned);
    let score = node["score"].as_f64();
    let node = Node { id_: text("id"), text: text("text"), metadata: Some(metadata) };
    ScoredNode { node: Some(node), score }.into_source(pointer, warnings)
}

/// Removes the line `Source n:` that the engine puts before a passage.
fn without_number(passage: &str) -> String {
    let number = |rest: &str| rest.chars().take_while(char::is_ascii_digit).count();
    let rest = passage.strip_prefix("Source ").and_then(|rest| {
        let digits = number(rest);
        rest[digits..].strip_prefix(':').filter(|_| digits > 0)
    });
    rest.map_or(passage, str::trim_start).to_owned()
}

impl ReadEvents for EngineAnswer {
    fn grammar(&self) -> MarkerGrammar {
        MarkerGrammar::BRACKETED_NUMBERS
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let Response { response, source_nodes, error } = json::read(json)?;
        if let Some(error) = error {
            said.push(StreamEvent::Error(json::provider_error(&error)));
            return Ok(());
        }
        self.add(source_nodes, &event.pointer(), notes);
        let new = self.sources.new_ones();
        let sources = Some(new).filter(|new| !new.is_empty()).map(StreamEvent::Sources);
        let text = response.filter(|text| !text.is_empty()).map(StreamEvent::Text);
        said.extend(sources.into_iter().chain(text));
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        self.sources.finish(answer);
        // The format has no end sign, so an answer that ends without an error is complete (rule N-12).
        answer.complete = answer.error.is_none();
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ingest;
    use super::*;

    fn answer(body: &Value) -> Answer {
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    fn nodes() -> Value {
        json!([
            {"node": {"id_": 7, "text": "Source 12:\nSource 1: stays", "metadata": {"file_name": "a.pdf", "file_path": "d/a.pdf",
                "page_label": "4", "file_type": "application/pdf", "label": "Secret"}}, "score": 0.5},
            {"node": {"node_id": "n", "text": "Source: x", "metadata": {"url": "https://x.example/a", "page_label": "iv"}}, "score": 7},
            null,
        ])
    }

    #[test]
    fn nodes_are_numbered_one_by_one() {
        let answer = answer(&json!({"response": "x [1]", "source_nodes": nodes(), "metadata": null}));
        assert_eq!(
            (answer.text.as_str(), answer.complete, answer.grammar),
            ("x [1]", true, MarkerGrammar::BRACKETED_NUMBERS)
        );
        let [first, second, nothing] = &answer.sources[..] else { panic!("three sources") };
        assert_eq!((first.id.as_deref(), first.title.as_deref(), first.score), (Some("7"), Some("a.pdf"), Some(0.5)));
        assert_eq!((first.filepath.as_deref(), first.page.map(u32::from)), (Some("d/a.pdf"), Some(4)));
        assert_eq!((first.content.as_deref(), &first.metadata["label"]), (Some("Source 1: stays"), &json!("Secret")));
        assert_eq!((second.content.as_deref(), second.score, second.page), (Some("Source: x"), None, None));
        assert_eq!(second.url.as_ref().map(crate::url::WebUrl::as_str), Some("https://x.example/a"));
        assert_eq!((nothing.pointer.as_str(), nothing.display_title()), ("/source_nodes/2", None));
    }

    #[test]
    fn pieces_are_the_whole_answer() {
        let (mut streamed, whole) = (
            answer(&json!([{"source_nodes": nodes()}, {"response": "x "}, {"response": "[1]"}])),
            answer(&json!({"response": "x [1]", "source_nodes": nodes()})),
        );
        assert_eq!(streamed.sources[1].pointer, "/0/source_nodes/1");
        for (source, whole) in streamed.sources.iter_mut().zip(&whole.sources) {
            source.pointer.clone_from(&whole.pointer);
        }
        assert_eq!(streamed, whole);
        assert!(!answer(&json!([{"response": "x"}, {"error": {"message": "boom"}}])).complete);
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let body = br#"{"response": "x", "source_nodes": [{"node": {"text": []}}]}"#;
        let error = ingest(body, None).expect_err("unusable").to_string();
        assert_eq!(error, "/source_nodes/0/node/text: invalid type: sequence, expected a string");
    }
}
