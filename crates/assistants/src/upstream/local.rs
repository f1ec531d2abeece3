//! Answers without a model: sentences of the documents, as they stand.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures_util::{StreamExt as _, stream};

use super::extract::{Extract, Marking, extract};
use super::local_options::LocalOptions;
use super::numbered::sources_event;
use super::{Ask, Reply, Retrieval, Retriever, Upstream, UpstreamError};
use crate::answer::Source;
use crate::clock::Clock;
use crate::document::{DownloadLinks, Library};
use crate::ingest::StreamEvent;

/// The number of passages whose sentences are considered for an answer.
const PASSAGES: usize = 24;

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

    /// Finds passages in this way.
    #[must_use]
    pub fn with_retriever(self, retriever: Retriever) -> Self {
        Self { retriever, ..self }
    }

    /// Gives documents ids, and addresses to those that have none of their own.
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
        // The pace is for readers who see the answer grow.
        let pace = if ask.at_once { Duration::ZERO } else { self.options.pace };
        let clock = Arc::clone(&self.clock);
        let shown = if ask.citations { sources.as_slice() } else { &[] };
        let parts = stream::iter(events(&text, shown)).then(move |event| {
            let clock = Arc::clone(&clock);
            async move {
                if matches!(event, StreamEvent::Text(_)) && !pace.is_zero() {
                    clock.wait(pace).await;
                }
                Ok(event.into())
            }
        });
        let retrieval = Some(Retrieval::new(took, sources));
        Ok(Reply { retrieval, ..Reply::of_events(parts.boxed()) })
    }

    fn retrieves(&self) -> bool {
        true
    }

    fn has_model(&self) -> bool {
        false
    }
}

/// The answer, word by word behind its sources.
fn events(text: &str, sources: &[Source]) -> Vec<StreamEvent> {
    let sources = (!sources.is_empty()).then(|| sources_event(sources));
    let words = text.split_inclusive(' ').map(|word| StreamEvent::Text(word.to_owned()));
    sources.into_iter().chain(words).chain([StreamEvent::Done]).collect()
}
