//! What can be wrong with an input.

/// The input is not what its format promises.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IngestError {
    /// The bytes are not JSON.
    #[error("not JSON: {reason} at line {line}, column {column}")]
    NotJson {
        /// What the parser met.
        reason: String,
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
    },
    /// A member has the wrong type or value, or is missing.
    #[error("{pointer}: {reason}")]
    Member {
        /// JSON pointer of the member; empty for the whole document.
        pointer: String,
        /// What was met and what is wanted.
        reason: String,
    },
    /// No known format looks like this.
    #[error("the format was not recognised: {seen}")]
    Unrecognised {
        /// What the envelope shows.
        seen: String,
    },
}

impl IngestError {
    /// The JSON pointer of the fault, where there is one.
    #[must_use]
    pub fn pointer(&self) -> Option<&str> {
        match self {
            Self::Member { pointer, .. } => Some(pointer),
            Self::NotJson { .. } | Self::Unrecognised { .. } => None,
        }
    }
}
