//! Reads a stream by a mapping.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use super::super::event::{Event, ReadEvents, StreamEvent};
use super::super::{IngestError, json};
use super::growing_text::{GrowingText, Said};
use super::mapping::{End, EventRule, Mapping, StreamRules};
use super::oddities::Oddities;
use super::path::{Found, shown};
use super::spans::{FoundSpan, citations};
use super::whole::{is_error, no_text};
use crate::answer::{Answer, MarkerGrammar, Source};
use crate::report::Entry;

/// An answer as far as it has arrived.
#[derive(Debug)]
pub(crate) struct MappedEvents {
    mapping: Arc<Mapping>,
    /// The sources so far, without their places: many streams repeat all of them with each event.
    known: HashSet<String>,
    spans: Vec<FoundSpan>,
    odd: Oddities,
    text: GrowingText,
    /// Whether events are skipped, up to the last of them.
    skips: bool,
    /// Members of the first event without text, for an error.
    seen: Option<String>,
    has_sentinel: bool,
}

/// An event in a list of its own, as conditions need it.
struct Opened {
    list: Value,
    name: String,
    pointer: String,
}

impl Opened {
    fn value(&self) -> &Value {
        self.list.get(0).unwrap_or(&Value::Null)
    }

    /// Findings of a rule in the event; nothing in an event that it is not about.
    fn found(&self, rule: &EventRule) -> Vec<Found<'_>> {
        let is_named = rule.event.as_ref().is_none_or(|name| *name == self.name);
        if !is_named || rule.when.as_ref().is_some_and(|when| !when.is_in(&self.list)) {
            return Vec::new();
        }
        rule.path.find(self.value(), &self.pointer)
    }
}

impl Mapping {
    /// Whether an event has everything by which `auto` chooses this mapping.
    pub(crate) fn recognizes_event(&self, event: &Event<'_>, data: &str) -> bool {
        let Some(rules) = self.stream.as_ref().filter(|stream| !stream.recognize.is_empty()) else { return false };
        let opened = self.open(event, data);
        rules.recognize.iter().any(|rule| opened.found(rule).iter().any(|found| !found.value.is_null()))
    }

    /// An event as JSON; data that is none is a text.
    fn open(&self, event: &Event<'_>, data: &str) -> Opened {
        let mut value = serde_json::from_str(data).unwrap_or_else(|_| {
            let raw = std::str::from_utf8(event.data).unwrap_or(data);
            Value::String(raw.to_owned())
        });
        self.open_json(&mut value);
        Opened { list: Value::Array(vec![value]), name: event.name.to_owned(), pointer: event.pointer() }
    }
}

impl MappedEvents {
    pub(crate) fn new(mapping: Arc<Mapping>) -> Self {
        let so_far = mapping.stream.as_ref().map(|stream| stream.so_far).unwrap_or_default();
        Self {
            mapping,
            known: HashSet::new(),
            spans: Vec::new(),
            odd: Oddities::default(),
            text: GrowingText::new(so_far),
            skips: false,
            seen: None,
            has_sentinel: false,
        }
    }

    fn read_sources(&mut self, rules: &StreamRules, event: &Opened, notes: &mut Vec<Entry>) -> Vec<Source> {
        let mapping = Arc::clone(&self.mapping);
        let mut sources = Vec::new();
        if rules.sources.is_empty() {
            sources = mapping.sources(&mapping.sources, event.value(), &event.pointer, notes, &mut self.odd);
        }
        for rule in &rules.sources {
            let found = event.found(rule);
            sources.extend(found.iter().map(|found| mapping.source.read(found, notes, &mut self.odd)));
        }
        let anew: Vec<(String, Source)> = sources
            .into_iter()
            .map(|source| (format!("{:?}", Source { pointer: String::new(), ..source.clone() }), source))
            .filter(|(content, _)| !self.known.contains(content))
            .collect();
        self.known.extend(anew.iter().map(|(content, _)| content.clone()));
        anew.into_iter().map(|(_, source)| source).collect()
    }

    fn read_spans(&mut self, rules: &StreamRules, event: &Opened) -> bool {
        let mapping = Arc::clone(&self.mapping);
        let Some(spans) = &mapping.spans else { return false };
        let before = self.spans.len();
        if rules.spans.is_empty() {
            let found = spans.each.iter().flat_map(|path| path.find(event.value(), &event.pointer));
            self.spans.extend(found.map(|found| spans.read(&found, &mut self.odd)));
        }
        for rule in &rules.spans {
            self.spans.extend(event.found(rule).iter().map(|found| spans.read(found, &mut self.odd)));
        }
        self.spans.len() > before
    }

    /// The text of an event: of the rules, the first that finds some.
    fn read_text(&mut self, rules: &StreamRules, event: &Opened) -> Option<String> {
        let mut wrong = Vec::new();
        for rule in &rules.text {
            let mut text: Option<String> = None;
            for Found { pointer, value } in event.found(rule) {
                match value {
                    Value::String(part) => text.get_or_insert_default().push_str(part),
                    Value::Null => {}
                    Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                        wrong.push((no_text("stream.text", &rule.path, value), pointer));
                    }
                }
            }
            if text.is_some() {
                return text;
            }
        }
        for (message, pointer) in wrong {
            self.odd.add("mapping-type", message, &pointer);
        }
        self.seen.get_or_insert_with(|| {
            let name = if event.name.is_empty() { String::new() } else { format!(" ({:?})", event.name) };
            format!("the first event{name} {}", shown(event.value()))
        });
        None
    }

    /// Whether the text of an event is skipped.
    fn is_skipped(&mut self, rules: &StreamRules, event: &Opened) -> bool {
        let Some(skip) = &rules.skip else { return false };
        let is_it = |rule: &EventRule| event.found(rule).iter().any(|found| is_sign(found.value));
        let is_skipped = self.skips || is_it(&skip.from);
        self.skips = is_skipped && !is_it(&skip.to);
        is_skipped
    }
}

impl ReadEvents for MappedEvents {
    fn grammar(&self) -> MarkerGrammar {
        self.mapping.grammar
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let mapping = Arc::clone(&self.mapping);
        let Some(rules) = &mapping.stream else {
            let reason = format!("this is a stream, and the mapping {} has no [stream]", mapping.name);
            return Err(IngestError::member("", reason));
        };
        let opened = mapping.open(&event, json);
        let sources = self.read_sources(rules, &opened, notes);
        if !sources.is_empty() {
            said.push(StreamEvent::Sources(sources));
        }
        if self.read_spans(rules, &opened) {
            said.push(StreamEvent::Late);
        }
        if !self.is_skipped(rules, &opened)
            && let Some(piece) = self.read_text(rules, &opened)
        {
            match self.text.add(piece) {
                Said::More(text) if text.is_empty() => {}
                Said::More(text) => said.push(StreamEvent::Text(text)),
                Said::Changed => said.push(StreamEvent::Late),
            }
        }
        let error = rules.error.iter().flat_map(|rule| opened.found(rule)).find(|found| is_error(found.value));
        if let Some(error) = error {
            said.push(StreamEvent::Error(json::provider_error(error.value)));
        } else if let End::Events(ends) = &rules.end
            && ends.iter().flat_map(|rule| opened.found(rule)).any(|found| is_sign(found.value))
        {
            said.push(StreamEvent::Done);
        }
        Ok(())
    }

    fn reads_any_data(&self) -> bool {
        true
    }

    fn take_sentinel(&mut self) {
        self.has_sentinel = true;
    }

    fn nothing(&self) -> Option<String> {
        let rule = self.mapping.stream.as_ref()?.text.first()?;
        let seen = self.seen.as_deref().unwrap_or("there is no event");
        Some(format!(
            "`stream.text` ({}) of the mapping {} finds nothing: {seen}",
            rule.path.written(),
            self.mapping.name
        ))
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        let Self { mapping, spans, odd, text, has_sentinel, .. } = *self;
        let (text, reasoning) = text.finish(&answer.text);
        text[reasoning..].clone_into(&mut answer.text);
        let no_error = answer.error.is_none();
        answer.complete = match mapping.stream.as_ref().map(|stream| &stream.end) {
            Some(End::Sentinel) => has_sentinel && no_error,
            Some(End::Events(_)) => answer.complete,
            Some(End::None) | None => no_error,
        };
        answer.citations = citations(&text, reasoning, &[], &answer.sources, spans, &mut answer.warnings);
        answer.warnings.extend(odd.entries());
        answer.provider = Some(mapping.name);
    }
}

/// Whether a value that stands where a sign does, such as that of the end, is one.
fn is_sign(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false))
}
