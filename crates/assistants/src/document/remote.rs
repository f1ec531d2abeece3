//! Documents that another service holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use citewire_documents::Format;
use futures_util::FutureExt as _;
use tokio::sync::Mutex;

use super::file::{self, FileContent};
use super::{LibraryError, RemoteDocument, RemoteDocuments, RemoteDocumentsError, UploadOptions};
use crate::url::WebUrl;

/// Documents of a place, and which of them were read last.
#[derive(Debug)]
pub(super) struct RemoteLibrary {
    place: Arc<dyn RemoteDocuments>,
    options: UploadOptions,
    seen: Mutex<BTreeMap<String, RemoteText>>,
}

#[derive(Clone, Debug)]
struct RemoteText {
    listed: RemoteDocument,
    /// The text; `None` for a document that could not be read.
    content: Option<FileContent>,
}

impl RemoteLibrary {
    pub(super) fn new(place: Arc<dyn RemoteDocuments>, options: UploadOptions) -> Self {
        Self { place, options, seen: Mutex::default() }
    }

    /// The documents that can be searched; `None` when they are those of the call before.
    pub(super) async fn changed(&self) -> Result<Option<Vec<FileContent>>, LibraryError> {
        let mut seen = self.seen.lock().await;
        let listed = self.place.list(self.options.max_documents.saturating_add(1)).await?;
        if listed.len() > self.options.max_documents {
            return Err(RemoteDocumentsError(format!(
                "there are more than {} documents: raise documents.max_documents, or name a folder of the bucket",
                self.options.max_documents
            ))
            .into());
        }
        let total = listed.iter().map(|document| document.bytes).sum::<u64>();
        if total > self.options.max_total_bytes {
            return Err(RemoteDocumentsError(format!(
                "the documents have {total} bytes: raise documents.max_total_bytes ({}), or name a folder of the bucket",
                self.options.max_total_bytes
            ))
            .into());
        }
        let is_same = seen.len() == listed.len()
            && listed.iter().all(|document| seen.get(&document.path).is_some_and(|text| text.listed == *document));
        if is_same {
            return Ok(None);
        }
        let mut texts = BTreeMap::new();
        for listed in listed {
            let text = match seen.get(&listed.path).filter(|text| text.listed == listed) {
                Some(same) => same.clone(),
                None => RemoteText { content: self.content(&listed).await?, listed },
            };
            texts.insert(text.listed.path.clone(), text);
        }
        let all = texts.values().filter_map(|text| text.content.clone()).collect();
        *seen = texts;
        Ok(Some(all))
    }

    async fn content(&self, listed: &RemoteDocument) -> Result<Option<FileContent>, LibraryError> {
        let RemoteDocument { path, bytes, .. } = listed;
        let Some(format) = Format::of_name(path) else { return Ok(None) };
        let limit = self.options.max_document_bytes;
        if *bytes > limit {
            tracing::warn!(path, bytes, limit, "a document is larger than documents.max_document_bytes and is skipped");
            return Ok(None);
        }
        let (reader, base) = (self.options.reader.as_ref(), self.options.base_url.clone());
        let load = || async move { Ok(self.place.read(path, limit).await?) }.boxed();
        let Some(read) = file::read_from(path.clone(), format, &load, reader, base).await? else { return Ok(None) };
        Ok(read.map_err(|reason| tracing::warn!(path, %reason, "a document cannot be read")).ok())
    }

    /// A document as its place has it now; `None` when it is gone.
    pub(super) async fn find(&self, path: &str) -> Result<Option<RemoteDocument>, LibraryError> {
        let Some(found) = self.place.find(path).await? else { return Ok(None) };
        let limit = self.options.max_document_bytes;
        if found.bytes > limit {
            return Err(RemoteDocumentsError(format!("{path} has {} bytes, more than {limit}", found.bytes)).into());
        }
        Ok(Some(found))
    }

    /// The place of the documents.
    pub(super) fn place(&self) -> Arc<dyn RemoteDocuments> {
        Arc::clone(&self.place)
    }

    /// An address that the place has signed.
    pub(super) fn signed(&self, path: &str, now: DateTime<Utc>) -> Option<WebUrl> {
        self.place.signed(path, now)
    }
}
