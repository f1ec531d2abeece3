//! The errors of a conversion.

use crate::ingest::IngestError;

/// The reason why a conversion gives no activity.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// The input is unusable.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// Grounding was required, and the answer used no retrieval (policy P-13).
    #[error("grounding is required, but the answer used no retrieval")]
    GroundingNoTools,
    /// Grounding was required, and the answer cites no source (policy P-13).
    #[error("grounding is required, but the answer cites no source")]
    GroundingNoCitations,
    /// Support was required, and sources contradict what the answer cites them for (policy P-16).
    #[error("support is required, but {parts} cited parts of the answer conflict with the passages of their sources")]
    SupportConflict {
        /// The number of these parts.
        parts: usize,
    },
}

impl ConvertError {
    /// Whether a rule at work refuses the answer, which can be read (policies P-13 and P-16).
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::GroundingNoTools | Self::GroundingNoCitations | Self::SupportConflict { .. } => true,
            Self::Ingest(_) => false,
        }
    }
}
