//! Errors of a post.

use std::fmt;

use std::time::Duration;

use super::retry::{Rule, rule_for};
use crate::egress::{EgressError, RemoteError};

/// A call to the other Direct Line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The method.
    pub method: &'static str,
    /// The whole address; there are no secrets in it.
    pub url: String,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.url)
    }
}

/// The error in a response with a status of success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misunderstood {
    /// The body is not JSON, or not of the shape of Direct Line.
    #[error("the body is not a Direct Line response")]
    Shape,
    /// There is no id of the activity.
    #[error("the body contains no id")]
    NoId,
    /// There is no token, or none that can stand in a header.
    #[error("the body contains no usable token")]
    NoToken,
    /// The conversation goes on and on.
    #[error("the conversation has too many activities to search")]
    TooLong,
}

/// The reason why one call failed.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The other side refused.
    #[error("{call}: {status}{words}")]
    Refused {
        /// The call.
        call: Call,
        /// The status.
        status: u16,
        /// The other side's code, such as `BadToken`, and words, without the credential.
        words: RemoteError,
        /// How long the other side wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// The other side agreed, in words that are no Direct Line.
    #[error("{call}: {status}, but {reason}")]
    Misunderstood {
        /// The call.
        call: Call,
        /// The status.
        status: u16,
        /// The fault.
        reason: Misunderstood,
    },
    /// There was no answer.
    #[error("{call}: {cause}")]
    NoAnswer {
        /// The call.
        call: Call,
        /// Why.
        cause: EgressError,
    },
}

impl CallError {
    /// Advice.
    #[must_use]
    pub fn rule(&self) -> Rule {
        match self {
            Self::Refused { status, .. } => rule_for(*status),
            Self::Misunderstood { reason: Misunderstood::TooLong, .. } => Rule::GiveUp,
            Self::Misunderstood { status, .. } => rule_for(*status),
            Self::NoAnswer { cause, .. } if !cause.may_pass() => Rule::GiveUp,
            Self::NoAnswer { cause, .. } if cause.nothing_was_sent() => Rule::Repeat,
            Self::NoAnswer { .. } => Rule::LookFirst,
        }
    }

    /// How long the other side wants to be left alone, where it says so.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused { retry_after, .. } => *retry_after,
            Self::Misunderstood { .. } | Self::NoAnswer { .. } => None,
        }
    }
}

/// The reason why an activity was not posted.
#[derive(Debug, thiserror::Error)]
pub enum PostError {
    /// The activity is longer than a Direct Line takes.
    #[error("the activity has {characters} characters as JSON; the limit of Direct Line is {limit}")]
    TooLong {
        /// How long it is.
        characters: usize,
        /// How long it may be.
        limit: usize,
    },
    /// The activity has a `channelData` in which nothing can be put.
    #[error("channelData of the activity is not an object")]
    ChannelData,
    /// The id cannot be the id of a conversation.
    #[error(transparent)]
    Conversation(#[from] super::InvalidConversationName),
    /// The other side did not take it, as far as is known.
    #[error("{cause}{}", if *doubtful { "; the activity may have been delivered nevertheless" } else { "" })]
    Failed {
        /// The call that failed.
        cause: CallError,
        /// It may have arrived nevertheless.
        doubtful: bool,
    },
}

impl PostError {
    /// The kind of failure, in a word for figures.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::TooLong { .. } => "too_large",
            Self::ChannelData | Self::Conversation(_) => "malformed",
            Self::Failed { cause: CallError::Refused { status: 401 | 403, .. }, .. } => "denied",
            Self::Failed { cause: CallError::Refused { status: 429, .. }, .. } => "throttled",
            Self::Failed { cause: CallError::Refused { status: 500.., .. }, .. } => "faulty",
            Self::Failed { cause: CallError::Refused { .. }, .. } => "refused",
            Self::Failed { cause: CallError::Misunderstood { .. }, .. } => "misunderstood",
            Self::Failed { cause: CallError::NoAnswer { .. }, .. } => "lost",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call() -> Call {
        Call { method: "POST", url: "https://bot.example/v3/directline/conversations/c1/activities".to_owned() }
    }

    fn refused(code: Option<&str>, message: Option<&str>) -> String {
        let mut words = RemoteError::default();
        (words.code, words.message) = (code.map(str::to_owned), message.map(str::to_owned));
        CallError::Refused { call: call(), status: 403, words, retry_after: None }.to_string()
    }

    #[test]
    fn a_refusal_names_call_status_code_and_words() {
        let start = "POST https://bot.example/v3/directline/conversations/c1/activities: 403";
        assert_eq!(refused(Some("BadToken"), Some("No.")), format!("{start} BadToken: No."));
        assert_eq!(refused(Some("BadToken"), None), format!("{start} BadToken"));
        assert_eq!(refused(None, Some("No.")), format!("{start}: No."));
        assert_eq!(refused(None, None), start);
    }

    #[test]
    fn what_was_not_sent_is_repeated_and_what_was_is_looked_for() {
        let host = || "bot.example".to_owned();
        let rule = |cause| CallError::NoAnswer { call: call(), cause }.rule();
        assert_eq!(rule(EgressError::UnknownHost { host: host() }), Rule::Repeat);
        assert_eq!(rule(EgressError::Timeout { host: host() }), Rule::LookFirst);
        assert_eq!(rule(EgressError::TooLong { host: host(), limit: 1 }), Rule::LookFirst);
        assert_eq!(rule(EgressError::Scheme), Rule::GiveUp);
    }
}
