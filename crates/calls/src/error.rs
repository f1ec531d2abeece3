//! The error of a call.

use crate::check_error::CheckError;
use crate::convert::ConvertError;
use crate::fault::{Code, Fault, bounded, of_conversion};
use crate::request::EnvelopeError;

/// The reason why a call gives nothing.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// A parameter, or a member beside the answer, is wrong.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// The answer could not be converted.
    #[error("{source}")]
    Convert {
        /// The cause, with its place in the answer.
        source: ConvertError,
        /// JSON pointer of the answer.
        at: &'static str,
    },
    /// The activity could not be checked.
    #[error(transparent)]
    Check(#[from] CheckError),
    /// The answer is too long.
    #[error("the answer is longer than {limit} bytes")]
    TooLong {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The stream took its last piece before.
    #[error("the stream has ended; begin another one")]
    StreamEnded,
    /// The result could not be written.
    #[error("the result could not be written as JSON: {0}")]
    Unwritable(#[from] serde_json::Error),
}

impl CallError {
    /// The code, and the place of the fault.
    #[must_use]
    pub fn fault(&self) -> Fault {
        match self {
            Self::Envelope(error) => error.into(),
            Self::Convert { source, at } => of_conversion(source, at),
            Self::Check(error) => error.into(),
            Self::TooLong { .. } => Code::BodyTooLong.into(),
            Self::StreamEnded => Code::StreamEnded.into(),
            Self::Unwritable(_) => Code::Internal.into(),
        }
    }

    /// The code for programs.
    #[must_use]
    pub fn code(&self) -> Code {
        self.fault().code
    }

    /// The error as JSON: `code`, `detail`, and where there is a place, `pointer`, `event` and `line`.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        self.fault().write(&bounded(self.to_string()))
    }
}
