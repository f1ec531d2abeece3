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
}
