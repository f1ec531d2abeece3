//! Errors of `POST /v1/check`.

use crate::check::{NotAnActivity, UnknownChannel};

/// The body of a check request is invalid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The body is not JSON.
    #[error("the body is not JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    /// The channel cannot be checked for.
    #[error(transparent)]
    Channel(#[from] UnknownChannel),
    /// There is nothing to mend.
    #[error(transparent)]
    NotAnActivity(#[from] NotAnActivity),
    /// A member is missing, wrong or unknown.
    #[error("{reason}")]
    Member {
        /// JSON pointer of the member.
        pointer: String,
        /// The reason why the request is refused.
        reason: &'static str,
    },
}
