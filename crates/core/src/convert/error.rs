//! Why an answer becomes no activity.

use crate::ingest::IngestError;

/// Why there is no activity.
#[derive(Debug, thiserror::Error)]
pub enum ConvertError {
    /// The input is unusable.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// Grounding was required, and the provider did not use its tools.
    #[error("grounding is required, but the answer used no retrieval")]
    GroundingNoTools,
    /// Grounding was required, and nothing is cited.
    #[error("grounding is required, but the answer cites no source")]
    GroundingNoCitations,
}
