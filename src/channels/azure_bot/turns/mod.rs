//! The queue of turns: bounded, in order within a conversation, without duplicates.

mod fingerprint;
mod job;
mod limits;
#[cfg(test)]
mod tests;
mod turn;
mod turn_handler;
mod turn_queue;

pub(super) use fingerprint::Fingerprint;
pub(super) use job::{Job, serve};
pub(super) use limits::Full;
pub use limits::TurnLimits;
pub(super) use turn::ReplyRoute;
pub use turn::{Turn, TurnOutcome};
pub use turn_handler::TurnHandler;
pub(super) use turn_queue::{Offer, Offered, TurnQueue};
