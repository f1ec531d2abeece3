//! The trait for answering turns.

use std::fmt::Debug;

use async_trait::async_trait;

use super::{TurnInFlight, TurnOutcome};

/// Answers turns. Calls for one conversation come one after the other.
#[async_trait]
pub trait TurnHandler: Debug + Send + Sync {
    /// Answers a turn, by its sink. The future may take as long as it needs, and ends soon after the turn's `ending` is
    /// cancelled. It is dropped when nobody waits for the answer any more.
    async fn respond(&self, turn: &TurnInFlight) -> TurnOutcome;

    /// The words for callers who wait for answers in the response, when not even their turn came in time.
    fn busy(&self) -> String;

    /// Tells the sender that there is no answer, because of a fault of ours.
    async fn apologize(&self, turn: &TurnInFlight);
}
