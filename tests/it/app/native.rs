//! Replies of back ends as bodies in citewire's own format.

use citewire::answer::{SensitivityLabel, Source};
use citewire::answer_events::AnswerPart;
use citewire::ingest::StreamEvent;
use citewire::upstream::{Reply, ReplyParts};
use serde_json::{Map, Value, json};

/// The parts of a reply.
pub(crate) fn parts(reply: Reply) -> ReplyParts {
    let mut parts = None;
    drop(reply.events.with_parts(|given| parts = Some(given)));
    parts.expect("a reply has parts")
}

/// A part as bytes: those that it is made of, or its events in citewire's own format.
pub(crate) fn bytes(part: AnswerPart) -> Vec<u8> {
    match part {
        AnswerPart::Bytes(bytes) => bytes.to_vec(),
        AnswerPart::Events { events, .. } => {
            events.iter().map(|event| format!("data: {}\n\n", written(event))).collect::<String>().into_bytes()
        }
    }
}

fn written(event: &StreamEvent) -> Value {
    match event {
        StreamEvent::Text(text) => json!({"delta": text}),
        StreamEvent::Sources(sources) => json!({"sources": sources.iter().map(source).collect::<Vec<_>>()}),
        StreamEvent::Error(error) => json!({"error": error}),
        StreamEvent::Done => json!({"done": true}),
        StreamEvent::Cited(_)
        | StreamEvent::Late
        | StreamEvent::Label(_)
        | StreamEvent::Interpreter(_)
        | StreamEvent::Code(_)
        | StreamEvent::Note(_) => {
            panic!("no back end hands over {event:?}")
        }
    }
}

fn source(source: &Source) -> Value {
    let mut members = Map::new();
    let mut set = |name: &str, value: Option<Value>| members.extend(value.map(|value| (name.to_owned(), value)));
    let text = |text: &Option<String>| text.as_ref().map(|text| json!(text));
    set("id", text(&source.id));
    set("title", text(&source.title));
    set("url", source.url.as_ref().map(|url| json!(url.as_str())));
    set("filepath", text(&source.filepath));
    set("page", source.page.map(|page| json!(page)));
    set("content", text(&source.content));
    set("media_type", text(&source.media_type));
    set("modified", text(&source.modified));
    set("author", text(&source.author));
    set("score", source.score.map(|score| json!(score)));
    set("keywords", Some(&source.keywords).filter(|words| !words.is_empty()).map(|words| json!(words)));
    set("icon", text(&source.icon));
    set("label", source.label.as_ref().map(label));
    set("metadata", Some(&source.metadata).filter(|metadata| !metadata.is_empty()).map(|metadata| json!(metadata)));
    Value::Object(members)
}

fn label(label: &SensitivityLabel) -> Value {
    let mut members = Map::new();
    let mut set = |name: &str, value: Option<Value>| members.extend(value.map(|value| (name.to_owned(), value)));
    let text = |text: &Option<String>| text.as_ref().map(|text| json!(text));
    set("id", text(&label.id));
    set("name", text(&label.name));
    set("description", text(&label.description));
    set("priority", Some(json!(label.priority)));
    set("encrypted", Some(json!(label.encrypted)));
    set("color", label.colour.as_ref().map(|colour| json!(colour.to_string())));
    Value::Object(members)
}
