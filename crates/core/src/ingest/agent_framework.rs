//! [Microsoft Agent Framework](https://learn.microsoft.com/agent-framework/): responses, messages and updates as Python's
//! `to_dict` writes them, and those of .NET's
//! [Microsoft.Extensions.AI](https://learn.microsoft.com/dotnet/api/microsoft.extensions.ai.citationannotation) in camel case.
//!
//! Regions of annotations count code points of their text content. Clients that hand on a passage of the source (`snippet`)
//! may give the region of the passage in the source instead; such a region does not fit the words of the text.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::annotated::Annotated;
use super::event::{Event, ReadEvents, StreamEvent};
use super::finish_reason::odd_reason;
use super::format::{Format, Members};
use super::json::{self, entries, filled, offset, text_or_number};
use super::location::{Located, location};
use super::search_service::is_search_service;
use super::span::Unit;
use super::threads::PARAGRAPH;
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, ProviderError, Source, SourceIndex};
use crate::report::{Entry, Kind};
use crate::text::{CharOffset, OffsetIndex, word_end};

pub(super) const FORMAT: Format = Format {
    provider: Provider::AgentFramework,
    sign: "`contents`, or `messages` with `contents`",
    members: &[
        &[
            "additional_properties",
            "agent_id",
            "author_name",
            "contents",
            "continuation_token",
            "conversation_id",
            "created_at",
            "finish_reason",
            "merge_mode",
            "message_id",
            "messages",
            "model",
            "model_id",
            "response_id",
            "role",
            "usage_details",
            "value",
        ],
        &[
            "additionalProperties",
            "agentId",
            "authorName",
            "contents",
            "continuationToken",
            "conversationId",
            "createdAt",
            "finishReason",
            "messageId",
            "messages",
            "modelId",
            "responseId",
            "role",
            "usage",
        ],
    ],
    is_whole: has_contents,
    is_event: has_contents,
    parse,
    reader: || Box::new(AgentAnswer::default()),
};

/// Whether an object is a message or an update, or holds messages.
fn has_contents(members: &Members) -> bool {
    let is_content = |value: &Value| value["type"].is_string() || value["$type"].is_string();
    let of_content = |list: &Vec<Value>| list.iter().all(is_content);
    let holds = |contents: &Value| contents.as_array().is_some_and(of_content);
    let messages = members.get("messages").and_then(Value::as_array).into_iter().flatten();
    let is_update = ["role", "type", "message_id", "messageId", "response_id", "responseId"];
    members.get("contents").is_some_and(holds) && is_update.iter().any(|name| members.contains_key(*name))
        || messages.into_iter().any(|message| message.get("contents").is_some_and(holds))
}

/// A response, a message, or an update of either.
#[derive(Deserialize)]
struct Response {
    messages: Option<Vec<Option<Message>>>,
    #[serde(flatten)]
    own: Message,
    #[serde(alias = "finishReason")]
    finish_reason: Option<Value>,
}

#[derive(Default, Deserialize)]
struct Message {
    /// A string, or an object with `value` in early versions.
    role: Option<Value>,
    #[serde(default, alias = "messageId", deserialize_with = "text_or_number")]
    message_id: Option<String>,
    #[serde(alias = "mergeMode")]
    merge_mode: Option<String>,
    #[serde(default, deserialize_with = "entries")]
    contents: Vec<Content>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Content {
    #[serde(alias = "$type", rename = "type")]
    kind: Option<String>,
    text: Option<String>,
    message: Option<String>,
    #[serde(default, alias = "errorCode", deserialize_with = "text_or_number")]
    error_code: Option<String>,
    #[serde(default, deserialize_with = "entries")]
    annotations: Vec<Annotation>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Annotation {
    #[serde(alias = "$type", rename = "type")]
    kind: Option<String>,
    title: Option<String>,
    url: Option<String>,
    #[serde(default, alias = "fileId", deserialize_with = "text_or_number")]
    file_id: Option<String>,
    snippet: Option<String>,
    #[serde(default, alias = "annotatedRegions", deserialize_with = "entries")]
    annotated_regions: Vec<Region>,
    #[serde(alias = "additionalProperties")]
    additional_properties: Option<Map<String, Value>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Region {
    #[serde(default, alias = "startIndex", alias = "start", deserialize_with = "offset")]
    start_index: Option<usize>,
    #[serde(default, alias = "endIndex", alias = "end", deserialize_with = "offset")]
    end_index: Option<usize>,
}

/// Finish reasons of a normal end.
const USUAL: [&str; 2] = ["stop", "tool_calls"];

/// A text content, or several that an update continues. Regions count from its start.
#[derive(Debug, Default)]
struct Part {
    text: String,
    /// Annotations with their pointers, and how much of the text had arrived with them.
    annotations: Vec<(String, usize, Annotation)>,
    /// Whether another content came behind it, so that updates begin a new part.
    is_closed: bool,
}

/// The text of one message.
#[derive(Debug, Default)]
struct Paragraph {
    id: Option<String>,
    parts: Vec<Part>,
}

/// Reads a response, whole or in updates.
#[derive(Debug, Default)]
struct AgentAnswer {
    /// The messages of the assistant since the user's last one.
    paragraphs: Vec<Paragraph>,
    used_tools: bool,
    is_late: bool,
    /// The JSON pointer of the user's message, if it is the newest one.
    asked: Option<String>,
    /// The text that was passed on.
    said: String,
}

fn parse(body: &str) -> Result<Answer, IngestError> {
    let mut answer = Answer { grammar: MarkerGrammar::ANNOTATED, ..Answer::default() };
    let mut agent = AgentAnswer::default();
    let mut said = Vec::new();
    agent.take(json::read(body)?, "", &mut answer.warnings, &mut said)?;
    let failed =
        said.into_iter().find_map(|event| if let StreamEvent::Error(error) = event { Some(error) } else { None });
    if agent.paragraphs.iter().all(|paragraph| paragraph.parts.iter().all(|part| part.text.is_empty())) {
        let reason = failed.map_or_else(
            || "no message of the assistant has text; the text of the answer is required".to_owned(),
            |error| format!("the agent reports an error instead of an answer ({error})"),
        );
        return Err(IngestError::member("", reason));
    }
    answer.error = failed;
    Box::new(agent).finish(&mut answer);
    Ok(answer)
}

impl AgentAnswer {
    /// Takes a response, a message or an update.
    fn take(
        &mut self,
        response: Response,
        place: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let Response { messages, own, finish_reason } = response;
        let is_update = messages.is_none();
        for (at, message) in messages.into_iter().flatten().enumerate() {
            let message = message.unwrap_or_default();
            self.take_message(message, &format!("{place}/messages/{at}"), false, said);
        }
        if is_update {
            self.take_message(own, place, true, said);
        }
        let reason = finish_reason.and_then(|reason| reason.as_str().or(reason["value"].as_str()).map(str::to_owned));
        notes.extend(odd_reason(reason, &USUAL, || format!("{place}/finish_reason")));
        Ok(())
    }

    fn take_message(&mut self, message: Message, place: &str, is_update: bool, said: &mut Vec<StreamEvent>) {
        let Message { role, message_id, merge_mode, contents } = message;
        match role.as_ref().and_then(|role| role.as_str().or(role["value"].as_str())) {
            Some("user") => {
                self.asked = Some(place.to_owned());
                return;
            }
            Some("tool") => {
                self.used_tools = true;
                return;
            }
            Some("system" | "developer") => return,
            _ => {}
        }
        if self.asked.take().is_some() {
            self.paragraphs.clear();
        }
        // An update without an id goes on with the message before it.
        let goes_on = is_update
            && self
                .paragraphs
                .last()
                .is_some_and(|last| message_id.is_none() || last.id.is_none() || last.id == message_id);
        if !goes_on {
            self.paragraphs.push(Paragraph { id: message_id, parts: Vec::new() });
        } else if let Some(last) = self.paragraphs.last_mut() {
            last.id = last.id.take().or(message_id);
            if merge_mode.as_deref() == Some("replace") {
                last.parts.clear();
            }
        }
        for (at, content) in contents.into_iter().enumerate() {
            self.take_content(content, &format!("{place}/contents/{at}"), is_update, said);
        }
    }

    fn take_content(&mut self, content: Content, pointer: &str, joins: bool, said: &mut Vec<StreamEvent>) {
        let Content { kind, text, message, error_code, annotations } = content;
        let Some(parts) = self.paragraphs.last_mut().map(|last| &mut last.parts) else { return };
        match kind.as_deref().unwrap_or_default() {
            "text" => {}
            "usage" => return,
            "error" => {
                let error =
                    ProviderError { code: filled(error_code), message: filled(message), ..ProviderError::default() };
                return said.push(StreamEvent::Error(error));
            }
            kind => {
                self.used_tools |= kind.contains("tool") || kind.starts_with("function") || kind.contains("search");
                parts.last_mut().into_iter().for_each(|part| part.is_closed = true);
                return;
            }
        }
        let is_first = parts.iter().all(|part| part.text.is_empty());
        if !joins || parts.last().is_none_or(|part| part.is_closed) {
            parts.push(Part::default());
        }
        let Some(part) = parts.last_mut() else { return };
        let text = text.unwrap_or_default();
        part.text.push_str(&text);
        let (length, cites) = (part.text.len(), !annotations.is_empty());
        let annotations = annotations.into_iter().enumerate();
        part.annotations
            .extend(annotations.map(|(at, annotation)| (format!("{pointer}/annotations/{at}"), length, annotation)));
        self.say(text, is_first, said);
        if cites {
            self.become_late(said);
        }
    }

    /// Passes on text that goes behind the known text. `is_first` says that it begins a message.
    fn say(&mut self, text: String, is_first: bool, said: &mut Vec<StreamEvent>) {
        if text.is_empty() {
            return;
        }
        if text.contains('【') {
            self.become_late(said);
        }
        let parted = if is_first && !self.said.is_empty() { format!("{PARAGRAPH}{text}") } else { text };
        self.said.push_str(&parted);
        said.push(StreamEvent::Text(parted));
    }

    fn become_late(&mut self, said: &mut Vec<StreamEvent>) {
        if !std::mem::replace(&mut self.is_late, true) {
            said.push(StreamEvent::Late);
        }
    }
}

impl Paragraph {
    /// Adds text and citations to the answer.
    fn finish(self, annotated: &mut Annotated, answer: &mut Answer) {
        if !answer.text.is_empty() && self.parts.iter().any(|part| !part.text.is_empty()) {
            annotated.grow(PARAGRAPH.len());
            answer.text.push_str(PARAGRAPH);
        }
        for part in self.parts {
            part.finish(annotated, answer);
        }
    }
}

impl Part {
    fn finish(self, annotated: &mut Annotated, answer: &mut Answer) {
        let number = annotated.begin_part();
        annotated.grow(self.text.len());
        answer.text.push_str(&self.text);
        let text = (self.text.as_str(), &OffsetIndex::new(&self.text));
        let mut placeless: Vec<(usize, Vec<SourceIndex>, String)> = Vec::new();
        for (pointer, end, annotation) in self.annotations {
            let source = annotation.add(annotated, number, text, &pointer, &mut answer.warnings);
            match (source, placeless.last_mut()) {
                (Some(source), Some((known, sources, _))) if *known == end => sources.push(source),
                (Some(source), _) => placeless.push((end, vec![source], pointer)),
                (None, _) => {}
            }
        }
        // An annotation without a place cites the text since the one before it.
        let mut from = 0;
        for (end, sources, pointer) in placeless {
            let to = self.text[..end].trim_end().len();
            annotated.span(number, (Some(from), Some(to), Unit::Utf8), sources, pointer);
            from = end;
        }
    }
}

impl Annotation {
    /// Adds the source and the places of this annotation. `text` is the whole text of its part, `end` its length when the
    /// annotation came. Returns the sources that cite the text without a place in it.
    fn add(
        self,
        annotated: &mut Annotated,
        part: usize,
        (text, index): (&str, &OffsetIndex<'_>),
        pointer: &str,
        warnings: &mut Vec<Entry>,
    ) -> Option<SourceIndex> {
        if self.kind.as_deref().is_some_and(|kind| kind != "citation") {
            return None;
        }
        let has_passage = self.snippet.is_some();
        let point = self.additional_properties.as_ref().and_then(|more| more.get("index")?.as_u64());
        let point = point.filter(|_| self.file_id.is_some()).and_then(|point| usize::try_from(point).ok());
        let regions = self.annotated_regions.clone();
        let source = self.add_source(annotated, pointer, warnings);
        let fits = |region: &&Region| {
            let byte = |offset: Option<usize>| index.from_chars(CharOffset(offset.unwrap_or_default())).0;
            let at_words = |offset| word_end(text, byte(offset)) == byte(offset);
            let in_text = || region.end_index.is_some_and(|end| end <= text.chars().count());
            !has_passage || in_text() && at_words(region.start_index) && at_words(region.end_index)
        };
        let mut has_place = false;
        for Region { start_index, end_index } in regions.iter().filter(fits) {
            annotated.span(part, (*start_index, *end_index, Unit::Char), vec![source], pointer.to_owned());
            has_place = true;
        }
        if let Some(at) = point.filter(|_| !has_place) {
            annotated.point(part, at, Unit::Char, vec![source], pointer.to_owned());
            has_place = true;
        }
        (!has_place).then_some(source)
    }

    fn add_source(self, annotated: &mut Annotated, pointer: &str, warnings: &mut Vec<Entry>) -> SourceIndex {
        let Self { title, url, file_id, snippet, additional_properties, .. } = self;
        // All documents of a search service share its address; `get_url` is that of the document.
        let own = additional_properties.as_ref().and_then(|more| more.get("get_url")?.as_str());
        let (member, address) = match own {
            Some(own) => ("additional_properties/get_url", Some(own.to_owned())),
            None => ("url", url.filter(|url| !is_search_service(url))),
        };
        // Clients write the name of a file as its address.
        let Located { url, filepath, address } = location(address, || format!("{pointer}/{member}"), warnings);
        let source = Source {
            id: filled(file_id),
            title: filled(title),
            url,
            address,
            filepath,
            content: filled(snippet),
            pointer: pointer.to_owned(),
            ..Source::default()
        };
        let id = source.id.as_ref().map(|id| format!("file {id}"));
        let name = || source.title.as_ref().or(source.filepath.as_ref()).map(|name| format!("called {name}"));
        match id.or_else(|| name().filter(|_| source.url.is_none())) {
            Some(key) => annotated.sources.known_as(&key, source),
            None => annotated.sources.page(source),
        }
    }
}

impl ReadEvents for AgentAnswer {
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
        self.take(json::read(json)?, &event.pointer(), notes, said)
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        let mut annotated = Annotated::default();
        answer.text.clear();
        for paragraph in self.paragraphs {
            paragraph.finish(&mut annotated, answer);
        }
        if let Some(pointer) = self.asked {
            let message = "this message of the user is newer than the answer, which may be that to an older one";
            answer.warnings.push(Entry::in_input(Kind::Note, "unanswered", pointer, message));
        }
        answer.tools_invoked = self.used_tools.then_some(true);
        // The format has no end sign, so an answer that ends without an error is complete (rule N-12).
        answer.complete = answer.error.is_none();
        annotated.finish(answer);
        if !answer.text.starts_with(&self.said) {
            let message = "the text at the end of the stream differs from the text that was streamed; it is taken";
            answer.warnings.push(Entry::in_input(Kind::Note, "text-differs", "", message));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::ingest;
    use super::*;

    fn answer(body: &Value) -> Answer {
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    fn annotation(title: &str, url: &str, start: usize, end: usize) -> Value {
        json!({"type": "citation", "title": title, "url": url,
            "annotated_regions": [{"type": "text_span", "start_index": start, "end_index": end}]})
    }

    fn cited(answer: &Answer) -> Vec<(&str, usize)> {
        let spans = answer.citations.iter().map(|cited| (&answer.text[cited.span.range()], cited.sources[0].0));
        spans.collect()
    }

    #[test]
    fn documents_of_a_search_service_are_told_apart_and_never_lead_to_the_service() {
        let text = "Süß 😀 30【5:0†source】, schriftlich【5:1†source】.";
        let place = |marker: &str| {
            let start = text[..text.find(marker).expect("there")].chars().count();
            (start, start + marker.chars().count())
        };
        let ((a, b), (c, d)) = (place("【5:0†source】"), place("【5:1†source】"));
        let service = "https://s.search.windows.net/";
        let mut first = annotation("doc_0", service, a, b);
        first["additional_properties"] = json!({"get_url": "https://hr.example/docs/leave"});
        let content = json!({"type": "text", "text": text, "annotations": [first, annotation("doc_1", service, c, d)]});
        let answer = answer(&json!({"type": "agent_response", "messages": [
            {"type": "message", "role": "assistant", "contents": [{"type": "function_call", "call_id": "1"}]},
            {"type": "message", "role": "tool", "contents": [{"type": "function_result", "call_id": "1"}]},
            {"type": "message", "role": "assistant", "contents": [content]}]}));
        assert_eq!(cited(&answer), [("【5:0†source】", 0), ("【5:1†source】", 1)]);
        let addresses = answer.sources.iter().map(|source| source.url.as_ref().map(ToString::to_string));
        assert_eq!(addresses.collect::<Vec<_>>(), [Some("https://hr.example/docs/leave".to_owned()), None]);
        assert_eq!(answer.sources[1].pointer, "/messages/2/contents/0/annotations/1");
        assert_eq!((answer.provider, answer.tools_invoked), (Some("agent-framework"), Some(true)));
    }

    #[test]
    fn a_region_of_a_passage_counts_in_the_text_only_where_it_fits_words() {
        let with = |start: usize, end: usize| {
            let mut cited = annotation("A", "https://x.example/a", start, end);
            cited["snippet"] = "p".into();
            let content = json!({"type": "text", "text": "Leave is 30 days. Ask.", "annotations": [cited]});
            answer(&json!({"role": "assistant", "type": "message", "contents": [content]}))
        };
        for (start, end, span) in
            [(0, 17, "Leave is 30 days."), (2, 3, "Leave is 30 days. Ask."), (900, 950, "Leave is 30 days. Ask.")]
        {
            assert_eq!(cited(&with(start, end)), [(span, 0)], "{start}-{end}");
        }
    }

    #[test]
    fn the_json_of_net_is_read_as_that_of_python() {
        let region = json!({"$type": "textSpan", "start": 0, "end": 5});
        let body = json!({"responseId": "r", "messages": [{"role": "assistant", "messageId": "m", "contents": [
            {"$type": "reasoning", "text": "hm"},
            {"$type": "text", "text": "Leave is 30 days.", "annotations": [{"$type": "citation", "title": "L",
                "fileId": "f1", "url": "leave.pdf", "snippet": "p", "annotatedRegions": [region]}]}]}]});
        let answer = answer(&body);
        assert_eq!(cited(&answer), [("Leave", 0)]);
        let [source] = &answer.sources[..] else { panic!("one source") };
        assert_eq!((source.id.as_deref(), source.file_name().as_deref()), (Some("f1"), Some("leave.pdf")));
    }

    #[test]
    fn updates_are_the_whole_response() {
        let update = |id: &str, content: Value| json!({"type": "agent_response_update", "role": "assistant", "message_id": id, "contents": [content]});
        let text = |text: &str| json!({"type": "text", "text": text, "additional_properties": {}});
        let mut late = text("");
        late["annotations"] = json!([annotation("A", "https://x.example/a", 0, 8)]);
        let updates = json!([update("a", text("Moment.")), update("b", text("Süß ")), update("b", text("😀 30 Tage.")),
            update("b", late), {"type": "agent_response_update", "contents": [{"type": "usage"}]}]);
        let mut whole_text = text("Süß 😀 30 Tage.");
        whole_text["annotations"] = json!([annotation("A", "https://x.example/a", 0, 8)]);
        let message = |content: Value| json!({"type": "message", "role": "assistant", "contents": [content]});
        let whole = answer(&json!({"messages": [message(text("Moment.")), message(whole_text)]}));
        let mut streamed = answer(&updates);
        assert_eq!(cited(&streamed), [("Süß 😀 30", 0)]);
        streamed.sources[0].pointer.clone_from(&whole.sources[0].pointer);
        assert_eq!(streamed, whole);
        assert_eq!(whole.text, "Moment.\n\nSüß 😀 30 Tage.");
    }

    #[test]
    fn a_history_gives_the_newest_answer_and_names_a_newer_question() {
        let message = |role: &str, text: &str| json!({"type": "message", "role": role, "contents": [{"type": "text", "text": text}]});
        let history = json!([
            message("user", "q"),
            message("assistant", "old"),
            message("user", "q"),
            message("assistant", "new"),
            message("user", "q")
        ]);
        let answer = answer(&history);
        assert_eq!((answer.text.as_str(), answer.warnings[0].code), ("new", "unanswered"));
    }

    #[test]
    fn an_answer_without_text_is_an_error() {
        let refused = |body: Value| ingest(body.to_string().as_bytes(), None).expect_err("unusable").to_string();
        let body = |content: Value| json!({"messages": [{"role": "assistant", "contents": [content]}]});
        assert!(refused(body(json!({"type": "function_call"}))).contains("no message of the assistant has text"));
        assert!(refused(body(json!({"type": "error", "message": "boom"}))).contains("(boom)"));
        let wrong = refused(body(json!({"type": "text", "text": 5})));
        assert!(wrong.starts_with("/messages/0/contents/0/text: invalid type"), "{wrong}");
    }
}
