//! The back ends that answer questions.
//!
//! An [`Upstream`] takes what was said so far and gives the body of an answer while it arrives, in a format that `ingest`
//! reads. It knows nothing of channels and readers.

mod ask;
mod error;
mod extract;
mod local;
mod reply;
mod retrieval;
#[expect(clippy::module_inception, reason = "the file is named after the type it holds")]
mod upstream;

pub use ask::{Ask, Speaker, Turn};
pub use error::UpstreamError;
pub use local::{Local, LocalOptions};
pub use reply::Reply;
pub use retrieval::retrieve;
pub use upstream::Upstream;
