//! The part of an answer that arrived before its body ended.

use std::error::Error;

use super::follow::Arrived;
use crate::activity::{Activity, Entity};
use crate::convert::{ConvertError, Streamed};
use crate::metrics::Conversion;
use crate::report::Report;

/// The reason why an answer is incomplete.
#[derive(Debug)]
pub enum Incomplete<E> {
    /// Its body broke off.
    Body(E),
    /// Its body ended without the sign that the answer is whole; what the provider said about it is in the report.
    NoEnd,
    /// It is longer than the channel takes.
    TooLong,
    /// Its reader wanted no more.
    Stopped,
}

/// The reason why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum NoAnswer<E: Error + 'static> {
    /// It cannot be read as one, or required grounding is missing.
    #[error(transparent)]
    Convert(ConvertError),
    /// The body broke off before anything of use had arrived.
    #[error("the answer broke off before any part of it arrived")]
    Body(#[source] E),
    /// It has no words. What the provider said about it is in the report.
    #[error("the answer is empty")]
    Nothing(Box<Report>),
}

/// How to handle an answer without text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wordless {
    /// It is one like any other.
    Kept,
    /// It is none: a reader who waits for it would be left with nothing.
    Refused,
}

/// The answer, and the reason why there is not more of it.
pub(super) fn settle<E: Error + 'static>(
    arrived: Arrived<E>,
    wordless: Wordless,
) -> Result<(Streamed, Option<Incomplete<E>>), NoAnswer<E>> {
    let Arrived { streaming, answer, broken } = arrived;
    let streamed = answer.map_err(ConvertError::from).and_then(|answer| streaming.end_with(answer));
    match (streamed, broken) {
        // Half an answer of which nothing can be read is none.
        (Ok(streamed), Some(error)) if says_nothing(&streamed.message) => Err(NoAnswer::Body(error)),
        (Err(_), Some(error)) => Err(NoAnswer::Body(error)),
        (Err(error), None) => Err(NoAnswer::Convert(error)),
        (Ok(streamed), None) if wordless == Wordless::Refused && says_nothing(&streamed.message) => {
            Err(NoAnswer::Nothing(Box::new(streamed.report)))
        }
        (Ok(streamed), None) if streamed.cut => Ok((streamed, Some(Incomplete::TooLong))),
        (Ok(streamed), Some(error)) => Ok((streamed, Some(Incomplete::Body(error)))),
        (Ok(streamed), None) if streamed.report.complete => Ok((streamed, None)),
        (Ok(streamed), None) => Ok((streamed, Some(Incomplete::NoEnd))),
    }
}

/// Whether there is nothing for readers. Where the channel has a form of its own, the words are in the Message thing.
pub(super) fn says_nothing(message: &Activity) -> bool {
    let thing = message.entities.iter().flatten().find_map(|entity| match entity {
        Entity::Message(thing) => thing.text.as_deref(),
        Entity::Other(_) | Entity::Odd(_) => None,
    });
    message.text.as_deref().or(thing).is_none_or(|text| text.trim().is_empty())
}

impl<E: Error + 'static> NoAnswer<E> {
    /// Whether it does not rest on what it has to rest on (policies P-13 and P-16): a rule at work, and nothing to mend.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        matches!(self, Self::Convert(error) if error.is_refusal())
    }

    /// How it is counted.
    #[must_use]
    pub fn counted(&self) -> Conversion {
        match self {
            Self::Convert(ConvertError::GroundingNoTools | ConvertError::GroundingNoCitations) => {
                Conversion::Ungrounded
            }
            Self::Convert(ConvertError::SupportConflict { .. }) => Conversion::Conflicting,
            Self::Convert(ConvertError::Ingest(_)) => Conversion::Unusable,
            Self::Body(_) => Conversion::BrokenOff,
            Self::Nothing(_) => Conversion::Empty,
        }
    }
}
