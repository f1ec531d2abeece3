//! Provider formats: the only place that knows a provider's JSON.

mod error;
mod provider;

pub use error::IngestError;
pub use provider::{Provider, UnknownProvider};
