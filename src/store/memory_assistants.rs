//! Assistants and documents in memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use chrono::{DateTime, SubsecRound as _, Utc};
use serde_json::{Map, Value};

use super::{
    AssistantStore, DeleteAssistant, DocumentKey, DocumentPart, DocumentState, Expected, MemoryStore, Publication,
    PutAssistant, StoreError, StoredAssistant, StoredDocument,
};

/// The assistants of a [`MemoryStore`].
#[derive(Debug, Default)]
pub(super) struct Assistants {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    revision: u64,
    bytes: usize,
    assistants: BTreeMap<String, StoredAssistant>,
    /// Drafts and documents, by their keys.
    documents: BTreeMap<DocumentKey, Entry>,
}

#[derive(Debug)]
struct Entry {
    assistant: String,
    is_draft: bool,
    document: StoredDocument,
    parts: BTreeMap<DocumentPart, Vec<Vec<u8>>>,
}

impl Entry {
    fn bytes(&self) -> usize {
        self.parts.values().flatten().map(Vec::len).sum()
    }
}

impl State {
    fn next_revision(&mut self) -> u64 {
        self.revision += 1;
        self.revision
    }

    fn remove(&mut self, mut is_gone: impl FnMut(&DocumentKey, &Entry) -> bool) -> bool {
        let before = self.documents.len();
        self.documents.retain(|key, entry| !is_gone(key, entry));
        self.bytes = self.documents.values().map(Entry::bytes).sum();
        self.documents.len() != before
    }

    fn of<'s>(&'s self, assistant: &'s str) -> impl Iterator<Item = &'s Entry> {
        self.documents.values().filter(move |entry| !entry.is_draft && entry.assistant == assistant)
    }
}

impl MemoryStore {
    fn assistants_state(&self) -> MutexGuard<'_, State> {
        // No call below can panic half-way through a change, so what a poisoned lock guards is whole.
        self.assistants.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn present(&self) -> DateTime<Utc> {
        self.clock.now().trunc_subsecs(3)
    }
}

#[async_trait]
impl AssistantStore for MemoryStore {
    async fn assistants(&self) -> Result<Vec<StoredAssistant>, StoreError> {
        Ok(self.assistants_state().assistants.values().cloned().collect())
    }

    async fn put_assistant(
        &self,
        name: &str,
        settings: Map<String, Value>,
        expected: Expected,
    ) -> Result<PutAssistant, StoreError> {
        let mut state = self.assistants_state();
        let stored = state.assistants.get(name).map(|assistant| assistant.version);
        if !expected.allows(stored) {
            return Ok(PutAssistant::Conflict);
        }
        let version = state.next_revision();
        let assistant = StoredAssistant::new(name.to_owned(), settings, version, self.present());
        state.assistants.insert(name.to_owned(), assistant);
        Ok(stored.map_or(PutAssistant::Created(version), |_| PutAssistant::Replaced(version)))
    }

    async fn delete_assistant(&self, name: &str, expected: Expected) -> Result<DeleteAssistant, StoreError> {
        let mut state = self.assistants_state();
        let Some(stored) = state.assistants.get(name).map(|assistant| assistant.version) else {
            return Ok(if expected.allows(None) { DeleteAssistant::Unknown } else { DeleteAssistant::Conflict });
        };
        if !expected.allows(Some(stored)) {
            return Ok(DeleteAssistant::Conflict);
        }
        state.assistants.remove(name);
        state.remove(|_, entry| entry.assistant == name);
        state.next_revision();
        Ok(DeleteAssistant::Deleted)
    }

    async fn revision(&self) -> Result<u64, StoreError> {
        Ok(self.assistants_state().revision)
    }

    async fn documents(&self, assistant: &str) -> Result<Vec<StoredDocument>, StoreError> {
        let state = self.assistants_state();
        let mut documents: Vec<StoredDocument> = state.of(assistant).map(|entry| entry.document.clone()).collect();
        documents.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(documents)
    }

    async fn unread_documents(&self, limit: usize) -> Result<Vec<(String, StoredDocument)>, StoreError> {
        let state = self.assistants_state();
        let published = state.documents.values().filter(|entry| !entry.is_draft);
        let unread = published.filter(|entry| entry.document.state == DocumentState::Reading);
        Ok(unread.take(limit).map(|entry| (entry.assistant.clone(), entry.document.clone())).collect())
    }

    async fn draft_document(&self, assistant: &str, name: &str) -> Result<Option<DocumentKey>, StoreError> {
        let mut state = self.assistants_state();
        if !state.assistants.contains_key(assistant) {
            return Ok(None);
        }
        let key = DocumentKey(state.next_revision());
        let document = StoredDocument::new(key, name.to_owned(), 0, self.present(), DocumentState::Reading);
        let entry = Entry { assistant: assistant.to_owned(), is_draft: true, document, parts: BTreeMap::new() };
        state.documents.insert(key, entry);
        Ok(Some(key))
    }

    async fn add_piece(&self, key: DocumentKey, part: DocumentPart, bytes: Vec<u8>) -> Result<bool, StoreError> {
        let mut state = self.assistants_state();
        let (held, size) = (state.bytes, bytes.len());
        let Some(entry) = state.documents.get_mut(&key) else { return Ok(false) };
        if held.saturating_add(size) > self.limits.max_bytes {
            return Err(StoreError::Full { what: "bytes", limit: self.limits.max_bytes });
        }
        if part == DocumentPart::File {
            entry.document.bytes += size as u64;
        }
        entry.parts.entry(part).or_default().push(bytes);
        state.bytes += size;
        Ok(true)
    }

    async fn publish_document(&self, key: DocumentKey, max_bytes: u64) -> Result<Publication, StoreError> {
        let mut state = self.assistants_state();
        let Some(draft) = state.documents.get(&key).filter(|entry| entry.is_draft) else {
            return Ok(Publication::Unknown);
        };
        let (assistant, name, bytes) = (draft.assistant.clone(), draft.document.name.clone(), draft.document.bytes);
        let others = state.of(&assistant).filter(|entry| entry.document.name != name);
        let together = others.map(|entry| entry.document.bytes).sum::<u64>().saturating_add(bytes);
        if together > max_bytes {
            state.remove(|found, _| *found == key);
            return Ok(Publication::TooLarge);
        }
        let is_replaced =
            |entry: &Entry| !entry.is_draft && entry.assistant == assistant && entry.document.name == name;
        state.remove(|_, entry| is_replaced(entry));
        let received = self.present();
        if let Some(entry) = state.documents.get_mut(&key) {
            entry.is_draft = false;
            entry.document.received = received;
        }
        state.next_revision();
        Ok(Publication::Published)
    }

    async fn set_document_state(&self, key: DocumentKey, to: DocumentState) -> Result<bool, StoreError> {
        let mut state = self.assistants_state();
        let Some(entry) = state.documents.get_mut(&key).filter(|entry| !entry.is_draft) else { return Ok(false) };
        entry.document.state = to;
        state.next_revision();
        Ok(true)
    }

    async fn piece(&self, key: DocumentKey, part: DocumentPart, place: u32) -> Result<Option<Vec<u8>>, StoreError> {
        let state = self.assistants_state();
        let pieces = state.documents.get(&key).and_then(|entry| entry.parts.get(&part));
        Ok(pieces.and_then(|pieces| pieces.get(usize::try_from(place).ok()?)).cloned())
    }

    async fn clear_part(&self, key: DocumentKey, part: DocumentPart) -> Result<(), StoreError> {
        let mut state = self.assistants_state();
        if let Some(entry) = state.documents.get_mut(&key) {
            entry.parts.remove(&part);
        }
        state.remove(|_, _| false);
        Ok(())
    }

    async fn discard_draft(&self, key: DocumentKey) -> Result<(), StoreError> {
        self.assistants_state().remove(|found, entry| *found == key && entry.is_draft);
        Ok(())
    }

    async fn delete_document(&self, assistant: &str, name: &str) -> Result<bool, StoreError> {
        let mut state = self.assistants_state();
        let is_gone = |entry: &Entry| !entry.is_draft && entry.assistant == assistant && entry.document.name == name;
        let deleted = state.remove(|_, entry| is_gone(entry));
        if deleted {
            state.next_revision();
        }
        Ok(deleted)
    }
}
