//! Provider formats: the only place that knows a provider's JSON.
//!
//! One format a file: its wire types, and how they become an [`Answer`](crate::answer::Answer). Providers deviate from
//! their documents, so everything is lenient and what is odd is reported; only what makes the answer unusable is an
//! error.

mod azure_on_your_data;
mod error;
mod json;
mod native;
mod provider;

pub use error::IngestError;
pub use provider::{Provider, UnknownProvider, ingest};
