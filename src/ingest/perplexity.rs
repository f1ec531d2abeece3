//! Perplexity Sonar: `[n]` is a place in `search_results`, or in the list of addresses `citations`.

use serde::Deserialize;

use super::chat::{self, ChatKind, Content};
use super::event::{Event, ReadEvents, StreamEvent};
use super::format::Format;
use super::json::{self, list};
use super::native::web_url;
use super::responses::WirePage;
use super::{IngestError, Provider};
use crate::answer::{Answer, MarkerGrammar, Source};
use crate::report::Entry;

pub(super) const FORMAT: Format = Format {
    provider: Provider::Perplexity,
    slug: "perplexity",
    sign: "`search_results`",
    is_whole: |members| ChatKind::Perplexity.is_whole(members),
    is_event: |members| ChatKind::of(members) == Some(ChatKind::Perplexity),
    parse,
    reader: || Box::new(PerplexityEvents::default()),
};

#[derive(Default, Deserialize)]
struct Manifest {
    #[serde(default, deserialize_with = "list")]
    search_results: Vec<WirePage>,
    #[serde(default, deserialize_with = "list")]
    citations: Vec<Option<String>>,
}

impl Manifest {
    /// The sources from a place on; both lists have the same order, and the longer one counts.
    fn sources_from(self, from: usize, pointer: &str, oddities: &mut Vec<Entry>) -> Vec<Source> {
        let found = self.search_results.len();
        let results = self.search_results.into_iter().enumerate().skip(from);
        let results = results.map(|(at, page)| page.into_source(format!("{pointer}/search_results/{at}"), oddities));
        let mut sources: Vec<Source> = results.collect();
        for (at, url) in self.citations.into_iter().enumerate().skip(from.max(found)) {
            let pointer = format!("{pointer}/citations/{at}");
            let (url, filepath) = web_url(url, || pointer.clone(), oddities);
            sources.push(Source { url, filepath, pointer, ..Source::default() });
        }
        sources
    }
}

fn parse(body: &str) -> Result<Answer, IngestError> {
    let mut answer = Answer { grammar: MarkerGrammar::BRACKETED_NUMBERS, complete: true, ..Answer::default() };
    let (content, _) = chat::whole(body, &mut answer.oddities)?;
    answer.text = content.into_text();
    answer.sources = json::read::<Manifest>(body)?.sources_from(0, "", &mut answer.oddities);
    Ok(answer)
}

/// The chunks of one answer, each with the whole manifest.
#[derive(Debug, Default)]
pub(super) struct PerplexityEvents {
    /// How many sources have been handed out.
    known: usize,
    has_text: bool,
}

impl PerplexityEvents {
    /// The chunks behind so many bytes of text.
    pub(super) fn after(bytes: usize) -> Self {
        Self { known: 0, has_text: bytes > 0 }
    }
}

impl ReadEvents for PerplexityEvents {
    fn grammar(&self) -> MarkerGrammar {
        MarkerGrammar::BRACKETED_NUMBERS
    }

    fn read(&mut self, event: &Event, json: &str, notes: &mut Vec<Entry>) -> Result<Vec<StreamEvent>, IngestError> {
        let chunk = chat::chunk(event, json, notes)?;
        let mut events = Vec::new();
        if let Some(error) = chunk.error {
            return Ok(vec![StreamEvent::Error(error)]);
        }
        let manifest: Manifest = json::read(json)?;
        let sources = manifest.sources_from(self.known, &event.pointer(), notes);
        if !sources.is_empty() {
            self.known += sources.len();
            events.push(StreamEvent::Sources(sources));
        }
        let Some(said) = chunk.said else { return Ok(events) };
        let text = said.content.map(Content::into_text).filter(|text| !text.is_empty());
        // The whole message stands beside the last piece, and is all that a stream of one chunk has.
        let message = || chunk.message.map(Content::into_text).filter(|text| !text.is_empty());
        let text = if said.ended && !self.has_text { text.or_else(message) } else { text };
        self.has_text |= text.is_some();
        events.extend(text.map(StreamEvent::Text));
        if said.ended {
            events.push(StreamEvent::Done);
        }
        Ok(events)
    }

    fn finish(self: Box<Self>, _: &mut Answer) {}
}
