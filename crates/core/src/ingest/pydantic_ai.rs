//! [Pydantic AI](https://ai.pydantic.dev/message-history/): a response of a model, the messages of a conversation, whose
//! newest response with a text is the answer, or the events of a run.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::annotated::Annotated;
use super::event::{Event, ReadEvents, StreamEvent};
use super::finish_reason::odd_reason;
use super::format::{Format, Members, is_text};
use super::json::{self, entries};
use super::pydantic_citation::{WireCitation, cite};
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, SourceIndex};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::PydanticAi,
    sign: "`parts` and `kind`",
    members: &[&[
        "conversation_id",
        "finish_reason",
        "kind",
        "model_name",
        "parts",
        "provider_details",
        "provider_name",
        "provider_response_id",
        "run_id",
        "state",
        "timestamp",
        "usage",
    ]],
    is_whole: |members| is_message(members) && is_text(members, "kind", "response"),
    is_event: |members| is_message(members) || members.get("event_kind").is_some_and(Value::is_string),
    parse,
    reader: || Box::new(Run::default()),
};

fn is_message(members: &Members) -> bool {
    let is_kind = ["request", "response"].iter().any(|kind| is_text(members, "kind", kind));
    is_kind && members.get("parts").is_some_and(Value::is_array)
}

/// An event of a run, or a message of a conversation.
#[derive(Deserialize)]
struct WireEvent {
    event_kind: Option<String>,
    /// The place of the part in its response.
    #[serde(default)]
    index: u64,
    part: Option<Part>,
    delta: Option<Delta>,
    /// `request` or `response`, in a message.
    kind: Option<String>,
    #[serde(default, deserialize_with = "entries")]
    parts: Vec<Part>,
    finish_reason: Option<String>,
    /// Whether a response has ended.
    state: Option<String>,
}

/// A part of a message. Only the `content` of a text is read; that of others may be anything.
#[derive(Default, Deserialize)]
struct Part {
    part_kind: Option<String>,
    #[serde(default)]
    content: Value,
    #[serde(default, deserialize_with = "entries")]
    citations: Vec<WireCitation>,
}

#[derive(Default, Deserialize)]
struct Delta {
    part_delta_kind: Option<String>,
    content_delta: Option<String>,
    /// All citations of the part.
    #[serde(default, deserialize_with = "entries")]
    citations_delta: Vec<WireCitation>,
}

/// A part with text.
#[derive(Debug, Default)]
struct TextPart {
    text: String,
    citations: Vec<WireCitation>,
    /// The pointer of the citations.
    pointer: String,
}

/// The parts with text of one response, by place.
#[derive(Debug, Default)]
struct Response {
    parts: BTreeMap<u64, TextPart>,
    /// One more than the largest place of any part so far.
    next: u64,
    /// Whether the response says that it has not ended.
    is_open: bool,
}

/// The responses of a run or a conversation, of which the newest with a text is the answer.
#[derive(Debug, Default)]
struct Run {
    response: Response,
    /// The newest response before that has a text.
    before: Option<Response>,
    late: bool,
}

/// Finish reasons that get no note.
const USUAL: [&str; 2] = ["stop", "tool_call"];

fn parse(body: &str) -> Result<Answer, IngestError> {
    let mut answer = Answer { grammar: MarkerGrammar::ANNOTATED, ..Answer::default() };
    let mut run = Run::default();
    run.take_message(json::read(body)?, "", &mut answer.warnings)?;
    Box::new(run).finish(&mut answer);
    Ok(answer)
}

impl Part {
    /// The text of a part with text; `None` for other parts.
    fn text(self, pointer: &str) -> Result<Option<TextPart>, IngestError> {
        let Self { part_kind, content, citations } = self;
        if part_kind.as_deref() != Some("text") {
            return Ok(None);
        }
        let text = match content {
            Value::String(text) => text,
            Value::Null => String::new(),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                return Err(IngestError::member(format!("{pointer}/content"), "a string is required"));
            }
        };
        Ok(Some(TextPart { text, citations, pointer: format!("{pointer}/citations") }))
    }
}

impl Response {
    fn has_text(&self) -> bool {
        self.parts.values().any(|part| !part.text.is_empty())
    }

    fn begin(&mut self, index: u64, part: Option<TextPart>) {
        self.next = index.saturating_add(1);
        self.parts.extend(part.map(|part| (index, part)));
    }
}

impl Run {
    fn begin_response(&mut self) {
        let before = std::mem::take(&mut self.response);
        if before.has_text() {
            self.before = Some(before);
        }
    }

    fn take_message(&mut self, message: WireEvent, place: &str, warnings: &mut Vec<Entry>) -> Result<(), IngestError> {
        let WireEvent { parts, finish_reason, state, .. } = message;
        self.begin_response();
        self.response.is_open = state.is_some_and(|state| state != "complete");
        warnings.extend(odd_reason(finish_reason, &USUAL, || format!("{place}/finish_reason")));
        for (index, part) in (0..).zip(parts) {
            let part = part.text(&format!("{place}/parts/{index}"))?;
            self.response.begin(index, part);
        }
        Ok(())
    }

    /// Begins a part. A place that was taken is one of the next response.
    fn begin_part(&mut self, index: u64, part: Part, pointer: &str) -> Result<Option<String>, IngestError> {
        if index < self.response.next {
            self.begin_response();
        }
        let part = part.text(pointer)?;
        let text = part.as_ref().map(|part| part.text.clone());
        self.response.begin(index, part);
        Ok(text)
    }

    /// Adds to a part with text. Returns the text that is new.
    fn grow_part(&mut self, index: u64, delta: Delta, pointer: &str) -> Option<String> {
        let part = self.response.parts.get_mut(&index)?;
        if !delta.citations_delta.is_empty() {
            (part.citations, part.pointer) = (delta.citations_delta, format!("{pointer}/citations_delta"));
        }
        let text =
            delta.content_delta.filter(|_| delta.part_delta_kind.as_deref().is_none_or(|kind| kind == "text"))?;
        part.text.push_str(&text);
        Some(text)
    }

    /// Ends a part, whose event repeats all of it. Returns the text that is new.
    fn end_part(&mut self, index: u64, part: Part, pointer: &str) -> Result<Option<String>, IngestError> {
        let Some(mut ended) = part.text(pointer)? else { return Ok(None) };
        let known = self.response.parts.entry(index).or_default();
        let rest = ended.text.strip_prefix(known.text.as_str()).map(str::to_owned);
        // Citations may come before the end, and the end may lack them.
        if ended.citations.is_empty() {
            (ended.citations, ended.pointer) =
                (std::mem::take(&mut known.citations), std::mem::take(&mut known.pointer));
        }
        *known = ended;
        Ok(rest)
    }
}

impl ReadEvents for Run {
    fn grammar(&self) -> MarkerGrammar {
        MarkerGrammar::ANNOTATED
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let mut wire: WireEvent = json::read(json)?;
        let place = event.pointer();
        let (index, part, delta) = (wire.index, wire.part.take(), wire.delta.take());
        let text = match (wire.event_kind.as_deref(), part, delta) {
            (Some("part_start"), Some(part), _) => self.begin_part(index, part, &format!("{place}/part"))?,
            (Some("part_delta"), _, Some(delta)) => self.grow_part(index, delta, &format!("{place}/delta")),
            (Some("part_end"), Some(part), _) => self.end_part(index, part, &format!("{place}/part"))?,
            (None, ..) if wire.kind.as_deref() == Some("response") => {
                self.take_message(wire, &place, notes)?;
                // Its text is not shown before the end, because a newer response may follow.
                said.push(StreamEvent::Done);
                None
            }
            _ => None,
        };
        // Citations come behind their text, and a newer response takes the place of the one before.
        let is_cited = || self.response.parts.get(&index).is_some_and(|part| !part.citations.is_empty());
        if !self.late && (self.before.is_some() || is_cited()) {
            self.late = true;
            said.push(StreamEvent::Late);
        }
        said.extend(text.filter(|text| !text.is_empty()).map(StreamEvent::Text));
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        let Self { response, before, .. } = *self;
        let response = match before {
            Some(before) if !response.has_text() => before,
            _ => response,
        };
        let mut annotated = Annotated::default();
        answer.text.clear();
        for TextPart { text, citations, pointer } in response.parts.into_values() {
            let part = annotated.begin_part();
            annotated.grow(text.len());
            answer.text.push_str(&text);
            cite(citations, &mut annotated, part, &pointer, &mut answer.warnings);
        }
        annotated.finish(answer);
        // The events have no end sign, so an answer that ends without an error is complete (rule N-12).
        answer.complete = answer.error.is_none() && !response.is_open;
        if answer.citations.is_empty() {
            answer.attested = (0..answer.sources.len()).map(SourceIndex).collect();
        }
    }
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "JSON that is made for a call reads better without borrowing")]
mod tests {
    use serde_json::json;

    use super::super::annotated::cited;
    use super::super::ingest;
    use super::*;

    fn answer(body: Value) -> Answer {
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    fn page(url: &str, excerpts: Value) -> Value {
        json!({"url": url, "title": "Leave", "excerpts": excerpts, "kind": "web"})
    }

    fn citations() -> Value {
        let document = json!({"document_id": "file-1", "title": "a.pdf", "excerpts": [], "kind": "document"});
        let two = json!(["Two.", "One."]);
        json!([
            {"sources": [page("https://x.example/a", json!(["One."]))], "anchor": {"start": 0, "end": 5, "kind": "content"}},
            {"sources": [page("https://x.example/a", two), document], "anchor": {"start": 11, "end": 14, "kind": "marker"}},
            {"sources": [document], "anchor": null},
            null,
        ])
    }

    fn text(content: &str, citations: Value) -> Value {
        json!({"content": content, "id": null, "citations": citations, "part_kind": "text"})
    }

    fn response(parts: Value) -> Value {
        json!({"parts": parts, "usage": {"input_tokens": 3}, "kind": "response", "finish_reason": null, "state": "complete"})
    }

    const TEXT: &str = "Süß 🍵. 三十天 [1].";

    #[test]
    fn a_citation_has_a_place_in_code_points_or_belongs_to_its_part() {
        let thinking = json!({"content": "hm [1]", "part_kind": "thinking"});
        let tool = json!({"content": {"a": 1}, "part_kind": "tool-return"});
        let answer = answer(response(json!([thinking, tool, text("So. ", json!(null)), text(TEXT, citations())])));
        assert_eq!((answer.text.as_str(), answer.complete), ("So. Süß 🍵. 三十天 [1].", true));
        assert_eq!(cited(&answer), [(TEXT, vec![1]), ("Süß 🍵", vec![0]), ("[1]", vec![0, 1])]);
        assert_eq!(answer.sources[0].content.as_deref(), Some("One.\n\nTwo."));
        assert_eq!(answer.sources[0].pointer, "/parts/3/citations/0/sources/0");
        assert_eq!((answer.sources[1].id.as_deref(), answer.sources.len()), (Some("file-1"), 2));
    }

    #[test]
    fn the_newest_response_with_a_text_is_the_answer() {
        let request = json!({"parts": [{"content": "q", "part_kind": "user-prompt"}], "kind": "request"});
        let first = response(json!([text("Let me look.", json!(null)), {"tool_name": "t", "part_kind": "tool-call"}]));
        let last = response(json!([text(TEXT, citations())]));
        let calls = response(json!([{"tool_name": "t", "args": {}, "part_kind": "tool-call"}]));
        let whole = answer(last.clone());
        for history in [json!([request, first, last]), json!([first, last, request]), json!([last, calls])] {
            let mut found = answer(history.clone());
            let at = history.as_array().expect("a list").iter().position(|message| *message == last).expect("there");
            assert_eq!(found.sources[0].pointer, format!("/{at}{}", whole.sources[0].pointer));
            for (source, whole) in found.sources.iter_mut().zip(&whole.sources) {
                source.pointer.clone_from(&whole.pointer);
            }
            found.token_counts = whole.token_counts;
            found.warnings.clone_from(&whole.warnings);
            assert_eq!(found, whole);
        }
        let open =
            answer(json!([request, {"parts": [text("x", json!(null))], "kind": "response", "state": "interrupted"}]));
        assert!(!open.complete);
    }

    #[test]
    fn the_events_of_a_run_are_its_last_response() {
        let event =
            |index: u64, kind: &str, name: &str, value: Value| json!({"index": index, "event_kind": kind, name: value});
        let delta = |content: &str, citations: Value| json!({"content_delta": content, "citations_delta": citations, "part_delta_kind": "text"});
        let (begin, end) = TEXT.split_at("Süß 🍵".len());
        let events = json!([
            event(0, "part_start", "part", text("Let me look.", json!(null))),
            {"tool_name": null, "event_kind": "final_result"},
            event(0, "part_end", "part", text("Let me look.", json!(null))),
            event(1, "part_start", "part", json!({"tool_name": "t", "args": "", "part_kind": "tool-call"})),
            event(1, "part_delta", "delta", json!({"args_delta": "{}", "part_delta_kind": "tool_call"})),
            {"part": {"tool_name": "t", "content": "ok", "part_kind": "tool-return"}, "event_kind": "function_tool_result"},
            event(0, "part_start", "part", json!({"content": "hm", "part_kind": "thinking"})),
            event(0, "part_delta", "delta", json!({"content_delta": "hm", "part_delta_kind": "thinking"})),
            event(1, "part_start", "part", text(begin, json!(null))),
            event(1, "part_delta", "delta", delta(end, json!(null))),
            event(1, "part_delta", "delta", delta("", citations())),
            event(1, "part_end", "part", text(TEXT, citations())),
        ]);
        let thinking = json!({"content": "hmhm", "part_kind": "thinking"});
        let whole = answer(response(json!([thinking, text(TEXT, citations())])));
        for without in [None, Some(10), Some(11)] {
            let mut events = events.as_array().expect("a list").clone();
            without.map(|at| events.remove(at));
            let mut streamed = answer(json!(events));
            for (source, whole) in streamed.sources.iter_mut().zip(&whole.sources) {
                source.pointer.clone_from(&whole.pointer);
            }
            streamed.warnings.clone_from(&whole.warnings);
            assert_eq!((&streamed, streamed.text.as_str()), (&whole, TEXT));
        }
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let refused = |body: Value| ingest(body.to_string().as_bytes(), None).expect_err("unusable").to_string();
        assert_eq!(
            refused(response(json!([{"content": 5, "part_kind": "text"}]))),
            "/parts/0/content: a string is required"
        );
        let body = json!([{"event_kind": "part_delta", "delta": {"content_delta": []}}]);
        assert_eq!(refused(body), "event 1 at line 1: /delta/content_delta: invalid type: sequence, expected a string");
    }
}
