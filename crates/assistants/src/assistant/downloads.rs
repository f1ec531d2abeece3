//! Download links that the readers of an answer can open.

use std::sync::Arc;

use super::Assistants;
use crate::activity::ConversationId;
use crate::answer::Addresses;
use crate::channels::direct_line::Owner;
use crate::document::{DownloadAddress, DownloadError, DownloadKey, DownloadLinks, ReaderLinks, Readership};
use crate::store::{ConversationStore, StoreError};

/// Creates and verifies download links for readers of conversations. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Downloads {
    assistants: Arc<Assistants>,
    store: Arc<dyn ConversationStore>,
    key: DownloadKey,
}

impl Downloads {
    /// The documents of these assistants, for readers of conversations in `store`.
    #[must_use]
    pub fn new(assistants: Arc<Assistants>, store: Arc<dyn ConversationStore>, key: DownloadKey) -> Self {
        Self { assistants, store, key }
    }

    /// For readers in the embedded channel: signed addresses of documents of the assistant that answers in their conversation, and
    /// none of others. `None` where no assistant has documents that can be downloaded.
    pub async fn for_conversation(&self, id: &ConversationId) -> Option<Arc<dyn Addresses>> {
        let links = ReaderLinks::for_anybody(some(self.assistants.downloads())?);
        let Some(assistant) = self.assistants.answering(&Owner::of(id)) else { return Some(Arc::new(links)) };
        let begun = self.store.created(id).await.unwrap_or_else(|error| {
            tracing::error!(conversation.id = %id, %error, "documents cannot be linked; readers get passages instead");
            None
        });
        let Some(begun) = begun else { return Some(Arc::new(links)) };
        let readership = Readership { conversation: id.to_string(), begun };
        Some(Arc::new(links.signed(self.key.clone(), readership, assistant.name())))
    }

    /// Whether a signed address for the readers of a conversation is good: it is ours, and the conversation is still there.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn judge(
        &self,
        document: &DownloadAddress,
        conversation: &str,
        begun: &str,
        signature: &str,
    ) -> Result<Result<Readership, DownloadError>, StoreError> {
        match self.key.verify_for(document, conversation, begun, signature) {
            Ok(readership) => self.judge_readers(readership).await,
            Err(error) => Ok(Err(error)),
        }
    }

    /// Whether the conversation of these readers is still there.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn judge_readers(&self, readership: Readership) -> Result<Result<Readership, DownloadError>, StoreError> {
        let Ok(id) = readership.conversation.parse() else { return Ok(Err(DownloadError::Forged)) };
        let is_there = self.store.created(&id).await? == Some(readership.begun);
        Ok(if is_there { Ok(readership) } else { Err(DownloadError::Expired) })
    }
}

impl Assistants {
    /// For readers of whom nothing is known: no address that would ask them for a credential. `None` where no assistant has documents
    /// that can be downloaded.
    #[must_use]
    pub fn addresses_for_anybody(&self) -> Option<Arc<dyn Addresses>> {
        Some(Arc::new(ReaderLinks::for_anybody(some(self.downloads())?)))
    }
}

fn some(links: Vec<DownloadLinks>) -> Option<Vec<DownloadLinks>> {
    Some(links).filter(|links| !links.is_empty())
}
