//! What a back end answers.

use std::fmt;

use bytes::Bytes;
use futures_util::stream::BoxStream;

use super::UpstreamError;
use crate::ingest::Provider;

/// An answer that has begun to arrive. Its body carries its sources: where passages were put into the question, the words of
/// the model come as a stream of citewire's own format that begins with these passages.
#[non_exhaustive]
pub struct Reply {
    /// The format of the body; `None` lets its first bytes tell.
    pub from: Option<Provider>,
    /// The body as it arrives, whole or a stream in the format's own form. An error is the end.
    pub body: BoxStream<'static, Result<Bytes, UpstreamError>>,
}

impl Reply {
    /// A reply.
    #[must_use]
    pub fn new(from: Option<Provider>, body: BoxStream<'static, Result<Bytes, UpstreamError>>) -> Self {
        Self { from, body }
    }
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").field("from", &self.from).finish_non_exhaustive()
    }
}
