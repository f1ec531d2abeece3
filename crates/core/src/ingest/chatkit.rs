//! [OpenAI ChatKit](https://openai.github.io/chatkit-python/): a thread, a page of its items, one item, or the events of a
//! server. The newest message of the assistant with a text is the answer; the shapes are those of `chatkit/types.py`.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::chatkit_items::{Item, Items, Update, WireItem};
use super::event::{Event, ReadEvents, StreamEvent};
use super::format::{Format, Members, is_something, is_text};
use super::json::{self, entries};
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::ChatKit,
    sign: "`items` of a ChatKit thread",
    members: &[
        &["created_at", "id", "items", "metadata", "status", "title"],
        &["after", "data", "has_more"],
        &["content", "created_at", "id", "thread_id", "type"],
    ],
    is_whole: |members| is_thread(members) || is_page(members) || is_message(members),
    is_event,
    parse,
    reader: || Box::new(Chat::default()),
};

/// The types of items.
const ITEMS: [&str; 11] = [
    "assistant_message",
    "client_tool_call",
    "end_of_turn",
    "generated_image",
    "hidden_context_item",
    "sdk_hidden_context",
    "structured_input",
    "task",
    "user_message",
    "widget",
    "workflow",
];

fn is_item(item: &Value) -> bool {
    item["type"].as_str().is_some_and(|kind| ITEMS.contains(&kind)) && item["thread_id"].is_string()
}

fn is_page(members: &Members) -> bool {
    let items = members.get("data").and_then(Value::as_array);
    items.is_some_and(|items| !items.is_empty() && items.iter().all(is_item))
}

fn is_thread(members: &Members) -> bool {
    let items = members.get("items").and_then(|items| items["data"].as_array());
    items.is_some_and(|items| items.iter().all(is_item))
        && members.get("status").is_some_and(Value::is_object)
        && is_something(members, "created_at")
}

fn is_message(members: &Members) -> bool {
    is_text(members, "type", "assistant_message")
        && is_something(members, "thread_id")
        && members.get("content").is_some_and(Value::is_array)
}

fn is_event(members: &Members) -> bool {
    let has = |name: &str| members.get(name).is_some_and(Value::is_object);
    match members.get("type").and_then(Value::as_str).unwrap_or_default() {
        "thread.created" | "thread.updated" => has("thread"),
        "thread.item.added" | "thread.item.done" | "thread.item.replaced" => has("item"),
        "thread.item.updated" => has("update"),
        "thread.item.removed" => is_something(members, "item_id"),
        "stream_options" => has("stream_options"),
        "error" => is_something(members, "allow_retry"),
        _ => false,
    }
}

/// A page of items.
#[derive(Default, Deserialize)]
struct Page {
    #[serde(default, deserialize_with = "entries")]
    data: Vec<WireItem>,
}

#[derive(Default, Deserialize)]
struct Thread {
    items: Option<Page>,
}

#[derive(Deserialize)]
struct WireEvent {
    #[serde(rename = "type")]
    kind: Option<String>,
    item: Option<WireItem>,
    item_id: Option<String>,
    update: Option<Update>,
}

/// Annotations cite, and the text has no markers.
const GRAMMAR: MarkerGrammar = MarkerGrammar::ANNOTATED;

fn parse(body: &str) -> Result<Answer, IngestError> {
    let members: Members = json::read(body)?;
    let (wire, list) = if members.contains_key("items") {
        let thread: Thread = json::member(Value::Object(members), "")?;
        (thread.items.unwrap_or_default().data, "/items/data")
    } else if members.contains_key("data") {
        let page: Page = json::member(Value::Object(members), "")?;
        (page.data, "/data")
    } else {
        (vec![json::member(Value::Object(members), "")?], "")
    };
    let mut items = Items::default();
    for (at, item) in wire.into_iter().enumerate() {
        let place = if list.is_empty() { String::new() } else { format!("{list}/{at}") };
        items.put(item.into_item("", &place, true)?, false);
    }
    let mut answer = Answer { grammar: GRAMMAR, ..Answer::default() };
    if !items.finish(&mut answer) {
        return Err(IngestError::member(list, "no message of the assistant has a text; the newest one is the answer"));
    }
    Ok(answer)
}

/// The items that the events have brought so far.
#[derive(Debug, Default)]
struct Chat {
    items: Items,
    /// The text that was shown.
    shown: String,
    late: bool,
}

impl Chat {
    fn put(&mut self, item: WireItem, place: &str, kind: &str) -> Result<(), IngestError> {
        let is_done = kind == "thread.item.done";
        let item: Item = item.into_item(place, "/item", is_done)?;
        self.items.put(item, kind != "thread.item.replaced");
        Ok(())
    }

    /// Shows what is new. Citations come behind their text, and a newer message takes the place of the one before.
    fn say(&mut self, said: &mut Vec<StreamEvent>) {
        let text = self.items.text();
        let new = text.strip_prefix(self.shown.as_str());
        if !self.late && (new.is_none() || self.items.has_sources()) {
            self.late = true;
            said.push(StreamEvent::Late);
        }
        if let Some(new) = new.filter(|new| !new.is_empty()) {
            said.push(StreamEvent::Text(new.to_owned()));
            self.shown = text;
        }
    }
}

impl ReadEvents for Chat {
    fn grammar(&self) -> MarkerGrammar {
        GRAMMAR
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        _notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let WireEvent { kind, item, item_id, update } = json::read(json)?;
        let (kind, place) = (kind.unwrap_or_default(), event.pointer());
        if kind == "error" {
            let error: Map<String, Value> = json::read(json)?;
            said.push(StreamEvent::Error(json::provider_error(&error.into_iter().filter(is_told).collect())));
            return Ok(());
        }
        // The items of a thread that an event tells are older than the stream.
        match (item, update, item_id) {
            (Some(item), ..) => self.put(item, &place, &kind)?,
            (None, Some(update), Some(id)) => self.items.update(&id, update, &place),
            (None, None, Some(id)) if kind == "thread.item.removed" => self.items.remove(&id),
            (None, ..) => return Ok(()),
        }
        self.say(said);
        // There is no end sign but that of the message.
        if kind == "thread.item.done" && self.items.is_answered() {
            said.push(StreamEvent::Done);
        }
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        self.items.finish(answer);
    }
}

/// Whether a member of an error says what went wrong.
fn is_told((name, _): &(String, Value)) -> bool {
    matches!(name.as_str(), "code" | "message")
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "JSON that is made for a call reads better without borrowing")]
mod tests {
    use serde_json::json;

    use super::super::annotated::cited;
    use super::super::{AnswerStream, ingest};
    use super::*;

    const TEXT: &str = "Süß 🏖️. 三十 days.";

    fn answer(body: &Value) -> Answer {
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    fn item(kind: &str, at: u32, content: Value) -> Value {
        json!({"id": format!("i{at}"), "thread_id": "t", "created_at": format!("2026-11-20T09:00:{at:02}"),
            "type": kind, "content": content})
    }

    fn asked(at: u32) -> Value {
        item("user_message", at, json!([{"type": "input_text", "text": "?"}]))
    }

    fn part(text: &str, annotations: Value) -> Value {
        json!({"type": "output_text", "text": text, "annotations": annotations})
    }

    fn message(at: u32, text: &str, annotations: Value) -> Value {
        item("assistant_message", at, json!([part(text, annotations)]))
    }

    fn page(url: &str, title: &str) -> Value {
        json!({"type": "url", "url": url, "title": title})
    }

    fn annotations() -> Value {
        let annotation = |source: Value, index: Value| json!({"type": "annotation", "source": source, "index": index});
        let file = json!({"type": "file", "title": "a.pdf", "filename": "a.pdf"});
        let entity = json!({"type": "entity", "id": "e", "title": "Desk", "data": {"href": "https://x.example/desk"}});
        json!([
            annotation(file.clone(), json!(6)),
            annotation(page("https://x.example/a", "A"), json!(15)),
            annotation(file, json!(15)),
            annotation(entity, json!(null)),
            null
        ])
    }

    fn search(at: u32) -> Value {
        let sources = json!([page("https://x.example/b", "B"), page("https://x.example/a", "A")]);
        let mut item = item("workflow", at, json!(null));
        item["workflow"] = json!({"type": "custom", "tasks": [{"type": "thought", "content": "hm"},
            {"type": "web_search", "sources": sources}]});
        item
    }

    fn thread(items: Value) -> Value {
        json!({"id": "t", "created_at": "2026-11-20T09:00:00", "status": {"type": "active"}, "metadata": {},
            "items": {"data": items, "has_more": false}})
    }

    #[test]
    fn an_annotation_is_a_point_in_code_points_or_only_attested() {
        let read = answer(&thread(json!([asked(1), search(2), message(3, TEXT, annotations())])));
        assert_eq!((read.text.as_str(), read.complete, read.tools_invoked), (TEXT, true, Some(true)));
        let ends: Vec<_> = read.citations.iter().map(|cited| (&TEXT[..cited.span.end()], cited.sources[0].0)).collect();
        assert_eq!(ends, [("Süß 🏖️", 0), ("Süß 🏖️. 三十 days", 1), ("Süß 🏖️. 三十 days", 0)]);
        let names: Vec<_> = read.sources.iter().filter_map(|source| source.title.as_deref()).collect();
        assert_eq!((names, read.attested[0].0), (vec!["a.pdf", "A", "Desk", "B"], 2));
        assert_eq!(read.sources[0].pointer, "/items/data/2/content/0/annotations/0/source");
        assert_eq!(read.sources[3].pointer, "/items/data/1/workflow/tasks/1/sources/0");
    }

    #[test]
    fn the_newest_message_with_a_text_answers_in_any_order() {
        let hidden = item("hidden_context_item", 6, json!({"any": "thing"}));
        let items = [
            asked(1),
            message(2, "Old.", json!([])),
            asked(3),
            message(4, "Let me look.", json!([])),
            message(5, TEXT, annotations()),
            hidden,
            message(7, "", json!([])),
        ];
        let newest_first: Vec<&Value> = items.iter().rev().collect();
        for body in [thread(json!(items)), json!({"data": newest_first, "has_more": true})] {
            let read = answer(&body);
            let notes: Vec<_> = read.warnings.iter().map(|entry| entry.code).filter(|code| *code != "merged").collect();
            assert_eq!((read.text.as_str(), notes, cited(&read).len()), (TEXT, vec!["step-left-out"], 3));
        }
        let alone = answer(&message(5, TEXT, annotations()));
        assert_eq!((alone.provider, alone.text.as_str()), (Some("chatkit"), TEXT));
        let unanswered = answer(&thread(json!([message(2, "Old.", json!([])), asked(3), search(4)])));
        let notes: Vec<_> = unanswered.warnings.iter().map(|entry| entry.code).collect();
        assert_eq!((unanswered.text.as_str(), notes[0]), ("Old.", "unanswered"));
        assert_eq!(notes[1..], ["sources-unread"; 2], "the search is that of the question without an answer");
    }

    fn update(kind: &str, mut members: Value) -> Value {
        members["type"] = json!(kind);
        json!({"type": "thread.item.updated", "item_id": "i3", "update": members})
    }

    fn events() -> Vec<Value> {
        let part_is = |kind: &str, members: Value| update(&format!("assistant_message.content_part.{kind}"), members);
        let (begin, end) = TEXT.split_at("Süß 🏖".len());
        let mut events = vec![
            json!({"type": "stream_options", "stream_options": {"allow_cancel": true}}),
            json!({"type": "thread.item.done", "item": asked(1)}),
            json!({"type": "thread.item.done", "item": search(2)}),
            json!({"type": "thread.item.added", "item": item("assistant_message", 3, json!([]))}),
            part_is("added", json!({"content_index": 0, "content": part("", json!([]))})),
            part_is("text_delta", json!({"content_index": 0, "delta": begin})),
            part_is("text_delta", json!({"content_index": 0, "delta": end})),
        ];
        for (at, annotation) in annotations().as_array().into_iter().flatten().enumerate() {
            events.push(part_is(
                "annotation_added",
                json!({"content_index": 0, "annotation_index": at, "annotation": annotation}),
            ));
        }
        events.push(part_is("done", json!({"content_index": 0, "content": part(TEXT, json!([]))})));
        events.push(json!({"type": "thread.item.done", "item": message(3, TEXT, json!([]))}));
        events
    }

    #[test]
    fn a_stream_is_its_thread_wherever_it_is_cut_and_an_empty_list_erases_nothing() {
        let whole = answer(&thread(json!([asked(1), search(2), message(3, TEXT, annotations())])));
        let all = events();
        let only_done: Vec<Value> = all[1..3]
            .iter()
            .cloned()
            .chain([json!({"type": "thread.item.done", "item": message(3, TEXT, annotations())})])
            .collect();
        for events in [all, only_done] {
            let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
            for cut in 0..=body.len() {
                let mut stream = AnswerStream::new(None);
                stream.push(&body.as_bytes()[..cut]).expect("a beginning");
                stream.push(&body.as_bytes()[cut..]).expect("an end");
                let mut streamed = stream.finish().expect("an answer");
                for (source, whole) in streamed.sources.iter_mut().zip(&whole.sources) {
                    source.pointer.clone_from(&whole.pointer);
                }
                streamed.warnings.clone_from(&whole.warnings);
                assert_eq!(streamed, whole, "cut at {cut}");
            }
        }
    }

    #[test]
    fn a_stream_tells_that_citations_come_late() {
        let mut stream = AnswerStream::new(None);
        let mut said = Vec::new();
        for event in events() {
            said.extend(stream.push(format!("data: {event}\n\n").as_bytes()).expect("events"));
        }
        let text = |text: &str| StreamEvent::Text(text.to_owned());
        assert_eq!(said, [StreamEvent::Late, text("Süß 🏖"), text("\u{fe0f}. 三十 days."), StreamEvent::Done]);
    }

    #[test]
    fn an_error_or_a_missing_end_keeps_the_text() {
        let mut events = events();
        events.truncate(6);
        let broken = answer(&json!(events));
        assert_eq!((broken.text.as_str(), broken.complete), ("Süß 🏖", false));
        events.push(json!({"type": "error", "code": "custom", "message": "gone", "allow_retry": false}));
        let failed = answer(&json!(events));
        assert_eq!((failed.text.as_str(), failed.complete), ("Süß 🏖", false));
        assert_eq!(failed.error.expect("an error").to_string(), "custom: gone");
    }

    #[test]
    fn an_item_may_be_replaced_or_removed() {
        let done = |item: Value| json!({"type": "thread.item.done", "item": item});
        let replaced = json!({"type": "thread.item.replaced", "item": message(3, "New.", json!([]))});
        let read =
            answer(&json!([done(message(3, TEXT, annotations())), replaced, done(message(3, "New.", json!([])))]));
        assert_eq!((read.text.as_str(), read.citations.len()), ("New.", 0));
        let removed = json!({"type": "thread.item.removed", "item_id": "i4"});
        let read =
            answer(&json!([done(message(3, "Stays.", json!([]))), done(message(4, "Goes.", json!([]))), removed]));
        assert_eq!((read.text.as_str(), read.complete), ("Stays.", true));
    }

    #[test]
    fn a_wrong_type_and_a_missing_answer_are_named_by_their_place() {
        let refused = |body: &Value| ingest(body.to_string().as_bytes(), None).expect_err("unusable").to_string();
        let wrong = thread(json!([asked(1), message(2, "a", json!([{"index": []}]))]));
        let told = "/items/data/1/content/0/annotations/0/index: invalid type: sequence, expected a string or a number";
        assert_eq!(refused(&wrong), told);
        let none = "no message of the assistant has a text; the newest one is the answer";
        assert_eq!(refused(&thread(json!([asked(1)]))), format!("/items/data: {none}"));
    }
}
