//! The trait of searches for passages, and the search by words alone.

use std::fmt::Debug;

use async_trait::async_trait;

use super::known_vectors::KnownVectors;
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

    /// The number of words of a question that say something about its subject, in the languages of the documents.
    fn telling_words(&self, question: &str) -> usize;

    /// The vectors that it has, for the search that takes its place; none where it uses none.
    fn known_vectors(&self) -> KnownVectors {
        KnownVectors::default()
    }
}

#[async_trait]
impl Search for Library {
    async fn search(&self, question: &str, limit: usize) -> Result<Vec<Found>, LibraryError> {
        Self::search(self, question, limit).await
    }

    fn telling_words(&self, question: &str) -> usize {
        Self::telling_words(self, question)
    }
}
