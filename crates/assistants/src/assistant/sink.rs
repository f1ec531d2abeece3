//! The way of an answer to its readers.

use std::error::Error;
use std::time::Duration;

use super::Assistant;
use crate::answer_events::AnswerEvents;
use crate::channels::{Incomplete, NoAnswer};
use crate::convert::Conversion;
use crate::metrics::Apology;
use crate::report::Report;
use crate::upstream::{ReplyParts, UpstreamError};

/// Delivers an answer to the readers of one channel.
pub(super) trait AnswerSink: Sized + Send {
    /// The outcome of the turn.
    type End: Send;

    /// Waits for the beginning of the answer, and shows readers that it is awaited.
    fn waiting<T: Send>(
        &mut self,
        reply: impl Future<Output = T> + Send,
    ) -> impl Future<Output = Result<T, Interruption>> + Send;

    /// The conversion of the assistant's answers for these readers.
    fn conversion(&mut self, assistant: &Assistant) -> impl Future<Output = Conversion> + Send;

    /// Shows the answer while it arrives, and delivers its message.
    fn follow(
        self,
        conversion: Conversion,
        events: AnswerEvents<ReplyParts>,
    ) -> impl Future<Output = Outcome<Self>> + Send;

    /// Ends with words in place of an answer.
    fn close(self, words: Words<'_>) -> impl Future<Output = Self::End> + Send;

    /// Ends before the answer has begun. `words` are for readers who are still there.
    fn abandon(self, why: Interruption, words: Words<'_>) -> impl Future<Output = Self::End> + Send;
}

/// The reason why an answer has to end before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interruption {
    /// The server ends, and somebody answers the question after it.
    Leaving,
    /// The conversation was deleted.
    Deleted,
    /// The reader has pressed the stop button.
    Stopped,
    /// The time for an answer is over.
    TimeUp(TimeUp),
}

/// The limit at which an answer was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TimeUp {
    /// The setting for answers.
    Limit(Duration),
    /// The end of the turn: its caller waits no longer, or the server ends.
    Turn,
}

/// The outcome of an answer that has begun.
pub(super) enum Outcome<S: AnswerSink> {
    /// Readers have it.
    Delivered {
        /// The outcome of the turn.
        end: S::End,
        /// The reason why there is not more of it.
        incomplete: Option<Incomplete<UpstreamError>>,
        /// The report of its conversion.
        report: Box<Report>,
        /// The limit at which it was cut off, where it was.
        time_up: Option<TimeUp>,
    },
    /// Readers have no answer, and get words in its place.
    Undelivered {
        /// The way to them.
        sink: S,
        /// The reason.
        cause: Undelivered,
        /// The limit at which the answer was cut off, where it was.
        time_up: Option<TimeUp>,
    },
    /// No reader is there to get words.
    Lost(S::End),
}

/// The reason why readers have no answer.
pub(super) enum Undelivered {
    /// The reader has stopped it before its first word.
    Stopped,
    /// The back end gave none.
    NoAnswer(NoAnswer<UpstreamError>),
    /// The store did not take it.
    Unrecorded(Box<dyn Error + Send + Sync>),
    /// The channel did not take it.
    Unsent(Box<dyn Error + Send + Sync>),
}

/// A text of the assistant's settings that readers get in place of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words<'a> {
    /// The count in the metrics; `None` for words that a reader has asked for.
    pub(super) kind: Option<Apology>,
    /// The text.
    pub(super) text: &'a str,
}

impl<'a> From<(Apology, &'a str)> for Words<'a> {
    fn from((kind, text): (Apology, &'a str)) -> Self {
        Self { kind: Some(kind), text }
    }
}
