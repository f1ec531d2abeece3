//! The outcome of a streaming answer.

use std::error::Error;

use super::StreamingAnswer;
use crate::{Delivered, DeliveryError, Incomplete, NoAnswer};

/// A delivered streaming answer: its message is recorded.
#[derive(Debug)]
pub struct Followed<E> {
    /// The message.
    pub delivered: Delivered,
    /// Why there is not more of it, in which case readers were told that it is incomplete.
    pub incomplete: Option<Incomplete<E>>,
}

/// Nothing of the answer stays in the conversation.
///
/// What was shown so far is still shown: the caller [closes](StreamingAnswer::close) the stream with another message, or drops it,
/// by which it is withdrawn.
#[derive(Debug)]
pub struct Unanswered<E: Error + 'static> {
    /// Why.
    pub cause: StreamingError<E>,
    /// The stream, which has not ended.
    pub answer: StreamingAnswer,
}

/// The reason why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum StreamingError<E: Error + 'static> {
    /// No answer has arrived.
    #[error(transparent)]
    NoAnswer(NoAnswer<E>),
    /// The conversation is gone, or the store failed.
    #[error(transparent)]
    Delivery(DeliveryError),
}
