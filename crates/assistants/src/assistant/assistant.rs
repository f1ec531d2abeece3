//! An assistant.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, stream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::{AssistantOptions, losses};
use crate::answer::{LabelCatalog, Source, TokenCounts};
use crate::answer_events::AnswerPart;
use crate::convert::Conversion;
use crate::dialect::Dialect;
use crate::digest::of_parts;
use crate::document::{DownloadLinks, Found, KnownVectors, Library};
use crate::ingest::StreamEvent;
use crate::prompt::estimate_tokens;
use crate::secret::Secret;
use crate::upstream::{Ask, ChatMessage, Reply, Retrieval, Retriever, Speaker, Upstream, UpstreamError};

/// A question waits so long for its turn, then its user is told to come again.
pub(super) const TURN_WITHIN: Duration = Duration::from_secs(20);

/// A back end with its instructions, its documents and the display options of its answers.
#[derive(Debug)]
pub struct Assistant {
    name: String,
    options: AssistantOptions,
    /// A digest of its name, its settings as they were given, and its labels.
    settings: [u8; 32],
    upstream: Arc<dyn Upstream>,
    labels: Arc<LabelCatalog>,
    /// Room for questions that are being answered, where there is a limit.
    turns: Option<Arc<Semaphore>>,
    /// The Direct Line secret on whose conversations it answers.
    secret: Option<Secret>,
    library: Option<Arc<Library>>,
    /// Finds passages of them.
    retriever: Option<Retriever>,
    /// The number of their passages that are put into a question.
    passages: usize,
    /// The names and addresses of its documents.
    links: Option<DownloadLinks>,
}

impl Assistant {
    /// An assistant.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        options: AssistantOptions,
        upstream: Arc<dyn Upstream>,
        labels: Arc<LabelCatalog>,
    ) -> Self {
        let turns = options.max_turns.map(|limit| Arc::new(Semaphore::new(limit)));
        let name = name.into();
        let settings = digest_of(&name, &toml::Table::new(), &labels);
        Self {
            name,
            options,
            settings,
            upstream,
            labels,
            turns,
            secret: None,
            library: None,
            retriever: None,
            passages: 0,
            links: None,
        }
    }

    /// Notes the settings that the assistant was given.
    #[must_use]
    pub fn with_settings(self, settings: &toml::Table) -> Self {
        Self { settings: digest_of(&self.name, settings, &self.labels), ..self }
    }

    /// Two digests: of its name, settings and labels, and of its documents as they are now.
    pub(super) fn digests(&self) -> [[u8; 32]; 2] {
        [self.settings, self.library.as_ref().map(|library| library.digest()).unwrap_or_default()]
    }

    /// Answers in the conversations of this Direct Line secret.
    #[must_use]
    pub fn with_secret(self, secret: Option<Secret>) -> Self {
        Self { secret, ..self }
    }

    /// Whether this is the Direct Line secret of its conversations.
    pub(super) fn is_secret(&self, given: &str) -> bool {
        self.secret.as_ref().is_some_and(|secret| secret.matches(given))
    }

    /// Adds documents that it may cite, and that its readers can download where its options say so.
    #[must_use]
    pub fn with_library(self, library: Arc<Library>) -> Self {
        let retriever = Retriever::new(Arc::clone(&library) as Arc<_>);
        Self { library: Some(library), retriever: Some(retriever), ..self }
    }

    /// Finds passages in this way.
    #[must_use]
    pub fn with_retriever(self, retriever: Retriever) -> Self {
        Self { retriever: Some(retriever), ..self }
    }

    /// The vectors of its documents, for the assistant that takes its place.
    pub(super) fn known_vectors(&self) -> KnownVectors {
        self.retriever.as_ref().map(Retriever::known_vectors).unwrap_or_default()
    }

    /// Sets the number of passages for a back end that does not search itself.
    #[must_use]
    pub fn with_passages(self, passages: usize) -> Self {
        Self { passages, ..self }
    }

    /// Gives its documents these ids and addresses.
    #[must_use]
    pub fn with_links(self, links: DownloadLinks) -> Self {
        Self { links: Some(links), ..self }
    }

    /// The names and addresses of its documents.
    pub(super) fn links(&self) -> Option<&DownloadLinks> {
        self.links.as_ref()
    }

    /// Its documents.
    #[must_use]
    pub fn library(&self) -> Option<&Arc<Library>> {
        self.library.as_ref()
    }

    /// Its name in the configuration, and as a model.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name that readers see.
    #[must_use]
    pub fn display_name(&self) -> &str {
        self.options.display_name.as_deref().unwrap_or(&self.name)
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &AssistantOptions {
        &self.options
    }

    /// Asks what the turns end with. Of what was said before, as much goes along as the budget allows, newest first. The question's own
    /// instructions stand behind those of the assistant. What is [plain](Ask::plain) is passed on as it is.
    ///
    /// # Errors
    /// When there is no answer: nothing of it has been seen.
    pub async fn send(&self, ask: Ask) -> Result<Reply, UpstreamError> {
        let Some(turn) = self.turn().await? else { return self.ask(ask).await.map(|reply| self.with_losses(reply)) };
        let reply = self.with_losses(self.ask(ask).await?);
        // The turn ends with the answer, however that ends.
        let events = reply.events.with_parts(|parts| {
            stream::unfold((parts, turn), async |(mut parts, turn)| Some((parts.next().await?, (parts, turn)))).boxed()
        });
        Ok(Reply { events, ..reply })
    }

    /// Adds to the report of an answer the documents that were searched and of which a part could not be read.
    fn with_losses(&self, reply: Reply) -> Reply {
        let (Some(library), Some(retrieval)) = (&self.library, &reply.retrieval) else { return reply };
        let notes: Vec<StreamEvent> =
            losses::notes(library, &retrieval.chunks).into_iter().map(StreamEvent::Note).collect();
        if notes.is_empty() {
            return reply;
        }
        // The first part shows that the answer has begun: the notes come behind it.
        let mut notes = Some(Ok(AnswerPart::Events { events: notes, token_counts: TokenCounts::default() }));
        let events = reply.events.with_parts(|parts| {
            parts.flat_map(move |part| stream::iter(std::iter::once(part).chain(notes.take()))).boxed()
        });
        Reply { events, ..reply }
    }

    /// The passages of its documents that fit a question best, with their addresses; `None` without documents.
    ///
    /// # Errors
    /// When the search fails.
    pub async fn search(&self, question: &str, limit: usize) -> Result<Option<Vec<Source>>, UpstreamError> {
        let Some(retriever) = &self.retriever else { return Ok(None) };
        let ask = Ask::new(vec![ChatMessage::new(Speaker::User, question)]);
        let mut found: Vec<Source> = retriever.retrieve(&ask, limit).await?.iter().map(Found::source).collect();
        if let Some(links) = &self.links {
            links.fill_in(&mut found);
        }
        Ok(Some(found))
    }

    /// Takes a turn of those that the assistant has at one time, for as long as the permit lives.
    async fn turn(&self) -> Result<Option<OwnedSemaphorePermit>, UpstreamError> {
        let Some(turns) = &self.turns else { return Ok(None) };
        let turn = timeout(TURN_WITHIN, Arc::clone(turns).acquire_owned()).await;
        let limit = self.options.max_turns.unwrap_or_default();
        turn.ok().and_then(Result::ok).map(Some).ok_or(UpstreamError::NoTurn { limit })
    }

    async fn ask(&self, mut ask: Ask) -> Result<Reply, UpstreamError> {
        if !ask.plain {
            ask.turns = within(ask.turns, self.options.history_tokens);
            let instructions = [self.options.instructions.as_deref(), ask.instructions.as_deref()];
            let instructions: Vec<&str> = instructions.into_iter().flatten().collect();
            ask.instructions = (!instructions.is_empty()).then(|| instructions.join("\n\n"));
            ask.citations = self.options.citations;
            // Where only the whole answer tells whether readers may see it, nobody reads it until then.
            ask.at_once |= self.options.convert.may_refuse();
            // A caller that has found sources wants the answer to rest on these.
            let searches = ask.sources.is_empty() && !self.upstream.retrieves();
            if let Some(retriever) = self.retriever.as_ref().filter(|_| searches) {
                let begun = Instant::now();
                ask.sources = retriever.retrieve(&ask, self.passages).await?.iter().map(Found::source).collect();
                if let Some(links) = &self.links {
                    links.fill_in(&mut ask.sources);
                }
                ask.sources.append(&mut ask.attached);
                let retrieval = Some(Retrieval::new(begun.elapsed(), ask.sources.clone()));
                return Ok(Reply { retrieval, ..self.upstream.ask(ask).await? });
            }
            ask.sources.append(&mut ask.attached);
        }
        self.upstream.ask(ask).await
    }

    /// Whether its back end looks for sources itself, and takes none that others have found.
    #[must_use]
    pub fn searches_itself(&self) -> bool {
        self.upstream.retrieves()
    }

    /// Whether a model writes its answers.
    #[must_use]
    pub fn has_model(&self) -> bool {
        self.upstream.has_model()
    }

    /// The kind of its back end.
    pub(super) fn kind(&self) -> &'static str {
        self.upstream.kind()
    }

    /// The host of its back end, where one is called.
    pub(super) fn host(&self) -> Option<&str> {
        self.upstream.host()
    }

    /// Words of its back end about a fault, without what does not belong into a log.
    pub(super) fn fit_to_be_logged(&self, words: &str, question: &str) -> String {
        self.upstream.fit_to_be_logged(words, question)
    }

    /// How its answers are converted for a channel.
    #[must_use]
    pub fn conversion(&self, to: Dialect) -> Conversion {
        let Self { options, labels, .. } = self;
        Conversion {
            options: options.convert.clone(),
            citations: options.citations,
            labels: Arc::clone(labels),
            ..Conversion::to(to)
        }
    }
}

/// The last turns that cost no more than `budget` besides the question, which is always among them.
fn within(mut turns: Vec<ChatMessage>, budget: usize) -> Vec<ChatMessage> {
    let mut left = budget;
    let before = turns.len().saturating_sub(1);
    let kept = turns[..before].iter().rev().take_while(|turn| {
        let cost = estimate_tokens(&turn.text);
        let fits = cost <= left;
        left = left.saturating_sub(cost);
        fits
    });
    let first = before - kept.count();
    turns.drain(..first);
    turns
}

/// Nodes compare the outcome, and have the same program: any text of the labels that is theirs alone will do.
fn digest_of(name: &str, settings: &toml::Table, labels: &LabelCatalog) -> [u8; 32] {
    of_parts([name, &settings.to_string(), &format!("{labels:?}")])
}
