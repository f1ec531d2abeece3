//! citewire's own format as a stream: each event is one JSON object (`docs/reference/manifest.md`).

use serde::Deserialize;
use serde_json::Value;

use super::event::{Event, ReadEvents, StreamEvent};
use super::json::{self, list};
use super::manifest::{Annotation, WireCode, WireInterpreter, WireLabel, WireSource, citations};
use super::{IngestError, known_members};
use crate::answer::{Answer, MarkerGrammar};
use crate::report::Entry;

/// One event. It may have several of these members; its sources are known before its own text.
#[derive(Deserialize)]
struct WireEvent {
    delta: Option<String>,
    #[serde(default, deserialize_with = "list")]
    sources: Vec<Option<WireSource>>,
    #[serde(default, deserialize_with = "list")]
    annotations: Vec<Annotation>,
    // Boxed: few events have one, and every event is moved.
    label: Option<Box<WireLabel>>,
    interpreter: Option<Box<WireInterpreter>>,
    code: Option<Box<WireCode>>,
    #[serde(default, deserialize_with = "json::reported")]
    error: Option<Value>,
    done: Option<bool>,
}

/// An event with only text, the most frequent kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WirePiece {
    delta: String,
}

/// Reads the events of a native stream.
#[derive(Debug, Default)]
pub(super) struct NativeEvents {
    /// Annotations with their JSON pointers. They are resolved at the end, because their offsets count in the whole text and
    /// their sources may come later.
    annotations: Vec<(String, Annotation)>,
}

impl ReadEvents for NativeEvents {
    fn grammar(&self) -> MarkerGrammar {
        MarkerGrammar::ALL
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        said: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        if let Ok(WirePiece { delta }) = serde_json::from_str(json) {
            said.extend(Some(delta).filter(|delta| !delta.is_empty()).map(StreamEvent::Text));
            return Ok(());
        }
        let (read, unknown) = known_members::read(json)?;
        let WireEvent { delta, sources, annotations, label, interpreter, code, error, done } = read;
        if !unknown.is_empty() {
            notes.extend(unknown.notes(&event.pointer()));
        }
        let place = || event.pointer();
        if !sources.is_empty() {
            let sources = sources.into_iter().enumerate();
            let sources = sources
                .map(|(at, source)| source.unwrap_or_default().into_source(format!("{}/sources/{at}", place()), notes));
            said.push(StreamEvent::Sources(sources.collect()));
        }
        if let Some(label) = label {
            said.push(StreamEvent::Label(label.into_label(&format!("{}/label", place()), notes)));
        }
        if let Some(interpreter) = interpreter {
            let interpreter = interpreter.into_interpreter(&format!("{}/interpreter", place()), notes);
            said.extend(interpreter.map(StreamEvent::Interpreter));
        }
        if let Some(code) = code {
            said.extend(code.into_code(&format!("{}/code", place()), notes).map(StreamEvent::Code));
        }
        if !annotations.is_empty() {
            let annotations = annotations.into_iter().enumerate();
            self.annotations
                .extend(annotations.map(|(at, annotation)| (format!("{}/annotations/{at}", place()), annotation)));
            said.push(StreamEvent::Late);
        }
        said.extend(delta.filter(|delta| !delta.is_empty()).map(StreamEvent::Text));
        if let Some(error) = error {
            said.push(StreamEvent::Error(json::provider_error(&error)));
        } else if done == Some(true) {
            said.push(StreamEvent::Done);
        }
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        answer.citations = citations(&answer.text, &answer.sources, self.annotations, &mut answer.warnings);
    }
}
