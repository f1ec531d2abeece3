//! Messages of threads, from OpenAI Assistants and Azure AI agents: text parts with markers such as `【4:0†source】`, and
//! annotations that resolve them.

use std::cmp::Ordering;

use chrono::DateTime;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

use super::IngestError;
use super::annotated_parts::{AnnotatedParts, Part};
use super::format::{Members, is_text};
use super::json::{self, list, text_or_number};
use super::openai_annotation::annotations;
use crate::answer::{Answer, MarkerGrammar};
use crate::report::{Entry, Kind};

/// The members of a whole message, and of a list of messages.
pub(super) const THREAD_MEMBERS: &[&str] = &[
    "assistant_id",
    "attachments",
    "completed_at",
    "content",
    "created_at",
    "data",
    "first_id",
    "has_more",
    "id",
    "incomplete_at",
    "incomplete_details",
    "last_id",
    "metadata",
    "object",
    "role",
    "run_id",
    "status",
    "thread_id",
];

/// A message.
#[derive(Default, Deserialize)]
pub(super) struct WireThreadMessage<'a> {
    pub(super) status: Option<String>,
    pub(super) role: Option<String>,
    #[serde(default, deserialize_with = "text_or_number")]
    run_id: Option<String>,
    /// Seconds since 1970, or an RFC 3339 date from Azure's SDK.
    created_at: Option<Value>,
    #[serde(borrow, default, deserialize_with = "list")]
    pub(super) content: Vec<&'a RawValue>,
}

/// A part of a message or of a delta. `kind` tells whether `text` is read, so the other members stay raw.
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

/// Reads entry `at` of a message's `content` and returns it with its `index`; `None` when it is no text. `pointer` is the JSON
/// pointer of the message.
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

/// A list of messages.
#[derive(Deserialize)]
struct WireThreadList<'a> {
    #[serde(borrow)]
    data: Option<&'a RawValue>,
    content: Option<IgnoredAny>,
}

impl WireThreadMessage<'_> {
    /// Whether the user wrote it.
    pub(super) fn is_asked(&self) -> bool {
        self.role.as_deref() == Some("user")
    }

    /// Time of creation, in seconds since 1970.
    fn time(&self) -> Option<f64> {
        match self.created_at.as_ref()? {
            Value::Number(seconds) => seconds.as_f64(),
            Value::String(date) => Some(DateTime::parse_from_rfc3339(date).ok()?.timestamp() as f64),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// The text parts. `pointer` is the JSON pointer of the message.
    pub(super) fn into_parts(self, pointer: &str) -> Result<Vec<Part>, IngestError> {
        let parts = self.content.into_iter().enumerate().map(|(at, raw)| read_part(raw, pointer, at));
        parts.filter_map(Result::transpose).map(|part| part.map(|(_, part)| part)).collect()
    }
}

/// Joins the parts of several messages to one text in which each message is a paragraph. Messages without text are left out.
///
/// The separator is appended to the last part of a message, because annotations count from the beginning of their part.
pub(super) fn as_paragraphs(messages: impl IntoIterator<Item = Vec<Part>>) -> Vec<Part> {
    let mut joined: Vec<Part> = Vec::new();
    for parts in messages.into_iter().filter(|parts| parts.iter().any(|part| !part.text.is_empty())) {
        if let Some(last) = joined.last_mut() {
            last.text.push_str(PARAGRAPH);
        }
        joined.extend(parts);
    }
    joined
}

/// The separator between paragraphs.
pub(super) const PARAGRAPH: &str = "\n\n";

/// Writes text, sources and citations of these parts into the answer.
pub(super) fn conclude(parts: Vec<Part>, answer: &mut Answer) {
    AnnotatedParts { parts, ..AnnotatedParts::default() }.finish(answer);
}

/// Reads one message, or the answer in a list of messages.
pub(super) fn parse(body: &str) -> Result<Answer, IngestError> {
    let WireThreadList { data, content } = json::read(body)?;
    match data.filter(|data| content.is_none() && data.get().starts_with('[')) {
        Some(data) => parse_list(&json::raw_member::<Vec<&RawValue>>(data, || "/data".to_owned())?),
        None => {
            let message: WireThreadMessage<'_> = json::read(body)?;
            if message.is_asked() {
                return Err(IngestError::member("/role", "\"user\"; a message of the assistant is required"));
            }
            answer_of(vec![(String::new(), message)])
        }
    }
}

/// Builds the answer from the messages of one run, oldest first, each with its JSON pointer.
fn answer_of(messages: Vec<(String, WireThreadMessage<'_>)>) -> Result<Answer, IngestError> {
    let mut answer = Answer { grammar: MarkerGrammar::ANNOTATED, complete: true, ..Answer::default() };
    let mut texts = Vec::new();
    let last = messages.last().map(|(pointer, _)| format!("{pointer}/content")).unwrap_or_default();
    for (pointer, message) in messages {
        if let Some(status) = message.status.as_deref().filter(|status| *status != "completed") {
            answer.complete = false;
            let note = format!("the message has the status {status:?}, so the answer may lack its end");
            answer.warnings.push(Entry::in_input(Kind::Note, "finish-reason", format!("{pointer}/status"), note));
        }
        texts.push(message.into_parts(&pointer)?);
    }
    if texts.iter().all(Vec::is_empty) {
        return Err(IngestError::member(last, "holds no text; the text of the answer is required"));
    }
    conclude(as_paragraphs(texts), &mut answer);
    Ok(answer)
}

/// Reads a list of messages. The answer is the newest message of the assistant, together with the other messages of its run.
fn parse_list(data: &[&RawValue]) -> Result<Answer, IngestError> {
    if data.is_empty() {
        return Err(IngestError::member("/data", "empty; a message of the assistant is required"));
    }
    let mut messages = Vec::with_capacity(data.len());
    for (at, raw) in data.iter().enumerate() {
        let pointer = format!("/data/{at}");
        let message: WireThreadMessage<'_> = json::raw_member(raw, || pointer.clone())?;
        messages.push((pointer, message));
    }
    sort_by_time(&mut messages);
    let Some(newest) = messages.iter().rposition(|(_, message)| !message.is_asked()) else {
        return Err(IngestError::member("/data", "holds messages of the user only; one of the assistant is required"));
    };
    let asked = messages.get(newest + 1).map(|(pointer, _)| pointer.clone());
    let run = messages[newest].1.run_id.clone();
    let of_run = messages.into_iter().enumerate().filter(|(at, (_, message))| {
        *at == newest || !message.is_asked() && message.run_id.is_some() && message.run_id == run
    });
    let mut answer = answer_of(of_run.map(|(_, message)| message).collect())?;
    if let Some(pointer) = asked {
        let message = "this message of the user is newer than the answer, which may be that to an older one";
        answer.warnings.push(Entry::in_input(Kind::Note, "unanswered", pointer, message));
    }
    Ok(answer)
}

/// Sorts messages oldest first. The list is taken as newest first, unless the times of its first and last message say
/// otherwise.
fn sort_by_time(messages: &mut [(String, WireThreadMessage<'_>)]) {
    let times: Option<Vec<f64>> = messages.iter().map(|(_, message)| message.time()).collect();
    let is_oldest_first = times.is_some_and(|times| times.first() < times.last());
    if !is_oldest_first {
        messages.reverse();
    }
    // The sort is stable: messages of the same second keep their order.
    if messages.iter().all(|(_, message)| message.time().is_some()) {
        messages.sort_by(|(_, one), (_, other)| one.time().partial_cmp(&other.time()).unwrap_or(Ordering::Equal));
    }
}

/// Whether a body is a message of a thread, or a list of messages.
pub(super) fn is_message(members: &Members) -> bool {
    let of_messages =
        |data: &Vec<Value>| data.is_empty() || data.iter().any(|entry| entry["object"] == "thread.message");
    is_text(members, "object", "list") && members.get("data").and_then(Value::as_array).is_some_and(of_messages)
        || is_text(members, "object", "thread.message") && members.contains_key("content")
}

/// Whether an event is about a thread.
pub(super) fn is_about_thread(members: &Members) -> bool {
    let object = members.get("object").and_then(Value::as_str).unwrap_or_default();
    object == "thread" || object.starts_with("thread.")
}

/// Whether a message, a delta, or a list of messages cites a web page. Only Azure AI agents do.
pub(super) fn cites_pages(members: &Members) -> bool {
    let contents = [members.get("content"), members.get("delta").map(|delta| &delta["content"])];
    let listed = members.get("data").and_then(Value::as_array).into_iter().flatten().map(|message| &message["content"]);
    let parts = contents.into_iter().flatten().chain(listed).filter_map(Value::as_array).flatten();
    parts
        .filter_map(|part| part["text"]["annotations"].as_array())
        .flatten()
        .any(|annotation| annotation["type"] == "url_citation")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Provider, ingest};
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
    fn without_a_place_the_source_is_known_and_its_marker_finds_it() {
        let file = json!({"type": "file_citation", "text": "【4:0†source】", "file_citation": {"file_id": "f"}});
        let answer = read(&message("a【4:0†source】.", &json!([file, {"type": "file_path", "text": "x"}])));
        assert_eq!((answer.citations.len(), answer.sources.len()), (0, 1));
        assert_eq!(answer.sources[0].marker.as_deref(), Some("【4:0†source】"));
    }

    #[test]
    fn a_file_cited_twice_is_one_source() {
        let file = |start: usize| {
            json!({"type": "file_citation", "text": "【4:0†s】", "start_index": start, "end_index": start + 7,
                "file_citation": {"file_id": "f"}})
        };
        let answer = read(&message("a【4:0†s】b【4:0†s】", &json!([file(1), file(9)])));
        assert_eq!((answer.sources.len(), answer.citations.len()), (1, 2));
    }

    fn listed(role: &str, time: &Value, run: Option<&str>, text: &str) -> Value {
        json!({"object": "thread.message", "role": role, "created_at": time, "run_id": run,
            "content": [{"type": "text", "text": {"value": text, "annotations": []}}]})
    }

    fn list(data: &[Value]) -> Value {
        json!({"object": "list", "data": data, "first_id": "b", "last_id": "a", "has_more": true})
    }

    fn refused(body: &Value, from: Option<Provider>) -> String {
        ingest(body.to_string().as_bytes(), from).expect_err("no answer").to_string()
    }

    /// The API returns the answer of a run only as a list of messages; lists were once refused.
    #[test]
    fn the_newest_message_of_the_assistant_is_the_answer_in_a_list() {
        let none = json!(null);
        let ask = |time: &Value| listed("user", time, None, "How long?");
        let newest_first = list(&[
            listed("assistant", &none, None, "30 days."),
            ask(&none),
            listed("assistant", &none, None, "Hello."),
        ]);
        let oldest_first = list(&[
            listed("assistant", &json!(1), None, "Hello."),
            ask(&json!(2)),
            listed("assistant", &json!(3), None, "30 days."),
        ]);
        let dates = list(&[
            ask(&json!("2026-01-05T09:12:00Z")),
            listed("assistant", &json!("2026-01-05T10:12:05+01:00"), None, "Old."),
            listed("assistant", &json!("2026-01-05T09:12:06Z"), None, "30 days."),
        ]);
        for body in [newest_first, oldest_first, dates] {
            for from in [None, Some(Provider::OpenAiAssistants), Some(Provider::AzureAgents)] {
                let answer = ingest(body.to_string().as_bytes(), from).expect("an answer");
                assert_eq!((answer.text.as_str(), answer.complete), ("30 days.", true), "{body}");
                assert_eq!(answer.warnings, []);
            }
        }
    }

    #[test]
    fn the_messages_of_one_run_are_paragraphs_in_the_order_of_time() {
        let page = json!({"type": "url_citation", "text": "【3:0†source】", "start_index": 7, "end_index": 19,
            "url_citation": {"url": "https://a.example/x", "title": "Leave"}});
        let mut last = listed("assistant", &json!(5), Some("r2"), "30 days【3:0†source】.");
        last["content"][0]["text"]["annotations"] = json!([page]);
        let body = list(&[
            last,
            listed("assistant", &json!(4), Some("r2"), "I look it up."),
            listed("user", &json!(3), None, "How long?"),
            listed("assistant", &json!(2), Some("r1"), "Hello."),
        ]);
        let answer = read(&body);
        assert_eq!(
            (answer.provider, answer.text.as_str()),
            (Some("azure-agents"), "I look it up.\n\n30 days【3:0†source】.")
        );
        assert_eq!(&answer.text[answer.citations[0].span.range()], "【3:0†source】");
        assert_eq!(answer.sources[0].pointer, "/data/0/content/0/text/annotations/0");
    }

    #[test]
    fn a_question_is_no_answer() {
        let ask = listed("user", &json!(2), None, "How long?");
        assert_eq!(refused(&ask, None), "/role: \"user\"; a message of the assistant is required");
        let asked = "/data: holds messages of the user only; one of the assistant is required";
        assert_eq!(refused(&list(std::slice::from_ref(&ask)), None), asked);
        for from in [None, Some(Provider::AzureAgents)] {
            assert_eq!(refused(&list(&[]), from), "/data: empty; a message of the assistant is required");
        }
        let answer = read(&list(&[ask, listed("assistant", &json!(1), None, "Hello.")]));
        let notes: Vec<_> = answer.warnings.iter().map(|entry| entry.code).collect();
        assert_eq!((answer.text.as_str(), &notes[..]), ("Hello.", &["unanswered"][..]));
    }

    #[test]
    fn a_list_whose_run_has_not_ended_is_incomplete() {
        let mut message = listed("assistant", &json!(1), None, "30");
        message["status"] = json!("in_progress");
        let answer = read(&list(&[message.clone()]));
        assert_eq!((answer.complete, answer.warnings[0].code), (false, "finish-reason"));
        message["content"] = json!([]);
        assert_eq!(
            refused(&list(&[message]), None),
            "/data/0/content: holds no text; the text of the answer is required"
        );
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
