//! Errors of authentication.

use crate::http::admission::Scope;

/// The reason why a caller is not authorized. It never tells what would be correct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuthError {
    /// There is no `Authorization`.
    #[error("the request needs the header Authorization: Bearer …")]
    Missing,
    /// There is one, but not of the form that is needed.
    #[error("the header Authorization must have the form Bearer …")]
    Malformed,
    /// There is no such key.
    #[error("the API key is wrong")]
    WrongKey,
    /// The key is good, but for other parts of the API.
    #[error("the API key lacks the scope {0}")]
    LacksScope(Scope),
    /// Neither the secret of the bot nor a ticket for this conversation.
    #[error("the credential is neither the bot's secret nor its ticket for this conversation")]
    NotTheBot,
}
