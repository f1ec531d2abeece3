//! Deletes conversations without recent activity.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::Clock;
use crate::store::{ConversationStore, StoreError};

/// Deletes conversations without recent activity.
#[derive(Clone, Debug)]
pub struct Retention {
    store: Arc<dyn ConversationStore>,
    clock: Arc<dyn Clock>,
    keep: Duration,
}

impl Retention {
    /// Keeps conversations for so long after the last thing that happened in them.
    #[must_use]
    pub fn new(store: Arc<dyn ConversationStore>, clock: Arc<dyn Clock>, keep: Duration) -> Self {
        Self { store, clock, keep }
    }

    /// Deletes what is due now, and returns how many conversations that were.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn run_once(&self) -> Result<usize, StoreError> {
        match self
            .clock
            .now()
            .checked_sub_signed(chrono::Duration::from_std(self.keep).unwrap_or(chrono::Duration::MAX))
        {
            Some(idle_since) => self.store.expire(idle_since).await,
            None => Ok(0),
        }
    }
}
