//! [Gemini Interactions](https://ai.google.dev/gemini-api/docs/interactions): steps whose parts carry annotations. Their
//! names are those of OpenAI's, but their offsets are bytes, and they cover claims.

use std::num::NonZeroU32;

use serde::Deserialize;
use serde_json::Value;

use super::annotated::Annotated;
use super::event::{Event, ReadEvents, StreamEvent};
use super::format::{Format, Members, is_text};
use super::json::{self, Content, entries, filled, number_or_text, text_or_number};
use super::location::{Located, location};
use super::span::Unit;
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, Source, SourceKind};
use crate::report::{Entry, Kind};

pub(super) const FORMAT: Format = Format {
    provider: Provider::GeminiInteractions,
    sign: "`steps`",
    members: &[&[
        "agent",
        "created",
        "environment_id",
        "id",
        "model",
        "object",
        "previous_interaction_id",
        "role",
        "status",
        "steps",
        "updated",
        "usage",
    ]],
    is_whole: |members| {
        let is_named_otherwise = members.get("object").is_some_and(Value::is_string);
        // Steps of the Vercel AI SDK have a reason for their end.
        let is_step = |step: &Value| step.get("finishReason").is_none();
        let steps = members.get("steps").and_then(Value::as_array);
        steps.is_none_or(|steps| steps.iter().all(is_step))
            && (is_text(members, "object", "interaction") && (steps.is_some() || members.contains_key("status"))
                || steps.is_some() && !is_named_otherwise)
    },
    is_event,
    parse,
    reader: || Box::new(InteractionAnswer::default()),
};

fn is_event(members: &Members) -> bool {
    let kind = ["event_type", "eventType"].iter().find_map(|name| members.get(*name)).and_then(Value::as_str);
    kind.is_some_and(|kind| kind.starts_with("interaction.") || kind.starts_with("step."))
}

#[derive(Deserialize)]
struct Interaction {
    #[serde(default, deserialize_with = "entries")]
    steps: Vec<Step>,
    status: Option<String>,
    #[serde(default, deserialize_with = "json::reported")]
    error: Option<Value>,
}

#[derive(Default, Deserialize)]
struct Step {
    #[serde(rename = "type")]
    kind: Option<String>,
    content: Option<Content<Part>>,
}

/// A part of a step, or a delta of it.
#[derive(Default, Deserialize)]
struct Part {
    #[serde(rename = "type")]
    kind: Option<String>,
    text: Option<String>,
    #[serde(default, deserialize_with = "entries")]
    annotations: Vec<Annotation>,
}

/// A citation of any type. Each type has some of these members.
#[derive(Default, Deserialize)]
struct Annotation {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default, alias = "startIndex", deserialize_with = "number_or_text")]
    start_index: Option<u32>,
    #[serde(default, alias = "endIndex", deserialize_with = "number_or_text")]
    end_index: Option<u32>,
    url: Option<String>,
    title: Option<String>,
    #[serde(alias = "documentUri")]
    document_uri: Option<String>,
    #[serde(alias = "fileName")]
    file_name: Option<String>,
    source: Option<String>,
    #[serde(default, alias = "pageNumber", deserialize_with = "number_or_text")]
    page_number: Option<u32>,
    #[serde(alias = "customMetadata")]
    custom_metadata: Option<Value>,
    #[serde(default, alias = "placeId", deserialize_with = "text_or_number")]
    place_id: Option<String>,
    name: Option<String>,
}

#[derive(Deserialize)]
struct WireEvent {
    #[serde(alias = "eventType")]
    event_type: Option<String>,
    step: Option<Step>,
    delta: Option<Part>,
    interaction: Option<Interaction>,
    #[serde(default, deserialize_with = "json::reported")]
    error: Option<Value>,
    #[serde(default, deserialize_with = "number_or_text")]
    index: Option<u32>,
}

/// The state of an answer while it is read, whole or as a stream.
#[derive(Debug, Default)]
struct InteractionAnswer {
    annotated: Annotated,
    /// The index of the open step, and the text part of its last content part.
    open: Option<u32>,
    part: Option<usize>,
    /// Whether the open step is the output of the model.
    is_output: bool,
    tools_invoked: bool,
    begun: bool,
}

fn parse(body: &str) -> Result<Answer, IngestError> {
    let Interaction { steps, status, error } = json::read(body)?;
    let mut answer = Answer { grammar: MarkerGrammar::NONE, complete: true, ..Answer::default() };
    let mut interaction = InteractionAnswer::default();
    for (at, step) in steps.into_iter().enumerate() {
        let texts = interaction.begin(step, None, &format!("/steps/{at}"), &mut answer.warnings);
        answer.text.extend(texts);
    }
    if let Some(error) = error {
        if answer.text.is_empty() {
            return Err(json::error_instead(&error));
        }
        (answer.complete, answer.error) = (false, Some(json::provider_error(&error)));
    }
    answer.warnings.extend(odd_status(status, "/status".to_owned()));
    Box::new(interaction).finish(&mut answer);
    Ok(answer)
}

/// A note about a final status other than `completed`.
fn odd_status(status: Option<String>, pointer: String) -> Option<Entry> {
    let status = status.filter(|status| status != "completed")?;
    let message = format!("the interaction is {status:?}, so the answer may lack its end");
    Some(Entry::in_input(Kind::Note, "finish-reason", pointer, message))
}

impl InteractionAnswer {
    /// Begins a step. Returns the texts in its start event. Only the output of the model is the answer.
    fn begin(&mut self, step: Step, index: Option<u32>, pointer: &str, warnings: &mut Vec<Entry>) -> Vec<String> {
        let kind = step.kind.unwrap_or_default();
        self.tools_invoked |= kind.ends_with("_call") || kind.ends_with("_result");
        self.is_output = kind == "model_output";
        (self.open, self.part) = (index, None);
        if !self.is_output {
            return Vec::new();
        }
        let parts = match step.content.unwrap_or_default() {
            Content::Text(text) => vec![Part { text: Some(text), ..Part::default() }],
            Content::Parts(parts) => parts,
        };
        let parts = parts.into_iter().enumerate();
        parts
            .filter_map(|(at, part)| {
                self.part = None;
                self.add(part, &format!("{pointer}/content/{at}"), warnings)
            })
            .collect()
    }

    /// Adds a part of the open step or a delta of it: text, annotations, or both. Returns the text.
    fn add(&mut self, part: Part, pointer: &str, warnings: &mut Vec<Entry>) -> Option<String> {
        let kind = part.kind.as_deref().unwrap_or("text");
        if !matches!(kind, "text" | "text_delta" | "text_annotation_delta" | "text_annotation") {
            return None;
        }
        let annotated = &mut self.annotated;
        // Offsets count from the start of the part's text.
        let place = *self.part.get_or_insert_with(|| annotated.begin_part());
        let text = part.text.filter(|text| !text.is_empty());
        annotated.grow(text.as_deref().unwrap_or_default().len());
        for (at, annotation) in part.annotations.into_iter().enumerate() {
            annotation.cite(place, format!("{pointer}/annotations/{at}"), annotated, warnings);
        }
        text
    }
}

impl Annotation {
    fn cite(self, part: usize, pointer: String, annotated: &mut Annotated, warnings: &mut Vec<Entry>) {
        let mut source = Source { title: filled(self.title), pointer: pointer.clone(), ..Source::default() };
        let (member, address, key) = match self.kind.as_deref() {
            Some("url_citation") => {
                source.kind = Some(SourceKind::Web);
                ("url", self.url, None)
            }
            Some("file_citation") => {
                source.kind = Some(SourceKind::Document);
                source.page = self.page_number.and_then(NonZeroU32::new);
                source.content = filled(self.source);
                source.id.clone_from(&self.document_uri);
                if let Some(Value::Object(metadata)) = self.custom_metadata {
                    source.metadata = metadata;
                }
                let key = filled(self.document_uri.clone()).or_else(|| filled(self.file_name.clone()));
                ("document_uri", self.document_uri, key)
            }
            Some("place_citation") => {
                source.kind = Some(SourceKind::Maps);
                source.title = source.title.or(filled(self.name));
                source.id = filled(self.place_id);
                ("url", self.url, source.id.clone())
            }
            // Unknown types are skipped.
            _ => return,
        };
        let Located { url, filepath, address } = location(address, || format!("{pointer}/{member}"), warnings);
        (source.url, source.address) = (url, address);
        source.filepath = filled(self.file_name).or(filepath);
        let index = match key {
            Some(key) if source.url.is_none() => annotated.sources.known_as(&key, source),
            _ => annotated.sources.page(source),
        };
        let bytes = |offset: Option<u32>| offset.map(|offset| offset as usize);
        annotated.span(part, (bytes(self.start_index), bytes(self.end_index), Unit::Utf8), vec![index], pointer);
    }
}

impl ReadEvents for InteractionAnswer {
    fn grammar(&self) -> MarkerGrammar {
        MarkerGrammar::NONE
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let WireEvent { event_type, step, delta, interaction, error, index } = json::read(json)?;
        let place = event.pointer();
        let mut texts = Vec::new();
        let mut last = None;
        match event_type.as_deref().unwrap_or_default() {
            "step.start" => texts = self.begin(step.unwrap_or_default(), index, &format!("{place}/step"), notes),
            "step.delta" => {
                if let Some(delta) = delta.filter(|_| self.is_output || self.open != index) {
                    if self.open != index {
                        // The start event of this step is missing. A step with a delta of text is taken for the output.
                        (self.open, self.part, self.is_output) = (index, None, true);
                    }
                    texts.extend(self.add(delta, &format!("{place}/delta"), notes));
                }
            }
            "interaction.completed" => {
                let status = interaction.and_then(|interaction| interaction.status);
                notes.extend(odd_status(status, format!("{place}/interaction/status")));
                last = Some(StreamEvent::Done);
            }
            "error" => last = Some(StreamEvent::Error(json::provider_error(&error.unwrap_or_default()))),
            _ => {}
        }
        if !texts.is_empty() && !std::mem::replace(&mut self.begun, true) {
            // Citations may come behind the text that they cite, so all text has to be treated as if they will.
            said.push(StreamEvent::Late);
        }
        said.extend(texts.into_iter().map(StreamEvent::Text));
        said.extend(last);
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        answer.tools_invoked = self.tools_invoked.then_some(true);
        self.annotated.finish(answer);
    }
}

#[cfg(test)]
#[expect(clippy::needless_pass_by_value, reason = "JSON that is made for a call reads better without borrowing")]
mod tests {
    use serde_json::json;

    use super::super::annotated::cited;
    use super::super::ingest;
    use super::*;

    fn answer(body: &Value) -> Answer {
        ingest(body.to_string().as_bytes(), None).expect("an answer")
    }

    fn url(start: Value, end: Value, url: &str) -> Value {
        json!({"type": "url_citation", "start_index": start, "end_index": end, "url": url, "title": null})
    }

    #[test]
    fn offsets_are_bytes_of_the_part_and_a_missing_start_is_0() {
        let body = json!({"object": "interaction", "status": "incomplete", "steps": [
            {"type": "thought", "content": "never [1]"},
            {"type": "file_search_call", "content": null},
            null,
            {"type": "model_output", "content": [
                {"type": "text", "text": "Süß. ", "annotations": [url(Value::Null, json!(6), "https://x.example/a")]},
                {"type": "image"},
                {"type": "text", "text": "Süß ist gut.", "annotations": [
                    {"type": "file_citation", "document_uri": "gs://b/x/n.pdf", "file_name": null, "page_number": "4",
                        "source": "passage", "custom_metadata": {"label": "Secret"}, "start_index": 6, "endIndex": 9},
                    {"type": "file_citation", "documentUri": "gs://b/x/n.pdf", "start_index": 10, "end_index": 14},
                    {"type": "place_citation", "name": "Zoo", "place_id": "p", "url": "https://maps.example/zoo"},
                    {"type": "new_citation", "url": "https://x.example/new"}, null]}]},
            {"type": "model_output", "content": "The end."}]});
        let answer = answer(&body);
        assert_eq!(answer.text, "Süß. Süß ist gut.The end.");
        assert_eq!(cited(&answer), [("Süß.", vec![0]), ("ist", vec![1]), ("gut.", vec![1])]);
        let [_, file, place] = &answer.sources[..] else { panic!("three sources: {:?}", answer.sources) };
        assert_eq!((file.filepath.as_deref(), file.page.map(u32::from)), (Some("x/n.pdf"), Some(4)));
        assert_eq!((file.content.as_deref(), &file.metadata["label"]), (Some("passage"), &json!("Secret")));
        assert_eq!((place.title.as_deref(), place.id.as_deref()), (Some("Zoo"), Some("p")));
        assert_eq!(answer.tools_invoked, Some(true));
        let odd: Vec<_> = answer.warnings.iter().map(|entry| entry.code).collect();
        assert_eq!(odd, ["finish-reason", "annotation-unanchored", "sources-unread"]);
    }

    fn delta(index: u32, delta: Value) -> Value {
        json!({"event_type": "step.delta", "index": index, "delta": delta})
    }

    fn start(index: u32, kind: &str) -> Value {
        json!({"event_type": "step.start", "index": index, "step": {"type": kind}})
    }

    #[test]
    fn a_stream_is_the_whole_answer_wherever_its_deltas_are_cut() {
        let note = |annotation: Value| json!({"type": "text_annotation_delta", "annotations": [annotation]});
        let text = |text: &str| json!({"type": "text", "text": text});
        let (one, two) =
            (url(json!(0), json!(6), "https://x.example/a"), url(json!(0), json!(4), "https://x.example/b"));
        let events = [
            json!({"event_type": "interaction.created", "interaction": {"steps": null}}),
            start(0, "thought"),
            delta(0, json!({"type": "thought_summary", "text": "never"})),
            start(1, "model_output"),
            delta(1, text("Sü")),
            delta(1, note(one.clone())),
            delta(1, text("ß. ")),
            json!({"event_type": "step.stop", "index": 1}),
            start(2, "model_output"),
            delta(2, text("Gut.")),
            delta(2, note(two.clone())),
            json!({"event_type": "interaction.completed", "interaction": {"status": "completed"}}),
        ];
        let mut whole = answer(&json!({"status": "completed", "steps": [
            {"type": "thought"},
            {"type": "model_output", "content": [{"type": "text", "text": "Süß. ", "annotations": [one]}]},
            {"type": "model_output", "content": [{"type": "text", "text": "Gut.", "annotations": [two]}]}]}));
        let mut streamed = answer(&json!(events));
        assert_eq!(cited(&streamed), [("Süß.", vec![0]), ("Gut.", vec![1])]);
        for source in streamed.sources.iter_mut().chain(&mut whole.sources) {
            source.pointer.clear();
        }
        assert_eq!(streamed, whole);
        assert!(!answer(&json!(events[..10])).complete);
    }

    #[test]
    fn an_error_keeps_what_had_arrived() {
        let error = json!({"event_type": "error", "error": {"code": "overloaded", "message": "later"}});
        let body = json!([start(0, "model_output"), delta(0, json!({"type": "text", "text": "Half"})), error]);
        let answer = answer(&body);
        assert_eq!((answer.text.as_str(), answer.complete), ("Half", false));
        assert_eq!(answer.error.expect("an error").to_string(), "overloaded: later");
    }

    #[test]
    fn a_wrong_type_is_named_by_its_place() {
        let body = json!({"steps": [{"type": "model_output", "content": [{"annotations": [{"end_index": "x"}]}]}]});
        let error = ingest(body.to_string().as_bytes(), None).expect_err("unusable").to_string();
        assert_eq!(error, "/steps/0/content/0/annotations/0/end_index: \"x\" is not a whole number");
    }
}
