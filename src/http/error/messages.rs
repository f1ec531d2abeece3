//! Errors of `POST /api/messages`.

use crate::channels::azure_bot::{InboundError, ReceiveError};

/// The reason why an activity was not accepted. It never repeats content of the activity or of a credential.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MessagesError {
    /// No bot of Azure is set.
    #[error(
        "no Azure bot is configured: set azure_bot.app_id and azure_bot.app_secret (CITEWIRE_AZURE_BOT_APP_ID, \
         CITEWIRE_AZURE_BOT_APP_SECRET), or, for the Agents Playground on this machine, azure_bot.anonymous"
    )]
    NotSet,
    /// The body is something else than JSON.
    #[error("the request needs the header Content-Type: application/json")]
    MediaType,
    /// The body is no activity.
    #[error(transparent)]
    Inbound(#[from] InboundError),
    /// The activity is not for us, or there is no room for it.
    #[error(transparent)]
    Receive(#[from] ReceiveError),
}
