//! [Mistral conversations](https://docs.mistral.ai/agents/tools/built-in/websearch) as a stream: text chunks and
//! references, in the order of the answer.

use serde::Deserialize;
use serde_json::Value;

use super::IngestError;
use super::event::{Event, ReadEvents, StreamEvent};
use super::json;
use super::mistral_outputs::{Outputs, is_tool};
use crate::answer::{Answer, MarkerGrammar};
use crate::report::Entry;

#[derive(Deserialize)]
struct WireEvent {
    #[serde(rename = "type")]
    kind: Option<String>,
    content: Option<Value>,
    #[serde(default, deserialize_with = "json::reported")]
    error: Option<Value>,
}

/// Reads the events of one streamed response.
#[derive(Debug, Default)]
pub(super) struct MistralEvents {
    outputs: Outputs,
    /// Whether the text so far ends with whitespace. A badge then goes behind that whitespace, not behind the last word, so
    /// [`StreamEvent::Late`] takes the place of [`StreamEvent::Cited`].
    ends_blank: bool,
    late: bool,
}

impl MistralEvents {
    /// Emits the sources that the last text chunk cites. Called when the next chunk begins, so that the list is complete.
    fn cite(&mut self, said: &mut Vec<StreamEvent>) {
        let cited = self.outputs.settle();
        if cited.is_empty() || self.late {
            return;
        }
        if self.ends_blank {
            self.late = true;
            said.push(StreamEvent::Late);
            return;
        }
        said.extend([StreamEvent::Sources(self.outputs.annotated.sources.new_ones()), StreamEvent::Cited(cited)]);
    }
}

impl ReadEvents for MistralEvents {
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
        let wire: WireEvent = json::read(json)?;
        let kind = wire.kind.unwrap_or_default();
        self.outputs.used_tools |= is_tool(&kind);
        match kind.as_str() {
            "message.output.delta" => {
                let chunks = match wire.content.unwrap_or_default() {
                    Value::Null => Vec::new(),
                    Value::Array(chunks) => {
                        let named = chunks.into_iter().enumerate();
                        named.map(|(at, chunk)| (format!("/content/{at}"), chunk)).collect()
                    }
                    chunk @ (Value::String(_) | Value::Object(_)) => vec![("/content".to_owned(), chunk)],
                    other @ (Value::Bool(_) | Value::Number(_)) => {
                        json::member::<String>(other, "/content")?;
                        Vec::new()
                    }
                };
                for (pointer, chunk) in chunks {
                    let is_text = chunk.is_string() || chunk["type"] == "text";
                    if is_text && chunk.as_str() != Some("") {
                        self.cite(said);
                    }
                    // Text needs no place.
                    let place = if chunk.is_string() { String::new() } else { event.pointer() };
                    let text = self.outputs.take(chunk, &place, &pointer, notes)?;
                    if !text.is_empty() {
                        self.ends_blank = text.ends_with(char::is_whitespace);
                        said.push(StreamEvent::Text(text));
                    }
                }
            }
            "conversation.response.done" => {
                self.cite(said);
                said.push(StreamEvent::Done);
            }
            "conversation.response.error" => {
                let error = wire.error.map_or_else(|| json::read(json), Ok)?;
                let mut error = json::provider_error(&error);
                // In an event without `error`, `type` is the kind of the event, not of the error.
                error.kind.take_if(|kind| kind == "conversation.response.error");
                said.push(StreamEvent::Error(error));
            }
            _ => {}
        }
        Ok(())
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        self.outputs.finish(answer);
    }
}
