//! [Open WebUI](https://docs.openwebui.com/features/plugin/development/events): events with text and sources in any
//! order. `[N]` counts the distinct ids of sources (rules OW-01 and OW-02).

use serde::de::MapAccess;
use serde::de::value::MapAccessDeserializer;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::annotated::Sources;
use super::chat::{self, CHAT_MEMBERS, ChatKind};
use super::event::{Event, ReadEvents, StreamEvent};
use super::format::{Format, Members};
use super::json::{self, Content, entries, list};
use super::openwebui_source::{Named, WireSource, kind};
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::OpenWebUi,
    sign: "`type` and `data`",
    members: &[CHAT_MEMBERS, &["chat_id", "data", "event", "message_id", "sources", "type"]],
    is_whole: |members| is_event(members) || ChatKind::OpenWebUi.is_whole(members),
    is_event,
    parse,
    reader: || Box::new(WebUiAnswer::default()),
};

fn is_event(members: &Members) -> bool {
    let kind = kind(members.get("event").and_then(Value::as_object).unwrap_or(members));
    kind.is_some_and(|kind| {
        kind.starts_with("chat:") || matches!(kind, "message" | "replace" | "source" | "citation" | "status")
    })
}

/// An event, or a completion chunk with an event in `event`.
#[derive(Deserialize)]
struct WireEvent {
    #[serde(rename = "type")]
    kind: Option<String>,
    data: Option<Data>,
    #[serde(default, deserialize_with = "inner_event")]
    event: Option<Box<WireEvent>>,
    /// Choices of the completion chunk.
    #[serde(default, deserialize_with = "entries")]
    choices: Vec<Choice>,
    /// Sources of a whole completion.
    #[serde(default, deserialize_with = "entries")]
    sources: Vec<WireSource>,
    #[serde(default, deserialize_with = "json::reported")]
    error: Option<Value>,
}

/// The event that a chunk carries. A word is the name of something of another service, and says nothing here (rule N-16).
fn inner_event<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<WireEvent>>, D::Error> {
    struct Visitor;
    impl<'de> serde::de::Visitor<'de> for Visitor {
        type Value = Option<Box<WireEvent>>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an event")
        }
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            Box::deserialize(MapAccessDeserializer::new(map)).map(Some)
        }
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
    }
    deserializer.deserialize_any(Visitor)
}

/// The `data` of an event: a text, a list of sources, or the members of one source.
#[derive(Default, Deserialize)]
struct Data {
    content: Option<String>,
    #[serde(default, deserialize_with = "entries")]
    choices: Vec<Choice>,
    done: Option<bool>,
    #[serde(default, deserialize_with = "entries")]
    sources: Vec<WireSource>,
    #[serde(default, deserialize_with = "json::reported")]
    error: Option<Value>,
    source: Option<Named>,
    document: Option<Content<String>>,
    #[serde(default, deserialize_with = "list")]
    metadata: Vec<Option<Map<String, Value>>>,
    #[serde(default, deserialize_with = "list")]
    distances: Vec<Option<f64>>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(Default, Deserialize)]
struct Choice {
    index: Option<u64>,
    delta: Option<Message>,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<chat::Content>,
}

/// The answer so far, and the reader of its events.
#[derive(Debug, Default)]
pub(super) struct WebUiAnswer {
    sources: Sources,
    text: String,
    /// Whether an event replaced text that had already been emitted. No text is emitted after that.
    is_replaced: bool,
}

fn parse(body: &str) -> Result<Answer, IngestError> {
    let mut answer = Answer { grammar: MarkerGrammar::BRACKETED_NUMBERS, ..Answer::default() };
    let mut reader = WebUiAnswer::default();
    let mut said = Vec::new();
    reader.take("", body, &mut answer.warnings, &mut said)?;
    for said in said {
        if let StreamEvent::Error(error) = said {
            answer.error = Some(error);
        }
    }
    Box::new(reader).finish(&mut answer);
    Ok(answer)
}

impl WebUiAnswer {
    /// A reader that takes over after another reader emitted `text`.
    pub(super) fn after(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }

    fn take(
        &mut self,
        place: &str,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let mut event: WireEvent = json::read(json)?;
        let mut place = place.to_owned();
        let before = said.len();
        let (choices, sources) = (std::mem::take(&mut event.choices), std::mem::take(&mut event.sources));
        self.add_sources(sources, &place, notes);
        self.add_text(first_text(choices), said);
        while let Some(inner) = event.event.take() {
            event = *inner;
            place.push_str("/event");
        }
        let WireEvent { kind, data, error, .. } = event;
        if let Some(error) = error {
            said.push(StreamEvent::Error(json::provider_error(&error)));
            return Ok(());
        }
        let (kind, data) = (kind.unwrap_or_default(), data.unwrap_or_default());
        let place = format!("{place}/data");
        let content = data.content.unwrap_or_default();
        match kind.as_str() {
            "message" | "chat:message:delta" => self.add_text(content, said),
            "replace" | "chat:message" => self.replace_text(content, said),
            "source" | "citation" => WireSource {
                source: data.source,
                document: data.document,
                metadata: data.metadata,
                distances: data.distances,
                kind: data.kind,
            }
            .add_to(&mut self.sources, &place, notes),
            "chat:completion" => {
                self.add_sources(data.sources, &place, notes);
                // An event with sources only has an empty `content` (rule OW-02).
                if !content.is_empty() {
                    self.replace_text(content, said);
                }
                self.add_text(first_text(data.choices), said);
            }
            _ => {}
        }
        let new = self.sources.new_ones();
        if !new.is_empty() {
            said.insert(before, StreamEvent::Sources(new));
        }
        if let Some(error) = data.error.filter(|_| kind.starts_with("chat:")) {
            said.push(StreamEvent::Error(json::provider_error(&error)));
        } else if data.done == Some(true) && kind == "chat:completion" {
            said.push(StreamEvent::Done);
        }
        Ok(())
    }

    fn add_sources(&mut self, sources: Vec<WireSource>, place: &str, notes: &mut Vec<Entry>) {
        for (at, source) in sources.into_iter().enumerate() {
            source.add_to(&mut self.sources, &format!("{place}/sources/{at}"), notes);
        }
    }

    fn add_text(&mut self, text: String, said: &mut Vec<StreamEvent>) {
        self.text.push_str(&text);
        if !text.is_empty() && !self.is_replaced {
            said.push(StreamEvent::Text(text));
        }
    }

    /// Takes the whole text so far. If it extends the known text, the rest is emitted. Otherwise it replaces the known text,
    /// and [`StreamEvent::Late`] says that the text is final only at the end.
    fn replace_text(&mut self, text: String, said: &mut Vec<StreamEvent>) {
        match text.strip_prefix(self.text.as_str()).map(str::to_owned) {
            Some(rest) => self.add_text(rest, said),
            None => {
                self.text = text;
                if !std::mem::replace(&mut self.is_replaced, true) {
                    said.push(StreamEvent::Late);
                }
            }
        }
    }
}

/// The text of the choice with index 0 (rule N-09).
fn first_text(choices: Vec<Choice>) -> String {
    let first = choices.into_iter().next().filter(|choice| choice.index.unwrap_or_default() == 0);
    let message = first.and_then(|choice| choice.message.or(choice.delta));
    message.and_then(|message| message.content).map(chat::Content::into_text).unwrap_or_default()
}

impl ReadEvents for WebUiAnswer {
    fn grammar(&self) -> MarkerGrammar {
        MarkerGrammar::BRACKETED_NUMBERS
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        self.take(&event.pointer(), json, notes, said)
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        answer.text = self.text;
        self.sources.finish(answer);
        // Not every stream has an end sign, so a stream without an error is complete (rule N-12).
        answer.complete = answer.error.is_none();
    }
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "JSON that is made for a call reads better without borrowing")]
mod tests {
    use serde_json::json;

    use super::super::{AnswerStream, ingest};
    use super::*;

    fn answer(body: &Value) -> Answer {
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    fn event(kind: &str, data: Value) -> Value {
        json!({"type": kind, "data": data})
    }

    fn source(name: &str, identity: Value) -> Value {
        json!({"source": {"id": null, "name": name}, "document": [format!("passage of {name}")],
            "metadata": [{"source": identity, "label": "Secret"}]})
    }

    #[test]
    fn a_number_counts_distinct_ids_over_all_events() {
        let many = json!({"source": {"id": 7, "name": "Shared", "url": "https://x.example/shared"},
            "document": ["one", "two", "three"],
            "metadata": [{"source": "citewire:1", "page": 2, "name": "Own"}, null, {"source": "notes/a.md"}, {"source": "unused"}],
            "distances": [null, 0.5, 7]});
        let body = json!([
            event("status", json!({"done": false})),
            event("source", source("A", json!("https://X.example/a"))),
            event("message", json!({"content": "x [1] [2#p]"})),
            event("citation", many),
            event("source", source("Again", json!("https://X.example/a"))),
            event("source", source("Nobody", Value::Null)),
            event("source", json!({})),
            event("source", json!({"type": "code_execution", "source": {"name": "run"}, "document": ["1"]})),
            event("source", json!({"source": {"name": "empty"}, "document": []})),
            event("chat:completion", json!({"content": "", "sources": [source("Other nobody", Value::Null), null]})),
            json!({"event": event("chat:message:delta", json!({"content": " [5]"}))}),
        ]);
        let answer = answer(&body);
        assert_eq!((answer.text.as_str(), answer.complete), ("x [1] [2#p] [5]", true));
        let [a, own, shared, notes, nobody] = &answer.sources[..] else { panic!("{:#?}", answer.sources) };
        assert_eq!(
            (a.title.as_deref(), a.url.as_ref().map(crate::url::WebUrl::as_str)),
            (Some("A"), Some("https://x.example/a"))
        );
        assert_eq!((a.content.as_deref(), &a.metadata["label"]), (Some("passage of A"), &json!("Secret")));
        assert_eq!((own.title.as_deref(), own.page.map(u32::from), own.score), (Some("Own"), Some(3), None));
        assert_eq!(
            (shared.id.as_deref(), shared.score, shared.content.as_deref()),
            (Some("7"), Some(0.5), Some("two"))
        );
        assert_eq!((notes.filepath.as_deref(), notes.score), (Some("notes/a.md"), None));
        assert_eq!(notes.url.as_ref().map(crate::url::WebUrl::as_str), Some("https://x.example/shared"));
        assert_eq!((nobody.title.as_deref(), nobody.pointer.as_str()), (Some("Nobody"), "/5/data"));
        let odd: Vec<_> = answer.warnings.iter().map(|entry| entry.code).collect();
        // Open WebUI takes a second source without id and address for the first one (rule OW-01).
        assert_eq!(odd, ["no-passage", "same-document", "same-document"]);
        assert_eq!(answer.grammar, MarkerGrammar::BRACKETED_NUMBERS);
    }

    /// The streams of a back end behind Open WebUI, and the whole answer of Open WebUI itself.
    #[test]
    fn sources_come_in_the_chunks_of_a_completion_or_beside_its_choices() {
        let chunk = |content: &str| json!({"choices": [{"index": 0, "delta": {"content": content}}]});
        let carrier = |name: &str| {
            let mut chunk = json!({"choices": [], "event": event("source", source(name, json!(format!("id:{name}"))))});
            if name == "B" {
                chunk.as_object_mut().expect("an object").remove("choices");
            }
            chunk
        };
        let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
        let other = json!({"choices": [{"index": 1, "delta": {"content": "other"}}]});
        let orders = [
            vec![chunk("x [1]"), chunk(" y [2]"), carrier("A"), carrier("B"), end.clone()],
            vec![carrier("A"), chunk("x [1]"), carrier("B"), other, chunk(" y [2]"), end],
        ];
        let whole = json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": "x [1] y [2]"}}],
            "sources": [source("A", json!("id:A")), source("B", json!("id:B"))]});
        let streams = orders.map(|events| {
            let lines: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
            ingest(format!("{lines}data: [DONE]\n\n").as_bytes(), None).expect("an answer")
        });
        for answer in streams.into_iter().chain([answer(&whole)]) {
            assert_eq!((answer.text.as_str(), answer.complete), ("x [1] y [2]", true));
            let titles: Vec<_> = answer.sources.iter().filter_map(|source| source.title.as_deref()).collect();
            assert_eq!((titles, answer.grammar), (vec!["A", "B"], MarkerGrammar::BRACKETED_NUMBERS));
        }
    }

    #[test]
    fn sources_append_to_what_is_there_and_what_is_none_is_passed_over() {
        let body = json!([
            event("message", json!({"content": "x [1] [2]"})),
            event("source", source("A", json!("a"))),
            event(
                "source",
                json!({"type": "code_execution", "source": {"name": "run"}, "document": ["1"], "metadata": [{}]})
            ),
            event("source", json!({})),
            event("chat:completion", json!({"content": "", "sources": [source("B", json!("b"))]})),
        ]);
        let answer = answer(&body);
        let titles: Vec<_> = answer.sources.iter().filter_map(|source| source.title.as_deref()).collect();
        assert_eq!((titles, answer.text.as_str()), (vec!["A", "B"], "x [1] [2]"));
    }

    #[test]
    fn a_text_may_grow_or_be_replaced() {
        let completion = |content: &str| event("chat:completion", json!({"content": content}));
        let choice =
            |content: &str| event("chat:completion", json!({"choices": [{"delta": {"content": content}}, null]}));
        let grown = json!([completion("One"), completion("One two"), choice(" three"), completion("One two three.")]);
        assert_eq!(answer(&grown).text, "One two three.");
        let replaced = json!([completion("One"), event("replace", json!({"content": "Two"})), choice(" three")]);
        assert_eq!(answer(&replaced).text, "Two three");
        let lines: String =
            replaced.as_array().into_iter().flatten().map(|event| format!("data: {event}\n\n")).collect();
        let said = AnswerStream::new(None).push(lines.as_bytes()).expect("events");
        assert_eq!(said, [StreamEvent::Text("One".into()), StreamEvent::Late]);
    }

    #[test]
    fn an_event_that_is_a_word_says_nothing() {
        let choices = json!([{"index": 0, "message": {"role": "assistant", "content": "x [1]"}}]);
        for event in [json!("message"), Value::Null] {
            let body = json!({"choices": choices, "sources": [source("A", json!("a"))], "event": event});
            assert_eq!((answer(&body).provider, answer(&body).sources.len()), (Some("openwebui"), 1), "{body}");
        }
    }

    #[test]
    fn an_error_keeps_what_had_arrived() {
        let error = event("chat:message:error", json!({"error": {"content": "boom", "message": "no model"}}));
        let answer = answer(&json!([event("message", json!({"content": "Half"})), error]));
        assert_eq!((answer.text.as_str(), answer.complete), ("Half", false));
        assert_eq!(answer.error.expect("an error").to_string(), "no model");
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let refused = |body: Value| ingest(body.to_string().as_bytes(), None).expect_err("unusable").to_string();
        let body = event("source", json!({"source": {"name": []}}));
        assert_eq!(refused(body), "/data/source/name: invalid type: sequence, expected a string");
        let body = json!([event("source", json!({"document": {}}))]);
        let message = "event 1 at line 1: /data/document: invalid type: map, expected a string or a list of parts";
        assert_eq!(refused(body), message);
    }
}
