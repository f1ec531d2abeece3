//! Messages of threads, as OpenAI Assistants and Azure AI agents write them: text parts with markers `【4:0†source】` that
//! annotations explain.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::IngestError;
use super::annotated_parts::{AnnotatedParts, Part};
use super::format::Members;
use super::json::{self, list};
use super::openai_annotation::annotations;
use crate::answer::{Answer, MarkerGrammar};
use crate::report::{Entry, Kind};

/// A message.
#[derive(Default, Deserialize)]
pub(super) struct WireThreadMessage<'a> {
    pub(super) status: Option<String>,
    pub(super) role: Option<String>,
    #[serde(borrow, default, deserialize_with = "list")]
    pub(super) content: Vec<&'a RawValue>,
}

/// A part of a message, whole or a piece of it. Only its kind tells what the other members are.
#[derive(Deserialize)]
struct WireThreadPart<'a> {
    #[serde(rename = "type")]
    kind: Option<Value>,
    #[serde(borrow)]
    index: Option<&'a RawValue>,
    #[serde(borrow)]
    text: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct WireThreadText {
    value: Option<String>,
    #[serde(default, deserialize_with = "list")]
    annotations: Vec<Value>,
}

/// Reads the part of a message that stands at a place of `/content` below `pointer`, with its index; `None` for one that is
/// no text (rule N-16).
pub(super) fn read_part(raw: &RawValue, pointer: &str, at: usize) -> Result<Option<(u64, Part)>, IngestError> {
    let place = || format!("{pointer}/content/{at}");
    let WireThreadPart { kind, index, text } = json::raw_member(raw, place)?;
    if kind.as_ref().and_then(Value::as_str).is_some_and(|kind| kind != "text") {
        return Ok(None);
    }
    let index: Option<u64> = index.map(|index| json::raw_member(index, || place() + "/index")).transpose()?;
    let text: Option<WireThreadText> = text.map(|text| json::raw_member(text, || place() + "/text")).transpose()?;
    let WireThreadText { value, annotations: noted } = text.unwrap_or_default();
    let annotations = if noted.is_empty() { Vec::new() } else { annotations(noted, &(place() + "/text/annotations"))? };
    Ok(Some((index.unwrap_or_default(), Part { text: value.unwrap_or_default(), annotations })))
}

impl WireThreadMessage<'_> {
    /// The parts of the text; `pointer` leads to the message.
    pub(super) fn into_parts(self, pointer: &str) -> Result<Vec<Part>, IngestError> {
        let parts = self.content.into_iter().enumerate().map(|(at, raw)| read_part(raw, pointer, at));
        parts.filter_map(Result::transpose).map(|part| part.map(|(_, part)| part)).collect()
    }
}

/// Gives the answer what these parts say.
pub(super) fn conclude(parts: Vec<Part>, answer: &mut Answer) {
    AnnotatedParts { parts, ..AnnotatedParts::default() }.finish(answer);
}

/// Reads a whole message.
pub(super) fn parse(body: &str) -> Result<Answer, IngestError> {
    let message: WireThreadMessage<'_> = json::read(body)?;
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ingest;
    use super::*;

    fn message(text: &str, annotations: &Value) -> Value {
        json!({"object": "thread.message", "content": [
            {"type": "image_file", "text": 5}, {"type": "text", "text": {"value": text, "annotations": annotations}}]})
    }

    fn read(message: &Value) -> Answer {
        ingest(message.to_string().as_bytes(), None).expect("an answer")
    }

    fn cited(answer: &Answer) -> Vec<(usize, usize)> {
        answer.citations.iter().map(|citation| (citation.span.start(), citation.sources[0].0)).collect()
    }

    #[test]
    fn the_same_marker_may_have_two_targets_since_places_count() {
        let page = |start: usize, url: &str| {
            json!({"type": "url_citation", "text": "【3:0†source】", "start_index": start, "end_index": start + 12,
                "url_citation": {"url": url}})
        };
        let text = "a【3:0†source】 b【3:0†source】";
        let answer = read(&message(text, &json!([page(1, "https://x"), page(15, "https://y")])));
        assert_eq!(cited(&answer), [(1, 0), (text.rfind('【').expect("a marker"), 1)]);
    }

    #[test]
    fn a_shifted_place_gives_way_to_the_marker_that_is_repeated() {
        let file = json!({"type": "file_citation", "text": "【4:0†a.pdf】", "start_index": 3, "end_index": 14,
            "file_citation": {"file_id": "f", "quote": "q"}});
        let answer = read(&message("ab【4:0†a.pdf】.", &json!([file])));
        assert_eq!(&answer.text[answer.citations[0].span.range()], "【4:0†a.pdf】");
        let source = &answer.sources[0];
        assert_eq!((source.file_name().as_deref(), source.content.as_deref()), (Some("a.pdf"), Some("q")));
    }

    #[test]
    fn n06_without_a_place_the_source_is_known_and_its_marker_finds_it() {
        let file = json!({"type": "file_citation", "text": "【4:0†source】", "file_citation": {"file_id": "f"}});
        let answer = read(&message("a【4:0†source】.", &json!([file, {"type": "file_path", "text": "x"}])));
        assert_eq!((answer.citations.len(), answer.sources.len()), (0, 1));
        assert_eq!(answer.sources[0].marker.as_deref(), Some("【4:0†source】"));
    }

    #[test]
    fn n03_a_file_cited_twice_is_one_source() {
        let file = |start: usize| {
            json!({"type": "file_citation", "text": "【4:0†s】", "start_index": start, "end_index": start + 7,
                "file_citation": {"file_id": "f"}})
        };
        let answer = read(&message("a【4:0†s】b【4:0†s】", &json!([file(1), file(9)])));
        assert_eq!((answer.sources.len(), answer.citations.len()), (1, 2));
    }

    #[test]
    fn null_is_absent_and_a_wrong_type_is_named_by_its_place() {
        let null = json!({"object": "thread.message", "status": null, "content": [{"type": "text", "text": {"value": "a", "annotations": null}}]});
        assert!(read(&null).complete);
        let wrong = message("a", &json!([{"type": "file_citation", "file_citation": {"quote": 1}}])).to_string();
        let error = ingest(wrong.as_bytes(), None).expect_err("a number is no quote");
        assert_eq!(error.pointer(), Some("/content/1/text/annotations/0/file_citation/quote"));
        let error = ingest(br#"{"object": "thread.message", "content": null}"#, None).expect_err("no text");
        assert_eq!(error.pointer(), Some("/content"));
    }
}
