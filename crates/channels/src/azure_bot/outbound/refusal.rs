//! Classifies error responses of the Bot Connector.

use std::time::Duration;

use super::TokenError;
use crate::azure_bot::UntrustedServiceUrl;
use crate::egress::{EgressError, ErrorForms, RawRemoteError, RemoteError, by_status};
use crate::secret::Redaction;
use crate::store::StoreError;

/// An activity that the service refused, or that it may or may not have accepted.
#[derive(Debug, thiserror::Error)]
#[error("{cause}")]
pub struct Refusal {
    /// The meaning.
    pub kind: RefusalKind,
    /// How long the other side wants to be left alone, where it says so.
    pub retry_after: Option<Duration>,
    /// Whether the same call was made before and may have been taken then, although the service has answered with a fault.
    pub repeated: bool,
    /// The cause.
    pub cause: RefusalCause,
}

/// A refusal of the Bot Connector, by its consequence for the next activity. `docs/guides/teams.md` has the responses behind each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefusalKind {
    /// A chunk came too late, behind a later one, and was dropped: 202 `ContentStreamSequenceOrderPreConditionFailed`.
    OutOfOrder,
    /// There are no streams here: 400 `BadArgument`, "streaming api is not enabled"; emulators say 405.
    NoStreams,
    /// The stream took longer than the two minutes that it may take.
    TimeOver,
    /// The user has pressed the stop button.
    Cancelled,
    /// The stream has had its final.
    Completed,
    /// The text does not begin with what was streamed before.
    Changed,
    /// The activity is too large, in a stream or out of it.
    TooLarge,
    /// The activity is not as it should be, its Message entity most likely: 400.
    Malformed,
    /// Too many calls: 429.
    Throttled,
    /// The service stumbles: 500. It does so over some activities as well as over itself.
    Faulty,
    /// The service is busy or cannot be reached; nothing was taken.
    Unavailable,
    /// The service does not do this at all, such as to update in Web Chat: 405, 501.
    Unsupported,
    /// The bot may not speak here, or the conversation does not exist.
    Denied,
    /// The call was made, and there was no answer: the activity may have been taken or not.
    Lost,
}

impl RefusalKind {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::OutOfOrder,
        Self::NoStreams,
        Self::TimeOver,
        Self::Cancelled,
        Self::Completed,
        Self::Changed,
        Self::TooLarge,
        Self::Malformed,
        Self::Throttled,
        Self::Faulty,
        Self::Unavailable,
        Self::Unsupported,
        Self::Denied,
        Self::Lost,
    ];

    /// Its name in figures.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::OutOfOrder => "out_of_order",
            Self::NoStreams => "no_streams",
            Self::TimeOver => "time_over",
            Self::Cancelled => "cancelled",
            Self::Completed => "completed",
            Self::Changed => "changed",
            Self::TooLarge => "too_large",
            Self::Malformed => "malformed",
            Self::Throttled => "throttled",
            Self::Faulty => "faulty",
            Self::Unavailable => "unavailable",
            Self::Unsupported => "unsupported",
            Self::Denied => "denied",
            Self::Lost => "lost",
        }
    }
}

/// The cause of a refusal.
#[derive(Debug, thiserror::Error)]
pub enum RefusalCause {
    /// The service said so.
    #[error("{method}: {status}{words}{}", operation.as_ref().map(|id| format!(" (operation {id})")).unwrap_or_default())]
    Answered {
        /// The method of the call.
        method: &'static str,
        /// The status.
        status: u16,
        /// Code and words.
        words: RemoteError,
        /// The header `X-Correlating-OperationId`, by which the service's operators find the call.
        operation: Option<String>,
    },
    /// There was no answer.
    #[error("{method}: {error}")]
    NoAnswer {
        /// The method of the call.
        method: &'static str,
        /// Why.
        error: EgressError,
    },
    /// There was no token to call with.
    #[error(transparent)]
    NoToken(#[from] TokenError),
    /// The service is none that may get a token.
    #[error(transparent)]
    Untrusted(#[from] UntrustedServiceUrl),
    /// The id cannot stand in a path.
    #[error("{id:?} is not a valid id in the URL of a call")]
    Id {
        /// The id.
        id: String,
    },
    /// The caller that requested the activities cannot replace one.
    #[error("activities that were already sent cannot be replaced")]
    HandedOver,
    /// The store did not take down that the answer is about to be sent.
    #[error("nothing was sent, because that could not be recorded before: {0}")]
    Unnoted(#[source] StoreError),
    /// The caller that requested the activities has disconnected.
    #[error("the caller that requested the activities has disconnected")]
    Gone,
}

impl Refusal {
    /// The refusal in an answer of the service, which does not repeat what was sent; `None` when it has taken the activity.
    pub(super) fn in_answer(
        method: &'static str,
        status: u16,
        said: &RawRemoteError,
        redaction: Redaction<'_>,
    ) -> Option<Self> {
        let kind = kind_of(status, said)?;
        let cause = RefusalCause::Answered { method, status, words: said.without(redaction), operation: None };
        Some(Self { kind, retry_after: None, repeated: false, cause })
    }

    pub(super) fn no_answer(method: &'static str, error: EgressError) -> Self {
        let kind = match (error.nothing_was_sent(), error.may_pass()) {
            (false, _) => RefusalKind::Lost,
            (true, true) => RefusalKind::Unavailable,
            (true, false) => RefusalKind::Denied,
        };
        Self { kind, retry_after: None, repeated: false, cause: RefusalCause::NoAnswer { method, error } }
    }

    /// The status that the service answered, where it did.
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match &self.cause {
            RefusalCause::Answered { status, .. } => Some(*status),
            RefusalCause::NoAnswer { .. }
            | RefusalCause::NoToken(_)
            | RefusalCause::Untrusted(_)
            | RefusalCause::Id { .. }
            | RefusalCause::HandedOver
            | RefusalCause::Unnoted(_)
            | RefusalCause::Gone => None,
        }
    }

    /// Whether the activity may have been taken all the same.
    #[must_use]
    pub fn is_doubtful(&self) -> bool {
        self.kind == RefusalKind::Lost
    }
}

impl From<RefusalCause> for Refusal {
    /// A cause that is not an answer, for good.
    fn from(cause: RefusalCause) -> Self {
        let kind = match &cause {
            RefusalCause::HandedOver => RefusalKind::Unsupported,
            RefusalCause::NoToken(error) if error.may_pass() => RefusalKind::Unavailable,
            RefusalCause::NoToken(_)
            | RefusalCause::Answered { .. }
            | RefusalCause::NoAnswer { .. }
            | RefusalCause::Untrusted(_)
            | RefusalCause::Id { .. }
            | RefusalCause::Unnoted(_)
            | RefusalCause::Gone => RefusalKind::Denied,
        };
        Self { kind, retry_after: None, repeated: false, cause }
    }
}

/// Code and words, and the same without their wrapper, which emulators leave out. Some gateways say it in one word.
pub(super) const ERROR_FORMS: &ErrorForms = &[("/error/code", "/error/message"), ("/code", "/message"), ("/error", "")];

/// The meaning of the words of an answer, whatever its status: the service says these things with different ones, and emulators
/// with others again.
const BY_WORDS: &[(&str, RefusalKind)] = &[
    ("ContentStreamSequenceOrderPreConditionFailed", RefusalKind::OutOfOrder),
    ("streaming api is not enabled", RefusalKind::NoStreams),
    ("exceeded streaming time", RefusalKind::TimeOver),
    ("cancelled by user", RefusalKind::Cancelled),
    ("canceled by user", RefusalKind::Cancelled),
    ("already completed streamed message", RefusalKind::Completed),
    ("should contain the previously streamed content", RefusalKind::Changed),
    ("Message size too large", RefusalKind::TooLarge),
    ("MessageSizeTooBig", RefusalKind::TooLarge),
];

/// The meaning of a status by itself: the first one, the last one, and the meaning. Those between 200 and 299 are no refusal, and
/// all others are for good.
const BY_STATUS: &[(u16, u16, RefusalKind)] = &[
    (400, 400, RefusalKind::Malformed),
    (405, 405, RefusalKind::Unsupported),
    (412, 412, RefusalKind::Unavailable),
    (413, 413, RefusalKind::TooLarge),
    (422, 422, RefusalKind::Malformed),
    (429, 429, RefusalKind::Throttled),
    (500, 500, RefusalKind::Faulty),
    (501, 501, RefusalKind::Unsupported),
    (502, 504, RefusalKind::Unavailable),
];

/// The meaning of an answer; `None` if all is well.
fn kind_of(status: u16, said: &RawRemoteError) -> Option<RefusalKind> {
    if let Some((_, kind)) = BY_WORDS.iter().find(|(words, _)| said.holds(words)) {
        return Some(*kind);
    }
    if (200..=299).contains(&status) {
        return None;
    }
    Some(by_status(BY_STATUS, status).unwrap_or(RefusalKind::Denied))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kind(status: u16, code: &str, message: &str) -> Option<RefusalKind> {
        let body = json!({"error": {"code": code, "message": message}}).to_string();
        Refusal::in_answer("POST", status, &RawRemoteError::read(body.as_bytes(), ERROR_FORMS), Redaction::default())
            .map(|refusal| refusal.kind)
    }

    #[test]
    fn every_answer_that_teams_gives_has_its_meaning() {
        for (status, code, message, expected) in [
            (202, "ContentStreamSequenceOrderPreConditionFailed", "", RefusalKind::OutOfOrder),
            (400, "BadArgument", "Streaming API is not enabled for non personal scope", RefusalKind::NoStreams),
            (405, "BadArgument", " Streaming API is not enabled for non personal scope", RefusalKind::NoStreams),
            (
                403,
                "ContentStreamNotAllowed",
                "Content stream finished due to exceeded streaming time.",
                RefusalKind::TimeOver,
            ),
            (403, "ContentStreamNotAllowed", "Content stream was cancelled by user.", RefusalKind::Cancelled),
            (
                403,
                "ContentStreamNotAllowed",
                "Content stream is not allowed on an already completed streamed message",
                RefusalKind::Completed,
            ),
            (
                403,
                "ContentStreamNotAllowed",
                "Request streamed content should contain the previously streamed content",
                RefusalKind::Changed,
            ),
            (403, "ContentStreamNotAllowed", "Message size too large", RefusalKind::TooLarge),
            (413, "MessageSizeTooBig", "", RefusalKind::TooLarge),
            (400, "BadSyntax", "Multiple root message entities found in the bot activity", RefusalKind::Malformed),
            (429, "429", "API calls quota exceeded", RefusalKind::Throttled),
            (400, "BadRequest", "Start streaming activities should include text", RefusalKind::Malformed),
            (403, "BotNotInConversationRoster", "The bot is not part of the conversation", RefusalKind::Denied),
            (404, "ConversationNotFound", "", RefusalKind::Denied),
            (412, "PreconditionFailed", "", RefusalKind::Unavailable),
            (500, "ServiceError", "Internal server error", RefusalKind::Faulty),
            (501, "DeleteActivityAPINotImplemented", "", RefusalKind::Unsupported),
            (503, "", "", RefusalKind::Unavailable),
            (307, "", "", RefusalKind::Denied),
        ] {
            assert_eq!(kind(status, code, message), Some(expected), "{status} {code} {message}");
        }
        assert_eq!([kind(200, "", ""), kind(201, "", ""), kind(202, "", "")], [None; 3]);
    }

    #[test]
    fn what_a_refusal_means_does_not_depend_on_what_was_sent() {
        let body = br#"{"error": {"code": "BadArgument", "message": "Streaming API is not enabled"}}"#;
        let redaction = Redaction { secrets: &[], said: "Streaming" };
        let refusal =
            Refusal::in_answer("POST", 400, &RawRemoteError::read(body, ERROR_FORMS), redaction).expect("a refusal");
        assert_eq!(refusal.kind, RefusalKind::NoStreams);
        assert_eq!(refusal.to_string(), "POST: 400 BadArgument: **** API is not enabled");
    }

    #[test]
    fn a_page_of_html_in_place_of_an_error_is_told_by_its_status() {
        let said = RawRemoteError::read(b"<!DOCTYPE html><html>Payload Too Large</html>", ERROR_FORMS);
        let refusal = Refusal::in_answer("POST", 413, &said, Redaction::default()).expect("a refusal");
        assert_eq!((refusal.kind, refusal.to_string().as_str()), (RefusalKind::TooLarge, "POST: 413"));
    }

    #[test]
    fn only_a_call_that_was_made_leaves_doubt() {
        let host = || "smba.trafficmanager.net".to_owned();
        let kind = |error| Refusal::no_answer("POST", error).kind;
        assert_eq!(kind(EgressError::UnknownHost { host: host() }), RefusalKind::Unavailable);
        assert_eq!(kind(EgressError::Timeout { host: host() }), RefusalKind::Lost);
        assert_eq!(kind(EgressError::TooLong { host: host(), limit: 1 }), RefusalKind::Lost);
        assert_eq!(kind(EgressError::Scheme), RefusalKind::Denied);
    }
}
