//! Errors of a bot, and of its calls.

use std::error::Error;

use crate::direct_line::ActivityError;
use crate::egress::EgressError;
use crate::store::StoreError;

/// The reason why a post to the bot failed.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// The bot was not called: nothing was sent.
    #[error("the bot cannot be reached: {0}")]
    Unreachable(#[source] EgressError),
    /// The bot was called, and it is unknown what it made of that.
    #[error("the bot did not answer: {0}")]
    NoAnswer(#[source] EgressError),
    /// The bot has refused.
    #[error("the bot answered with status {status}")]
    Refused {
        /// The status.
        status: u16,
    },
    /// The bot was called, and took too long.
    #[error("the bot did not answer in time")]
    TooSlow,
    /// There was no time left to call the bot.
    #[error("the bot was busy for too long")]
    NoTimeLeft,
    /// Replies were expected in the answer, which holds something else.
    #[error("the response of the bot is not JSON with activities")]
    Misunderstood(#[source] serde_json::Error),
    /// Too much waits for the bot already.
    #[error("the queue of activities for the bot is full")]
    Busy,
    /// The bot may have been called before, and what came of that is unknown.
    #[error("earlier attempts to call the bot came to no end")]
    GivenUp,
    /// The activity cannot be sent.
    #[error("the activity cannot be written as JSON")]
    Unwritable(#[source] serde_json::Error),
}

impl TurnError {
    /// Whether it is certain that the bot saw nothing of the activity.
    #[must_use]
    pub fn nothing_was_sent(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::NoTimeLeft | Self::Busy | Self::Unwritable(_) => true,
            Self::NoAnswer(_) | Self::Refused { .. } | Self::TooSlow | Self::Misunderstood(_) | Self::GivenUp => false,
        }
    }

    /// For programs: `channelData.citewire.code` of what users read instead of an answer.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "bot_unreachable",
            Self::NoAnswer(_) => "bot_no_answer",
            Self::Refused { .. } => "bot_refused",
            Self::TooSlow | Self::NoTimeLeft => "bot_timeout",
            Self::Misunderstood(_) => "bot_misunderstood",
            Self::Busy => "bot_busy",
            Self::GivenUp | Self::Unwritable(_) => "internal",
        }
    }
}

/// The reason why a call of the bot was refused.
#[derive(Debug, thiserror::Error)]
pub enum ConnectorError {
    /// There is no such conversation, or no longer.
    #[error("the conversation does not exist")]
    UnknownConversation,
    /// No member of the conversation has this id.
    #[error("the conversation has no member with this id")]
    UnknownMember,
    /// The body is no activity.
    #[error(transparent)]
    Activity(#[from] ActivityError),
    /// The manifest of an answer is unusable.
    #[error("/channelData/citewire: {0}")]
    Manifest(#[source] Box<dyn Error + Send + Sync>),
    /// The parameters of a conversation are unusable.
    #[error("{pointer}: {wanted}")]
    Parameters {
        /// JSON pointer of the member; empty for the whole.
        pointer: &'static str,
        /// The expected value.
        wanted: &'static str,
    },
    /// Direct Line has no such thing.
    #[error("Direct Line does not support updates and deletions of activities")]
    Unsupported,
    /// A ticket opens one conversation and creates none.
    #[error("creating a conversation needs the bot's secret; a ticket is not enough")]
    SecretRequired,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
