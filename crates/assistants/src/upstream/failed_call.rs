//! The words for whoever sets up a back end that does not answer.

use url::Url;

use super::{UpstreamError, UpstreamFault};
use crate::egress::EgressError;

/// The kind of a problem with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallProblem {
    /// The server does not call this host.
    NotAllowed,
    /// Nobody answers at the address.
    Unreachable,
    /// The connection cannot be encrypted.
    Tls,
    /// The key is missing or refused.
    Key,
    /// The model is unknown.
    Model,
    /// The back end is busy.
    Busy,
    /// The answer does not come in time.
    Slow,
    /// The answer cannot be used.
    Unusable,
}

impl CallProblem {
    /// The kind in a word for programs.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NotAllowed => "not_allowed",
            Self::Unreachable => "unreachable",
            Self::Tls => "tls",
            Self::Key => "key",
            Self::Model => "model",
            Self::Busy => "busy",
            Self::Slow => "slow",
            Self::Unusable => "unusable",
        }
    }
}

/// The reason why a call got no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedCall {
    /// Its kind.
    pub problem: CallProblem,
    /// The words for whoever sets up the back end.
    pub words: String,
}

impl FailedCall {
    /// A reason from its parts.
    #[must_use]
    pub fn new(problem: CallProblem, words: impl Into<String>) -> Self {
        Self { problem, words: words.into() }
    }
}

/// The reason why a back end did not answer. It has no key in it.
#[must_use]
pub fn failed_call(error: &UpstreamError, address: &Url, model: Option<&str>, has_key: bool) -> FailedCall {
    let host = UpstreamFault::host(address);
    match error {
        UpstreamError::Egress(error) => failed_connection(error, address),
        UpstreamError::Status { status, message, .. } => {
            let said = if message.is_empty() { String::new() } else { format!(": {message}") };
            refused(*status, &said, &host, model, has_key)
        }
        UpstreamError::ContentType { content_type, .. } => FailedCall::new(
            CallProblem::Unusable,
            format!(
                "{host} answered with {content_type}: is this the address of its API? Those of OpenAI and its likes end in /v1"
            ),
        ),
        UpstreamError::Stalled { .. } | UpstreamError::Wordless { .. } => {
            FailedCall::new(CallProblem::Slow, error.to_string())
        }
        UpstreamError::TooLong { .. } | UpstreamError::NoTurn { .. } | UpstreamError::Search(_) => {
            FailedCall::new(CallProblem::Unusable, error.to_string())
        }
    }
}

/// Parts of the words of services that do not have a model. Other words about a model say what it cannot do.
const ABSENT: [&str; 6] = ["not exist", "not found", "invalid model", "unknown model", "a valid model", "no model"];

fn refused(status: u16, said: &str, host: &str, model: Option<&str>, has_key: bool) -> FailedCall {
    let lower = said.to_ascii_lowercase();
    let speaks_of_model = lower.contains("model");
    let misses_model = speaks_of_model && ABSENT.iter().any(|words| lower.contains(words));
    let (problem, words) = match (status, model) {
        (401 | 403, _) if has_key => (CallProblem::Key, format!("{host} refuses the key ({status}){said}")),
        (401 | 403, _) => (CallProblem::Key, format!("{host} wants a key ({status}){said}")),
        (400 | 404 | 422, Some(model)) if misses_model || (status == 404 && speaks_of_model) => {
            (CallProblem::Model, format!("{host} does not have the model {model:?} ({status}){said}"))
        }
        (404, Some(model)) => (
            CallProblem::Model,
            format!("{host} does not have the model {model:?}, or the address is not that of its API (404){said}"),
        ),
        (429 | 503 | 529, _) => {
            (CallProblem::Busy, format!("{host} is busy, or a limit of the account is reached ({status}){said}"))
        }
        _ => (CallProblem::Unusable, format!("{host} answered with the status {status}{said}")),
    };
    FailedCall::new(problem, words)
}

/// The reason why there is no connection.
pub(super) fn failed_connection(error: &EgressError, address: &Url) -> FailedCall {
    let host = UpstreamFault::host(address);
    match error {
        EgressError::Refused { kind, .. } => {
            let fault = UpstreamFault::Private { key: String::new(), host, kind: *kind };
            FailedCall::new(CallProblem::NotAllowed, fault.to_string().trim_start_matches(": "))
        }
        EgressError::Port { .. } => {
            let fault = UpstreamFault::Port { key: String::new(), host };
            FailedCall::new(CallProblem::NotAllowed, fault.to_string().trim_start_matches(": "))
        }
        EgressError::UnknownHost { .. } => {
            FailedCall::new(CallProblem::Unreachable, format!("{error}: is the address spelled right?"))
        }
        EgressError::Connect { .. } => {
            let words = error.to_string();
            let reason = words.split_once(": ").map_or(words.as_str(), |(_, reason)| reason);
            if address.scheme() == "https" && is_about_tls(reason) {
                return FailedCall::new(
                    CallProblem::Tls,
                    format!("the encrypted connection to {host} failed: {reason}"),
                );
            }
            FailedCall::new(
                CallProblem::Unreachable,
                format!("nobody answers at {host}: {reason}; is the service running there?"),
            )
        }
        EgressError::Timeout { .. } | EgressError::Silent { .. } => {
            FailedCall::new(CallProblem::Slow, format!("{host} did not answer in time"))
        }
        EgressError::Broken { .. } => FailedCall::new(CallProblem::Unreachable, error.to_string()),
        EgressError::Setup(_) | EgressError::Scheme | EgressError::TooLong { .. } | EgressError::Encoded { .. } => {
            FailedCall::new(CallProblem::Unusable, error.to_string())
        }
    }
}

fn is_about_tls(reason: &str) -> bool {
    let reason = reason.to_ascii_lowercase();
    ["certificate", "tls", "handshake", "corrupt message", "alert"].iter().any(|word| reason.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_missing_only_where_the_service_says_so() {
        let of = |status, said: &str| refused(status, said, "a.example:443", Some("tiny"), true).problem;
        for (status, said) in [
            (404, ""),
            (404, ": the model `tiny` is unknown"),
            (400, ": Model Not Exist"),
            (400, ": tiny is not a valid model ID"),
            (422, ": Invalid model: tiny"),
            (400, ": No models loaded"),
        ] {
            assert_eq!(of(status, said), CallProblem::Model, "{status}{said}");
        }
        for said in ["", ": 'max_tokens' is not supported with this model", ": the model's context length is exceeded"]
        {
            assert_eq!(of(400, said), CallProblem::Unusable, "400{said}");
        }
    }
}
