//! Why a call was refused.

use super::{ActivityError, HubFull, TokenError};
use crate::store::StoreError;

/// Why a call was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DirectLineError {
    /// The token is not good.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// Only the secret may do this.
    #[error("this needs the Direct Line secret")]
    SecretRequired,
    /// Only a token may do this.
    #[error("this needs a token")]
    TokenRequired,
    /// The token is bound to another conversation.
    #[error("the token is not for this conversation")]
    ForeignConversation,
    /// The token names web sites, and the page is of another.
    #[error("the token is not for pages of this origin: it was made with other trustedOrigins")]
    ForeignOrigin,
    /// Ids of users have to begin as Azure wants them to.
    #[error("ids of users begin with dl_ here (direct_line.require_dl_ids)")]
    NoDlId,
    /// There is no such conversation, or no longer.
    #[error("there is no such conversation")]
    UnknownConversation,
    /// The body is no activity.
    #[error(transparent)]
    Activity(#[from] ActivityError),
    /// Nobody is named as the sender.
    #[error("the activity needs from.id, because the token names no user")]
    NoSender,
    /// The id of a user is none that can be kept.
    #[error("{pointer}: an id of a user has at most {limit} characters and no control characters")]
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
