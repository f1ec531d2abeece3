//! The trait of stores that keep assistants and their documents.

use std::fmt::{Debug, Display};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{StoreError, StoredKey};

/// The largest piece of a document, in bytes.
pub const MAX_PIECE_BYTES: usize = 1024 * 1024;

/// Keeps assistants: their settings, the files of their documents, and the text that was extracted from these.
///
/// Every backend keeps these promises:
/// - A call that changes something returns only when the change is as durable as the backend can make it.
/// - Versions of settings and keys of documents grow. Neither is ever used twice, not even after a deletion.
/// - A document appears whole: a draft is invisible until it is published, and then replaces the document of its name.
/// - Not found is `Ok(None)` or `Ok(false)`, never an error.
#[async_trait]
pub trait AssistantStore: Debug + Send + Sync {
    /// The stored assistants, by name.
    async fn assistants(&self) -> Result<Vec<StoredAssistant>, StoreError>;

    /// Stores the settings of an assistant if its stored version is the expected one.
    async fn put_assistant(
        &self,
        name: &str,
        settings: Map<String, Value>,
        expected: Expected,
    ) -> Result<PutAssistant, StoreError>;

    /// Deletes an assistant and its documents if its stored version is the expected one.
    async fn delete_assistant(&self, name: &str, expected: Expected) -> Result<DeleteAssistant, StoreError>;

    /// The keys of back ends that were entered for assistants, by assistant.
    async fn assistant_keys(&self) -> Result<Vec<StoredKey>, StoreError>;

    /// Stores the encrypted key of an assistant's back end, or that it was dropped, in place of the one before; says whether there is such
    /// an assistant.
    async fn put_assistant_key(
        &self,
        assistant: &str,
        sealed: Option<Vec<u8>>,
        origin: &str,
    ) -> Result<bool, StoreError>;

    /// Deletes the key of an assistant's back end; says whether there was one.
    async fn delete_assistant_key(&self, assistant: &str) -> Result<bool, StoreError>;

    /// The assistant that was chosen for the channel itself, in place of the one of the configuration. It may be one of the configuration,
    /// or gone.
    async fn channel_assistant(&self) -> Result<Option<String>, StoreError>;

    /// Chooses the assistant of the channel itself; `None` leaves it to the configuration.
    async fn choose_channel_assistant(&self, name: Option<&str>) -> Result<(), StoreError>;

    /// A number that grows with each change of an assistant, a key, a document or the choice for the channel: a reader compares it to see
    /// whether to read again.
    async fn revision(&self) -> Result<u64, StoreError>;

    /// The documents of an assistant, by name.
    async fn documents(&self, assistant: &str) -> Result<Vec<StoredDocument>, StoreError>;

    /// The documents of an assistant that came or changed after a revision, in a time that does not grow with the others; all of them
    /// for `None`.
    async fn document_changes(&self, assistant: &str, since: Option<u64>) -> Result<DocumentChanges, StoreError>;

    /// One document, unless it was replaced or deleted, or is a draft.
    async fn document(&self, key: DocumentKey) -> Result<Option<StoredDocument>, StoreError>;

    /// The document of an assistant under exactly this name, and the number of its documents, in a time that does not grow with it.
    async fn named_document(&self, assistant: &str, name: &str) -> Result<NamedDocument, StoreError>;

    /// Documents of all assistants whose text has not been extracted, the oldest first, at most `limit`.
    async fn unread_documents(&self, limit: usize) -> Result<Vec<(String, StoredDocument)>, StoreError>;

    /// Begins a draft of a document; `None` when there is no such assistant.
    async fn draft_document(&self, assistant: &str, name: &str) -> Result<Option<DocumentKey>, StoreError>;

    /// Adds the next piece, of at most [`MAX_PIECE_BYTES`], to a part of a document or a draft; says whether that exists.
    async fn add_piece(&self, key: DocumentKey, part: DocumentPart, bytes: Vec<u8>) -> Result<bool, StoreError>;

    /// Makes a draft the document of its name, in the state [`DocumentState::Reading`]; says whether the draft exists. Where the
    /// documents of the assistant would be more than the limits allow, the draft is deleted and nothing else changes.
    async fn publish_document(&self, key: DocumentKey, limits: DocumentLimits) -> Result<Publication, StoreError>;

    /// Sets the state of a document; says whether the document exists: it may have been replaced or deleted.
    async fn set_document_state(&self, key: DocumentKey, state: DocumentState) -> Result<bool, StoreError>;

    /// One piece of a part of a document, counted from 0; `None` behind the last one.
    async fn piece(&self, key: DocumentKey, part: DocumentPart, place: u32) -> Result<Option<Vec<u8>>, StoreError>;

    /// Deletes the pieces of a part, for a second attempt to write it.
    async fn clear_part(&self, key: DocumentKey, part: DocumentPart) -> Result<(), StoreError>;

    /// Deletes a draft.
    async fn discard_draft(&self, key: DocumentKey) -> Result<(), StoreError>;

    /// Deletes the drafts to which nothing was added since a time; says how many.
    async fn discard_drafts(&self, before: DateTime<Utc>) -> Result<u64, StoreError>;

    /// Deletes a document; says whether it existed.
    async fn delete_document(&self, assistant: &str, name: &str) -> Result<bool, StoreError>;
}

/// An assistant as stored.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredAssistant {
    /// Its name.
    pub name: String,
    /// The members of its section, as they were sent.
    pub settings: Map<String, Value>,
    /// The version of the settings.
    pub version: u64,
    /// When the settings were stored.
    pub changed: DateTime<Utc>,
    /// Why the settings cannot be read, if they cannot; there are none then.
    pub fault: Option<String>,
}

impl StoredAssistant {
    /// An assistant from its parts.
    #[must_use]
    pub fn new(name: String, settings: Map<String, Value>, version: u64, changed: DateTime<Utc>) -> Self {
        Self { name, settings, version, changed, fault: None }
    }

    /// The same with its settings as a database keeps them. One that cannot be read does not keep others from being read.
    #[must_use]
    pub(super) fn of_json<E: Display>(
        name: String,
        columns: Result<(String, Option<String>), E>,
        version: u64,
        changed: DateTime<Utc>,
    ) -> Self {
        let columns = columns.map_err(|error| error.to_string());
        let read = columns.and_then(|(settings, newer)| joined(&settings, newer.as_deref()).map_err(|e| e.to_string()));
        let (settings, fault) = read.map_or_else(|fault| (Map::new(), Some(fault)), |settings| (settings, None));
        Self { fault, ..Self::new(name, settings, version, changed) }
    }
}

/// Members of settings that versions before them refuse. They have a column of their own, so that nodes of such a version, which may
/// run beside for a while, open the assistant without them.
const NEWER: [&str; 2] = ["display_name", "shared"];

/// Settings as a database keeps them: the members that every version knows, and the newer ones.
pub(super) fn columns(mut settings: Map<String, Value>) -> (String, Option<String>) {
    let newer: Map<String, Value> = NEWER.iter().filter_map(|name| settings.remove_entry(*name)).collect();
    (Value::Object(settings).to_string(), (!newer.is_empty()).then(|| Value::Object(newer).to_string()))
}

fn joined(settings: &str, newer: Option<&str>) -> Result<Map<String, Value>, serde_json::Error> {
    let mut all: Map<String, Value> = serde_json::from_str(settings)?;
    if let Some(newer) = newer {
        all.extend(serde_json::from_str::<Map<String, Value>>(newer)?);
    }
    Ok(all)
}

/// The version of an assistant that a change expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Any version, or none.
    Anything,
    /// No assistant of this name.
    Nothing,
    /// Some version.
    Something,
    /// This version.
    Version(u64),
}

impl Expected {
    /// Whether the stored version, if there is one, is as expected.
    #[must_use]
    pub fn allows(self, stored: Option<u64>) -> bool {
        match self {
            Self::Anything => true,
            Self::Nothing => stored.is_none(),
            Self::Something => stored.is_some(),
            Self::Version(version) => stored == Some(version),
        }
    }
}

/// The outcome of [`AssistantStore::put_assistant`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutAssistant {
    /// There was none; this is the version.
    Created(u64),
    /// Its settings were replaced; this is the new version.
    Replaced(u64),
    /// Another version is stored; nothing changed.
    Conflict,
}

/// The outcome of [`AssistantStore::delete_assistant`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeleteAssistant {
    /// It was deleted.
    Deleted,
    /// There was none.
    Unknown,
    /// Another version is stored; nothing changed.
    Conflict,
}

/// How much all documents of an assistant may be together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentLimits {
    /// The size of their files.
    pub max_bytes: u64,
    /// Their number. A document that takes the place of another one is no further one.
    pub max_documents: u64,
}

impl DocumentLimits {
    /// What comes of a document of so many bytes beside others; `replaces` says whether it takes the place of one of its name.
    pub(crate) fn judge(self, bytes: u64, others: u64, bytes_of_others: u64, replaces: bool) -> Publication {
        if bytes_of_others.saturating_add(bytes) > self.max_bytes {
            Publication::TooLarge
        } else if !replaces && others >= self.max_documents {
            Publication::TooMany
        } else {
            Publication::Published
        }
    }
}

/// The outcome of [`AssistantStore::publish_document`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Publication {
    /// The draft is the document now.
    Published,
    /// There is no such draft.
    Unknown,
    /// The documents of the assistant would be too large.
    TooLarge,
    /// The documents of the assistant would be too many.
    TooMany,
}

/// The key of one upload of a document: another upload under the same name has another key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentKey(pub u64);

/// A part of a stored document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DocumentPart {
    /// The file, byte for byte.
    File,
    /// The passages that were extracted from it.
    Passages,
    /// The vectors of the passages.
    Vectors,
}

/// A document as stored.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredDocument {
    /// The key of this upload.
    pub key: DocumentKey,
    /// The file name.
    pub name: String,
    /// The size of the file.
    pub bytes: u64,
    /// When the upload ended.
    pub received: DateTime<Utc>,
    /// How far it was read.
    pub state: DocumentState,
}

impl StoredDocument {
    /// A document from its parts.
    #[must_use]
    pub fn new(key: DocumentKey, name: String, bytes: u64, received: DateTime<Utc>, state: DocumentState) -> Self {
        Self { key, name, bytes, received, state }
    }
}

/// The outcome of [`AssistantStore::document_changes`].
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentChanges {
    /// The documents that have changed since then, and all that are being read. One that was being read and is not here was changed by a
    /// program of the version before, which notes no revision.
    pub documents: Vec<StoredDocument>,
    /// The number of all documents of the assistant: a smaller one than expected says that documents were deleted.
    pub count: u64,
    /// The revision before this was read, after which to ask next.
    pub revision: u64,
}

/// The outcome of [`AssistantStore::named_document`].
#[derive(Clone, Debug, PartialEq)]
pub struct NamedDocument {
    /// The document of this name, if there is one.
    pub document: Option<StoredDocument>,
    /// The number of all documents of the assistant.
    pub count: u64,
}

/// The parts of a document that could not be read, while others could.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentLoss {
    /// The pages and their loss, for the person who uploaded the document.
    pub words: String,
    /// Pages are lost, or more than half of the letters.
    #[serde(rename = "partial")]
    pub is_partial: bool,
}

impl DocumentLoss {
    /// The loss as databases keep it, in the column that holds the reason of an unreadable document.
    pub(crate) fn to_json(&self) -> String {
        json!(self).to_string()
    }

    /// The loss from that column.
    pub(crate) fn of_json(json: String) -> Self {
        serde_json::from_str(&json).unwrap_or(Self { words: json, is_partial: true })
    }
}

/// How far a document was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DocumentState {
    /// Its text has not been extracted yet.
    #[default]
    Reading,
    /// Its passages can be searched.
    Ready {
        /// The number of its pages, where its format has pages.
        pages: Option<u32>,
        /// The number of its passages.
        passages: u32,
        /// The parts that could not be read; `None` if no loss is known.
        loss: Option<DocumentLoss>,
    },
    /// It has no text that can be read.
    Unreadable {
        /// Why, for the person who uploaded it.
        reason: String,
    },
}
