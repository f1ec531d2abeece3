//! The trait of places that hold documents at another service.

use std::fmt::Debug;
use std::ops::Range;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use super::RemoteDocumentsError;
use crate::url::WebUrl;

/// A place of documents that is asked over the network.
#[async_trait]
pub trait RemoteDocuments: Debug + Send + Sync {
    /// The documents, by path. Paths have `/` between their parts.
    async fn list(&self, limit: usize) -> Result<Vec<RemoteDocument>, RemoteDocumentsError>;

    /// The bytes of a document; `None` when it is gone.
    async fn read(&self, path: &str, max_bytes: u64) -> Result<Option<Vec<u8>>, RemoteDocumentsError>;

    /// The entry of one document in the listing; `None` when it is gone. Nothing of its content is read.
    async fn find(&self, path: &str) -> Result<Option<RemoteDocument>, RemoteDocumentsError>;

    /// Some bytes of a document; `None` when it is gone, or another one than was listed.
    async fn read_range(
        &self,
        document: &RemoteDocument,
        range: Range<u64>,
    ) -> Result<Option<Vec<u8>>, RemoteDocumentsError>;

    /// An address of a document that its place has signed, so that it needs no credential. Computed without a call.
    /// `now` counts unless the place counts from its own clock.
    fn signed(&self, path: &str, now: DateTime<Utc>) -> Option<WebUrl>;
}

/// A document as its place lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteDocument {
    /// The path.
    pub path: String,
    /// The size, in bytes.
    pub bytes: u64,
    /// A tag that changes with the content: an entity tag, where the place has some.
    pub tag: Option<String>,
    /// The time of the last change.
    pub modified: DateTime<Utc>,
}

impl RemoteDocument {
    /// A document from its parts.
    #[must_use]
    pub fn new(path: String, bytes: u64, tag: Option<String>, modified: DateTime<Utc>) -> Self {
        Self { path, bytes, tag, modified }
    }
}
