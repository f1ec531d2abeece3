//! Errors of calls to a back end.

use std::time::Duration;

use crate::egress::EgressError;

/// The reason why a back end did not answer, or not completely. The message is for the operator; it contains no keys and no
/// texts of users.
#[derive(Debug, thiserror::Error)]
pub enum UpstreamError {
    /// There is no connection, or it broke.
    #[error(transparent)]
    Egress(EgressError),
    /// It refused.
    #[error("{host} answered with status {status}{}{}", said(message), asked(*retry_after))]
    Status {
        /// The host.
        host: String,
        /// The HTTP status.
        status: u16,
        /// Its words about it, in one line; may be empty.
        message: String,
        /// How long it asks to be left alone.
        retry_after: Option<Duration>,
    },
    /// Its answer is no answer: a page, for example.
    #[error("{host} answered with {content_type} where {wanted} was expected")]
    ContentType {
        /// The host.
        host: String,
        /// The media type that it names.
        content_type: String,
        /// The expected media types.
        wanted: &'static str,
    },
    /// It said nothing for too long.
    #[error("{host} sent nothing for {} s", silence.as_secs_f32())]
    Stalled {
        /// The host.
        host: String,
        /// For how long.
        silence: Duration,
    },
    /// It has begun to answer, and did not come to words.
    #[error("{host} sent no words for {} s (limits.first_words_seconds)", limit.as_secs_f32())]
    Wordless {
        /// The host.
        host: String,
        /// How long they were waited for.
        limit: Duration,
    },
    /// Its answer is longer than is taken.
    #[error("the answer of {host} is longer than {limit} bytes")]
    TooLong {
        /// The host.
        host: String,
        /// The limit.
        limit: usize,
    },
    /// The assistant answers as many questions as it may, and none of them ended in time. Nothing was called.
    #[error("the assistant already answers {limit} questions, its limit (max_turns)")]
    NoTurn {
        /// How many it may answer at one time.
        limit: usize,
    },
    /// The documents cannot be searched.
    #[error("the documents cannot be searched")]
    Search(#[source] Box<dyn std::error::Error + Send + Sync>),
}

impl UpstreamError {
    /// The kind of failure, in a word for figures.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Egress(_) => "unreachable",
            Self::Status { status: 429, .. } => "throttled",
            Self::Status { .. } => "refused",
            Self::ContentType { .. } | Self::TooLong { .. } => "unusable",
            Self::Stalled { .. } | Self::Wordless { .. } => "stalled",
            Self::NoTurn { .. } => "no_turn",
            Self::Search(_) => "search_failed",
        }
    }
}

impl From<EgressError> for UpstreamError {
    fn from(error: EgressError) -> Self {
        match error {
            EgressError::Silent { host, silence } => Self::Stalled { host, silence },
            EgressError::TooLong { host, limit } => Self::TooLong { host, limit },
            error @ (EgressError::Setup(_)
            | EgressError::Scheme
            | EgressError::Refused { .. }
            | EgressError::Port { .. }
            | EgressError::UnknownHost { .. }
            | EgressError::Connect { .. }
            | EgressError::Timeout { .. }
            | EgressError::Broken { .. }
            | EgressError::Encoded { .. }) => Self::Egress(error),
        }
    }
}

fn asked(retry_after: Option<Duration>) -> String {
    retry_after.map_or_else(String::new, |wait| format!("; it asks to wait {} s", wait.as_secs()))
}

fn said(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
}
