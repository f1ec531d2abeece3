//! Messages of threads, as OpenAI Assistants and Azure AI agents write them: text parts with markers `【4:0†source】` that
//! annotations explain.

use serde::Deserialize;
use serde_json::Value;

use super::IngestError;
use super::annotated_parts::{AnnotatedParts, Part};
use super::format::Members;
use super::json::{self, list};
use super::openai_annotation::annotations;
use crate::answer::{Answer, MarkerGrammar};
use crate::report::{Entry, Kind};

/// A message.
#[derive(Default, Deserialize)]
pub(super) struct WireThreadMessage {
    pub(super) status: Option<String>,
    pub(super) role: Option<String>,
    #[serde(default, deserialize_with = "list")]
    pub(super) content: Vec<Value>,
}

/// A part of a message, whole or a piece of it.
#[derive(Default, Deserialize)]
pub(super) struct WireThreadPart {
    pub(super) index: Option<u64>,
    text: Option<WireThreadText>,
}

#[derive(Default, Deserialize)]
struct WireThreadText {
    value: Option<String>,
    #[serde(default, deserialize_with = "list")]
    annotations: Vec<Value>,
}

impl WireThreadPart {
    /// Reads a part; `None` for one that is no text (rule N-16).
    pub(super) fn read(part: Value, pointer: &str) -> Result<Option<(Option<u64>, Part)>, IngestError> {
        if !part["type"].as_str().is_none_or(|kind| kind == "text") {
            return Ok(None);
        }
        let Self { index, text } = json::member(part, pointer)?;
        let WireThreadText { value, annotations: noted } = text.unwrap_or_default();
        let annotations = annotations(noted, &format!("{pointer}/text/annotations"))?;
        Ok(Some((index, Part { text: value.unwrap_or_default(), annotations })))
    }
}

impl WireThreadMessage {
    /// The parts of the text; `pointer` leads to the message.
    pub(super) fn into_parts(self, pointer: &str) -> Result<Vec<Part>, IngestError> {
        let parts = self.content.into_iter().enumerate();
        let parts = parts.map(|(at, part)| WireThreadPart::read(part, &format!("{pointer}/content/{at}")));
        parts.filter_map(Result::transpose).map(|part| part.map(|(_, part)| part)).collect()
    }
}

/// Gives the answer what these parts say.
pub(super) fn conclude(parts: Vec<Part>, answer: &mut Answer) {
    AnnotatedParts { parts, ..AnnotatedParts::default() }.finish(answer);
}

/// Reads a whole message.
pub(super) fn parse(body: &str) -> Result<Answer, IngestError> {
    let message: WireThreadMessage = json::read(body)?;
    let mut answer = Answer { grammar: MarkerGrammar::ANNOTATED, ..Answer::default() };
    let status = message.status.clone();
    let parts = message.into_parts("")?;
    if parts.is_empty() {
        return Err(IngestError::member("/content", "holds no text; the text of the answer is wanted"));
    }
    answer.complete = status.as_deref().is_none_or(|status| status == "completed");
    if !answer.complete {
        let message =
            format!("the message has the status {:?}, so the answer may lack its end", status.unwrap_or_default());
        answer.oddities.push(Entry::in_input(Kind::Note, "finish-reason", "/status", message));
    }
    conclude(parts, &mut answer);
    Ok(answer)
}

/// Whether the members are a whole message of a thread.
pub(super) fn is_message(members: &Members) -> bool {
    members.get("object").and_then(Value::as_str) == Some("thread.message")
}

/// Whether the members are an event about a thread.
pub(super) fn is_about_thread(members: &Members) -> bool {
    let object = members.get("object").and_then(Value::as_str).unwrap_or_default();
    object == "thread" || object.starts_with("thread.")
}

/// Whether a message, or a piece of one, cites a page: only Azure's agents do.
pub(super) fn cites_pages(members: &Members) -> bool {
    let contents = [members.get("content"), members.get("delta").map(|delta| &delta["content"])];
    let parts = contents.into_iter().flatten().filter_map(Value::as_array).flatten();
    parts
        .filter_map(|part| part["text"]["annotations"].as_array())
        .flatten()
        .any(|annotation| annotation["type"] == "url_citation")
}
