//! The outcome of an answer through the Connector.

use std::convert::Infallible;
use std::error::Error;

use super::ConnectorAnswer;
use crate::activity::Activity;
use crate::azure_bot::outbound::Refusal;
use crate::report::Report;
use crate::{Incomplete, NoAnswer};

/// The part of an answer that the user received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All of the answer.
    Whole,
    /// The text shown when the stop button was pressed. Nothing was sent after that.
    Stopped,
}

/// An answer that the user received.
#[derive(Clone, Debug)]
pub struct Answered {
    /// The answer as one message, however it went out; when it was stopped, what was shown of it.
    pub message: Activity,
    /// The ids that the channel gave to the messages that make it up, in their order. Feedback names one of them.
    pub ids: Vec<String>,
    /// How much of it.
    pub ended: Ended,
    /// The report of the conversion, and of the delivery.
    pub report: Report,
}

/// An answer that was received as a stream and delivered.
#[derive(Debug)]
pub struct Followed<E> {
    /// The answer as the user has it.
    pub answered: Answered,
    /// Why there is not more of it, in which case the user was told that it is incomplete.
    pub incomplete: Option<Incomplete<E>>,
}

/// The user has no answer.
///
/// What was shown so far is still shown: the caller [closes](ConnectorAnswer::close) the answer with words of its own.
#[derive(Debug)]
pub struct Unanswered<E: Error + 'static = Infallible> {
    /// Why.
    pub cause: Failed<E>,
    /// The answer, which has not ended.
    pub answer: ConnectorAnswer,
}

/// The reason why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failed<E: Error + 'static = Infallible> {
    /// No answer has arrived.
    #[error(transparent)]
    NoAnswer(NoAnswer<E>),
    /// The channel took it in no form.
    #[error("the channel did not take the answer: {0}")]
    Refused(#[source] Box<Refusal>),
}
