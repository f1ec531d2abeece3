//! The trait of services that turn texts into vectors.

use std::fmt::Debug;
use std::time::Duration;

use async_trait::async_trait;

/// Turns texts into vectors, so that texts of the same meaning lie close to each other.
#[async_trait]
pub trait Embedder: Debug + Send + Sync {
    /// The model that computes the vectors: those of another model cannot be compared with them.
    fn model(&self) -> &VectorModel;

    /// The largest number of texts in one call.
    fn batch(&self) -> usize;

    /// One vector for each passage, in the order of the passages; all have the same number of dimensions, and only finite numbers.
    ///
    /// # Errors
    /// When there are no such vectors.
    async fn passages(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbeddingError>;

    /// The vector of a question, to be compared with vectors of `dimension` dimensions; `None` when there is none soon
    /// enough, which the embedder logs.
    async fn question(&self, question: &str, dimension: usize) -> Option<Vec<f32>>;
}

/// The model behind vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VectorModel {
    /// The name of the model.
    pub name: String,
    /// The number of dimensions, where it was set.
    pub dimension: Option<usize>,
}

impl VectorModel {
    /// A model with this name.
    #[must_use]
    pub fn new(name: impl Into<String>, dimension: Option<usize>) -> Self {
        Self { name: name.into(), dimension }
    }

    /// Whether vectors of this model may have this number of dimensions.
    pub(super) fn makes(&self, dimension: usize) -> bool {
        dimension > 0 && self.dimension.is_none_or(|wanted| wanted == dimension)
    }
}

/// The reason why there are no vectors. The message is for the operator; it contains no keys and no questions.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct EmbeddingError {
    /// The reason, for the log.
    pub reason: String,
    /// The time for which the service asks to be left alone.
    pub retry_after: Option<Duration>,
    /// Whether the service refused these texts, and may take others.
    pub is_refusal: bool,
}

impl EmbeddingError {
    /// A failure that a later call may not have.
    #[must_use]
    pub fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), retry_after: None, is_refusal: false }
    }
}
