//! Errors of Direct Line calls.

use super::{ActivityError, HubFull, TokenError};
use crate::store::StoreError;

/// The reason why a Direct Line call was refused.
#[derive(Debug, thiserror::Error)]
pub enum DirectLineError {
    /// The token is not good.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// Only the secret may do this.
    #[error("this request needs the Direct Line secret")]
    SecretRequired,
    /// Only a token may do this.
    #[error("this request needs a token")]
    TokenRequired,
    /// The token is bound to another conversation.
    #[error("the token is not for this conversation")]
    ForeignConversation,
    /// The token names web sites, and the page is of another.
    #[error("the token is not for pages of this origin: it was made with other trustedOrigins")]
    ForeignOrigin,
    /// Ids of users have to begin as Azure wants them to.
    #[error("user ids must begin with dl_ (direct_line.require_dl_ids)")]
    NoDlId,
    /// There is no such conversation, or no longer.
    #[error("the conversation does not exist")]
    UnknownConversation,
    /// The body is no activity.
    #[error(transparent)]
    Activity(#[from] ActivityError),
    /// The sender is missing.
    #[error("the activity needs from.id, because the token names no user")]
    NoSender,
    /// The id of a user is none that can be kept.
    #[error("{pointer}: a user id has at most {limit} characters and no control characters")]
    UserId {
        /// JSON pointer of the id.
        pointer: &'static str,
        /// How many characters it may have.
        limit: usize,
    },
    /// Too many sockets.
    #[error(transparent)]
    HubFull(#[from] HubFull),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
