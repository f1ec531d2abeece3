//! The trait of searches for passages, and the search by words alone.

use std::fmt::Debug;

use async_trait::async_trait;

use super::{Found, Library, LibraryError};

/// Finds the passages that fit a question: a [`Library`] by words alone, a [`HybridSearch`](super::HybridSearch) by words and
/// vectors.
#[async_trait]
pub trait Search: Debug + Send + Sync {
    /// The passages that fit a question, the best first, at most `limit`.
    ///
    /// # Errors
    /// When the documents cannot be searched.
    async fn search(&self, question: &str, limit: usize) -> Result<Vec<Found>, LibraryError>;
}

#[async_trait]
impl Search for Library {
    async fn search(&self, question: &str, limit: usize) -> Result<Vec<Found>, LibraryError> {
        Self::search(self, question, limit).await
    }
}
