//! How a live answer ends.

use std::error::Error;

use super::LiveAnswer;
use crate::channels::{Delivered, DeliveryError};
use crate::convert::ConvertError;
use crate::report::Report;

/// An answer that readers have: its message is recorded.
#[derive(Debug)]
#[non_exhaustive]
pub struct Followed<E> {
    /// The message.
    pub delivered: Delivered,
    /// Why there is not more of it, in which case readers were told that it is incomplete.
    pub incomplete: Option<Incomplete<E>>,
}

/// Why an answer is not whole.
#[derive(Debug)]
#[non_exhaustive]
pub enum Incomplete<E> {
    /// Its body broke off.
    Body(E),
    /// Its body ended without the sign that the answer is whole; what the provider said about it is in the report.
    NoEnd,
}

/// Nothing of the answer stays in the conversation.
///
/// What was shown so far is still shown: the caller [closes](LiveAnswer::close) the stream with another message, or drops it,
/// by which it is withdrawn.
#[derive(Debug)]
#[non_exhaustive]
pub struct Unanswered<E: Error + 'static> {
    /// Why.
    pub cause: LiveError<E>,
    /// The stream, which has not ended.
    pub answer: LiveAnswer,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError<E: Error + 'static> {
    /// What has arrived is no answer, or required grounding is missing.
    #[error(transparent)]
    Convert(ConvertError),
    /// The body broke off before anything of use had arrived.
    #[error("the answer broke off before anything of it had arrived")]
    Body(#[source] E),
    /// The answer has no words. What the provider said about it is in the report.
    #[error("the answer says nothing")]
    Nothing(Box<Report>),
    /// The conversation is gone, or the store failed.
    #[error(transparent)]
    Delivery(DeliveryError),
}
