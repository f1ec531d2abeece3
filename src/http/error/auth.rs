//! Why a caller is turned away.

use crate::http::door::Scope;

/// Why a caller is turned away. Never says what would have been right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuthError {
    /// There is no `Authorization`.
    #[error("this needs the header Authorization: Bearer …")]
    Missing,
    /// There is one, but not of the form that is needed.
    #[error("the header Authorization has another form than Bearer …")]
    Malformed,
    /// There is no such key.
    #[error("this is not an API key")]
    WrongKey,
    /// The key is good, but for other parts of the API.
    #[error("this key lacks the scope {0}")]
    LacksScope(Scope),
    /// Neither the secret of the bot nor a ticket for this conversation.
    #[error("this is neither the secret of the bot nor its ticket for this conversation")]
    NotTheBot,
}
