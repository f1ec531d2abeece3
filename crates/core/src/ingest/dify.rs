//! [Dify](https://docs.dify.ai/api-reference/chat/send-chat-message): an answer of a chat application; `[N]` is the
//! `position` of what its knowledge bases found, which comes last.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::event::{Event, ReadEvents, StreamEvent};
use super::format::{Format, Members, is_something};
use super::json::{self, entries, filled, offset, text_or_number};
use super::location::{Located, location};
use super::thinking::Thinking;
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, Source, SourceKind};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::Dify,
    sign: "`answer` with `event` or `metadata`",
    members: &[&[
        "answer",
        "conversation_id",
        "created_at",
        "event",
        "id",
        "message_id",
        "metadata",
        "mode",
        "task_id",
    ]],
    is_whole: |members| is_string(members, "answer") && signs(members) > 1,
    is_event: |members| {
        is_string(members, "event")
            && ["answer", "conversation_id", "message_id", "task_id"].iter().any(|name| is_string(members, name))
    },
    parse,
    reader: || Box::new(ChatAnswer::default()),
};

fn is_string(members: &Members, name: &str) -> bool {
    members.get(name).is_some_and(Value::is_string)
}

/// How many members an answer has that a chain of LangChain, whose text is an `answer` as well, has not.
fn signs(members: &Members) -> usize {
    let found = members.get("metadata").is_some_and(|metadata| metadata["retriever_resources"].is_array());
    let named = ["event", "task_id", "message_id", "conversation_id"];
    named.iter().filter(|name| is_something(members, name)).count() + usize::from(found)
}

/// A whole answer, or an event of a stream.
#[derive(Deserialize)]
struct Message {
    answer: Option<String>,
    metadata: Option<Metadata>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default, deserialize_with = "entries")]
    retriever_resources: Vec<Resource>,
}

/// A segment of a document.
#[derive(Default, Deserialize)]
struct Resource {
    /// Counted from 1.
    #[serde(default, deserialize_with = "offset")]
    position: Option<usize>,
    #[serde(default, deserialize_with = "text_or_number")]
    document_id: Option<String>,
    document_name: Option<String>,
    data_source_type: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    segment_id: Option<String>,
    score: Option<f64>,
    content: Option<String>,
    doc_metadata: Option<Map<String, Value>>,
    title: Option<String>,
}

/// An answer as far as it has arrived.
#[derive(Debug, Default)]
struct ChatAnswer {
    thinking: Thinking,
    /// The text that took the place of what had been said.
    replacement: Option<String>,
}

fn parse(body: &str) -> Result<Answer, IngestError> {
    let mut answer = Answer { grammar: MarkerGrammar::BRACKETED_NUMBERS, complete: true, ..Answer::default() };
    let Message { answer: text, metadata, .. } = json::read(body)?;
    let text = text.ok_or_else(|| IngestError::member("/answer", "missing; the text of the answer is required"))?;
    answer.text = without_thoughts(text);
    answer.sources = metadata.unwrap_or_default().into_sources("", &mut answer.warnings);
    Ok(answer)
}

fn without_thoughts(text: String) -> String {
    let mut thinking = Thinking::default();
    thinking.push(text) + &thinking.finish()
}

impl Metadata {
    /// The sources in the order of their positions. Several searches in one answer may each count from 1: then only the
    /// list has an order.
    fn into_sources(self, place: &str, warnings: &mut Vec<Entry>) -> Vec<Source> {
        let resources = self.retriever_resources;
        let positions: Option<BTreeSet<usize>> = resources.iter().map(|resource| resource.position).collect();
        let is_order = positions.is_some_and(|positions| positions.len() == resources.len());
        let mut placed: Vec<(usize, Source)> = (1..)
            .zip(resources)
            .map(|(at, resource)| {
                let position = resource.position.filter(|_| is_order).unwrap_or(at);
                let pointer = format!("{place}/metadata/retriever_resources/{}", at - 1);
                (position, resource.into_source(pointer, warnings))
            })
            .collect();
        placed.sort_by_key(|(position, _)| *position);
        placed.into_iter().map(|(_, source)| source).collect()
    }
}

impl Resource {
    fn into_source(self, pointer: String, warnings: &mut Vec<Entry>) -> Source {
        let metadata = self.doc_metadata.unwrap_or_default();
        // The `source` there is a word for how the document came: `file_upload`.
        let address = ["url", "source_url"].iter().find_map(|name| metadata.get(*name)).and_then(Value::as_str);
        let address = address.map(str::to_owned);
        let Located { url, filepath, address } = location(address, || format!("{pointer}/doc_metadata"), warnings);
        let name = filled(self.document_name);
        let came_as = |kind: &str| self.data_source_type.as_deref() == Some(kind);
        let file = name.clone().filter(|_| came_as("upload_file"));
        Source {
            id: filled(self.document_id),
            chunk_id: filled(self.segment_id),
            title: filled(self.title).or(name),
            kind: Some(if came_as("website_crawl") { SourceKind::Web } else { SourceKind::Document }),
            url,
            address,
            filepath: filepath.or(file),
            content: filled(self.content),
            score: self.score.filter(|score| (0.0..=1.0).contains(score)),
            metadata,
            pointer,
            ..Source::default()
        }
    }
}

impl ReadEvents for ChatAnswer {
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
        /// The events of workflows and agents have members of the same names with other things in them.
        #[derive(Deserialize)]
        struct Named {
            event: Option<String>,
        }
        let Named { event: name } = json::read(json)?;
        match name.as_deref() {
            // Thoughts of an agent come apart, as `agent_thought`.
            Some("message" | "agent_message") => {
                let Message { answer, .. } = json::read(json)?;
                let text = self.thinking.push(answer.unwrap_or_default());
                if !text.is_empty() && self.replacement.is_none() {
                    said.push(StreamEvent::Text(text));
                }
            }
            // A moderation takes back all that was said: only the end tells what the answer is.
            Some("message_replace") => {
                let Message { answer, .. } = json::read(json)?;
                self.replacement = Some(answer.unwrap_or_default());
                said.push(StreamEvent::Late);
            }
            Some("message_end") => {
                let Message { metadata, .. } = json::read(json)?;
                let sources = metadata.unwrap_or_default().into_sources(&event.pointer(), notes);
                if !sources.is_empty() {
                    said.push(StreamEvent::Sources(sources));
                }
                said.push(StreamEvent::Done);
            }
            Some("error") => said.push(StreamEvent::Error(json::provider_error(&json::read(json)?))),
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, answer: &mut Answer) {
        answer.text.push_str(&self.thinking.finish());
        if let Some(text) = self.replacement {
            answer.text = without_thoughts(text);
        }
    }
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "JSON that is made for a call reads better without borrowing")]
mod tests {
    use serde_json::json;

    use super::super::ingest;
    use super::*;

    fn answer(body: &Value) -> Answer {
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    fn event(name: &str, text: &str) -> Value {
        json!({"event": name, "task_id": "t", "answer": text})
    }

    fn whole(text: &str, found: Value) -> Value {
        json!({"message_id": "m", "conversation_id": "c", "mode": "chat", "answer": text,
            "metadata": {"retriever_resources": found}})
    }

    fn end(found: Value) -> Value {
        json!({"event": "message_end", "id": "m", "conversation_id": "c", "metadata": {"retriever_resources": found}})
    }

    fn passages(answer: &Answer) -> Vec<Option<&str>> {
        answer.sources.iter().map(|source| source.content.as_deref()).collect()
    }

    #[test]
    fn a_number_is_a_position_unless_several_searches_count_each_for_itself() {
        let found = json!([{"position": "2", "content": "b"}, {"position": 1, "content": "a"}]);
        let ordered = answer(&whole("x [2]", found));
        assert_eq!((passages(&ordered), ordered.complete), (vec![Some("a"), Some("b")], true));
        assert_eq!(ordered.sources[0].pointer, "/metadata/retriever_resources/1");
        let searches = json!([{"position": 2, "content": "b"}, null, {"position": 2, "content": "a"}]);
        assert_eq!(passages(&answer(&whole("x", searches))), [Some("b"), None, Some("a")]);
    }

    #[test]
    fn a_source_has_what_its_document_is_known_by() {
        let answer = answer(&whole(
            "x",
            json!([
                {"document_id": 7, "segment_id": 8, "document_name": "a.pdf", "data_source_type": "upload_file", "score": 1.2,
                    "doc_metadata": {"source": "file_upload", "label": "Secret"}},
                {"document_name": "n", "title": "T", "data_source_type": "website_crawl",
                    "doc_metadata": {"url": "https://x.example/a"}},
            ]),
        ));
        let [file, page] = &answer.sources[..] else { panic!("two sources") };
        assert_eq!((file.id.as_deref(), file.chunk_id.as_deref(), file.score), (Some("7"), Some("8"), None));
        assert_eq!((file.title.as_deref(), file.filepath.as_deref()), (Some("a.pdf"), Some("a.pdf")));
        assert_eq!(
            (&file.metadata["label"], file.kind, page.kind),
            (&json!("Secret"), Some(SourceKind::Document), Some(SourceKind::Web))
        );
        assert_eq!((page.title.as_deref(), page.filepath.as_deref()), (Some("T"), None));
        assert_eq!(page.url.as_ref().map(crate::url::WebUrl::as_str), Some("https://x.example/a"));
    }

    #[test]
    fn the_events_of_an_agent_are_the_whole_answer_without_its_thoughts() {
        let found = json!([{"position": 1, "document_name": "a"}]);
        let events = json!([
            {"event": "agent_thought", "id": "t1", "task_id": "t", "position": 1, "thought": "", "observation": ""},
            event("agent_message", "<think>Hm [1].</thi"),
            event("agent_message", "nk>\n\nKeys "),
            event("agent_message", "[1]"),
            {"event": "agent_thought", "id": "t1", "task_id": "t", "position": 1, "thought": "Keys [1]", "answer": 5},
            end(found.clone()),
        ]);
        let (mut streamed, whole) = (answer(&events), answer(&whole("<think>Hm [1].</think>\n\nKeys [1]", found)));
        assert_eq!(
            (streamed.text.as_str(), streamed.sources[0].pointer.as_str()),
            ("Keys [1]", "/5/metadata/retriever_resources/0")
        );
        streamed.sources[0].pointer.clone_from(&whole.sources[0].pointer);
        assert_eq!(streamed, whole);
    }

    #[test]
    fn a_moderation_replaces_what_was_said() {
        let events = json!([
            event("message", "Bad."),
            event("message_replace", "No."),
            event("message", " Worse."),
            end(json!(null))
        ]);
        let replaced = answer(&events);
        assert_eq!((replaced.text.as_str(), replaced.complete), ("No.", true));
    }

    #[test]
    fn an_error_keeps_what_had_arrived_and_no_end_is_no_whole() {
        let error = json!({"event": "error", "task_id": "t", "status": 400, "code": "quota", "message": "empty"});
        let broken = answer(&json!([event("message", "Half"), error]));
        assert_eq!((broken.text.as_str(), broken.complete), ("Half", false));
        assert_eq!(broken.error.expect("an error").to_string(), "quota: empty");
        assert!(!answer(&json!([event("message", "Half")])).complete);
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let refused = |body: &Value| ingest(body.to_string().as_bytes(), None).expect_err("unusable").to_string();
        let place = "/metadata/retriever_resources/0/content: invalid type: integer `5`, expected a string";
        let found = json!([{"content": 5}]);
        assert_eq!(refused(&whole("x", found.clone())), place);
        assert_eq!(refused(&json!([event("message", "x"), end(found)])), format!("event 2 at line 1: {place}"));
        let error = ingest(br#"{"event": "message"}"#, Some(Provider::Dify)).expect_err("no text");
        assert_eq!(error.to_string(), "/answer: missing; the text of the answer is required");
    }
}
