//! What becomes of an activity that was posted.

use serde_json::{Map, Value};

use super::EventBody;
use super::auth::UnauthorizedKind;
use crate::store::StoreError;

/// How a post is answered.
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

/// Why an activity was not taken in. The words are for the sender; the log has more.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReceiveError {
    /// The sender is not let in.
    #[error("{}", words(*.0))]
    Unauthorized(UnauthorizedKind),
    /// The answers would go to somebody who must not have the bot's token.
    #[error("the serviceUrl of the activity is not trusted")]
    UntrustedServiceUrl,
    /// Nobody knows such an invoke.
    #[error("nobody here knows an invoke of this name")]
    UnknownInvoke,
    /// There is no room.
    #[error("too much waits already")]
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
        UnauthorizedKind::Unauthenticated => "the token is missing or not good here",
        UnauthorizedKind::Forbidden => "the bearer of this token may not do this",
        UnauthorizedKind::Unavailable => "the keys that sign tokens cannot be fetched at the moment",
    }
}
