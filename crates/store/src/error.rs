//! Errors of a store.

use std::error::Error;
use std::sync::Arc;

/// The store cannot do what was asked. Unless it is [`Doubtful`](StoreError::Doubtful), what a call was to change has not been
/// changed. No message names a path or an address: clients read it.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// A limit is reached; nothing was recorded.
    #[error("the store is full: {what} are limited to {limit}")]
    Full {
        /// The plural of the things that are too many, for the message.
        what: &'static str,
        /// How many there may be.
        limit: usize,
    },
    /// One conversation has reached its share of the store; nothing was recorded. Others go on.
    #[error(
        "this conversation is full: it holds at most {limit} bytes (store.max_conversation_bytes); start another one"
    )]
    ConversationFull {
        /// How many bytes it may have.
        limit: usize,
    },
    /// A batch without activities has no place.
    #[error("a batch needs at least one activity")]
    EmptyBatch,
    /// More calls wait than the store lets wait.
    #[error("the store is overloaded; try again soon")]
    Busy,
    /// Another holder answers this turn by now; nothing was recorded.
    #[error("the turn is answered elsewhere")]
    Superseded,
    /// The store was closed.
    #[error("the store is closed")]
    Closed,
    /// There is no room where the store keeps what it is given.
    #[error("the disk of the store is full")]
    NoSpace {
        /// The error of the backend.
        #[source]
        cause: Arc<dyn Error + Send + Sync>,
    },
    /// The backend gave no answer in time when it was to confirm a change: that is recorded once, or not at all.
    #[error(
        "it is not known whether this was recorded; look before you send it again, or repeat it under the same Idempotency-Key"
    )]
    Doubtful,
    /// The store is damaged or was taken away, and serves nobody before the server is started anew.
    #[error("the store is lost: {reason}")]
    Lost {
        /// The reason and the remedy, in an operator's words.
        reason: &'static str,
    },
    /// The backend has failed.
    #[error("the store failed; the log of the server names the cause")]
    Failed {
        /// The error of the backend.
        #[source]
        cause: Arc<dyn Error + Send + Sync>,
    },
}

impl StoreError {
    /// The backend has failed with this.
    #[must_use]
    pub fn failed(cause: impl Error + Send + Sync + 'static) -> Self {
        Self::Failed { cause: Arc::new(cause) }
    }
}
