//! [Vercel AI SDK](https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol): UI messages, whole or in a list, of which the newest
//! answers, and their streams; on the side of the server, the result of `generateText` and the stream of `streamText`.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::event::{Event, ReadEvents, StreamEvent};
use super::finish_reason::odd_reason;
use super::format::{Format, Members};
use super::json::{self, Content, entries, filled, text_or_number};
use super::vercel_message::{Message, WireCitation, WireSource};
use super::{IngestError, Provider, llamaindex};
use crate::answer::{Answer, MarkerGrammar, ProviderError, Source};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::VercelAiSdk,
    sign: "`parts`",
    members: &[&[
        "_output",
        "content",
        "finishReason",
        "id",
        "initialResponseMessages",
        "messages",
        "metadata",
        "parts",
        "role",
        "steps",
        "totalUsage",
        "trigger",
    ]],
    is_whole,
    is_event,
    parse,
    reader: || Box::new(UiMessages::default()),
};

fn is_whole(members: &Members) -> bool {
    let all = |name: &str, fits: fn(&Value) -> bool| {
        members.get(name).and_then(Value::as_array).is_some_and(|list| !list.is_empty() && list.iter().all(fits))
    };
    // States of other frameworks may have lists of these names beside their own members.
    let is_alone = |name: &str| members.len() == 1 && members.contains_key(name);
    let has = |names: &[&str]| names.iter().any(|name| members.contains_key(*name));
    let is_step = |step: &Value| step["content"].is_array() && step["finishReason"].is_string();
    has_parts(members) && (is_alone("parts") || has(&["role", "id"]))
        || all("messages", |message| message.as_object().is_some_and(is_message))
        || all("steps", is_step) && (is_alone("steps") || has(&["_output", "totalUsage", "finishReason"]))
        || members.get("content").is_some_and(Value::is_array)
            && members.get("finishReason").is_some_and(Value::is_string)
}

/// Whether there is a list of parts. Other formats also have one, with other tags.
fn has_parts(members: &Members) -> bool {
    let is_other = |part: &Value| part.get("part_kind").is_some();
    members.get("parts").and_then(Value::as_array).is_some_and(|parts| !parts.iter().any(is_other))
}

fn is_message(members: &Members) -> bool {
    has_parts(members) && members.get("role").is_some_and(Value::is_string)
}

fn is_event(members: &Members) -> bool {
    let kind = members.get("type").and_then(Value::as_str).unwrap_or_default();
    let known =
        ["start", "start-step", "text-start", "text-delta", "text-end", "finish-step", "reset-step", "finish", "abort"];
    let prefixes = ["reasoning-", "source-", "tool-input-", "tool-output-"];
    known.contains(&kind)
        || prefixes.iter().any(|prefix| kind.starts_with(prefix))
        || kind == "source" && members.contains_key("sourceType")
        || kind == NODES && members.get("data").is_some_and(|data| data["nodes"].is_array())
        || kind == "error" && members.contains_key("errorText")
        || is_message(members)
}

/// A whole answer, in one of its forms.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Whole {
    /// The parts of a UI message.
    #[serde(default, deserialize_with = "entries")]
    parts: Vec<Part>,
    /// The UI messages of a chat.
    #[serde(default, deserialize_with = "entries")]
    messages: Vec<UiMessage>,
    /// The steps of a result.
    #[serde(default, deserialize_with = "entries")]
    steps: Vec<Step>,
    /// The text of one step, or of all. Old UI messages have their text in it, beside `parts`.
    content: Option<Value>,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct UiMessage {
    role: Option<String>,
    #[serde(default, deserialize_with = "entries")]
    parts: Vec<Part>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Step {
    #[serde(default, deserialize_with = "entries")]
    content: Vec<Part>,
    finish_reason: Option<String>,
}

/// A part of a message or of a step, or an event.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    #[serde(rename = "type")]
    kind: Option<String>,
    /// The text that an event belongs to; on the side of the server, also the id of a source.
    #[serde(default, deserialize_with = "text_or_number")]
    id: Option<String>,
    /// The whole text of a part, and the new text of an event on the side of the server.
    text: Option<String>,
    /// The new text of an event.
    delta: Option<String>,
    #[serde(default, deserialize_with = "entries")]
    citations: Vec<WireCitation>,
    #[serde(default, deserialize_with = "text_or_number")]
    source_id: Option<String>,
    url: Option<String>,
    title: Option<String>,
    media_type: Option<String>,
    filename: Option<String>,
    provider_metadata: Option<Map<String, Value>>,
    /// The data of an application's own part.
    data: Option<Value>,
    /// The source of a part, as old UI messages have it.
    source: Option<WireSource>,
    error_text: Option<String>,
    error: Option<Value>,
    reason: Option<String>,
    finish_reason: Option<String>,
    /// A UI message in place of an event.
    role: Option<String>,
    parts: Option<Vec<Option<Part>>>,
}

/// Reads messages and events, and keeps the newest message with a text.
#[derive(Debug, Default)]
struct UiMessages {
    message: Message,
    /// The ids of the sources that were given out.
    known: HashSet<String>,
    late: bool,
    /// Whether the message has a start, and so an end.
    has_start: bool,
    /// Whether there are nodes of LlamaIndexServer, whose streams have neither.
    is_of_llamaindex: bool,
}

/// Finish reasons that get no note.
const USUAL: [&str; 4] = ["stop", "tool-calls", "unknown", "other"];

fn parse(body: &str) -> Result<Answer, IngestError> {
    let Whole { parts, messages, steps, content, finish_reason } = json::read(body)?;
    let mut answer = Answer { complete: true, ..Answer::default() };
    let warnings = &mut answer.warnings;
    let mut read = UiMessages::default();
    let mut reason = (finish_reason, "/finishReason".to_owned());
    for (at, message) in messages.into_iter().enumerate() {
        read.take_message(message, &format!("/messages/{at}/parts"), warnings)?;
    }
    // Without its reason, a list under this name is not that of a step.
    let content = content.filter(|content| content.is_array() && reason.0.is_some());
    let content = content.map(|content| json::member::<Content<Part>>(content, "/content")).transpose()?;
    match content {
        _ if !parts.is_empty() => add_parts(&mut read.message, parts, "/parts", warnings)?,
        Some(Content::Parts(parts)) if !parts.is_empty() => add_parts(&mut read.message, parts, "/content", warnings)?,
        _ => {
            for (at, Step { content, finish_reason }) in steps.into_iter().enumerate() {
                add_parts(&mut read.message, content, &format!("/steps/{at}/content"), warnings)?;
                reason = (finish_reason, format!("/steps/{at}/finishReason"));
            }
        }
    }
    warnings.extend(odd_reason(reason.0, &USUAL, || reason.1));
    Box::new(read).finish(&mut answer);
    Ok(answer)
}

/// The part in which LlamaIndexServer sends the nodes that it retrieved.
const NODES: &str = "data-sources";

/// Reads the nodes of such a part.
fn nodes(data: Option<Value>, pointer: &str, warnings: &mut Vec<Entry>) -> Vec<Source> {
    let nodes = data.and_then(|mut data| data.get_mut("nodes").map(Value::take)).unwrap_or_default();
    let Value::Array(nodes) = nodes else { return Vec::new() };
    let read = |(at, node): (usize, Value)| {
        node.is_object().then(|| llamaindex::of_server(node, format!("{pointer}/data/nodes/{at}"), warnings))
    };
    nodes.into_iter().enumerate().filter_map(read).collect()
}

fn is_source(kind: &str) -> bool {
    matches!(kind, "source-url" | "source-document" | "source")
}

/// Adds the parts of a message. `pointer` is that of their list.
fn add_parts(
    message: &mut Message,
    parts: Vec<Part>,
    pointer: &str,
    warnings: &mut Vec<Entry>,
) -> Result<(), IngestError> {
    for (at, part) in parts.into_iter().enumerate() {
        let pointer = format!("{pointer}/{at}");
        match part.kind.as_deref().unwrap_or_default() {
            "text" => {
                message.add_text(None, &part.text.unwrap_or_default());
                message.end_text(None, part.citations, part.provider_metadata, pointer)?;
            }
            NODES => nodes(part.data, &pointer, warnings).into_iter().for_each(|node| message.add_node(node)),
            kind if is_source(kind) => message.add_source(part.source().into_source(pointer, warnings)),
            _ => {}
        }
    }
    Ok(())
}

impl Part {
    fn source(self) -> WireSource {
        let Self { id, source_id, url, title, media_type, filename, provider_metadata, source, .. } = self;
        source.unwrap_or(WireSource { id: source_id.or(id), url, title, media_type, filename, provider_metadata })
    }
}

impl UiMessages {
    /// Takes a message of a chat in place of the one before, if an assistant wrote it and it has a text.
    fn take_message(
        &mut self,
        UiMessage { role, parts }: UiMessage,
        pointer: &str,
        warnings: &mut Vec<Entry>,
    ) -> Result<bool, IngestError> {
        if role.is_some_and(|role| role != "assistant") {
            return Ok(false);
        }
        let mut message = Message::default();
        add_parts(&mut message, parts, pointer, warnings)?;
        if message.has_text() || !self.message.has_text() {
            self.message = message;
        }
        Ok(true)
    }

    /// Gives out a source, unless it was before.
    fn give_out(&mut self, source: &Source, said: &mut Vec<StreamEvent>) {
        if source.id.as_ref().is_none_or(|id| self.known.insert(id.clone())) {
            said.push(StreamEvent::Sources(vec![source.clone()]));
        }
    }

    /// Citations come behind their text, and a step may be written anew.
    fn become_late(&mut self, said: &mut Vec<StreamEvent>) {
        if !std::mem::replace(&mut self.late, true) {
            said.push(StreamEvent::Late);
        }
    }
}

impl ReadEvents for UiMessages {
    fn grammar(&self) -> MarkerGrammar {
        self.message.grammar()
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let part: Part = json::read(json)?;
        let place = event.pointer();
        match part.kind.as_deref().unwrap_or_default() {
            "start" => self.has_start = true,
            "text-start" => {
                self.message.begin_text(part.id.unwrap_or_default());
            }
            "text-delta" => {
                if let Some(text) = part.delta.or(part.text).filter(|text| !text.is_empty()) {
                    self.message.add_text(part.id, &text);
                    said.push(StreamEvent::Text(text));
                }
            }
            "text-end" => {
                if self.message.end_text(part.id, part.citations, part.provider_metadata, place)? {
                    self.become_late(said);
                }
            }
            "start-step" => self.message.begin_step(),
            "reset-step" => {
                if self.message.reset_step() {
                    self.become_late(said);
                }
            }
            NODES => {
                for node in nodes(part.data, &place, notes) {
                    self.give_out(&node, said);
                    self.message.add_node(node);
                }
                self.is_of_llamaindex = true;
            }
            kind if is_source(kind) => {
                let source = part.source().into_source(place, notes);
                self.give_out(&source, said);
                self.message.add_source(source);
            }
            "finish" => {
                notes.extend(odd_reason(part.finish_reason, &USUAL, || format!("{place}/finishReason")));
                said.push(StreamEvent::Done);
            }
            "error" => said.push(StreamEvent::Error(error(part.error_text, part.error))),
            "abort" => {
                let (kind, message) = (Some("abort".to_owned()), filled(part.reason));
                said.push(StreamEvent::Error(ProviderError { kind, message, ..ProviderError::default() }));
            }
            _ => {
                let Part { role, parts: Some(parts), .. } = part else { return Ok(()) };
                let parts = parts.into_iter().map(Option::unwrap_or_default).collect();
                if self.take_message(UiMessage { role, parts }, &format!("{place}/parts"), notes)? {
                    // Its text is not shown before the end, because a newer message may follow.
                    said.push(StreamEvent::Done);
                }
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        let has_no_end = self.is_of_llamaindex && !self.has_start && !self.message.is_open();
        answer.complete |= has_no_end && answer.error.is_none() && self.message.has_text();
        self.message.finish(answer);
    }
}

/// The error of an event: text for the user interface, or an object on the side of the server.
fn error(text: Option<String>, error: Option<Value>) -> ProviderError {
    match (filled(text), error) {
        (None, Some(error)) if !error.is_null() => json::provider_error(&error),
        (message, _) => {
            let message = message.or_else(|| Some("no details".to_owned()));
            ProviderError { message, ..ProviderError::default() }
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

    fn page(id: Value, url: &str) -> Value {
        json!({"type": "source-url", "sourceId": id, "url": url, "title": null})
    }

    #[test]
    fn a_stream_and_the_message_that_it_makes_are_one_answer() {
        let document = json!({"type": "source-document", "sourceId": "d", "mediaType": "text/plain", "title": "D",
            "filename": null, "providerMetadata": {"label": "Secret"}});
        let sources = [
            page(json!(1), "https://x.example/a"),
            document.clone(),
            page(json!(2), "https://X.example/a#b"),
            document,
        ];
        let mut events = vec![json!({"type": "start"}), json!({"type": "reasoning-delta", "delta": "hm"})];
        events.push(json!({"type": "text-delta", "id": "t", "delta": "One [1] "}));
        events.extend(sources.clone());
        events.push(json!({"type": "data-new", "data": {}}));
        events.push(json!({"type": "text-delta", "id": "u", "delta": "two."}));
        let cut = answer(&json!(events));
        events.push(json!({"type": "finish"}));
        let mut streamed = answer(&json!(events));
        assert_eq!((cut.complete, streamed.complete), (false, true));
        let mut parts = vec![json!({"type": "reasoning", "text": "hm"}), json!({"type": "text", "text": "One [1] "})];
        parts.extend(sources);
        parts.extend([Value::Null, json!({"type": "text", "text": "two."})]);
        let whole = answer(&json!({"id": "m", "role": "assistant", "parts": parts}));
        assert_eq!((whole.text.as_str(), whole.sources.len(), whole.citations.len()), ("One [1] two.", 3, 0));
        assert_eq!(
            (whole.sources[0].id.as_deref(), &whole.sources[1].metadata["label"]),
            (Some("1"), &json!("Secret"))
        );
        for (source, whole) in streamed.sources.iter_mut().zip(&whole.sources) {
            source.pointer.clone_from(&whole.pointer);
        }
        assert_eq!((streamed.warnings.len(), whole.warnings.len()), (0, 0));
        assert_eq!(streamed, whole);
        assert_eq!(whole.grammar, MarkerGrammar::BRACKETED_NUMBERS);
    }

    /// The server writes no start and no end, and older prompts an empty link behind each marker.
    #[test]
    fn nodes_of_llamaindex_server_are_sources_and_its_stream_ends_with_its_text() {
        let node = |id: &str, file: &str| {
            json!({"id": id, "fileName": file, "filePath": format!("data/{file}"), "url": format!("/api/files/data/{file}"),
                "metadata": {"page_label": "3"}, "score": 0.5, "text": "Passage."})
        };
        let nodes = json!({"type": "data-sources", "data": {"nodes": [node("a-1", "a.pdf"), node("b-2", "b.md"), 7]}});
        let text = "Süß [citation:b-2](), hot [citation:a-1 ].";
        let mut events = vec![
            json!({"type": "data-event", "data": {"title": "t"}}),
            nodes.clone(),
            json!({"type": "text-start", "id": "t"}),
            json!({"type": "text-delta", "id": "t", "delta": text}),
        ];
        assert!(!answer(&json!(events)).complete);
        events.push(json!({"type": "text-end", "id": "t"}));
        let streamed = answer(&json!(events));
        let message =
            answer(&json!({"id": "m", "role": "assistant", "parts": [nodes, {"type": "text", "text": text}]}));
        for read in [&streamed, &message] {
            assert!(read.complete && read.grammar.linked);
            let known: Vec<_> = read.sources.iter().map(|source| (source.id.as_deref(), source.file_name())).collect();
            assert_eq!(known, [(Some("a-1"), Some("a.pdf".into())), (Some("b-2"), Some("b.md".into()))]);
            assert_eq!((&read.sources[0].url, read.sources[0].page.map(u32::from)), (&None, Some(3)));
        }
    }

    const TEXT: &str = "🍵 Süß. 三十天 ([x](https://x.example/a)).";

    fn cited_page(start: usize, end: usize) -> Value {
        let url = "https://x.example/a";
        let source = json!({"type": "source", "sourceType": "url", "id": url, "url": url, "title": "A"});
        json!({"source": source, "startIndex": start, "endIndex": end, "citedText": format!("Passage {start}.")})
    }

    fn cited_file(id: &str, metadata: Value) -> Value {
        json!({"source": {"type": "source", "sourceType": "document", "id": id, "mediaType": "text/plain", "title": "b.md",
            "filename": "b.md", "providerMetadata": metadata}})
    }

    /// The parts of a message whose sources are listed as well, under ids that the SDK made up.
    fn parts(citations: Value, metadata: Value) -> Vec<Value> {
        let listed = json!({"type": "source-document", "sourceId": "r1", "mediaType": "text/plain", "title": "b.md",
            "filename": "b.md"});
        let (first, second) = (page(json!("r2"), "https://x.example/a"), page(json!("r3"), "https://x.example/seen"));
        let text = json!({"type": "text", "text": TEXT, "citations": citations, "providerMetadata": metadata});
        vec![json!({"type": "step-start"}), first, text, listed, second]
    }

    fn events(parts: &[Value]) -> Vec<Value> {
        let mut events = vec![json!({"type": "start"}), json!({"type": "start-step"})];
        for part in parts {
            if part["type"] != "text" {
                events.push(part.clone());
                continue;
            }
            let text = part["text"].as_str().expect("a text");
            events.push(json!({"type": "text-start", "id": "0"}));
            events.extend(text.split_inclusive(' ').map(|new| json!({"type": "text-delta", "id": "0", "delta": new})));
            events.push(json!({"type": "text-end", "id": "0", "citations": part["citations"],
                "providerMetadata": part["providerMetadata"]}));
        }
        events.extend([json!({"type": "finish-step"}), json!({"type": "finish", "finishReason": "stop"})]);
        events
    }

    fn without_pointers(mut answer: Answer) -> Answer {
        answer.sources.iter_mut().for_each(|source| source.pointer.clear());
        answer.warnings.retain(|entry| entry.code != "same-document");
        answer
    }

    #[test]
    fn texts_cite_sources_in_the_unit_of_their_provider_or_as_a_whole() {
        let annotations =
            json!({"openai": {"annotations": [{"type": "url_citation", "start_index": 2, "end_index": 5}]}});
        let index = json!({"openai": {"type": "file_citation", "fileId": "f", "index": 10}});
        for (offsets, metadata) in
            [([2, 5, 11, 37], annotations.clone()), ([2, 5, 11, 37], json!(null)), ([3, 6, 12, 38], json!(null))]
        {
            let [a, b, c, d] = offsets;
            let citations = json!([
                cited_page(a, b),
                cited_file("f", json!(null)),
                null,
                cited_page(c, d),
                cited_file("f", index.clone())
            ]);
            let parts = parts(citations, metadata);
            let whole = answer(&json!({"id": "m", "role": "assistant", "parts": parts}));
            let link = "([x](https://x.example/a))";
            let placed = [(TEXT, vec![1]), ("Süß", vec![0]), (link, vec![0]), ("", vec![1])];
            assert_eq!(super::super::annotated::cited(&whole), placed, "{offsets:?}");
            assert_eq!(whole.citations[3].span.start(), "🍵 Süß. 三十天".len());
            let named: Vec<_> = whole.sources.iter().map(|source| (source.id.as_deref(), source.file_name())).collect();
            assert_eq!(named, [(None, None), (Some("f"), Some("b.md".into())), (None, None)]);
            assert_eq!(whole.sources[0].content.as_deref(), Some(&*format!("Passage {a}.\n\nPassage {c}.")));
            assert_eq!((whole.sources[0].pointer.as_str(), whole.attested.len()), ("/parts/2/citations/0/source", 3));
            let streamed = answer(&json!(events(&parts)));
            assert_eq!(without_pointers(streamed), without_pointers(whole));
        }
    }

    #[test]
    fn pydantic_ai_keeps_its_citations_in_the_metadata_of_a_text() {
        let source = json!({"url": "https://x.example/a", "title": "A", "excerpts": ["One."], "kind": "web"});
        let citations = json!([{"sources": [source], "anchor": {"start": 2, "end": 5, "kind": "content"}}]);
        let metadata = json!({"pydantic_ai": {"id": "m", "citations": citations}});
        let parts = parts(json!(null), metadata);
        let whole = answer(&json!({"id": "m", "role": "assistant", "parts": parts}));
        assert_eq!(super::super::annotated::cited(&whole), [("Süß", vec![0])]);
        assert_eq!(whole.sources[0].pointer, "/parts/2/providerMetadata/pydantic_ai/citations/0/sources/0");
        assert_eq!(without_pointers(answer(&json!(events(&parts)))), without_pointers(whole));
    }

    #[test]
    fn the_newest_message_with_a_text_answers_in_every_form() {
        let parts = parts(json!([cited_page(2, 5)]), json!(null));
        let message = json!({"id": "m", "role": "assistant", "parts": parts});
        let before = json!({"id": "l", "role": "assistant", "parts": [{"type": "text", "text": "Before."}]});
        let question = json!({"id": "q", "role": "user", "parts": [{"type": "text", "text": "Why?"}]});
        let silent = json!({"id": "n", "role": "assistant", "parts": [{"type": "step-start"}]});
        let content: Vec<Value> = parts
            .iter()
            .map(|part| {
                let mut part = part.clone();
                if let Some(kind) = part["type"].as_str().and_then(|kind| kind.strip_prefix("source-")) {
                    part = json!({"type": "source", "sourceType": kind, "id": part["sourceId"], "url": part["url"],
                    "title": part["title"], "mediaType": part["mediaType"], "filename": part["filename"]});
                }
                part
            })
            .collect();
        let whole = without_pointers(answer(&message));
        for form in [
            json!([question, before, question, message]),
            json!([before, message, silent, question]),
            json!({"id": "c", "messages": [before, question, message], "trigger": "submit-message"}),
            json!({"steps": [{"content": content, "finishReason": "stop"}], "totalUsage": {}}),
            json!({"content": content, "finishReason": "stop"}),
        ] {
            let found = answer(&form);
            let first = found.sources[0].pointer.clone();
            assert!(form.pointer(&first).is_some_and(|source| source["sourceType"] == "url"), "{first}");
            assert_eq!(without_pointers(found), whole, "{form}");
        }
    }

    #[test]
    fn a_step_that_is_reset_has_never_been() {
        let text = |text: &str| json!({"type": "text-delta", "id": "0", "delta": text});
        let (start, step) = (json!({"type": "text-start", "id": "0"}), json!({"type": "start-step"}));
        let found = answer(
            &json!([step, start, text("One. "), step, start, text("Tw"), page(json!("1"), "https://x.example/a"),
            {"type": "reset-step"}, start, text("Two."), {"type": "finish"}]),
        );
        assert_eq!((found.text.as_str(), found.sources.len()), ("One. Two.", 0));
    }

    #[test]
    fn an_error_and_an_abort_keep_what_had_arrived() {
        let text = json!({"type": "text-delta", "delta": "Half"});
        for (end, message) in [
            (json!({"type": "error", "errorText": "boom"}), "boom"),
            (json!({"type": "abort", "reason": "user"}), "abort: user"),
            (json!({"type": "abort"}), "abort"),
            (json!({"type": "error", "error": {"name": "AI_APICallError", "message": "boom"}}), "boom"),
        ] {
            let answer = answer(&json!([text, end]));
            assert_eq!((answer.text.as_str(), answer.complete), ("Half", false));
            assert_eq!(answer.error.expect("an error").to_string(), message);
        }
        let cut = answer(&json!([text, {"type": "finish", "finishReason": "length"}]));
        assert_eq!((cut.complete, cut.warnings[0].code), (true, "finish-reason"));
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let refused = |body: Value| ingest(body.to_string().as_bytes(), None).expect_err("unusable").to_string();
        let body = json!({"parts": [{"type": "source-url", "url": 5}]});
        assert_eq!(refused(body), "/parts/0/url: invalid type: integer `5`, expected a string");
        let body = json!([{"type": "text-delta", "delta": {}}]);
        assert_eq!(refused(body), "event 1 at line 1: /delta: invalid type: map, expected a string");
    }
}
