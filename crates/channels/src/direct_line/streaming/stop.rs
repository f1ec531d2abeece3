//! The wish of a reader that an answer ends.

use std::sync::Arc;

use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// Ends an answer before its end, when that is asked. Clones are one.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    asked: CancellationToken,
    words: Arc<str>,
}

impl Stop {
    /// Nothing is asked yet. Readers get these words behind what there is of the answer then.
    #[must_use]
    pub fn new(words: &str) -> Self {
        Self { asked: CancellationToken::new(), words: words.into() }
    }

    /// Asks for the end.
    pub fn ask(&self) {
        self.asked.cancel();
    }

    /// Whether that was asked.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.asked.is_cancelled()
    }

    /// Resolves when that is asked.
    pub fn asked(&self) -> WaitForCancellationFutureOwned {
        self.asked.clone().cancelled_owned()
    }

    /// The words for readers then.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.words
    }
}
