//! Activities that wait for an answer: bounded, in order within a conversation, none of them twice.

mod call;
mod fingerprint;
mod job;
mod limits;
mod responder;
#[cfg(test)]
mod tests;
#[expect(clippy::module_inception, reason = "the file is named after the type it holds")]
mod turns;

pub(super) use call::Way;
pub use call::{Call, CallEnd};
pub(super) use fingerprint::Fingerprint;
pub(super) use job::{Job, serve};
pub(super) use limits::Full;
pub use limits::TurnLimits;
pub use responder::Responder;
pub(super) use turns::{Offer, Offered, Turns};
