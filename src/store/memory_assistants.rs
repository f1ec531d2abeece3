//! Assistants and documents in memory.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::{DateTime, SubsecRound as _, Utc};
use serde_json::{Map, Value};

use super::assistants_in_memory::Entry;
use super::{
    AssistantStore, DeleteAssistant, DocumentKey, DocumentLimits, DocumentPart, DocumentState, Expected, MemoryStore,
    Publication, PutAssistant, StoreError, StoredAssistant, StoredDocument,
};

impl MemoryStore {
    fn present(&self) -> DateTime<Utc> {
        self.clock.now().trunc_subsecs(3)
    }
}

#[async_trait]
impl AssistantStore for MemoryStore {
    async fn assistants(&self) -> Result<Vec<StoredAssistant>, StoreError> {
        Ok(self.assistants.state().assistants.values().cloned().collect())
    }

    async fn put_assistant(
        &self,
        name: &str,
        settings: Map<String, Value>,
        expected: Expected,
    ) -> Result<PutAssistant, StoreError> {
        let mut state = self.assistants.state();
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
        let mut state = self.assistants.state();
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
        Ok(self.assistants.state().revision)
    }

    async fn documents(&self, assistant: &str) -> Result<Vec<StoredDocument>, StoreError> {
        let state = self.assistants.state();
        let mut documents: Vec<StoredDocument> = state.of(assistant).map(|entry| entry.document.clone()).collect();
        documents.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(documents)
    }

    async fn unread_documents(&self, limit: usize) -> Result<Vec<(String, StoredDocument)>, StoreError> {
        let state = self.assistants.state();
        let published = state.documents.values().filter(|entry| !entry.is_draft);
        let unread = published.filter(|entry| entry.document.state == DocumentState::Reading);
        Ok(unread.take(limit).map(|entry| (entry.assistant.clone(), entry.document.clone())).collect())
    }

    async fn draft_document(&self, assistant: &str, name: &str) -> Result<Option<DocumentKey>, StoreError> {
        let mut state = self.assistants.state();
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
        let (mut state, now) = (self.assistants.state(), self.present());
        let (held, size) = (state.bytes, bytes.len());
        let Some(entry) = state.documents.get_mut(&key) else { return Ok(false) };
        if held.saturating_add(size) > self.limits.max_bytes {
            return Err(StoreError::Full { what: "bytes", limit: self.limits.max_bytes });
        }
        if part == DocumentPart::File {
            entry.document.bytes += size as u64;
        }
        if entry.is_draft {
            entry.document.received = now;
        }
        entry.parts.entry(part).or_default().push(bytes);
        state.bytes += size;
        Ok(true)
    }

    async fn publish_document(&self, key: DocumentKey, limits: DocumentLimits) -> Result<Publication, StoreError> {
        let mut state = self.assistants.state();
        let Some(draft) = state.documents.get(&key).filter(|entry| entry.is_draft) else {
            return Ok(Publication::Unknown);
        };
        let (assistant, name, bytes) = (draft.assistant.clone(), draft.document.name.clone(), draft.document.bytes);
        let (before, others): (Vec<_>, Vec<_>) =
            state.of(&assistant).map(|entry| &entry.document).partition(|document| document.name == name);
        let together = others.iter().map(|document| document.bytes).sum();
        let judged = limits.judge(bytes, others.len() as u64, together, !before.is_empty());
        if judged != Publication::Published {
            state.remove(|found, _| *found == key);
            return Ok(judged);
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
        let mut state = self.assistants.state();
        let Some(entry) = state.documents.get_mut(&key).filter(|entry| !entry.is_draft) else { return Ok(false) };
        entry.document.state = to;
        state.next_revision();
        Ok(true)
    }

    async fn piece(&self, key: DocumentKey, part: DocumentPart, place: u32) -> Result<Option<Vec<u8>>, StoreError> {
        let state = self.assistants.state();
        let pieces = state.documents.get(&key).and_then(|entry| entry.parts.get(&part));
        Ok(pieces.and_then(|pieces| pieces.get(usize::try_from(place).ok()?)).cloned())
    }

    async fn clear_part(&self, key: DocumentKey, part: DocumentPart) -> Result<(), StoreError> {
        let mut state = self.assistants.state();
        if let Some(entry) = state.documents.get_mut(&key) {
            entry.parts.remove(&part);
        }
        state.remove(|_, _| false);
        Ok(())
    }

    async fn discard_draft(&self, key: DocumentKey) -> Result<(), StoreError> {
        self.assistants.state().remove(|found, entry| *found == key && entry.is_draft);
        Ok(())
    }

    async fn discard_drafts(&self, before: DateTime<Utc>) -> Result<u64, StoreError> {
        let mut state = self.assistants.state();
        let is_old = |entry: &Entry| entry.is_draft && entry.document.received < before;
        let count = state.documents.values().filter(|entry| is_old(entry)).count();
        state.remove(|_, entry| is_old(entry));
        Ok(count as u64)
    }

    async fn delete_document(&self, assistant: &str, name: &str) -> Result<bool, StoreError> {
        let mut state = self.assistants.state();
        let is_gone = |entry: &Entry| !entry.is_draft && entry.assistant == assistant && entry.document.name == name;
        let deleted = state.remove(|_, entry| is_gone(entry));
        if deleted {
            state.next_revision();
        }
        Ok(deleted)
    }
}
