//! Errors of delivery.

use super::azure_bot::ProactiveError;
use super::direct_line_client::PostError;
use crate::store::StoreError;

/// The reason why an answer was not delivered. The conversation contains no part of it, unless the error says that this is
/// unknown.
#[derive(Debug, thiserror::Error)]
pub enum DeliveryError {
    /// There is no such conversation, or no longer.
    #[error("the conversation does not exist")]
    UnknownConversation,
    /// The conversion gave no message.
    #[error("the conversion produced no message to deliver")]
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
