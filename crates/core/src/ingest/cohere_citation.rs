//! Citations of Cohere: they name documents of the caller and tool results by id.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::annotated::Annotated;
use super::json::{TextOrNumber, entries, filled, list, number_or_text, text_or_number};
use super::location::{Located, location};
use super::span::Unit;
use crate::answer::{Answer, IdOf, Source, SourceIndex, SourceKind};
use crate::report::{Entry, Kind};

/// One claim.
#[derive(Debug, Default, Deserialize)]
pub(super) struct WireCitation {
    #[serde(default, deserialize_with = "number_or_text")]
    start: Option<u32>,
    #[serde(default, deserialize_with = "number_or_text")]
    end: Option<u32>,
    text: Option<String>,
    #[serde(default, deserialize_with = "entries")]
    sources: Vec<WireSource>,
    /// Ids in the list of documents. Only version 1 of the API has them.
    #[serde(default, deserialize_with = "list")]
    document_ids: Vec<TextOrNumber>,
    #[serde(default, deserialize_with = "number_or_text")]
    content_index: Option<u32>,
    /// The kind of text that is cited. Only `TEXT_CONTENT` is the answer.
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
struct WireSource {
    #[serde(default, deserialize_with = "text_or_number")]
    id: Option<String>,
    document: Option<Value>,
    tool_output: Option<Value>,
}

/// The citations of an answer, and the text parts in which their offsets count.
#[derive(Debug, Default)]
pub(super) struct Citations {
    annotated: Annotated,
    /// The text part of each content part, by the index of the latter.
    parts: HashMap<u32, usize>,
    /// Citations with their pointers. They wait until the end because their documents may come later.
    waiting: Vec<(String, WireCitation)>,
    /// Documents with their pointers, by id.
    documents: HashMap<String, (String, Value)>,
}

impl Citations {
    /// Begins a content part. Only text becomes a part of the answer.
    pub(super) fn begin_part(&mut self, index: u32, is_text: bool) {
        if is_text {
            let part = self.annotated.begin_part();
            self.parts.entry(index).or_insert(part);
        }
    }

    pub(super) fn grow(&mut self, bytes: usize) {
        self.annotated.grow(bytes);
    }

    pub(super) fn add(&mut self, pointer: &str, citations: Vec<WireCitation>) {
        for (at, citation) in citations.into_iter().enumerate() {
            self.add_one(format!("{pointer}/{at}"), citation);
        }
    }

    pub(super) fn add_one(&mut self, pointer: String, citation: WireCitation) {
        self.waiting.push((pointer, citation));
    }

    pub(super) fn add_documents(&mut self, pointer: &str, documents: Vec<Value>) {
        for (at, document) in documents.into_iter().enumerate() {
            let id = match &document["id"] {
                Value::String(id) => id.clone(),
                Value::Number(id) => id.to_string(),
                Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => continue,
            };
            self.documents.entry(id).or_insert_with(|| (format!("{pointer}/{at}"), document));
        }
    }

    pub(super) fn finish(self, answer: &mut Answer) {
        let Self { mut annotated, parts, waiting, mut documents } = self;
        for (pointer, citation) in waiting {
            if citation.kind.as_deref().is_some_and(|kind| kind != "TEXT_CONTENT") {
                continue;
            }
            let mut cited = Vec::new();
            for (at, source) in citation.sources.into_iter().enumerate() {
                let pointer = format!("{pointer}/sources/{at}");
                if source.tool_output.is_some() {
                    answer.tools_invoked = Some(true);
                }
                let of_tool = source.document.is_none() && source.tool_output.is_some();
                let kind = if of_tool { SourceKind::Tool } else { SourceKind::Document };
                let document = (source.document.or(source.tool_output).unwrap_or_default(), kind);
                cited.push(add_source(filled(source.id), document, pointer, &mut annotated, &mut answer.warnings));
            }
            for (at, TextOrNumber(id)) in citation.document_ids.into_iter().enumerate() {
                match (annotated.sources.find(&key(&id)), documents.remove(&id)) {
                    (Some(known), _) => cited.push(known),
                    (None, Some((pointer, document))) => {
                        let warnings = &mut answer.warnings;
                        let document = (document, SourceKind::Document);
                        cited.push(add_source(Some(id), document, pointer, &mut annotated, warnings));
                    }
                    (None, None) => {
                        let (pointer, message) =
                            (format!("{pointer}/document_ids/{at}"), format!("the answer has no document {id:?}"));
                        answer.warnings.push(Entry::in_input(Kind::Unresolved, "annotation-source", pointer, message));
                    }
                }
            }
            let first = || parts.values().min();
            let part = citation.content_index.and_then(|index| parts.get(&index)).or_else(first).copied();
            let offset = |offset: Option<u32>| offset.map(|offset| offset as usize);
            let span = (offset(citation.start), offset(citation.end), Unit::Char);
            annotated.quoted_span(part.unwrap_or_default(), span, citation.text, cited, pointer);
        }
        annotated.finish(answer);
    }
}

/// The key of a source with this id. The prefix keeps it apart from addresses, which are keys too.
fn key(id: &str) -> String {
    format!("id {id}")
}

fn add_source(
    id: Option<String>,
    document: (Value, SourceKind),
    pointer: String,
    annotated: &mut Annotated,
    warnings: &mut Vec<Entry>,
) -> SourceIndex {
    let sources = &mut annotated.sources;
    let known = id.as_deref().map(key);
    let source = into_source(id, document, pointer, warnings);
    match known {
        None => sources.page(source),
        // Documents with the same address may be one source under several ids.
        Some(key) if sources.find(&key).is_none() && source.url.is_some() => {
            let index = sources.page(source);
            sources.also_known_as(&key, index);
            index
        }
        Some(key) => sources.known_as(&key, source),
    }
}

/// Whether an id was given by Cohere, for a document without one or a result of a search: `doc:0`, `web-search_2:1`.
fn is_counted(id: &str) -> bool {
    let number = id.rsplit_once([':', '_']).map(|(_, number)| number);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Builds the source of a document. Its members are the caller's choice; the usual names are read.
fn into_source(
    id: Option<String>,
    (document, kind): (Value, SourceKind),
    pointer: String,
    warnings: &mut Vec<Entry>,
) -> Source {
    let metadata: Map<String, Value> = match document {
        Value::Object(map) => map,
        Value::String(text) => Map::from_iter([("text".to_owned(), text.into())]),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => Map::new(),
    };
    let data = metadata.get("data").and_then(Value::as_object);
    let text = |name: &str| {
        let value = metadata.get(name).or_else(|| data?.get(name))?;
        filled(value.as_str().map(str::to_owned))
    };
    let Located { url, filepath, address } = location(text("url"), || format!("{pointer}/document/url"), warnings);
    Source {
        title: text("title"),
        url,
        address,
        kind: Some(kind),
        filepath,
        content: text("snippet").or_else(|| text("text")).or_else(|| text("content")),
        id_of: if id.as_deref().is_some_and(is_counted) { IdOf::Passage } else { IdOf::Document },
        id: id.or_else(|| text("id")),
        metadata,
        pointer,
        ..Source::default()
    }
}
