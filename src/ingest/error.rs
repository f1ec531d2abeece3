//! What can be wrong with an input.

/// The input is not what its format promises.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IngestError {
    /// The bytes are not UTF-8.
    #[error("not UTF-8: the byte at offset {offset} begins no character")]
    NotUtf8 {
        /// The first byte at fault, counted from 0.
        offset: usize,
    },
    /// The text is not JSON.
    #[error("not JSON: {reason} at line {line}, column {column}")]
    NotJson {
        /// What the parser met.
        reason: String,
        /// Counted from 1.
        line: usize,
        /// Counted from 1.
        column: usize,
    },
    /// A member is missing, or has the wrong type or value.
    #[error("{}: {reason}", if pointer.is_empty() { "the document" } else { pointer })]
    Member {
        /// JSON pointer of the member; empty for the whole document.
        pointer: String,
        /// What was met and what is wanted.
        reason: String,
    },
    /// No known format looks like this.
    #[error("the format was not recognised: {seen}; name it with `from`")]
    Unrecognised {
        /// What the envelope shows.
        seen: String,
    },
    /// A stream, where only whole answers are read.
    #[error("a stream of events; this version reads whole answers only")]
    Stream,
}

impl IngestError {
    /// The JSON pointer of the fault, where there is one.
    #[must_use]
    pub fn pointer(&self) -> Option<&str> {
        match self {
            Self::Member { pointer, .. } => Some(pointer),
            Self::NotUtf8 { .. } | Self::NotJson { .. } | Self::Unrecognised { .. } | Self::Stream => None,
        }
    }

    pub(super) fn member(pointer: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Member { pointer: pointer.into(), reason: reason.into() }
    }
}
