//! [Mistral chat completions](https://docs.mistral.ai/capabilities/citations): `reference` chunks between text
//! chunks. They hold ids of the documents that the caller gave to the model.

use serde::Deserialize;
use serde_json::Value;

use super::IngestError;
use super::annotated::Annotated;
use super::chat::{self, Content};
use super::event::{Event, ReadEvents, StreamEvent};
use super::json::{self, TextOrNumber, list};
use super::span::Unit;
use crate::answer::{Answer, MarkerGrammar, Source, SourceKind};
use crate::report::Entry;

#[derive(Deserialize)]
struct WireReference {
    #[serde(default, deserialize_with = "list")]
    reference_ids: Vec<TextOrNumber>,
}

/// The text and references that have arrived so far.
#[derive(Debug, Default)]
struct Referenced {
    annotated: Annotated,
    /// Length of the text, in bytes.
    length: usize,
}

impl Referenced {
    /// Reads the next content of a message and returns its text. `pointer` is its JSON pointer, relative to `place`.
    fn take(&mut self, content: Content, place: &str, pointer: &str) -> Result<String, IngestError> {
        let chunks = match content {
            Content::Text(text) => {
                self.grow(&text);
                return Ok(text);
            }
            Content::Chunks(chunks) => chunks,
        };
        let mut text = String::new();
        for (at, chunk) in chunks.into_iter().enumerate() {
            let pointer = format!("{pointer}/{at}");
            match chunk["type"].as_str() {
                Some("reference") => {
                    let reference: WireReference = json::member(chunk, &pointer)?;
                    self.cite(reference, &format!("{place}{pointer}"));
                }
                Some(_) => {
                    let more = Content::Chunks(vec![chunk]).into_text();
                    self.grow(&more);
                    text.push_str(&more);
                }
                None => {}
            }
        }
        Ok(text)
    }

    fn grow(&mut self, text: &str) {
        self.annotated.grow(text.len());
        self.length += text.len();
    }

    /// Cites sources at the end of the text so far. Only the caller's ids of them are known.
    fn cite(&mut self, reference: WireReference, pointer: &str) {
        let mut sources = Vec::new();
        for (at, TextOrNumber(id)) in reference.reference_ids.into_iter().enumerate() {
            let pointer = format!("{pointer}/reference_ids/{at}");
            let kind = Some(SourceKind::Tool);
            let source = Source { id: Some(id.clone()), kind, pointer, ..Source::default() };
            sources.push(self.annotated.sources.known_as(&id, source));
        }
        sources.sort();
        sources.dedup();
        if !sources.is_empty() {
            self.annotated.grow(0);
            self.annotated.point(0, self.length, Unit::Utf8, sources, pointer.to_owned());
        }
    }
}

/// Reads a whole completion.
pub(super) fn parse(body: &str) -> Result<Answer, IngestError> {
    let mut answer = Answer { grammar: MarkerGrammar::NONE, complete: true, ..Answer::default() };
    let (content, _) = chat::whole(body, &mut answer.warnings)?;
    let mut referenced = Referenced::default();
    answer.text = referenced.take(content, "", "/choices/0/message/content")?;
    referenced.annotated.finish(&mut answer);
    Ok(answer)
}

/// Reads the chunks of one streamed answer.
#[derive(Debug, Default)]
pub(super) struct MistralChatEvents {
    referenced: Referenced,
    late: bool,
}

impl MistralChatEvents {
    /// A reader that takes over after `bytes` bytes of text.
    pub(super) fn after(bytes: usize) -> Self {
        let mut events = Self::default();
        events.referenced.annotated.grow(bytes);
        events.referenced.length = bytes;
        events
    }
}

impl ReadEvents for MistralChatEvents {
    fn grammar(&self) -> MarkerGrammar {
        MarkerGrammar::NONE
    }

    fn read(
        &mut self,
        event: Event<'_>,
        json: &str,
        notes: &mut Vec<Entry>,
        events: &mut Vec<StreamEvent>,
    ) -> Result<(), IngestError> {
        let chunk = chat::chunk(event, json, notes)?;
        if let Some(error) = chunk.error {
            events.push(StreamEvent::Error(error));
            return Ok(());
        }
        let Some(said) = chunk.said else { return Ok(()) };
        if let Some(content) = said.content {
            // A reference follows the text that it cites, and further references to the same text may come later.
            let refers = |chunk: &Value| chunk["type"] == "reference";
            if !self.late && matches!(&content, Content::Chunks(chunks) if chunks.iter().any(refers)) {
                self.late = true;
                events.push(StreamEvent::Late);
            }
            let pointer = said.pointer.strip_prefix(&event.pointer()).unwrap_or_default();
            let text = self.referenced.take(content, &event.pointer(), &format!("{pointer}/content"))?;
            events.extend(Some(text).filter(|text| !text.is_empty()).map(StreamEvent::Text));
        }
        if said.ended {
            events.push(StreamEvent::Done);
        }
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        self.referenced.annotated.finish(answer);
    }
}
