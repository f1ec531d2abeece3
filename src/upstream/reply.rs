//! The response of a back end.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::BoxStream;

use super::UpstreamError;
use crate::answer::Source;
use crate::ingest::AnswerFormat;

/// An answer that has begun to arrive. Its body carries its sources: where passages were put into the question, the words of
/// the model come as a stream of citewire's own format that begins with these passages.
#[non_exhaustive]
pub struct Reply {
    /// The format of the body.
    pub from: AnswerFormat,
    /// The body as it arrives, whole or a stream in the format's own form. An error is the end.
    pub body: BoxStream<'static, Result<Bytes, UpstreamError>>,
    /// An estimate of the tokens of everything that was sent to a model; `None` where there is none.
    pub asked_tokens: Option<usize>,
    /// What was looked for on the model's behalf, and found; `None` where the back end looks for itself.
    pub retrieval: Option<Retrieval>,
}

/// A search in an assistant's documents.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Retrieval {
    /// How long it took.
    pub took: Duration,
    /// The passages that were found, the best first.
    pub chunks: Vec<Source>,
}

impl Retrieval {
    /// A search that took so long.
    #[must_use]
    pub fn new(took: Duration, chunks: Vec<Source>) -> Self {
        Self { took, chunks }
    }
}

impl Reply {
    /// A reply.
    #[must_use]
    pub fn new(from: impl Into<AnswerFormat>, body: BoxStream<'static, Result<Bytes, UpstreamError>>) -> Self {
        Self { from: from.into(), body, asked_tokens: None, retrieval: None }
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").field("from", &self.from).finish_non_exhaustive()
    }
}
