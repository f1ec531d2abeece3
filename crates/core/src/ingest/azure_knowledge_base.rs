//! [Azure AI Search](https://learn.microsoft.com/azure/search/agentic-retrieval-how-to-retrieve): what the retrieve action of
//! a knowledge base returns, which previews called an agent. `[ref_id:N]` names a reference by its id. Without a model, the
//! text is JSON with the passages.

use std::collections::HashMap;
use std::ops::Range;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::document_facts::DocumentFacts;
use super::event::{Event, ReadEvents, StreamEvent};
use super::format::{Format, Members, is_something};
use super::json::{self, entries, filled, text_or_number};
use super::location::{Located, location};
use super::passages::{self, Passage};
use super::purview_label::PurviewLabel;
use super::{IngestError, Provider};
use crate::answer::{Answer, Citation, MarkerGrammar, SensitivityLabel, Source, SourceIndex, SourceKind};
use crate::report::{Entry, Kind};
use crate::text::Span;

pub(super) const FORMAT: Format = Format {
    provider: Provider::AzureKnowledgeBase,
    sign: "`response` with messages",
    members: &[&["activity", "metadata", "references", "response", "responseSensitivityLabelInfo"]],
    is_whole: |members| {
        let messages = members.get("response").and_then(Value::as_array);
        messages.is_some_and(|messages| messages.iter().all(|message| message["content"].is_array()))
            && (["activity", "references"].iter().any(|name| is_something(members, name))
                || messages.is_some_and(|messages| !messages.is_empty()))
    },
    is_event,
    parse,
    reader: || Box::new(Retrieval::default()),
};

/// The events have names, which a stream of JSON loses. Their members are unlike those of other formats.
fn is_event(members: &Members) -> bool {
    let has = |names: [&str; 2]| names.iter().all(|name| is_something(members, name));
    has(["knowledgeBaseName", "requestId"]) || has(["messageIndex", "message"]) || has(["statusCode", "response"])
}

/// `[ref_id:0]` is read as the name that a source has by its `marker`.
const GRAMMAR: MarkerGrammar = MarkerGrammar { names: true, ..MarkerGrammar::NONE };

/// The ranker's best score.
const FULL_SCORE: f64 = 4.0;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    #[serde(default, deserialize_with = "entries")]
    response: Vec<Message>,
    #[serde(default, deserialize_with = "entries")]
    references: Vec<Reference>,
    #[serde(default, deserialize_with = "entries")]
    activity: Vec<Activity>,
    response_sensitivity_label_info: Option<PurviewLabel>,
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    response_sensitivity_label_info: Option<PurviewLabel>,
}

#[derive(Debug, Default, Deserialize)]
struct Message {
    #[serde(default, deserialize_with = "entries")]
    content: Vec<Content>,
}

#[derive(Debug, Default, Deserialize)]
struct Content {
    text: Option<String>,
    image: Option<Value>,
}

/// A step of the retrieval. Only its error matters here.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Activity {
    #[serde(rename = "type")]
    kind: Option<String>,
    knowledge_source_name: Option<String>,
    error: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reference {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    id: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    doc_key: Option<String>,
    doc_name: Option<String>,
    tool_name: Option<String>,
    title: Option<String>,
    url: Option<String>,
    web_url: Option<String>,
    doc_url: Option<String>,
    blob_url: Option<String>,
    reranker_score: Option<f64>,
    #[serde(alias = "sensitivityLabelInfo")]
    search_sensitivity_label_info: Option<PurviewLabel>,
    source_data: Option<Value>,
}

/// An event of a stream, by its members.
#[derive(Deserialize)]
struct WireEvent {
    /// A message that is complete.
    message: Option<Message>,
    /// The whole response, which ends the stream.
    response: Option<Response>,
    error: Option<Value>,
}

/// The text, references and activities of a response, whole or as far as its stream has arrived.
#[derive(Debug, Default)]
struct Retrieval {
    text: String,
    sources: Vec<Source>,
    citations: Vec<Citation>,
    label: Option<SensitivityLabel>,
}

fn parse(body: &str) -> Result<Answer, IngestError> {
    let mut warnings = Vec::new();
    let Retrieval { text, sources, citations, label } = Retrieval::of(json::read(body)?, "", &mut warnings);
    let mut answer = Answer { text, sources, citations, label, warnings, grammar: GRAMMAR, ..Answer::default() };
    (answer.complete, answer.tools_invoked) = (true, Some(true));
    Ok(answer)
}

impl Retrieval {
    fn of(response: Response, place: &str, warnings: &mut Vec<Entry>) -> Self {
        let Response { response: messages, references, activity, response_sensitivity_label_info, metadata } = response;
        for (at, activity) in activity.into_iter().enumerate() {
            warnings.extend(activity.failure(|| format!("{place}/activity/{at}/error")));
        }
        let in_metadata = metadata.and_then(|metadata| metadata.response_sensitivity_label_info);
        let label = response_sensitivity_label_info.or(in_metadata);
        let label = label.and_then(|label| label.into_label(&format!("{place}/metadata"), warnings));
        let mut retrieval = Self { label, ..Self::default() };
        for (at, reference) in references.into_iter().enumerate() {
            retrieval.sources.push(reference.into_source(format!("{place}/references/{at}"), warnings));
        }
        for (at, message) in messages.into_iter().enumerate() {
            retrieval.add(message, &format!("{place}/response/{at}"), warnings);
        }
        // Passages may still have named a document.
        retrieval.sources.iter_mut().for_each(name_by_key);
        retrieval
    }

    /// Adds the text of a message, in a paragraph of its own.
    fn add(&mut self, message: Message, place: &str, warnings: &mut Vec<Entry>) {
        let mut begins = true;
        for (at, Content { text, image }) in message.content.into_iter().enumerate() {
            let place = format!("{place}/content/{at}");
            if image.is_some() {
                let message = "the answer has an image here, which is left out";
                warnings.push(Entry::in_input(Kind::Dropped, "image", format!("{place}/image"), message));
            }
            let Some(text) = text else { continue };
            match passages::passages(&text) {
                Some(passages) => self.list(passages, &format!("{place}/text"), warnings),
                None => {
                    if begins && !self.text.is_empty() {
                        self.text.push_str("\n\n");
                    }
                    self.text.push_str(&text);
                }
            }
            begins = false;
        }
    }

    /// Writes passages as the text. Each cites its reference by its span, because a marker behind it could become a part of
    /// its last table row or code.
    fn list(&mut self, passages: Vec<Passage>, place: &str, warnings: &mut Vec<Entry>) {
        let places = passages::write(&passages, &mut self.text);
        let message =
            format!("the text is JSON with {} passages and no answer of a model; they are the text", places.len());
        warnings.push(Entry::in_input(Kind::Note, "passages", place, message));
        let mut by_marker: HashMap<String, usize> = HashMap::new();
        for (at, source) in self.sources.iter().enumerate() {
            by_marker.extend(source.marker.clone().map(|marker| (marker, at)));
        }
        for (passage, range) in passages.into_iter().zip(places) {
            let known = passage.id.as_deref().and_then(|id| by_marker.get(&marker(id)).copied());
            let source = passage_source(passage, place, warnings);
            let at = match known {
                Some(at) => {
                    self.sources[at].fill_in(source);
                    at
                }
                None => {
                    self.sources.push(source);
                    self.sources.len() - 1
                }
            };
            self.cite(range, at);
        }
    }

    fn cite(&mut self, range: Range<usize>, at: usize) {
        let span = Span::new(&self.text, range).ok().filter(|span| span.start() < span.end());
        self.citations.extend(span.map(|span| Citation::new(span, vec![SourceIndex(at)])));
    }
}

/// The marker of a reference in the text.
fn marker(id: &str) -> String {
    format!("[ref_id:{id}]")
}

fn passage_source(passage: Passage, place: &str, warnings: &mut Vec<Entry>) -> Source {
    let Passage { id, facts, members, .. } = passage;
    let DocumentFacts { title, file, address, passage } = facts;
    let Located { url, filepath, address } = location(address, || place.to_owned(), warnings);
    Source {
        marker: id.as_deref().map(marker),
        title,
        url,
        address,
        filepath: file.or(filepath),
        content: passage,
        kind: Some(SourceKind::Document),
        metadata: members,
        pointer: place.to_owned(),
        ..Source::default()
    }
}

/// A document without any name is called by its key in the index.
fn name_by_key(source: &mut Source) {
    if source.display_title().is_none() {
        source.title.clone_from(&source.chunk_id);
    }
}

impl Reference {
    fn into_source(self, pointer: String, warnings: &mut Vec<Entry>) -> Source {
        let metadata = match self.source_data {
            Some(Value::Object(members)) => members,
            Some(_) | None => Map::new(),
        };
        let DocumentFacts { title, file, address, passage } = DocumentFacts::of(&metadata);
        let own = [self.url, self.web_url, self.doc_url, self.blob_url].into_iter().find_map(filled);
        let Located { url, filepath, address } = location(own.or(address), || pointer.clone(), warnings);
        let label = self.search_sensitivity_label_info;
        let label =
            label.and_then(|label| label.into_label(&format!("{pointer}/searchSensitivityLabelInfo"), warnings));
        Source {
            marker: self.id.as_deref().map(marker),
            title: filled(self.title).or(title).or(filled(self.tool_name)),
            kind: Some(if self.kind.as_deref() == Some("web") { SourceKind::Web } else { SourceKind::Document }),
            url,
            address,
            filepath: filled(self.doc_name).or(file).or(filepath),
            chunk_id: filled(self.doc_key),
            content: passage,
            score: self.reranker_score.map(|score| score / FULL_SCORE).filter(|score| (0.0..=1.0).contains(score)),
            label,
            metadata,
            pointer,
            ..Source::default()
        }
    }
}

impl Activity {
    fn failure(self, pointer: impl FnOnce() -> String) -> Option<Entry> {
        let error = self.error.filter(|error| !error.is_null())?;
        let name = filled(self.knowledge_source_name).or(self.kind).unwrap_or_default();
        let message =
            format!("{name:?} was not searched ({}), so sources may be missing", json::provider_error(&error));
        Some(Entry::in_input(Kind::Note, "search-failed", pointer(), message))
    }
}

impl ReadEvents for Retrieval {
    fn grammar(&self) -> MarkerGrammar {
        GRAMMAR
    }

    /// The last event repeats the whole response. What comes before it counts only when it never comes.
    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let WireEvent { message, response, error } = json::read(json)?;
        if let Some(error) = error.filter(|error| !error.is_null()) {
            said.push(StreamEvent::Error(json::provider_error(&error)));
        } else if let Some(response) = response {
            *self = Self::of(response, &format!("{}/response", event.pointer()), notes);
            said.extend(self.label.take().map(StreamEvent::Label));
            said.push(StreamEvent::Sources(std::mem::take(&mut self.sources)));
            said.push(StreamEvent::Text(std::mem::take(&mut self.text)));
            said.push(StreamEvent::Done);
        } else if let Some(message) = message {
            self.add(message, &format!("{}/message", event.pointer()), &mut Vec::new());
        }
        Ok(())
    }

    /// The references come as a list, which the last event repeats.
    fn passes_over(&self, data: &str) -> bool {
        data.starts_with('[')
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        answer.text.push_str(&self.text);
        answer.sources.extend(self.sources);
        answer.citations = self.citations;
        answer.tools_invoked = Some(true);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{AnswerStream, ingest};
    use super::*;

    fn answer(body: &Value) -> Answer {
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    fn response(text: &str, references: &Value) -> Value {
        json!({"response": [{"role": "assistant", "content": [{"type": "text", "text": text}]}], "activity": [],
            "references": references})
    }

    fn events(response: &Value) -> Vec<Value> {
        vec![
            json!({"requestId": "r", "knowledgeBaseName": "locks", "outputMode": "answerSynthesis"}),
            json!({"messageIndex": 0, "message": response["response"][0]}),
            response["references"].clone(),
            json!({"statusCode": 200, "response": response}),
        ]
    }

    #[test]
    fn a_stream_is_the_response_that_ends_it_wherever_it_is_cut() {
        let found =
            json!([{"type": "web", "id": 7, "url": "https://x.example/", "title": "X"}, {"id": "a", "docKey": "k"}]);
        let whole = answer(&response("Süß 😀 [ref_id:7] 水[ref_id:a].", &found));
        assert_eq!((whole.sources.len(), whole.tools_invoked, whole.complete), (2, Some(true), true));
        let events = events(&response("Süß 😀 [ref_id:7] 水[ref_id:a].", &found));
        let sse: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
        for body in [sse.clone(), sse.replace('\n', "\r\n"), lines] {
            for cut in 0..=body.len() {
                let mut stream = AnswerStream::new(None);
                stream.push(&body.as_bytes()[..cut]).expect("a beginning");
                stream.push(&body.as_bytes()[cut..]).expect("an end");
                let mut streamed = stream.finish().expect("an answer");
                assert_eq!(streamed.sources[1].pointer, "/3/response/references/1");
                for (streamed, whole) in streamed.sources.iter_mut().zip(&whole.sources) {
                    streamed.pointer.clone_from(&whole.pointer);
                }
                assert_eq!(streamed, whole, "cut at {cut}");
            }
        }
    }

    #[test]
    fn a_document_is_called_by_its_source_data_else_its_key() {
        let label = json!({"labelId": "7", "labelName": "Secret", "priority": 3, "isEncrypted": true, "color": null});
        let none = json!({"sensitivityLabelId": null, "displayName": null, "isEncrypted": null});
        let found = json!([
            {"id": "0", "docKey": "k0", "rerankerScore": 2.0, "sourceData": {"title": "Plan", "content": "c", "url": "https://x.example/a"}},
            {"id": "1", "docKey": "k1", "sensitivityLabelInfo": label, "sourceData": {"sourcepage": "a.pdf#page=2"}},
            {"id": "2", "docKey": "k2", "searchSensitivityLabelInfo": none, "sourceData": null},
            {"id": "3", "docKey": "k3", "blobUrl": "https://x.example/b.pdf", "rerankerScore": 9},
        ]);
        let answer = answer(&response("x", &found));
        let names: Vec<_> = answer.sources.iter().map(|source| source.display_title().expect("a name")).collect();
        assert_eq!(names, ["Plan", "a.pdf#page=2", "k2", "b.pdf"]);
        let scores: Vec<_> = answer.sources.iter().map(|source| source.score).collect();
        assert_eq!(scores, [Some(0.5), None, None, None]);
        let labels: Vec<_> =
            answer.sources.iter().map(|source| source.label.as_ref().map(|label| label.encrypted)).collect();
        assert_eq!(labels, [None, Some(true), None, None]);
    }

    #[test]
    fn passages_without_an_answer_are_the_text_and_cite_their_references() {
        let text = json!([{"ref_id": 0, "title": "Plan", "content": "30 days"}, {"ref_id": "9", "content": "Form 7"}]);
        let answer = answer(&response(&text.to_string(), &json!([{"id": "0", "docKey": "k"}])));
        assert_eq!(answer.text, "30 days\n\nForm 7");
        let cited: Vec<_> =
            answer.citations.iter().map(|cited| (&answer.text[cited.span.range()], cited.sources[0].0)).collect();
        assert_eq!(cited, [("30 days", 0), ("Form 7", 1)]);
        assert_eq!(
            (answer.sources[0].title.as_deref(), answer.sources[0].chunk_id.as_deref()),
            (Some("Plan"), Some("k"))
        );
        assert_eq!(answer.warnings[0].code, "passages");
    }

    #[test]
    fn a_search_that_failed_is_reported_and_an_error_keeps_what_had_arrived() {
        let mut body = response("x", &json!([]));
        body["activity"] = json!([{"type": "web", "id": 1, "error": {"code": "403", "message": "no"}}]);
        let read = answer(&body);
        assert_eq!((read.warnings[0].code, read.warnings[0].message.contains("403: no")), ("search-failed", true));
        let mut events = events(&response("Half", &json!([])));
        events.pop();
        assert!(!answer(&json!(events)).complete);
        events.push(json!({"error": {"code": "500", "message": "gone"}, "activity": []}));
        let broken = answer(&json!(events));
        assert_eq!((broken.text.as_str(), broken.complete), ("Half", false));
        assert_eq!(broken.error.expect("an error").to_string(), "500: gone");
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let body = response("x", &json!([{"id": "0", "title": 5}]));
        let error = ingest(body.to_string().as_bytes(), None).expect_err("unusable").to_string();
        assert_eq!(error, "/references/0/title: invalid type: integer `5`, expected a string");
    }
}
