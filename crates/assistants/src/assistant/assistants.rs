//! The assistants of a server.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::Instant;

use super::{Assistant, Revision};
use crate::channels::direct_line::Owner;
use crate::document::DownloadLinks;
use crate::metrics::BackEndFigures;
use crate::upstream::{Ask, Reply, UpstreamError};

/// The assistants by name. They can be replaced while they answer; running answers continue with the old ones.
#[derive(Debug, Default)]
pub struct Assistants {
    team: RwLock<AssistantRegistry>,
    figures: BackEndFigures,
}

/// The assistants at one time.
#[derive(Clone, Debug, Default)]
pub struct AssistantRegistry {
    by_name: BTreeMap<String, Arc<Assistant>>,
    /// The assistant that answers in conversations of the channel itself.
    of_channel: Option<String>,
}

impl AssistantRegistry {
    /// These assistants, of whom the one that is named answers in conversations of the channel itself.
    #[must_use]
    pub fn new(assistants: impl IntoIterator<Item = Assistant>, of_channel: Option<String>) -> Self {
        let by_name = assistants.into_iter().map(|assistant| (assistant.name().to_owned(), Arc::new(assistant)));
        Self { by_name: by_name.collect(), of_channel }
    }
}

impl AssistantRegistry {
    /// Adds these assistants. A name that is taken stays as it is.
    #[must_use]
    pub fn or(mut self, others: impl IntoIterator<Item = Arc<Assistant>>) -> Self {
        for assistant in others {
            self.by_name.entry(assistant.name().to_owned()).or_insert(assistant);
        }
        self
    }

    /// Lets the assistant of this name answer in conversations of the channel itself.
    #[must_use]
    pub fn on_channel(self, name: Option<String>) -> Self {
        Self { of_channel: name, ..self }
    }

    /// The names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }
}

impl Assistants {
    /// This team.
    #[must_use]
    pub fn new(team: AssistantRegistry) -> Self {
        Self { team: RwLock::new(team), figures: BackEndFigures::default() }
    }

    /// The assistant of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<Assistant>> {
        self.team().by_name.get(name).cloned()
    }

    /// All of them, by name.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Assistant>> {
        self.team().by_name.values().cloned().collect()
    }

    /// The assistant that answers in conversations of this owner.
    #[must_use]
    pub fn answering(&self, owner: &Owner) -> Option<Arc<Assistant>> {
        let team = self.team();
        team.by_name.get(owner.name().or(team.of_channel.as_deref())?).cloned()
    }

    /// The owner of conversations with an assistant that visitors have chosen, if they may.
    #[must_use]
    pub fn shared(&self, name: &str) -> Option<Owner> {
        let assistant = self.get(name).filter(|assistant| assistant.options().is_shared)?;
        assistant.name().parse().ok()
    }

    /// The assistant whose Direct Line secret this is, as the owner of its conversations.
    #[must_use]
    pub fn owner_of_secret(&self, secret: &str) -> Option<Owner> {
        let team = self.team();
        // All are compared, so that the time tells nothing.
        let found: Vec<_> = team.by_name.values().filter(|assistant| assistant.is_secret(secret)).collect();
        found.first()?.name().parse().ok()
    }

    /// The revision of all assistants and their documents as they are now; `None` where there is no assistant.
    #[must_use]
    pub fn revision(&self) -> Option<Revision> {
        let team = self.team();
        let digests: Vec<[u8; 32]> = team.by_name.values().flat_map(|assistant| assistant.digests()).collect();
        let of_channel = team.of_channel.as_deref().unwrap_or_default().as_bytes();
        let parts = digests.iter().map(<[u8; 32]>::as_slice).chain([of_channel]);
        (!digests.is_empty()).then(|| Revision::of(parts))
    }

    /// How many files of documents are still being read.
    #[must_use]
    pub fn pending_documents(&self) -> usize {
        self.team().by_name.values().filter_map(|assistant| assistant.library()).map(|library| library.pending()).sum()
    }

    /// The addresses of the documents of each.
    pub(super) fn downloads(&self) -> Vec<DownloadLinks> {
        self.team().by_name.values().filter_map(|assistant| assistant.links().cloned()).collect()
    }

    /// Has one of them answer, and counts how its back end fares.
    ///
    /// # Errors
    /// As [`Assistant::send`].
    pub async fn ask(&self, assistant: &Assistant, ask: Ask) -> Result<Reply, UpstreamError> {
        let begun = Instant::now();
        let reply = assistant.send(ask).await;
        let outcome = reply.as_ref().map_or_else(UpstreamError::label, |_| "answered");
        self.figures.call(assistant.name(), assistant.kind(), outcome, begun.elapsed());
        reply
    }

    /// Figures about the back ends of all that were ever here.
    #[must_use]
    pub fn figures(&self) -> &BackEndFigures {
        &self.figures
    }

    /// Puts another team in place of this one.
    pub fn replace(&self, team: AssistantRegistry) {
        *self.team.write().unwrap_or_else(PoisonError::into_inner) = team;
    }

    fn team(&self) -> RwLockReadGuard<'_, AssistantRegistry> {
        self.team.read().unwrap_or_else(PoisonError::into_inner)
    }
}
