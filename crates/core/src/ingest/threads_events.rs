//! [The run of a thread as a stream](https://platform.openai.com/docs/api-reference/assistants-streaming/events):
//! deltas of messages, then each complete message, then the end of the run.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::annotated_parts::Part;
use super::event::{Event, ReadEvents, StreamEvent};
use super::json::{self, list};
use super::threads::{PARAGRAPH, WireThreadMessage, as_paragraphs, conclude, read_part};
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, ProviderError};
use crate::report::{Entry, Kind};

#[derive(Deserialize)]
struct WireEvent<'a> {
    object: Option<String>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    status: Option<String>,
    role: Option<String>,
    /// Raw, because `object` tells its shape.
    #[serde(borrow)]
    delta: Option<&'a RawValue>,
    code: Option<Value>,
    message: Option<Value>,
    #[serde(default, deserialize_with = "json::reported")]
    error: Option<Value>,
    #[serde(default, deserialize_with = "json::reported")]
    last_error: Option<Value>,
    incomplete_details: Option<Value>,
}

#[derive(Default, Deserialize)]
struct WireDelta<'a> {
    #[serde(borrow, default, deserialize_with = "list")]
    content: Vec<&'a RawValue>,
}

/// One message of the run.
#[derive(Debug, Default)]
struct Message {
    /// Parts by `index`.
    parts: BTreeMap<u64, Part>,
    /// Whether the complete message has arrived. Later deltas are ignored then.
    whole: bool,
}

/// Reads the events of one run.
#[derive(Debug, Default)]
pub(super) struct ThreadEvents {
    /// Messages in the order in which they began.
    messages: Vec<Message>,
    /// Place of each message in `messages`, by the raw JSON of its id.
    places: BTreeMap<String, usize>,
    late: bool,
    used_tools: bool,
    /// The text that has been emitted.
    text: String,
}

impl ThreadEvents {
    fn message(&mut self, id: Option<&RawValue>) -> &mut Message {
        let id = id.map_or("", RawValue::get);
        let at = self.places.get(id).copied().unwrap_or_else(|| {
            self.places.insert(id.to_owned(), self.messages.len());
            self.messages.push(Message::default());
            self.messages.len() - 1
        });
        &mut self.messages[at]
    }

    fn become_late(&mut self, said: &mut Vec<StreamEvent>) {
        if !self.late {
            self.late = true;
            said.push(StreamEvent::Late);
        }
    }

    fn say(&mut self, text: String, said: &mut Vec<StreamEvent>) {
        // The annotation of a marker arrives with it or after it.
        if text.contains(['【', '\u{e200}']) {
            self.become_late(said);
        }
        if !text.is_empty() {
            self.text.push_str(&text);
            said.push(StreamEvent::Text(text));
        }
    }

    /// Reads the delta of a message.
    fn piece(
        &mut self,
        wire: &WireEvent<'_>,
        event: Event<'_>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let delta: Option<WireDelta<'_>> =
            wire.delta.map(|delta| json::raw_member(delta, || "/delta".to_owned())).transpose()?;
        for (at, raw) in delta.unwrap_or_default().content.into_iter().enumerate() {
            let Some((index, piece)) = read_part(raw, "/delta", at)? else { continue };
            let message = self.message(wire.id);
            if message.whole {
                continue;
            }
            let is_first = message.parts.values().all(|part| part.text.is_empty()) && !piece.text.is_empty();
            let part = message.parts.entry(index).or_default();
            part.text.push_str(&piece.text);
            if !piece.annotations.is_empty() {
                part.annotations.extend(placed(piece.annotations, event));
                self.become_late(said);
            }
            if is_first && !self.text.is_empty() {
                self.say(PARAGRAPH.to_owned(), said);
            }
            self.say(piece.text, said);
        }
        Ok(())
    }

    /// Reads a complete message, which replaces its deltas.
    fn whole(
        &mut self,
        json: &str,
        wire: &WireEvent<'_>,
        event: Event<'_>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let message: WireThreadMessage<'_> = json::read(json)?;
        // The event that begins a message has no content.
        if message.content.is_empty() || message.is_asked() {
            return Ok(());
        }
        let parts = message.into_parts("")?.into_iter();
        let parts = parts.map(|Part { text, annotations }| Part { text, annotations: placed(annotations, event) });
        *self.message(wire.id) = Message { parts: (0..).zip(parts).collect(), whole: true };
        let gathered: String = self.paragraphs().into_iter().map(|part| part.text).collect();
        if let Some(rest) = gathered.strip_prefix(&self.text).map(str::to_owned) {
            self.say(rest, said);
        }
        Ok(())
    }

    /// The parts of all messages, with each message as a paragraph.
    fn paragraphs(&self) -> Vec<Part> {
        as_paragraphs(self.messages.iter().map(|message| message.parts.values().cloned().collect()))
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.messages.iter().flat_map(|message| message.parts.values())
    }
}

/// Prefixes the JSON pointers of annotations with that of the event.
fn placed<A>(annotations: Vec<(String, A)>, event: Event<'_>) -> Vec<(String, A)> {
    let place = event.pointer();
    annotations.into_iter().map(|(pointer, annotation)| (format!("{place}{pointer}"), annotation)).collect()
}

impl ReadEvents for ThreadEvents {
    fn grammar(&self) -> MarkerGrammar {
        MarkerGrammar::ANNOTATED
    }

    fn told_provider(&self) -> Option<Provider> {
        // Only Azure AI agents cite web pages.
        let cites_pages =
            self.parts().flat_map(|part| &part.annotations).any(|(_, annotation)| annotation.cites_page());
        cites_pages.then_some(Provider::AzureAgents)
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let wire: WireEvent<'_> = json::read(json)?;
        match (wire.object.as_deref(), wire.status.as_deref()) {
            (Some("thread.message.delta"), _) => self.piece(&wire, event, said)?,
            (Some("thread.message"), _) if wire.role.as_deref() != Some("user") => {
                self.whole(json, &wire, event, said)?;
            }
            (Some("thread.run.step" | "thread.run.step.delta"), _) => {
                self.used_tools |= ["file_search", "bing_grounding", "azure_ai_search", "retrieval"]
                    .iter()
                    .any(|tool| json.contains(&format!("\"{tool}\"")));
            }
            (Some("thread.run"), Some("completed")) => said.push(StreamEvent::Done),
            (Some("thread.run"), Some(status @ ("failed" | "expired" | "cancelled"))) => {
                let error = wire.last_error.as_ref().map(json::provider_error);
                let named = || ProviderError { code: Some(status.to_owned()), ..ProviderError::default() };
                said.push(StreamEvent::Error(error.unwrap_or_else(named)));
            }
            (Some("thread.run"), Some("incomplete")) => {
                let reason = wire.incomplete_details.map(|details| details["reason"].to_string()).unwrap_or_default();
                let message = format!("the run ended incomplete ({reason}), so the answer may lack its end");
                let pointer = format!("{}/status", event.pointer());
                notes.push(Entry::in_input(Kind::Note, "finish-reason", pointer, message));
            }
            (None, _) if wire.error.is_some() || wire.code.is_some() || wire.message.is_some() => {
                let error = wire.error.map_or_else(|| json::read(json), Ok)?;
                said.push(StreamEvent::Error(json::provider_error(&error)));
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        conclude(self.paragraphs(), answer);
        answer.tools_invoked = self.used_tools.then_some(true);
        if !answer.text.starts_with(&self.text) {
            let message = "the text at the end of the stream differs from the text that was streamed; it is taken";
            answer.warnings.push(Entry::in_input(Kind::Note, "text-differs", "", message));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{AnswerStream, ingest};
    use super::*;

    fn piece(text: &str, annotations: &Value) -> Value {
        json!({"id": "m", "object": "thread.message.delta", "delta": {"content": [
            {"index": 0, "type": "text", "text": {"value": text, "annotations": annotations}}]}})
    }

    fn body(events: &[Value]) -> String {
        events.iter().map(|event| format!("event: x\ndata: {event}\n\n")).collect()
    }

    fn stream(events: &[Value]) -> Answer {
        ingest(body(events).as_bytes(), None).expect("an answer")
    }

    fn run(status: &str) -> Value {
        json!({"object": "thread.run", "status": status, "last_error": null})
    }

    fn page() -> Value {
        // A streamed `url_citation` has no `text`.
        json!([{"index": 0, "type": "url_citation", "start_index": 1, "end_index": 13, "url_citation": {"url": "https://x"}}])
    }

    #[test]
    fn an_annotation_may_come_before_or_behind_its_marker_and_the_run_ends_the_answer() {
        let null = json!(null);
        let behind = [piece("a【3:0†", &null), piece("source】", &null), piece("", &page()), run("completed")];
        let before = [piece("a", &page()), piece("【3:0†source】", &null), run("completed")];
        for events in [&behind[..], &before[..]] {
            let answer = stream(events);
            assert!(answer.complete);
            assert_eq!(&answer.text[answer.citations[0].span.range()], "【3:0†source】");
        }
        assert!(!stream(&before[..2]).complete);
    }

    #[test]
    fn the_whole_message_overrules_its_pieces() {
        let text = json!({"value": "a【3:0†source】.", "annotations": page()});
        let whole = json!({"id": "m", "object": "thread.message", "role": "assistant", "content": [{"type": "text", "text": text}]});
        let begins = json!({"id": "m", "object": "thread.message", "role": "assistant", "content": []});
        let asked = json!({"id": "q", "object": "thread.message", "role": "user", "content": [{"type": "text", "text": {"value": "?"}}]});
        let answer = stream(&[asked, begins, piece("a【3:0†source】", &page()), whole, run("completed")]);
        assert_eq!((answer.text.as_str(), answer.citations.len(), answer.sources.len()), ("a【3:0†source】.", 1, 1));
        assert_eq!(answer.sources[0].pointer, "/3/content/0/text/annotations/0");
    }

    /// The last word of one message and the first of the next were once joined.
    #[test]
    fn the_messages_of_a_run_are_paragraphs_as_in_a_list() {
        let of = |id: &str, text: &str| {
            let mut piece = piece(text, &json!(null));
            piece["id"] = json!(id);
            piece
        };
        let whole = |id: &str, text: &str| {
            json!({"id": id, "object": "thread.message", "role": "assistant",
                "content": [{"type": "text", "text": {"value": text, "annotations": []}}]})
        };
        let pieces = [of("m1", "I look"), of("m1", " it up."), of("m2", ""), of("m2", "30 days."), run("completed")];
        let both = [
            of("m1", "I look it up."),
            whole("m1", "I look it up."),
            of("m2", "30"),
            whole("m2", "30 days."),
            run("completed"),
        ];
        for events in
            [&pieces[..], &both[..], &[whole("m1", "I look it up."), whole("m2", "30 days."), run("completed")]]
        {
            let answer = stream(events);
            assert_eq!((answer.text.as_str(), answer.warnings.len()), ("I look it up.\n\n30 days.", 0));
        }
    }

    #[test]
    fn text_before_the_first_marker_is_not_late() {
        let said = AnswerStream::new(None)
            .push(body(&[piece("a ", &json!(null)), piece("b【", &json!(null))]).as_bytes())
            .expect("events");
        let text = |text: &str| StreamEvent::Text(text.to_owned());
        assert_eq!(said, [text("a "), StreamEvent::Late, text("b【")]);
    }

    #[test]
    fn an_error_keeps_the_text() {
        let failed =
            json!({"object": "thread.run", "status": "failed", "last_error": {"code": "boom", "message": "x"}});
        let flat = json!({"code": "boom", "message": "x"});
        for error in [failed, flat.clone(), json!({"error": flat})] {
            let answer = stream(&[piece("a", &json!(null)), error]);
            assert_eq!((answer.text.as_str(), answer.complete), ("a", false));
            assert_eq!(answer.error.expect("an error").to_string(), "boom: x");
        }
        let expired = stream(&[piece("a", &json!(null)), run("expired")]);
        assert_eq!(expired.error.expect("an error").to_string(), "expired");
        let cut = stream(&[piece("a", &json!(null)), run("incomplete")]);
        assert_eq!((cut.complete, cut.error, cut.warnings[0].code), (false, None, "finish-reason"));
    }

    #[test]
    fn a_step_that_searched_tells_of_a_tool() {
        let step = json!({"object": "thread.run.step", "step_details": {"tool_calls": [{"type": "file_search"}]}});
        assert_eq!(stream(&[step, piece("a", &json!(null))]).tools_invoked, Some(true));
        assert_eq!(stream(&[piece("a", &json!(null))]).tools_invoked, None);
    }
}
