//! The result of receiving an activity.

use serde_json::{Map, Value};

use super::EventBody;
use super::auth::UnauthorizedKind;
use super::inbound::DeliveryMode;
use crate::store::StoreError;

/// The response to a received activity.
#[derive(Debug)]
pub enum Received {
    /// It was taken in; answers come by other ways, if any.
    Accepted,
    /// These are the answers, as they stand on the wire; beside them the outcome of an invoke.
    Replies {
        /// The answers.
        activities: Vec<Map<String, Value>>,
        /// The outcome.
        body: Option<Value>,
    },
    /// This is the outcome of an invoke.
    Outcome(Value),
    /// The answers come one after the other.
    Events(EventBody),
}

impl Received {
    /// The answer to what needs none.
    pub(super) fn nothing(mode: DeliveryMode) -> Self {
        match mode {
            DeliveryMode::Normal => Self::Accepted,
            DeliveryMode::ExpectReplies => Self::Replies { activities: Vec::new(), body: None },
            DeliveryMode::Stream => Self::Events(EventBody::empty()),
        }
    }
}

/// The reason why an activity was not accepted. The message is for the sender; the log has more details.
#[derive(Debug, thiserror::Error)]
pub enum ReceiveError {
    /// The sender is not let in.
    #[error("{}", words(*.0))]
    Unauthorized(UnauthorizedKind),
    /// The answers would go to somebody who must not have the bot's token.
    #[error("the serviceUrl of the activity is not trusted")]
    UntrustedServiceUrl,
    /// The name of the invoke is unknown.
    #[error("the bot handles no invoke of this name")]
    UnknownInvoke,
    /// There is no room.
    #[error("the queue for incoming activities is full; try again later")]
    Full,
    /// The server is ending.
    #[error("the server is shutting down")]
    Ending,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn words(kind: UnauthorizedKind) -> &'static str {
    match kind {
        UnauthorizedKind::Unauthenticated => "the token is missing or invalid",
        UnauthorizedKind::Forbidden => "this token does not allow the request",
        UnauthorizedKind::Unavailable => "the keys that sign tokens cannot be fetched; try again later",
    }
}
