//! Documents that another service holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use citewire_documents::{Format, Unreadable};
use futures_util::FutureExt as _;
use tokio::sync::Mutex;

use super::contents::ContentChanges;
use super::file::{self, FileRead};
use super::{LibraryError, RemoteDocument, RemoteDocuments, RemoteDocumentsError, UploadOptions};
use crate::url::WebUrl;

/// Documents of a place, and which of them were read last.
#[derive(Debug)]
pub(super) struct RemoteLibrary {
    place: Arc<dyn RemoteDocuments>,
    options: UploadOptions,
    /// The documents that were listed last, by their paths.
    seen: Mutex<BTreeMap<String, RemoteDocument>>,
}

impl RemoteLibrary {
    pub(super) fn new(place: Arc<dyn RemoteDocuments>, options: UploadOptions) -> Self {
        Self { place, options, seen: Mutex::default() }
    }

    /// The documents that have changed since the call before.
    pub(super) async fn changed(&self) -> Result<ContentChanges, LibraryError> {
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
        let is_same =
            seen.len() == listed.len() && listed.iter().all(|document| seen.get(&document.path) == Some(document));
        if is_same {
            return Ok(ContentChanges::new());
        }
        let mut changes = ContentChanges::new();
        for listed in &listed {
            if seen.get(&listed.path) != Some(listed) {
                changes.insert(listed.path.clone(), self.content(listed).await?);
            }
        }
        let listed: BTreeMap<String, RemoteDocument> =
            listed.into_iter().map(|listed| (listed.path.clone(), listed)).collect();
        changes.extend(seen.keys().filter(|path| !listed.contains_key(*path)).map(|path| (path.clone(), None)));
        *seen = listed;
        Ok(changes)
    }

    /// Reads a document of the place, or tells why it cannot be read; `None` when it is gone, or no document by its name.
    async fn content(&self, listed: &RemoteDocument) -> Result<Option<FileRead>, LibraryError> {
        let RemoteDocument { path, bytes, .. } = listed;
        let Some(format) = Format::of_name(path) else { return Ok(None) };
        let limit = self.options.max_document_bytes;
        if *bytes > limit {
            tracing::warn!(path, bytes, limit, "a document is larger than documents.max_document_bytes and is skipped");
            return Ok(Some(Err(Unreadable::TooLarge { bytes: *bytes, limit })));
        }
        let (reader, base) = (self.options.reader.as_ref(), self.options.base_url.clone());
        let load = || async move { Ok(self.place.read(path, limit).await?) }.boxed();
        let read = file::read_from(path.clone(), format, &load, reader, base).await?;
        if let Some(Err(reason)) = &read {
            tracing::warn!(path, %reason, "a document cannot be read");
        }
        Ok(read)
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

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use async_trait::async_trait;

    use super::*;
    use crate::document::Library;

    /// A place with one document, until that is deleted.
    #[derive(Debug, Default)]
    struct Shelf {
        is_empty: AtomicBool,
        is_latin: AtomicBool,
    }

    #[async_trait]
    impl RemoteDocuments for Shelf {
        async fn list(&self, _: usize) -> Result<Vec<RemoteDocument>, RemoteDocumentsError> {
            let is_latin = self.is_latin.load(Ordering::Relaxed);
            let changed = DateTime::UNIX_EPOCH + Duration::from_secs(u64::from(is_latin));
            let document = RemoteDocument::new("leave.md".to_owned(), 24, None, changed);
            Ok(if self.is_empty.load(Ordering::Relaxed) { Vec::new() } else { vec![document] })
        }

        async fn read(&self, _: &str, _: u64) -> Result<Option<Vec<u8>>, RemoteDocumentsError> {
            let is_latin = self.is_latin.load(Ordering::Relaxed);
            Ok(Some(if is_latin { b"Urlaub f\xfcr alle.".to_vec() } else { b"Leave is thirty days.".to_vec() }))
        }

        async fn find(&self, _: &str) -> Result<Option<RemoteDocument>, RemoteDocumentsError> {
            Ok(None)
        }

        async fn read_range(&self, _: &RemoteDocument, _: Range<u64>) -> Result<Option<Vec<u8>>, RemoteDocumentsError> {
            Ok(None)
        }

        fn signed(&self, _: &str, _: DateTime<Utc>) -> Option<WebUrl> {
            None
        }
    }

    #[tokio::test]
    async fn a_deleted_document_is_found_no_more_even_if_the_caller_went_away_while_it_was_taken_out() {
        let shelf = Arc::new(Shelf::default());
        let place = Arc::clone(&shelf) as Arc<dyn RemoteDocuments>;
        let library = Library::remote(place, UploadOptions::default()).await.expect("a library");
        library.refresh().await.expect("refreshed");
        assert_eq!(library.len(), 1);
        shelf.is_empty.store(true, Ordering::Relaxed);
        // It is begun and let go: the index is made on another thread.
        drop(library.refresh().now_or_never());
        library.refresh().await.expect("refreshed");
        assert!(library.is_empty());
    }

    #[tokio::test]
    async fn a_document_that_cannot_be_read_is_named_until_it_can_or_is_gone() {
        let shelf = Arc::new(Shelf::default());
        shelf.is_latin.store(true, Ordering::Relaxed);
        let open = |options| Library::remote(Arc::clone(&shelf) as Arc<dyn RemoteDocuments>, options);
        let library = open(UploadOptions::default()).await.expect("a library");
        assert!(!library.coverage().is_listed);
        let named = async |library: &Library| {
            library.refresh().await.expect("refreshed");
            let coverage = library.coverage();
            assert_eq!((coverage.unreadable, coverage.is_whole()), (coverage.named.len(), coverage.named.is_empty()));
            let reasons = coverage.named.into_iter();
            reasons.map(|(path, reason)| format!("{path}: {reason}")).collect::<Vec<_>>()
        };
        for _ in 0..2 {
            assert_eq!(named(&library).await, ["leave.md: it is not UTF-8: save it as UTF-8"]);
        }
        shelf.is_latin.store(false, Ordering::Relaxed);
        assert_eq!(named(&library).await, [""; 0]);
        assert!(library.coverage().is_whole());
        shelf.is_latin.store(true, Ordering::Relaxed);
        assert_eq!(named(&library).await.len(), 1);
        shelf.is_empty.store(true, Ordering::Relaxed);
        assert_eq!(named(&library).await, [""; 0]);
        shelf.is_empty.store(false, Ordering::Relaxed);
        let small = open(UploadOptions { max_document_bytes: 9, ..UploadOptions::default() }).await.expect("a library");
        let too_large =
            "leave.md: it has 24 bytes, and a document has at most 9: split it, or raise documents.max_document_bytes";
        assert_eq!(named(&small).await, [too_large]);
    }
}
