//! The uploaded documents of one assistant.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::Mutex;

use super::document::Markup;
use super::stored_passages::{StoredText, read_part};
use super::{Document, LibraryError, Passage, UploadOptions, split};
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
    document: Arc<Document>,
    passages: Vec<Arc<Passage>>,
}

/// Documents with their passages.
pub(super) type Texts = Vec<(Arc<Document>, Vec<Arc<Passage>>)>;

impl Uploads {
    pub(super) fn new(store: Arc<dyn AssistantStore>, assistant: String, options: UploadOptions) -> Self {
        Self { store, assistant, options, seen: Mutex::default() }
    }

    /// The documents that can be searched, by name; `None` when they are those of the call before.
    ///
    /// While a new upload is read, the passages of the document before it stay.
    pub(super) async fn changed(&self) -> Result<Option<Texts>, LibraryError> {
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
        let all = texts.values().map(|text| (Arc::clone(&text.document), text.passages.clone())).collect();
        *seen = Seen { documents, texts };
        Ok(Some(all))
    }

    async fn text(&self, stored: &StoredDocument) -> Result<Option<Text>, StoreError> {
        let Some(text) = StoredText::read(&*self.store, stored.key).await? else { return Ok(None) };
        let Some(markup) = Markup::of_name(&stored.name) else { return Ok(None) };
        let base = self.options.base_url.as_ref();
        let document = Document::new(stored.name.clone(), markup, text.title.clone(), base);
        Ok(Some(Text { key: stored.key, document: Arc::new(document), passages: text.passages() }))
    }

    /// The bytes of a document; `None` when it is gone.
    pub(super) async fn file(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let documents = self.store.documents(&self.assistant).await?;
        match documents.iter().find(|document| document.name == name) {
            Some(document) => read_part(&*self.store, document.key, DocumentPart::File).await.map(Some),
            None => Ok(None),
        }
    }
}

/// Reads an uploaded file: stores its passages, and sets its state.
///
/// # Errors
/// When the store fails. A file that cannot be read is no error: its state says why.
pub async fn read_upload(store: &dyn AssistantStore, stored: &StoredDocument) -> Result<(), StoreError> {
    let bytes = read_part(store, stored.key, DocumentPart::File).await?;
    let state = match extract(&stored.name, bytes) {
        Ok(text) if text.write(store, stored.key).await? => {
            DocumentState::Ready { pages: text.pages, passages: u32::try_from(text.len()).unwrap_or(u32::MAX) }
        }
        // It was replaced or deleted meanwhile.
        Ok(_) => return Ok(()),
        Err(reason) => DocumentState::Unreadable { reason },
    };
    store.set_document_state(stored.key, state).await.map(drop)
}

fn extract(name: &str, bytes: Vec<u8>) -> Result<StoredText, String> {
    let markup = Markup::of_name(name).ok_or("this type of file is not supported")?;
    let text = split::text_of(bytes).ok_or("the file is not UTF-8: save it as UTF-8")?;
    let parts = split::split(&text, markup);
    if parts.passages.is_empty() {
        Err("the file has no text".to_owned())
    } else {
        Ok(StoredText::new(parts.title, None, parts.passages))
    }
}

/// The endings of names of documents that can be read.
pub const SUPPORTED: [&str; 3] = [".md", ".markdown", ".txt"];

/// Whether documents with this name can be read, by the ending of the name.
#[must_use]
pub fn is_supported(name: &str) -> bool {
    Markup::of_name(name).is_some()
}
