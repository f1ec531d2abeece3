//! [Responses as a stream](https://platform.openai.com/docs/api-reference/responses-streaming): `response.…` events,
//! gathered until each item is complete.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::annotated_parts::Part;
use super::event::{Event, ReadEvents, StreamEvent};
use super::json::{self, list};
use super::openai_annotation::annotation;
use super::responses::{Flavour, Reply, WireResponse, incomplete, is_complete, is_grok, is_search, kind_of};
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, ProviderError};
use crate::report::{Entry, Kind};

/// One event, with the members of all kinds that are read.
#[derive(Default, Deserialize)]
struct WireEvent {
    #[serde(rename = "type")]
    kind: Option<String>,
    output_index: Option<u64>,
    content_index: Option<u64>,
    delta: Option<Value>,
    text: Option<Value>,
    annotation: Option<Value>,
    item: Option<Value>,
    response: Option<WireResponse>,
    #[serde(default, deserialize_with = "json::reported")]
    error: Option<Value>,
    #[serde(default, deserialize_with = "list")]
    results: Vec<Value>,
}

/// The state of one output item.
#[derive(Debug)]
enum Item {
    /// Parts of an incomplete message, by `content_index`.
    Growing(BTreeMap<u64, Part>),
    /// The complete item from `response.output_item.done`.
    Whole(Box<Reply>),
}

/// Reads the events of one streamed response.
#[derive(Debug)]
pub(super) struct ResponsesEvents {
    /// The variant, if the caller gave it.
    given: Option<Flavour>,
    /// The variant that the events revealed.
    told: Option<Flavour>,
    items: BTreeMap<u64, Item>,
    /// Pages that Perplexity reported during reasoning.
    found: Reply,
    /// The complete response from the last event. If it has a message, it replaces everything before.
    response: Option<Reply>,
    late: bool,
    used_tools: bool,
    /// The text that has been emitted.
    text: String,
}

impl ResponsesEvents {
    pub(super) fn new(given: Option<Flavour>) -> Self {
        Self {
            given,
            told: None,
            items: BTreeMap::new(),
            found: Reply::default(),
            response: None,
            late: false,
            used_tools: false,
            text: String::new(),
        }
    }

    fn flavour(&self) -> Flavour {
        self.given.or(self.told).unwrap_or(Flavour::OpenAi)
    }

    /// Emits [`StreamEvent::Late`] once: from here on, citations may arrive after their text.
    fn become_late(&mut self, said: &mut Vec<StreamEvent>) {
        if !self.late {
            self.late = true;
            said.push(StreamEvent::Late);
        }
    }

    fn say(&mut self, text: &str, said: &mut Vec<StreamEvent>) {
        if text.is_empty() {
            return;
        }
        // Annotations, which come after the text, replace OpenAI's markers; xAI's `[[n]](url)` links are replaced at the end.
        let markers: &[char] = if self.flavour() == Flavour::Xai { &['['] } else { &['\u{e200}', '【'] };
        if text.contains(markers) {
            self.become_late(said);
        }
        self.text.push_str(text);
        said.push(StreamEvent::Text(text.to_owned()));
    }

    fn part(&mut self, event: &WireEvent) -> Option<&mut Part> {
        let item = self.items.entry(event.output_index.unwrap_or_default());
        match item.or_insert_with(|| Item::Growing(BTreeMap::new())) {
            Item::Growing(parts) => Some(parts.entry(event.content_index.unwrap_or_default()).or_default()),
            Item::Whole(..) => None,
        }
    }

    /// The text of all items so far.
    fn gathered(&self) -> String {
        let text = |item: &Item| match item {
            Item::Growing(parts) => parts.values().map(|part| part.text.as_str()).collect(),
            Item::Whole(item) => item.text(),
        };
        self.items.values().map(text).collect()
    }

    /// Emits the rest of `text` if it begins with the text that has been emitted; else nothing.
    fn say_rest(&mut self, text: &str, said: &mut Vec<StreamEvent>) {
        if let Some(rest) = text.strip_prefix(&self.text).map(str::to_owned) {
            self.say(&rest, said);
        }
    }

    /// The complete response, or else everything gathered from the events.
    fn reply(&mut self) -> Reply {
        let mut reply = self.response.take().unwrap_or_default();
        if !reply.has_message {
            let last = std::mem::replace(&mut reply, std::mem::take(&mut self.found));
            for item in std::mem::take(&mut self.items).into_values() {
                match item {
                    Item::Whole(item) => reply.append(*item),
                    Item::Growing(parts) => reply.parts.extend(parts.into_values()),
                }
            }
            reply.append(last);
        } else {
            let mut gathered = Reply::default();
            for item in std::mem::take(&mut self.items).into_values() {
                if let Item::Whole(item) = item {
                    gathered.append(*item);
                }
            }
            reply.find_as(&mut gathered);
        }
        reply.used_tools |= self.used_tools;
        reply
    }

    /// Reads an item that has begun, or a complete item if `ended_at` gives its `output_index`.
    fn take_item(
        &mut self,
        item: Value,
        ended_at: Option<u64>,
        event: Event<'_>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let kind = kind_of(&item).unwrap_or_default();
        if kind == "search_results" {
            self.told = Some(Flavour::Perplexity);
        }
        if is_search(&kind) {
            self.used_tools = true;
            self.become_late(said);
        }
        let Some(place) = ended_at else { return Ok(()) };
        let mut whole = Reply::default();
        whole.take(item, "/item")?;
        let has_text = !whole.parts.is_empty();
        self.items.insert(place, Item::Whole(Box::new(whole.under(&event.pointer()))));
        if has_text {
            let gathered = self.gathered();
            self.say_rest(&gathered, said);
        }
        Ok(())
    }

    /// Reads pages that Perplexity reports during reasoning.
    fn take_results(
        &mut self,
        pages: Vec<Value>,
        event: Event<'_>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        self.told = Some(Flavour::Perplexity);
        self.used_tools = true;
        self.become_late(said);
        let mut results = Reply::default();
        let page = |(at, page)| json::member(page, &format!("/results/{at}"));
        let pages: Result<_, _> = pages.into_iter().enumerate().map(page).collect();
        results.take_results(pages?, "");
        self.found.append(results.under(&event.pointer()));
        Ok(())
    }

    fn end(
        &mut self,
        mut response: WireResponse,
        event: Event<'_>,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let (status, error) = (response.status.take(), response.error.take());
        let reply = Reply::of(response, "/response").map(|reply| reply.under(&event.pointer()))?;
        if reply.has_message {
            self.say_rest(&reply.text(), said);
        }
        self.response = Some(reply);
        if let Some(error) = error {
            said.push(StreamEvent::Error(json::provider_error(&error)));
        } else if is_complete(status.as_deref()) {
            said.push(StreamEvent::Done);
        } else {
            notes.extend(incomplete(status.as_deref(), format!("{}/response/status", event.pointer())));
        }
        Ok(())
    }
}

/// The error of an `error` event. Its members stand in `error`, or at the top level of the event.
fn failure(nested: Option<Value>, json: &str) -> Result<ProviderError, IngestError> {
    let is_flat = nested.is_none();
    let mut error = json::provider_error(&nested.map_or_else(|| json::read(json), Ok)?);
    // At the top level, `type` is the kind of the event, not of the error.
    error.kind.take_if(|_| is_flat);
    Ok(error)
}

impl ReadEvents for ResponsesEvents {
    fn grammar(&self) -> MarkerGrammar {
        self.flavour().grammar()
    }

    fn told_provider(&self) -> Option<Provider> {
        let in_response = self.response.as_ref().and_then(Reply::flavour);
        Some(match self.given.or(in_response).or(self.told)? {
            Flavour::OpenAi => Provider::OpenAiResponses,
            Flavour::Xai => Provider::Xai,
            Flavour::Perplexity => Provider::PerplexityAgent,
        })
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let mut wire: WireEvent = json::read(json)?;
        let kind = wire.kind.take().unwrap_or_default();
        if is_grok(wire.response.as_ref().and_then(|response| response.model.as_deref())) {
            self.told = Some(Flavour::Xai);
        }
        match kind.as_str() {
            "response.output_text.delta" | "response.refusal.delta" => {
                let delta = text(wire.delta.take(), "/delta")?;
                if let Some(part) = self.part(&wire) {
                    part.text.push_str(&delta);
                    self.say(&delta, said);
                }
            }
            "response.output_text.done" => {
                let text = text(wire.text.take(), "/text")?;
                // If no deltas came before, this event has the whole text of the part.
                if let Some(part) = self.part(&wire).filter(|part| part.text.is_empty()) {
                    part.text.clone_from(&text);
                    self.say(&text, said);
                }
            }
            "response.output_text.annotation.added" => {
                self.become_late(said);
                let pointer = format!("{}/annotation", event.pointer());
                let read = wire.annotation.take().and_then(|value| annotation(value, "/annotation")).transpose()?;
                if let (Some(part), Some(annotation)) = (self.part(&wire), read) {
                    part.annotations.push((pointer, annotation));
                }
            }
            "response.output_item.added" | "response.output_item.done" => {
                let Some(item) = wire.item.take() else { return Ok(()) };
                let ended_at = kind.ends_with("done").then(|| wire.output_index.unwrap_or_default());
                self.take_item(item, ended_at, event, said)?;
            }
            "response.reasoning.search_results" => self.take_results(wire.results, event, said)?,
            "response.completed" | "response.incomplete" | "response.failed" | "response.done" => {
                let mut response = wire.response.take().unwrap_or_default();
                if kind == "response.failed" && response.error.is_none() {
                    response.error = Some(Value::from("the response failed"));
                }
                self.end(response, event, notes, said)?;
            }
            "error" => said.push(StreamEvent::Error(failure(wire.error.take(), json)?)),
            other if other.contains("search_call.") => {
                self.used_tools = true;
                self.become_late(said);
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>, answer: &mut Answer) {
        let shown = std::mem::take(&mut self.text);
        let reply = self.reply();
        let flavour = self.given.or(reply.flavour()).or(self.told).unwrap_or(Flavour::OpenAi);
        reply.finish(flavour, answer);
        if !answer.text.starts_with(&shown) {
            let message = "the text at the end of the stream differs from the text that was streamed; it is taken";
            answer.warnings.push(Entry::in_input(Kind::Note, "text-differs", "", message));
        }
    }
}

/// Reads an optional string; a missing one is empty.
fn text(value: Option<Value>, pointer: &str) -> Result<String, IngestError> {
    json::member::<Option<String>>(value.unwrap_or_default(), pointer).map(Option::unwrap_or_default)
}
