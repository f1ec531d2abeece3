//! [Cohere chat](https://docs.cohere.com/reference/chat): claims are spans in characters, each with the documents and tool
//! results that support it. Version 2 of the API has `message`, version 1 has `text`; both stream. The text of a citation
//! corrects its offsets.

use serde::Deserialize;
use serde_json::Value;

use super::cohere_citation::{Citations, WireCitation};
use super::event::{Event, ReadEvents, StreamEvent};
use super::finish_reason::odd_reason;
use super::format::{Format, Members, is_something};
use super::json::{self, Content, OneOrMany, entries, number_or_text};
use super::manifest::has_lists;
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::Cohere,
    sign: "`message` with a list of `content`",
    members: &[
        &["finish_reason", "id", "logprobs", "message", "usage"],
        &[
            "chat_history",
            "citations",
            "documents",
            "generation_id",
            "is_search_required",
            "meta",
            "response_id",
            "search_queries",
            "search_results",
            "text",
            "tool_calls",
        ],
    ],
    is_whole: |members| is_second_version(members) || is_first_version(members),
    is_event,
    parse,
    reader: || Box::new(CohereAnswer::default()),
};

fn is_second_version(members: &Members) -> bool {
    let message = members.get("message").and_then(Value::as_object);
    message.is_some_and(|message| {
        let is_told_by_others = || ["citations", "tool_plan"].iter().any(|name| is_something(message, name));
        // The message of azure-search-openai-demo has a string as content.
        let is_content = message.get("content").is_some_and(Value::is_array)
            || !members.contains_key("context") && is_told_by_others();
        // Prompt Flow has its text in `reply`, beside documents.
        let is_flow = members.get("reply").is_some_and(Value::is_string) && members.contains_key("documents");
        is_content && !is_flow && !members.get("text").is_some_and(Value::is_string)
    })
}

/// Whether a whole answer is of version 1 of the API. Its text is in the same member as that of the native manifest.
pub(super) fn is_first_version(members: &Members) -> bool {
    let is_string = members.get("text").is_some_and(Value::is_string);
    let own = ["generation_id", "chat_history", "response_id", "citations", "documents", "is_search_required"];
    let own = own.iter().filter(|name| is_something(members, name)).count();
    let is_named = ["generation_id", "chat_history"].iter().any(|name| is_something(members, name));
    // If the lists of the manifest are there too, a single such member was added by the caller.
    is_string && (own > 1 || is_named && !has_lists(members))
}

fn is_event(members: &Members) -> bool {
    let kind = ["type", "event_type"].iter().find_map(|name| members.get(*name)).and_then(Value::as_str);
    matches!(
        kind.unwrap_or_default(),
        "message-start"
            | "content-start"
            | "content-delta"
            | "content-end"
            | "citation-start"
            | "citation-end"
            | "tool-plan-delta"
            | "message-end"
            | "stream-start"
            | "text-generation"
            | "citation-generation"
            | "search-results"
            | "stream-end"
    )
}

/// A whole answer of either version.
#[derive(Deserialize)]
struct Response {
    message: Option<Message>,
    finish_reason: Option<String>,
    text: Option<String>,
    #[serde(default, deserialize_with = "entries")]
    citations: Vec<WireCitation>,
    #[serde(default, deserialize_with = "entries")]
    documents: Vec<Value>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<Content<Part>>,
    #[serde(default, deserialize_with = "entries")]
    citations: Vec<WireCitation>,
}

#[derive(Default, Deserialize)]
struct Part {
    #[serde(rename = "type")]
    kind: Option<String>,
    text: Option<String>,
}

/// An event of either version.
#[derive(Deserialize)]
struct WireEvent {
    #[serde(rename = "type")]
    kind: Option<String>,
    event_type: Option<String>,
    #[serde(default, deserialize_with = "number_or_text")]
    index: Option<u32>,
    delta: Option<Delta>,
    text: Option<String>,
    #[serde(default, deserialize_with = "entries")]
    citations: Vec<WireCitation>,
    #[serde(default, deserialize_with = "entries")]
    documents: Vec<Value>,
    finish_reason: Option<String>,
    response: Option<Box<Response>>,
}

#[derive(Deserialize)]
struct Delta {
    message: Option<Box<MessageDelta>>,
    finish_reason: Option<String>,
    #[serde(default, deserialize_with = "json::reported")]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct MessageDelta {
    content: Option<OneOrMany<Part>>,
    citations: Option<OneOrMany<WireCitation>>,
}

/// The state of an answer while it is read, whole or as a stream.
#[derive(Debug, Default)]
struct CohereAnswer {
    citations: Citations,
    /// The index of the open content part, and whether the part is text.
    open: Option<(u32, bool)>,
    begun: bool,
}

/// Finish reasons of a normal end. They cause no note.
const USUAL: [&str; 3] = ["COMPLETE", "STOP_SEQUENCE", "TOOL_CALL"];

fn parse(body: &str) -> Result<Answer, IngestError> {
    let Response { message, finish_reason, text, citations, documents } = json::read(body)?;
    let mut answer = Answer { grammar: MarkerGrammar::NONE, complete: true, ..Answer::default() };
    let mut cohere = CohereAnswer::default();
    match (message, text) {
        (Some(Message { content, citations }), _) => {
            let parts = match content.unwrap_or_default() {
                Content::Text(text) => vec![Part { text: Some(text), ..Part::default() }],
                Content::Parts(parts) => parts,
            };
            for (at, part) in (0..).zip(parts) {
                answer.text.extend(cohere.add(Some(at), part));
            }
            cohere.citations.add("/message/citations", citations);
        }
        (None, Some(text)) => {
            answer.text.extend(cohere.add(None, Part { text: Some(text), ..Part::default() }));
            cohere.citations.add("/citations", citations);
            cohere.citations.add_documents("/documents", documents);
        }
        (None, None) => return Err(IngestError::member("/message", "missing; the answer of the model is required")),
    }
    answer.warnings.extend(odd_reason(finish_reason, &USUAL, || "/finish_reason".to_owned()));
    Box::new(cohere).finish(&mut answer);
    Ok(answer)
}

impl CohereAnswer {
    /// Adds a content part or a delta of it. Returns its text. Thinking is not part of the text.
    fn add(&mut self, index: Option<u32>, part: Part) -> Option<String> {
        let index = index.unwrap_or_default();
        let is_text = match (part.kind.as_deref(), self.open) {
            (Some(kind), _) => kind == "text",
            (None, Some((open, is_text))) if open == index => is_text,
            (None, _) => true,
        };
        if self.open.is_none_or(|(open, _)| open != index) {
            self.citations.begin_part(index, is_text);
        }
        self.open = Some((index, is_text));
        let text = part.text.filter(|text| is_text && !text.is_empty())?;
        self.citations.grow(text.len());
        Some(text)
    }

    /// Adds a delta of the text to the events.
    fn say(&mut self, text: Option<String>, said: &mut Vec<StreamEvent>) {
        if text.is_some() && !std::mem::replace(&mut self.begun, true) {
            // Citations may come behind the text that they cite, so all text has to be treated as if they will.
            said.push(StreamEvent::Late);
        }
        said.extend(text.map(StreamEvent::Text));
    }
}

impl ReadEvents for CohereAnswer {
    fn grammar(&self) -> MarkerGrammar {
        MarkerGrammar::NONE
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let WireEvent { kind, event_type, index, delta, text, citations, documents, finish_reason, response } =
            json::read(json)?;
        let place = || event.pointer();
        match kind.or(event_type).unwrap_or_default().as_str() {
            "content-start" | "content-delta" => {
                let content = delta.and_then(|delta| delta.message).and_then(|message| message.content);
                for part in content.map(OneOrMany::into_list).unwrap_or_default() {
                    let text = self.add(index, part);
                    self.say(text, said);
                }
            }
            "citation-start" => {
                let found = delta.and_then(|delta| delta.message).and_then(|message| message.citations);
                let place = format!("{}/delta/message/citations", place());
                match found {
                    Some(OneOrMany::One(citation)) => self.citations.add_one(place, citation),
                    Some(OneOrMany::Many(citations)) => self.citations.add(&place, citations),
                    None => {}
                }
            }
            "message-end" => {
                let (reason, error) = delta.map_or((None, None), |delta| (delta.finish_reason, delta.error));
                if let Some(error) = error {
                    said.push(StreamEvent::Error(json::provider_error(&error)));
                } else {
                    notes.extend(odd_reason(reason, &USUAL, || format!("{}/delta/finish_reason", place())));
                    said.push(StreamEvent::Done);
                }
            }
            "text-generation" => {
                let text = self.add(None, Part { text, ..Part::default() });
                self.say(text, said);
            }
            "citation-generation" => self.citations.add(&format!("{}/citations", place()), citations),
            "search-results" => self.citations.add_documents(&format!("{}/documents", place()), documents),
            "stream-end" => {
                if let Some(response) = response {
                    self.citations.add_documents(&format!("{}/response/documents", place()), response.documents);
                }
                notes.extend(odd_reason(finish_reason, &USUAL, || format!("{}/finish_reason", place())));
                said.push(StreamEvent::Done);
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        self.citations.finish(answer);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::annotated::cited;
    use super::super::ingest;
    use super::*;

    fn answer(body: &Value) -> Answer {
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    #[test]
    fn a_span_counts_in_its_part_and_only_what_cites_text_counts() {
        let document = |id: Value| json!({"type": "document", "id": id, "document": {"title": "D", "text": "passage", "label": "Secret"}});
        let tool = json!({"type": "tool", "id": "t:0", "tool_output": {"url": "https://x.example/a", "content": null}});
        let body = json!({"id": "c", "finish_reason": "MAX_TOKENS", "message": {"tool_plan": "look", "content": [
                {"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "Süß 😀. "}, null, {"type": "text", "text": "Gut."}],
            "citations": [
                {"start": 4, "end": 5, "text": "😀", "content_index": 1, "sources": [document(json!(0)), tool]},
                {"start": null, "end": 4, "text": "Gut.", "content_index": 3, "sources": [tool, document(json!("0")), null]},
                {"start": 0, "end": 2, "type": "PLAN", "sources": [document(json!("plan"))]},
                {"start": 0, "end": 3, "text": null, "sources": [{"id": "bare"}]},
                // The offsets are UTF-16 code units, which only the text of the citation reveals.
                {"start": 6, "end": 7, "text": ".", "content_index": 1, "sources": [tool]}, null]}});
        let answer = answer(&body);
        assert_eq!(answer.text, "Süß 😀. Gut.");
        assert_eq!(cited(&answer), [("😀", vec![0, 1]), ("Gut.", vec![0, 1, 2]), ("Süß", vec![3]), (".", vec![1])]);
        let [first, second, ..] = &answer.sources[..] else { panic!("sources") };
        assert_eq!((first.id.as_deref(), first.content.as_deref()), (Some("0"), Some("passage")));
        assert_eq!(first.metadata["label"], "Secret");
        assert_eq!(
            (second.id.as_deref(), second.url.as_ref().map(crate::url::WebUrl::as_str)),
            (Some("t:0"), Some("https://x.example/a"))
        );
        assert_eq!((answer.tools_invoked, answer.warnings[0].code), (Some(true), "finish-reason"));
    }

    fn first_version() -> Value {
        json!({"text": "Ask the chef.", "generation_id": "g", "finish_reason": "COMPLETE",
            "citations": [{"start": 8, "end": 11, "text": "chef", "document_ids": ["d2", "d1", 9]}],
            "documents": [{"id": "d1", "title": "One", "snippet": "s"}, {"id": "d2", "title": "Two"}, {"id": "unused"}]})
    }

    #[test]
    fn the_first_version_names_documents_by_id_and_its_ends_may_be_off() {
        let answer = answer(&first_version());
        assert_eq!(cited(&answer), [("chef", vec![0, 1])]);
        let titles: Vec<_> = answer.sources.iter().filter_map(|source| source.title.as_deref()).collect();
        assert_eq!(titles, ["Two", "One"]);
        assert_eq!(answer.sources[0].pointer, "/documents/1");
        assert_eq!((answer.warnings.len(), answer.warnings[0].code), (1, "annotation-source"));
        // The native manifest has its text in the same member.
        assert!(
            ingest(br#"{"text": "a", "sources": [{"id": "A"}]}"#, None).is_ok_and(|answer| answer.sources.len() == 1)
        );
    }

    #[test]
    fn a_stream_of_the_first_version_is_the_whole_answer() {
        let whole = first_version();
        let events = [
            json!({"event_type": "stream-start", "generation_id": "g"}),
            json!({"event_type": "text-generation", "text": "Ask the "}),
            json!({"event_type": "citation-generation", "citations": whole["citations"]}),
            json!({"event_type": "text-generation", "text": "chef."}),
            json!({"event_type": "stream-end", "finish_reason": "COMPLETE", "response": whole}),
        ];
        let lines: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        let streamed = ingest(lines.as_bytes(), None).expect("a stream");
        assert!(streamed.complete);
        assert_eq!(cited(&streamed), cited(&answer(&whole)));
        assert_eq!(streamed.sources.len(), 2);
    }

    #[test]
    fn citations_of_a_stream_may_come_at_any_time_as_one_or_many() {
        let delta = |index: u32, text: &str| json!({"type": "content-delta", "index": index, "delta": {"message": {"content": {"text": text}}}});
        let start = |index: u32, kind: &str| json!({"type": "content-start", "index": index, "delta": {"message": {"content": {"type": kind, "text": ""}}}});
        let citation = |start: usize, end: usize, content: u32| {
            json!({"start": start, "end": end, "content_index": content,
            "sources": [{"type": "document", "id": "d"}]})
        };
        let cite = |citations: Value| json!({"type": "citation-start", "delta": {"message": {"citations": citations}}});
        let events = [
            json!({"type": "message-start", "delta": {"message": {"content": [], "citations": []}}}),
            json!({"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "look"}}}),
            start(0, "thinking"),
            json!({"type": "content-delta", "index": 0, "delta": {"message": {"content": {"thinking": "hm"}}}}),
            start(1, "text"),
            delta(1, "One"),
            cite(citation(4, 8, 1)),
            delta(1, " two."),
            start(2, "text"),
            delta(2, " Three."),
            cite(json!([citation(0, 3, 1), citation(1, 7, 2)])),
            json!({"type": "message-end", "delta": {"finish_reason": "COMPLETE"}}),
        ];
        let answer = answer(&json!(events));
        assert_eq!((answer.text.as_str(), answer.complete), ("One two. Three.", true));
        assert_eq!(cited(&answer), [("two.", vec![0]), ("One", vec![0]), ("Three.", vec![0])]);
    }

    #[test]
    fn an_error_keeps_what_had_arrived() {
        let text = json!({"type": "content-delta", "delta": {"message": {"content": {"text": "Half"}}}});
        let end = json!({"type": "message-end", "delta": {"finish_reason": "ERROR", "error": "overloaded"}});
        let answer = answer(&json!([text, end]));
        assert_eq!((answer.text.as_str(), answer.complete), ("Half", false));
        assert_eq!(answer.error.expect("an error").to_string(), "overloaded");
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let refused = |body: Value| ingest(body.to_string().as_bytes(), None).expect_err("unusable").to_string();
        let body = json!({"message": {"content": [{"text": {}}]}});
        assert_eq!(refused(body), "/message/content/0/text: invalid type: map, expected a string");
        let body = json!([{"type": "citation-start", "delta": {"message": {"citations": {"start": "x"}}}}]);
        let message = "event 1 at line 1: /delta/message/citations/start: \"x\" is not a whole number";
        assert_eq!(refused(body), message);
    }
}
