//! The exit codes of commands.

use std::process::ExitCode;

/// The outcome of a command. Errors count as invalid input, unless a command decides otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// Done.
    Done,
    /// A check found an error, required grounding is missing, or a server is not ready.
    Found,
    /// The input or the arguments are unusable.
    Unusable,
    /// The other side refused or cannot be reached.
    Refused,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Done => Self::SUCCESS,
            Outcome::Found => Self::from(1),
            Outcome::Unusable => Self::from(2),
            Outcome::Refused => Self::from(3),
        }
    }
}
