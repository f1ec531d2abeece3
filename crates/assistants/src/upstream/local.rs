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
    library: Arc<Library>,
    retriever: Retriever,
    options: LocalOptions,
    clock: Arc<dyn Clock>,
    links: Option<DownloadLinks>,
}

impl Local {
    /// Answers from these documents.
    #[must_use]
    pub fn new(library: Arc<Library>, options: LocalOptions, clock: Arc<dyn Clock>) -> Self {
        let retriever = Retriever::new(Arc::clone(&library) as Arc<_>);
        Self { library, retriever, options, clock, links: None }
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

    /// The answer where nothing was found, which says whether everything was searched.
    fn nothing_found(&self) -> Extract {
        Extract { text: self.library.coverage().nothing_found(&self.options.nothing), sources: Vec::new() }
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
        let extract = extract(&found, &self.options, marking);
        let Extract { text, mut sources } = extract.unwrap_or_else(|| self.nothing_found());
        sources.iter_mut().for_each(|source| source.is_quoted = true);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;
    use crate::upstream::{ChatMessage, Speaker};

    const SHELL: &str = include_str!("../../../../tests/fixtures/shell.md");

    /// The first quote of an answer from [`SHELL`].
    async fn first_quote(question: &str) -> String {
        let library = Library::built_in([("shell.md", SHELL)]).await.expect("a library");
        let options = LocalOptions { pace: Duration::ZERO, ..LocalOptions::default() };
        let local = Local::new(Arc::new(library), options, Arc::new(SystemClock));
        let ask = Ask::new(vec![ChatMessage::new(Speaker::User, question)]);
        let mut events = local.ask(ask).await.expect("an answer").events;
        while let Some(part) = events.next().await {
            part.expect("events");
        }
        let text = events.finish().expect("an answer").text;
        text.split("\n\n").nth(1).unwrap_or_default().to_owned()
    }

    #[tokio::test]
    async fn a_sentence_with_words_in_brackets_and_a_name_behind_a_dollar_sign_is_quoted() {
        assert_eq!(
            first_quote("How often is mail checked?").await,
            r"Mail is checked as often as \$interval says, every 60 seconds if not set (see \[The Timer\]). [1]"
        );
    }

    #[tokio::test]
    async fn a_passage_with_a_sentence_that_begins_with_what_is_asked_comes_before_others() {
        assert_eq!(
            first_quote("What is a coprocess?").await,
            "A coprocess is a command that runs beside the shell. Its output is read by the shell. [1]"
        );
    }

    #[tokio::test]
    async fn a_word_counts_more_than_another_one_of_its_stem() {
        assert_eq!(
            first_quote("Can I report several bugs together?").await,
            "Please report several bugs in a report for each. [1]"
        );
    }
}
