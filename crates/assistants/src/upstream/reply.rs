//! The response of a back end.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;

use super::UpstreamError;
use crate::answer::Source;
use crate::answer_events::{AnswerEvents, AnswerPart};
use crate::ingest::AnswerFormat;

/// The parts of a reply while they arrive. An error is the end.
pub type ReplyParts = BoxStream<'static, Result<AnswerPart, UpstreamError>>;

/// An answer that has begun to arrive. Its events carry its sources: where passages were put into the question, the words of
/// the model come behind these passages.
pub struct Reply {
    /// The events as they arrive.
    pub events: AnswerEvents<ReplyParts>,
    /// An estimate of the tokens of everything that was sent to a model; `None` where there is none.
    pub asked_tokens: Option<usize>,
    /// The search that was made on the model's behalf; `None` where the back end searches itself.
    pub retrieval: Option<Retrieval>,
}

/// A search in an assistant's documents.
#[derive(Clone, Debug, PartialEq)]
pub struct Retrieval {
    /// Its duration.
    pub took: Duration,
    /// The passages that were found, the best first.
    pub chunks: Vec<Source>,
}

impl Retrieval {
    /// A search with its duration and its passages.
    #[must_use]
    pub fn new(took: Duration, chunks: Vec<Source>) -> Self {
        Self { took, chunks }
    }
}

impl Reply {
    /// A reply whose body has this format, whole or as a stream.
    #[must_use]
    pub fn new(from: impl Into<AnswerFormat>, body: BoxStream<'static, Result<Bytes, UpstreamError>>) -> Self {
        let parts = body.map(|bytes| bytes.map(AnswerPart::Bytes)).boxed();
        Self { events: AnswerEvents::new(from, parts), asked_tokens: None, retrieval: None }
    }

    /// A reply of events in which numbers name the sources by their places.
    #[must_use]
    pub fn of_events(parts: ReplyParts) -> Self {
        Self { events: AnswerEvents::new(AnswerFormat::own(), parts), asked_tokens: None, retrieval: None }
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").field("from", self.events.from()).finish_non_exhaustive()
    }
}
