//! Errors of proactive messages.

use std::convert::Infallible;
use std::error::Error;

use crate::NoAnswer;
use crate::azure_bot::UntrustedServiceUrl;
use crate::azure_bot::answer::Failed;
use crate::azure_bot::conversation::{NoConversation, NoReference};
use crate::azure_bot::outbound::Refusal;
use crate::store::StoreError;

/// The reason why a proactive message is not delivered.
#[derive(Debug, thiserror::Error)]
pub enum ProactiveError {
    /// There is no bot behind Azure Bot Service, although there was one when the conversation was stored.
    #[error("the conversation is behind Azure Bot Service, but no Azure bot is configured: set azure_bot.app_id")]
    NoBot,
    /// The conversation is there no longer.
    #[error("the conversation does not exist")]
    Gone,
    /// The other side has named no service: it wants answers in the response to its own call.
    #[error("the conversation has no service URL, so citewire cannot send to it")]
    NoServiceUrl,
    /// The service must not get the bot's token.
    #[error(transparent)]
    Untrusted(#[from] UntrustedServiceUrl),
    /// Where the conversation is cannot be read.
    #[error(transparent)]
    Reference(#[from] NoReference),
    /// The stored reference names no conversation.
    #[error(transparent)]
    Conversation(#[from] NoConversation),
    /// The answer has no words, and no channel takes such a message.
    #[error("the answer is empty")]
    Nothing,
    /// The service did not take it.
    #[error("{_0}{}", if _0.is_doubtful() { "; the answer may have been delivered nevertheless" } else { "" })]
    Refused(Box<Refusal>),
    /// The answers before it in the conversation have not ended within two minutes, or too many wait there.
    #[error("other answers in this conversation come first, and have not ended; try again later")]
    Busy,
    /// The server is ending.
    #[error("the server is shutting down")]
    Ending,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The reason why a streamed proactive message is not delivered.
#[derive(Debug, thiserror::Error)]
pub enum ProactiveFailed<E: Error + 'static> {
    /// No answer has arrived.
    #[error(transparent)]
    NoAnswer(NoAnswer<E>),
    /// It was not taken.
    #[error(transparent)]
    Later(ProactiveError),
}

impl<E: Error + 'static> From<Failed<E>> for ProactiveFailed<E> {
    fn from(failed: Failed<E>) -> Self {
        match failed {
            Failed::NoAnswer(cause) => Self::NoAnswer(cause),
            Failed::Refused(refusal) => Self::Later(ProactiveError::Refused(refusal)),
        }
    }
}

impl From<Failed<Infallible>> for ProactiveError {
    fn from(failed: Failed<Infallible>) -> Self {
        match failed {
            Failed::Refused(refusal) => Self::Refused(refusal),
            // A whole answer has been converted, and has no body that could break.
            Failed::NoAnswer(_) => Self::Nothing,
        }
    }
}
