//! OpenAI Chat Completions: annotations in `choices[0].message`, or late in a stream.
//!
//! Others write chunks of the same shape, and some of them tell who they are only in the last one: the reader hands over
//! then, and the text that has arrived stays.

use serde::Deserialize;

use super::annotated_parts::{AnnotatedParts, Part};
use super::assistanthub::AssistantHubEvents;
use super::azure_events::AzureEvents;
use super::chat::{self, ChatKind, Content};
use super::event::{Event, ReadEvents, StreamEvent};
use super::format::{Format, Members};
use super::json::{self, list};
use super::mistral_chat::MistralChatEvents;
use super::native::web_url;
use super::perplexity::PerplexityEvents;
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, Source};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::OpenAiChat,
    slug: "openai-chat",
    sign: "`choices`",
    is_whole: |members| ChatKind::OpenAi.is_whole(members),
    is_event: |members| members.contains_key("choices"),
    parse: |body| parse(body, false),
    reader: || Box::new(ChatEvents::new(false)),
};

/// Reads a whole completion of OpenAI or xAI.
pub(super) fn parse(body: &str, is_xai: bool) -> Result<Answer, IngestError> {
    let mut answer = Answer { grammar: grammar(is_xai), complete: true, ..Answer::default() };
    let (content, said) = chat::whole(body, &mut answer.oddities)?;
    // Annotations stand outside the parts of a message, so that they count in all of its text.
    let parts = vec![Part { text: content.into_text(), annotations: said.annotations }];
    let Seen { citations } = json::read(body)?;
    let seen = if is_xai { pages(citations, "/citations", &mut answer.oddities) } else { Vec::new() };
    AnnotatedParts { parts, seen, linked_markers: is_xai, ..AnnotatedParts::default() }.finish(&mut answer);
    Ok(answer)
}

fn grammar(is_xai: bool) -> MarkerGrammar {
    if is_xai { MarkerGrammar::NONE } else { MarkerGrammar::ANNOTATED }
}

/// The pages that xAI saw.
#[derive(Deserialize)]
struct Seen {
    #[serde(default, deserialize_with = "list")]
    citations: Vec<Option<String>>,
}

fn pages(citations: Vec<Option<String>>, pointer: &str, oddities: &mut Vec<Entry>) -> Vec<Source> {
    let mut pages = Vec::new();
    for (at, url) in citations.into_iter().enumerate() {
        let pointer = format!("{pointer}/{at}");
        let (url, filepath) = web_url(url, || pointer.clone(), oddities);
        if url.is_some() || filepath.is_some() {
            pages.push(Source { url, filepath, pointer, ..Source::default() });
        }
    }
    pages
}

/// The chunks of one answer of OpenAI or xAI.
#[derive(Debug)]
pub(super) struct ChatEvents {
    is_xai: bool,
    part: Part,
    /// The pages that xAI saw: the last list holds them all.
    seen: Vec<Source>,
    late: bool,
    /// Who turned out to have written the chunks.
    other: Option<Box<dyn ReadEvents>>,
}

impl ChatEvents {
    pub(super) fn new(is_xai: bool) -> Self {
        Self { is_xai, part: Part::default(), seen: Vec::new(), late: false, other: None }
    }

    fn become_late(&mut self, said: &mut Vec<StreamEvent>) {
        if !self.late {
            self.late = true;
            said.push(StreamEvent::Late);
        }
    }

    /// Whether the chunk tells that it is another's, and who reads it then.
    fn told(&self, json: &str) -> Result<Option<Box<dyn ReadEvents>>, IngestError> {
        const SIGNS: [&str; 4] = ["\"context\"", "\"citations\"", "\"search_results\"", "\"reference\""];
        if self.is_xai || !SIGNS.iter().any(|sign| json.contains(sign)) {
            return Ok(None);
        }
        let members: Members = json::read(json)?;
        Ok(match ChatKind::of(&members) {
            Some(ChatKind::AzureOnYourData) => Some(Box::new(AzureEvents::default())),
            Some(ChatKind::AssistantHub) => Some(Box::new(AssistantHubEvents::default())),
            Some(ChatKind::Perplexity) => Some(Box::new(PerplexityEvents::after(self.part.text.len()))),
            Some(ChatKind::Mistral) => Some(Box::new(MistralChatEvents::after(self.part.text.len()))),
            Some(ChatKind::Xai | ChatKind::OpenAi) | None => None,
        })
    }
}

impl ReadEvents for ChatEvents {
    fn grammar(&self) -> MarkerGrammar {
        self.other.as_ref().map_or_else(|| grammar(self.is_xai), |other| other.grammar())
    }

    fn read(&mut self, event: &Event, json: &str, notes: &mut Vec<Entry>) -> Result<Vec<StreamEvent>, IngestError> {
        let mut events = Vec::new();
        if self.other.is_none() {
            self.other = self.told(json)?;
            if self.other.is_some() && !self.part.text.is_empty() {
                self.become_late(&mut events);
            }
        }
        if let Some(other) = &mut self.other {
            events.extend(other.read(event, json, notes)?);
            return Ok(events);
        }
        let chunk = chat::chunk(event, json, notes)?;
        if let Some(error) = chunk.error {
            return Ok(vec![StreamEvent::Error(error)]);
        }
        // A model that searches cites behind the text.
        if chunk.model.is_some_and(|model| model.contains("search")) {
            self.become_late(&mut events);
        }
        if self.is_xai && json.contains("\"citations\"") {
            let Seen { citations } = json::read(json)?;
            if !citations.is_empty() {
                self.seen = pages(citations, &format!("{}/citations", event.pointer()), notes);
            }
        }
        let Some(said) = chunk.said else { return Ok(events) };
        let text = said.content.map(Content::into_text).unwrap_or_default();
        let markers: &[char] = if self.is_xai { &['['] } else { &['\u{e200}', '【'] };
        if !said.annotations.is_empty() || text.contains(markers) {
            self.become_late(&mut events);
        }
        self.part.annotations.extend(said.annotations);
        if !text.is_empty() {
            self.part.text.push_str(&text);
            events.push(StreamEvent::Text(text));
        }
        if said.ended {
            events.push(StreamEvent::Done);
        }
        Ok(events)
    }

    fn finish(self: Box<Self>, answer: &mut Answer) {
        if let Some(other) = self.other {
            answer.grammar = other.grammar();
            other.finish(answer);
            return;
        }
        let linked_markers = self.is_xai;
        let parts = vec![self.part];
        AnnotatedParts { parts, seen: self.seen, linked_markers, ..AnnotatedParts::default() }.finish(answer);
    }
}
