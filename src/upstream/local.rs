//! Answers without a model: sentences of the documents, as they stand.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use serde_json::{Map, Value, json};

use super::extract::{Extract, Marking, extract};
use super::local_options::LocalOptions;
use super::{Ask, Reply, Retrieval, Retriever, Upstream, UpstreamError};
use crate::answer::Source;
use crate::clock::Clock;
use crate::document::{DownloadLinks, Library};
use crate::ingest::Provider;
use crate::sse;
use crate::url::WebUrl;

/// So many passages are looked at for the sentences of an answer.
const PASSAGES: usize = 12;

/// A back end without a model, which quotes documents word for word after one fixed sentence.
#[derive(Debug)]
pub struct Local {
    retriever: Retriever,
    options: LocalOptions,
    clock: Arc<dyn Clock>,
    links: Option<DownloadLinks>,
}

impl Local {
    /// Answers from these documents.
    #[must_use]
    pub fn new(library: Arc<Library>, options: LocalOptions, clock: Arc<dyn Clock>) -> Self {
        Self { retriever: Retriever::new(library), options, clock, links: None }
    }

    /// The same with passages that are found in this way.
    #[must_use]
    pub fn with_retriever(self, retriever: Retriever) -> Self {
        Self { retriever, ..self }
    }

    /// The same, with ids for documents, and addresses for those that have none of their own.
    #[must_use]
    pub fn with_links(self, links: DownloadLinks) -> Self {
        Self { links: Some(links), ..self }
    }
}

#[async_trait]
impl Upstream for Local {
    fn kind(&self) -> &'static str {
        "local"
    }

    async fn ask(&self, ask: Ask) -> Result<Reply, UpstreamError> {
        let begun = Instant::now();
        let found = self.retriever.retrieve(&ask, PASSAGES).await?;
        let took = begun.elapsed();
        // Without citations readers see neither numbers nor sources, as with a model.
        let marking = if ask.citations { Marking::Numbers } else { Marking::Nothing };
        let Extract { text, mut sources } = extract(&found, &self.options, marking);
        if let Some(links) = &self.links {
            links.fill_in(&mut sources);
        }
        let pace = if ask.at_once { Duration::ZERO } else { self.options.pace };
        let clock = Arc::clone(&self.clock);
        let shown = if ask.citations { sources.as_slice() } else { &[] };
        let events = stream::iter(events(&text, shown));
        let body = events.then(move |event| {
            let clock = Arc::clone(&clock);
            async move {
                if event.is_word && !pace.is_zero() {
                    clock.wait(pace).await;
                }
                Ok(event.bytes)
            }
        });
        let retrieval = Some(Retrieval::new(took, sources));
        Ok(Reply { retrieval, ..Reply::new(Some(Provider::Native), body.boxed()) })
    }

    fn retrieves(&self) -> bool {
        true
    }

    fn has_model(&self) -> bool {
        false
    }
}

/// One event of the answer.
struct Event {
    bytes: Bytes,
    is_word: bool,
}

/// The answer as a stream of citewire's own format.
fn events(text: &str, sources: &[Source]) -> VecDeque<Event> {
    let event = |is_word: bool, value: Value| Event { bytes: sse::event(&value), is_word };
    let mut events = VecDeque::new();
    if !sources.is_empty() {
        let sources: Vec<Value> = sources.iter().map(written).collect();
        events.push_back(event(false, json!({ "sources": sources })));
    }
    events.extend(text.split_inclusive(' ').map(|word| event(true, json!({ "delta": word }))));
    events.push_back(event(false, json!({ "done": true })));
    events
}

/// A passage as the manifest writes it, with what [`crate::document::Found::source`] knows of it.
fn written(source: &Source) -> Value {
    let texts = [
        ("title", source.title.as_deref()),
        ("url", source.url.as_ref().map(WebUrl::as_str)),
        ("filepath", source.filepath.as_deref()),
        ("content", source.content.as_deref()),
        ("media_type", source.media_type.as_deref()),
    ];
    let texts = texts.into_iter().filter_map(|(name, text)| Some((name.to_owned(), json!(text?))));
    let mut members: Map<String, Value> = texts.collect();
    members.extend(source.page.map(|page| ("page".to_owned(), json!(page))));
    members.extend(source.score.map(|score| ("score".to_owned(), json!(score))));
    members.insert("metadata".to_owned(), Value::Object(source.metadata.clone()));
    Value::Object(members)
}
