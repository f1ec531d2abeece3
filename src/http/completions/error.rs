//! Errors of chat completions.

use std::time::Duration;

use crate::http::problem::table::{self, ProblemType, whole_seconds};
use crate::ingest::IngestError;
use crate::output::UnknownChatForm;
use crate::text::echo;
use crate::upstream::UpstreamError;

/// An error of a chat completion. Clients show the message to people; the log has the error message of the back end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompletionError {
    /// The body is not JSON.
    #[error("the body is not JSON: {0}")]
    NotJson(#[source] serde_json::Error),
    /// A member is missing, or has the wrong type or value.
    #[error("{}: {reason}", echo(param))]
    Member {
        /// The member: `messages[0].role`.
        param: String,
        /// The fault.
        reason: String,
    },
    /// No user says anything.
    #[error("messages: no message with the role user has a text")]
    NoQuestion,
    /// No assistant has this name.
    #[error("the model {:?} does not exist", echo(model))]
    UnknownModel {
        /// The name.
        model: String,
    },
    /// The form of the citations is not known.
    #[error(transparent)]
    Form(#[from] UnknownChatForm),
    /// The back end did not answer.
    #[error("{}", failure(.0).0)]
    Upstream(#[from] UpstreamError),
    /// The back end sent no answer.
    #[error("the back end sent an unusable answer")]
    Unusable(#[from] IngestError),
    /// The back end reported an error.
    #[error("the back end reported an error")]
    Reported,
    /// The answer ended before its end.
    #[error("the answer of the back end broke off")]
    BrokenOff,
    /// The server is shutting down.
    #[error("the server is shutting down")]
    ShuttingDown,
}

/// The words for a client about a back end that fails, and the problem: nothing of its address and its own words.
fn failure(error: &UpstreamError) -> (&'static str, ProblemType) {
    let after =
        |problem: ProblemType, wait: &Option<Duration>| wait.map_or(problem, |wait| problem.after(whole_seconds(wait)));
    match error {
        UpstreamError::Egress(error) if error.is_timeout() => {
            ("the back end did not answer in time", table::UPSTREAM_TIMEOUT)
        }
        UpstreamError::Egress(_) => ("the back end cannot be reached", table::UPSTREAM_UNREACHABLE),
        UpstreamError::Status { status: 429, retry_after, .. } => {
            ("the back end is busy; try again later", after(table::RATE_LIMIT_EXCEEDED, retry_after))
        }
        UpstreamError::Status { retry_after, .. } => {
            ("the back end refused the request", after(table::UPSTREAM_REFUSED, retry_after))
        }
        UpstreamError::NoTurn { .. } => ("the assistant is busy; try again later", table::RATE_LIMIT_EXCEEDED.after(2)),
        UpstreamError::ContentType { .. } => ("the back end sent an unusable answer", table::UPSTREAM_UNUSABLE),
        UpstreamError::TooLong { .. } => ("the answer of the back end is too long", table::UPSTREAM_UNUSABLE),
        UpstreamError::Stalled { .. } | UpstreamError::Wordless { .. } => {
            ("the back end stopped sending", table::UPSTREAM_TIMEOUT)
        }
        UpstreamError::Search(_) => ("the documents cannot be searched", table::SEARCH_FAILED),
    }
}

impl CompletionError {
    /// The problem that it is.
    pub(crate) fn problem(&self) -> ProblemType {
        match self {
            Self::NotJson(_) => table::NOT_JSON,
            Self::Member { .. } | Self::NoQuestion => table::INVALID_VALUE,
            Self::UnknownModel { .. } => table::MODEL_NOT_FOUND,
            Self::Form(_) => table::UNKNOWN_CITATIONS,
            Self::Upstream(error) => failure(error).1,
            Self::Unusable(_) => table::UPSTREAM_UNUSABLE,
            Self::Reported => table::UPSTREAM_FAILED,
            Self::BrokenOff => table::UPSTREAM_BROKE_OFF,
            Self::ShuttingDown => table::SHUTTING_DOWN,
        }
    }

    /// The member of the request that is at fault.
    pub(crate) fn param(&self) -> Option<&str> {
        match self {
            Self::Member { param, .. } => Some(param),
            Self::NoQuestion => Some("messages"),
            Self::UnknownModel { .. } => Some("model"),
            Self::Form(_) => Some("citewire.citations"),
            Self::NotJson(_)
            | Self::Upstream(_)
            | Self::Unusable(_)
            | Self::Reported
            | Self::BrokenOff
            | Self::ShuttingDown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_told_nothing_of_where_the_back_end_is() {
        let refused = UpstreamError::Status {
            host: "secret.example".into(),
            status: 401,
            message: "bad key abc".into(),
            retry_after: None,
        };
        let error = CompletionError::from(refused);
        assert_eq!(
            (error.to_string().as_str(), error.problem().code),
            ("the back end refused the request", "upstream_refused")
        );
    }
}
