//! The error of a check.

use crate::check::{NotAnActivity, UnknownChannel, UnknownProfile, Unreadable};

/// The reason why nothing was checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The body is not JSON.
    #[error("the body is not JSON: {0}")]
    NotJson(#[from] serde_json::Error),
    /// The document has no shape that is read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// The channel cannot be checked for.
    #[error(transparent)]
    Channel(#[from] UnknownChannel),
    /// There is no such profile.
    #[error(transparent)]
    Profile(#[from] UnknownProfile),
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
