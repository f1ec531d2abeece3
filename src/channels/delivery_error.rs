//! Why an answer did not arrive.

use super::azure_bot::ProactiveError;
use super::direct_line_client::PostError;
use crate::store::StoreError;

/// Why an answer did not arrive. Nothing of it is in the conversation, unless the error says that this is unknown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeliveryError {
    /// There is no such conversation, or no longer.
    #[error("there is no such conversation")]
    UnknownConversation,
    /// The conversion gave no message.
    #[error("the conversion gave no message to deliver")]
    NoMessage,
    /// The other Direct Line did not take it.
    #[error(transparent)]
    Elsewhere(#[from] PostError),
    /// The service behind Azure did not take it.
    #[error(transparent)]
    Later(#[from] ProactiveError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
