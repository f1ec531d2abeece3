//! The uploaded documents of one assistant.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use citewire_documents::{Format, Unreadable};
use futures_util::FutureExt as _;
use tokio::sync::Mutex as AsyncMutex;

use super::contents::ContentChanges;
use super::coverage::Coverage;
use super::file::{self, FileContent};
use super::original::{FileLocation, OriginalFile};
use super::stored_passages::{StoredText, read_part};
use super::{Document, DocumentReader, LibraryError, UploadOptions};
use crate::store::{
    AssistantStore, DocumentChanges, DocumentKey, DocumentLoss, DocumentPart, DocumentState, StoreError, StoredDocument,
};

/// Reasons why an uploaded document cannot be searched.
const NO_FORMAT: &str = "files of this type cannot be read";
const NO_TEXT: &str = "its text is gone; upload it again";

/// The uploaded documents of one assistant, and which of them were read last.
#[derive(Debug)]
pub(super) struct UploadLibrary {
    store: Arc<dyn AssistantStore>,
    assistant: String,
    options: UploadOptions,
    seen: AsyncMutex<UploadSnapshot>,
    /// The uploads without a text.
    unsearched: Mutex<UnsearchedUploads>,
}

/// The uploads that no search finds.
#[derive(Debug, Default)]
struct UnsearchedUploads {
    /// Why they cannot be read, by their names.
    unreadable: BTreeMap<String, String>,
    /// The number of those that are being read for the first time.
    reading: usize,
}

/// The uploads as they were read last.
#[derive(Debug, Default)]
struct UploadSnapshot {
    /// The revision of the store before they were read; `None` before the first reading.
    revision: Option<u64>,
    /// The uploads, by their names.
    uploads: BTreeMap<String, SeenUpload>,
}

#[derive(Debug)]
struct SeenUpload {
    stored: StoredDocument,
    /// Its text, or that of the document before it, which stays while it is read.
    text: Option<UploadText>,
}

#[derive(Clone, Debug)]
struct UploadText {
    key: DocumentKey,
    content: FileContent,
}

impl UploadSnapshot {
    /// Whether the uploads are those of the store once these changes are taken over: their number says whether one was deleted, and a
    /// node of the version before notes no revision for a document that it has read.
    fn is_all_with(&self, changes: &DocumentChanges) -> bool {
        let named: BTreeSet<&str> = changes.documents.iter().map(|stored| stored.name.as_str()).collect();
        let others = || self.uploads.iter().filter(|(name, _)| !named.contains(name.as_str()));
        let was_reading = |(_, seen): (_, &SeenUpload)| seen.stored.state == DocumentState::Reading;
        named.len() as u64 + others().count() as u64 == changes.count && !others().any(was_reading)
    }
}

impl UnsearchedUploads {
    fn of(uploads: &BTreeMap<String, SeenUpload>) -> Self {
        let mut unsearched = Self::default();
        for (name, upload) in uploads {
            match &upload.stored.state {
                DocumentState::Unreadable { reason } => {
                    unsearched.unreadable.insert(name.clone(), reason.clone());
                }
                DocumentState::Reading if upload.text.is_none() => unsearched.reading += 1,
                DocumentState::Reading | DocumentState::Ready { .. } => {}
            }
        }
        unsearched
    }
}

impl UploadLibrary {
    pub(super) fn new(store: Arc<dyn AssistantStore>, assistant: String, options: UploadOptions) -> Self {
        Self { store, assistant, options, seen: AsyncMutex::default(), unsearched: Mutex::default() }
    }

    /// The documents whose text has changed since the call before. Only uploads that have changed are read from the store.
    ///
    /// While a new upload is read, the passages of the document before it stay.
    pub(super) async fn changed(&self) -> Result<ContentChanges, LibraryError> {
        let mut seen = self.seen.lock().await;
        let mut changes = self.store.document_changes(&self.assistant, seen.revision).await?;
        let is_all = seen.revision.is_none() || !seen.is_all_with(&changes);
        if is_all && seen.revision.is_some() {
            changes = self.store.document_changes(&self.assistant, None).await?;
        }
        let named: BTreeSet<String> = changes.documents.iter().map(|stored| stored.name.clone()).collect();
        let gone: Vec<String> = seen.uploads.keys().filter(|name| is_all && !named.contains(*name)).cloned().collect();
        let mut changed = Vec::with_capacity(changes.documents.len());
        for stored in changes.documents {
            let before = seen.uploads.get(&stored.name);
            if before.is_none_or(|before| before.stored != stored) {
                let text = self.text_behind(&stored, before.and_then(|before| before.text.as_ref())).await?;
                changed.push(SeenUpload { stored, text });
            }
        }
        // Nothing waits from here on: the caller may go away before, and then nothing was taken over.
        let mut contents = ContentChanges::new();
        for upload in changed {
            let name = upload.stored.name.clone();
            let before = seen.uploads.get(&name).and_then(|before| before.text.as_ref());
            // A document that arrives changes no text before it is read.
            if before.map(|text| text.key) != upload.text.as_ref().map(|text| text.key) {
                contents.insert(name.clone(), upload.text.as_ref().map(|text| Ok(text.content.clone())));
            }
            seen.uploads.insert(name, upload);
        }
        for name in gone {
            if seen.uploads.remove(&name).is_some_and(|before| before.text.is_some()) {
                contents.insert(name, None);
            }
        }
        seen.revision = Some(changes.revision);
        *self.unsearched() = UnsearchedUploads::of(&seen.uploads);
        Ok(contents)
    }

    /// The text that is searched for an upload, behind the one that was searched for its name before.
    async fn text_behind(
        &self,
        stored: &StoredDocument,
        before: Option<&UploadText>,
    ) -> Result<Option<UploadText>, StoreError> {
        match (&stored.state, before) {
            (DocumentState::Ready { .. }, Some(text)) if text.key == stored.key => Ok(Some(text.clone())),
            (DocumentState::Ready { .. }, _) => self.text(stored).await,
            (DocumentState::Reading, before) => Ok(before.cloned()),
            (DocumentState::Unreadable { .. }, _) => Ok(None),
        }
    }

    /// The text of a document that was read; none where it has no text any more, which its state then says.
    async fn text(&self, stored: &StoredDocument) -> Result<Option<UploadText>, StoreError> {
        let Some(format) = Format::of_name(&stored.name) else { return self.end_without_text(stored, NO_FORMAT).await };
        let Some(text) = StoredText::read(&*self.store, stored.key).await? else {
            return self.end_without_text(stored, NO_TEXT).await;
        };
        let base = self.options.base_url.as_ref();
        let mut document = Document::new(stored.name.clone(), format, Some(text.title.clone()), base);
        document.pages = text.pages;
        document.edition = Some(stored.key.0);
        if let DocumentState::Ready { loss: Some(loss), .. } = &stored.state {
            document.loss = Some(Arc::new(loss.clone()));
        }
        let content = FileContent::new(document, text.passages());
        Ok(Some(UploadText { key: stored.key, content }))
    }

    /// A document that no search can find is not left as if it were still being read.
    async fn end_without_text(&self, stored: &StoredDocument, reason: &str) -> Result<Option<UploadText>, StoreError> {
        tracing::warn!(document = stored.name, reason, "an uploaded document cannot be searched");
        self.store.set_document_state(stored.key, DocumentState::Unreadable { reason: reason.to_owned() }).await?;
        Ok(None)
    }

    /// The number of uploads that cannot be read.
    pub(super) fn unreadable_count(&self) -> usize {
        self.unsearched().unreadable.len()
    }

    /// Adds the uploads that no search finds, as they are at one moment. At most so many documents are named.
    pub(super) fn add_unsearched(&self, coverage: &mut Coverage, most: usize) {
        let unsearched = self.unsearched();
        // Those that are being read and have no earlier text that is searched meanwhile.
        coverage.reading += unsearched.reading;
        coverage.unreadable += unsearched.unreadable.len();
        let left = most.saturating_sub(coverage.named.len());
        let named = unsearched.unreadable.iter().take(left);
        coverage.named.extend(named.map(|(name, reason)| (name.clone(), reason.clone())));
    }

    fn unsearched(&self) -> MutexGuard<'_, UnsearchedUploads> {
        self.unsearched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn options(&self) -> &UploadOptions {
        &self.options
    }

    pub(super) fn store(&self) -> &dyn AssistantStore {
        &*self.store
    }

    /// The key of the upload whose text was read last under this name.
    pub(super) async fn key_of(&self, name: &str) -> Option<DocumentKey> {
        self.seen.lock().await.uploads.get(name)?.text.as_ref().map(|text| text.key)
    }

    /// The file of a document; `None` when it is gone.
    pub(super) async fn file(&self, name: &str) -> Result<Option<OriginalFile>, StoreError> {
        let found = self.store.named_document(&self.assistant, name).await?.document;
        Ok(found.map(|StoredDocument { key, bytes, received, .. }| {
            // A store that was restored may give a key again, at another time.
            let tag = format!("{}-{:x}", key.0, received.timestamp_millis());
            OriginalFile::new(bytes, Some(tag), FileLocation::Upload(Arc::clone(&self.store), key))
        }))
    }
}

/// The text of an uploaded file, or why it has none.
#[derive(Debug)]
pub struct ReadUpload(Result<(StoredText, Option<DocumentLoss>), String>);

/// Reads an uploaded file.
///
/// # Errors
/// When the store fails, or the program that reads documents cannot be started: the document then waits for another attempt. A file
/// that cannot be read is no error.
pub async fn read_upload(
    store: &dyn AssistantStore,
    stored: &StoredDocument,
    reader: Option<&DocumentReader>,
) -> Result<ReadUpload, LibraryError> {
    let StoredDocument { key, name, .. } = stored;
    let Some(format) = Format::of_name(name) else {
        return Ok(ReadUpload(Err(NO_FORMAT.to_owned())));
    };
    let load = || async move { Ok(Some(read_part(store, *key, DocumentPart::File).await?)) }.boxed();
    let read = file::read_from(name.clone(), format, &load, reader, None).await?;
    Ok(ReadUpload(match read {
        Some(Ok(content)) if content.passages.is_empty() => Err("the file has no text".to_owned()),
        Some(Ok(content)) => {
            let loss = content.document.loss.as_deref().cloned();
            Ok((StoredText::of(&content), loss))
        }
        Some(Err(reason)) => Err(reason.to_string()),
        None => Err("the file is gone".to_owned()),
    }))
}

impl ReadUpload {
    /// Stores the passages of the file, and sets its state. The text of the other documents of the assistant counts as well.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn store(
        self,
        store: &dyn AssistantStore,
        stored: &StoredDocument,
        others: u64,
        max_text_bytes: u64,
    ) -> Result<(), LibraryError> {
        let StoredDocument { key, name, .. } = stored;
        let too_much = Unreadable::TooMuchTextTogether { limit: max_text_bytes };
        let fitting = self.0.and_then(|(text, loss)| {
            let fits = others.saturating_add(text.bytes()) <= max_text_bytes;
            if fits { Ok((text, loss)) } else { Err(too_much.to_string()) }
        });
        let state = match fitting {
            Ok((text, loss)) => match text.write(store, *key).await {
                Ok(true) => {
                    let passages = u32::try_from(text.len()).unwrap_or(u32::MAX);
                    DocumentState::Ready { pages: text.pages, passages, loss }
                }
                // The document was replaced or deleted meanwhile.
                Ok(false) => return Ok(()),
                // Another attempt would fail as well, and keep the documents behind it waiting.
                Err(error @ StoreError::Full { .. }) => DocumentState::Unreadable { reason: error.to_string() },
                Err(error) => return Err(error.into()),
            },
            Err(reason) => {
                tracing::warn!(document = name, reason, "an uploaded document cannot be read");
                DocumentState::Unreadable { reason }
            }
        };
        store.set_document_state(*key, state).await?;
        Ok(())
    }
}

/// The endings of the names of documents that can be read, for people.
#[must_use]
pub fn supported_endings() -> String {
    Format::endings().collect::<Vec<_>>().join(", ")
}

/// Whether documents with this name can be read, by the ending of the name.
#[must_use]
pub fn is_supported(name: &str) -> bool {
    Format::of_name(name).is_some()
}

/// Whether documents with this name are their own text, which nothing has to parse.
#[must_use]
pub fn is_text(name: &str) -> bool {
    Format::of_name(name).is_some_and(Format::is_text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;
    use crate::document::Library;
    use crate::store::{DocumentLimits, Expected, Publication, SqliteStore, StoreLimits};

    async fn upload(store: &dyn AssistantStore, name: &str, text: &str) {
        let key = store.draft_document("hr", name).await.expect("a store").expect("a draft");
        store.add_piece(key, DocumentPart::File, text.as_bytes().to_vec()).await.expect("a piece");
        let limits = DocumentLimits { max_bytes: 10_000, max_documents: 10 };
        assert_eq!(store.publish_document(key, limits).await.expect("a store"), Publication::Published);
    }

    async fn read_all(store: &dyn AssistantStore) {
        for (_, document) in store.unread_documents(10).await.expect("a store") {
            let read = read_upload(store, &document, None).await.expect("read");
            read.store(store, &document, 0, 10_000).await.expect("stored");
        }
    }

    /// A library that follows is held against one that reads everything anew.
    #[tokio::test]
    async fn a_library_that_follows_the_uploads_is_as_one_that_reads_all_of_them() {
        let store = SqliteStore::in_memory(StoreLimits::in_memory(), Arc::new(SystemClock)).await.expect("a store");
        let store: Arc<dyn AssistantStore> = Arc::new(store);
        store.put_assistant("hr", serde_json::Map::new(), Expected::Nothing).await.expect("an assistant");
        let library = async || Library::uploaded(Arc::clone(&store), "hr", UploadOptions::default()).await;
        let following = library().await.expect("a library");
        for step in 0..60_u32 {
            let name = format!("{}.md", step * 7 % 5);
            match step * 11 % 6 {
                0 => drop(store.delete_document("hr", &name).await.expect("a store")),
                1 => upload(&*store, &name, "\n").await,
                _ => upload(&*store, &name, &format!("# Leave\n\nLeave number {step}.\n")).await,
            }
            if step % 3 > 0 {
                read_all(&*store).await;
            }
            if step % 4 > 0 {
                following.refresh().await.expect("refreshed");
                // A document that is being read keeps the text before it in the one library alone.
                let waiting = store.unread_documents(10).await.expect("a store");
                let anew = library().await.expect("a library");
                anew.refresh().await.expect("refreshed");
                let (followed, fresh) = (following.snapshot(), anew.snapshot());
                let without_waiting = followed
                    .contents()
                    .iter()
                    .filter(|content| !waiting.iter().any(|(_, document)| document.name == content.path()));
                let editions = |content: &FileContent| (content.document.edition, content.digest);
                let followed: Vec<_> = without_waiting.map(editions).collect();
                assert_eq!(followed, fresh.contents().iter().map(editions).collect::<Vec<_>>(), "{step}");
                assert_eq!(following.unreadable_count(), anew.unreadable_count(), "{step}");
            }
        }
    }

    #[tokio::test]
    async fn an_upload_that_was_read_and_cannot_be_searched_says_so() {
        let store = SqliteStore::in_memory(StoreLimits::in_memory(), Arc::new(SystemClock)).await.expect("a store");
        let store: Arc<dyn AssistantStore> = Arc::new(store);
        store.put_assistant("hr", serde_json::Map::new(), Expected::Nothing).await.expect("an assistant");
        for name in ["notes.of-another-version", "notes.md"] {
            let key = store.draft_document("hr", name).await.expect("a store").expect("a draft");
            store.add_piece(key, DocumentPart::File, b"text".to_vec()).await.expect("a piece");
            let limits = DocumentLimits { max_bytes: 1_000, max_documents: 10 };
            store.publish_document(key, limits).await.expect("published");
            let ready = DocumentState::Ready { pages: None, passages: 1, loss: None };
            store.set_document_state(key, ready).await.expect("a state");
        }
        let library = Library::uploaded(Arc::clone(&store), "hr", UploadOptions::default()).await.expect("a library");
        library.refresh().await.expect("refreshed");
        let documents = store.documents("hr").await.expect("documents");
        let states: BTreeMap<&str, &DocumentState> =
            documents.iter().map(|document| (document.name.as_str(), &document.state)).collect();
        let unreadable = |reason: &str| DocumentState::Unreadable { reason: reason.to_owned() };
        assert_eq!(states["notes.of-another-version"], &unreadable(NO_FORMAT));
        assert_eq!(states["notes.md"], &unreadable(NO_TEXT));
        library.refresh().await.expect("refreshed");
        assert_eq!((library.unreadable_count(), library.len()), (2, 0));
    }
}
