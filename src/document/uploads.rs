//! The uploaded documents of one assistant.

use std::collections::BTreeMap;
use std::sync::Arc;

use citewire_documents::Format;
use tokio::sync::Mutex;

use super::file::{self, Content};
use super::original::{OriginalFile, Place};
use super::stored_passages::{StoredText, read_part};
use super::{Document, DocumentReader, LibraryError, UploadOptions};
use crate::store::{AssistantStore, DocumentKey, DocumentPart, DocumentState, StoreError, StoredDocument};

/// The uploaded documents of one assistant, and which of them were read last.
#[derive(Debug)]
pub(super) struct Uploads {
    store: Arc<dyn AssistantStore>,
    assistant: String,
    options: UploadOptions,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    documents: Vec<StoredDocument>,
    /// By their names.
    texts: BTreeMap<String, Text>,
}

#[derive(Clone, Debug)]
struct Text {
    key: DocumentKey,
    content: Content,
}

impl Uploads {
    pub(super) fn new(store: Arc<dyn AssistantStore>, assistant: String, options: UploadOptions) -> Self {
        Self { store, assistant, options, seen: Mutex::default() }
    }

    /// The documents that can be searched, by name; `None` when they are those of the call before.
    ///
    /// While a new upload is read, the passages of the document before it stay.
    pub(super) async fn changed(&self) -> Result<Option<Vec<Content>>, LibraryError> {
        let mut seen = self.seen.lock().await;
        let documents = self.store.documents(&self.assistant).await?;
        if documents == seen.documents {
            return Ok(None);
        }
        let mut texts = BTreeMap::new();
        for stored in &documents {
            let before = seen.texts.get(&stored.name);
            let text = match (&stored.state, before) {
                (DocumentState::Ready { .. }, Some(text)) if text.key == stored.key => Some(text.clone()),
                (DocumentState::Ready { .. }, _) => self.text(stored).await?,
                (DocumentState::Reading, before) => before.cloned(),
                (DocumentState::Unreadable { .. }, _) => None,
            };
            if let Some(text) = text {
                texts.insert(stored.name.clone(), text);
            }
        }
        let all = texts.values().map(|text| text.content.clone()).collect();
        *seen = Seen { documents, texts };
        Ok(Some(all))
    }

    async fn text(&self, stored: &StoredDocument) -> Result<Option<Text>, StoreError> {
        let Some(text) = StoredText::read(&*self.store, stored.key).await? else { return Ok(None) };
        let Some(format) = Format::of_name(&stored.name) else { return Ok(None) };
        let base = self.options.base_url.as_ref();
        let mut document = Document::new(stored.name.clone(), format, Some(text.title.clone()), base);
        document.pages = text.pages;
        document.edition = Some(stored.key.0);
        let content = Content { document: Arc::new(document), passages: text.passages() };
        Ok(Some(Text { key: stored.key, content }))
    }

    pub(super) fn store(&self) -> &dyn AssistantStore {
        &*self.store
    }

    /// The key of the upload whose text was read last under this name.
    pub(super) async fn key_of(&self, name: &str) -> Option<DocumentKey> {
        self.seen.lock().await.texts.get(name).map(|text| text.key)
    }

    /// The file of a document; `None` when it is gone.
    pub(super) async fn file(&self, name: &str) -> Result<Option<OriginalFile>, StoreError> {
        let documents = self.store.documents(&self.assistant).await?;
        let found = documents.iter().find(|document| document.name == name);
        Ok(found.map(|document| {
            let StoredDocument { key, bytes, received, .. } = document;
            // A store that was restored may give a key again, at another time.
            let tag = format!("{}-{:x}", key.0, received.timestamp_millis());
            OriginalFile::new(*bytes, Some(tag), Place::Upload(Arc::clone(&self.store), *key))
        }))
    }
}

/// Reads an uploaded file: stores its passages, and sets its state.
///
/// # Errors
/// When the store fails, or the program that reads documents cannot be started: the document then waits for another attempt. A file
/// that cannot be read is no error: its state says why.
pub async fn read_upload(
    store: &dyn AssistantStore,
    stored: &StoredDocument,
    reader: Option<&DocumentReader>,
) -> Result<(), LibraryError> {
    let StoredDocument { key, name, .. } = stored;
    let bytes = read_part(store, *key, DocumentPart::File).await?;
    let state = match extract(name, bytes, reader).await? {
        Ok(text) => match text.write(store, *key).await {
            Ok(true) => {
                DocumentState::Ready { pages: text.pages, passages: u32::try_from(text.len()).unwrap_or(u32::MAX) }
            }
            // It was replaced or deleted meanwhile.
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

/// The text of a file, or why it has none.
async fn extract(
    name: &str,
    bytes: Vec<u8>,
    reader: Option<&DocumentReader>,
) -> Result<Result<StoredText, String>, LibraryError> {
    let Some(format) = Format::of_name(name) else { return Ok(Err("files of this type cannot be read".to_owned())) };
    let read = file::of_bytes(name.to_owned(), format, bytes, reader, None).await?;
    Ok(match read {
        Ok(content) if content.passages.is_empty() => Err("the file has no text".to_owned()),
        Ok(content) => Ok(StoredText::of(&content)),
        Err(reason) => Err(reason.to_string()),
    })
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
