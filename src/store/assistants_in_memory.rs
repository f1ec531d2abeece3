//! What a store in memory holds of assistants and documents.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{DocumentKey, DocumentPart, StoredAssistant, StoredDocument};

/// The assistants of a [`MemoryStore`](super::MemoryStore).
#[derive(Debug, Default)]
pub(super) struct Assistants {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) revision: u64,
    pub(super) bytes: usize,
    pub(super) assistants: BTreeMap<String, StoredAssistant>,
    /// Drafts and documents, by their keys.
    pub(super) documents: BTreeMap<DocumentKey, Entry>,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) assistant: String,
    pub(super) is_draft: bool,
    pub(super) document: StoredDocument,
    pub(super) parts: BTreeMap<DocumentPart, Vec<Vec<u8>>>,
}

impl Assistants {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // No call can panic half-way through a change, so what a poisoned lock guards is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    pub(super) fn bytes(&self) -> usize {
        self.parts.values().flatten().map(Vec::len).sum()
    }
}

impl State {
    pub(super) fn next_revision(&mut self) -> u64 {
        self.revision += 1;
        self.revision
    }

    pub(super) fn remove(&mut self, mut is_gone: impl FnMut(&DocumentKey, &Entry) -> bool) -> bool {
        let before = self.documents.len();
        self.documents.retain(|key, entry| !is_gone(key, entry));
        self.bytes = self.documents.values().map(Entry::bytes).sum();
        self.documents.len() != before
    }

    pub(super) fn of<'s>(&'s self, assistant: &'s str) -> impl Iterator<Item = &'s Entry> {
        self.documents.values().filter(move |entry| !entry.is_draft && entry.assistant == assistant)
    }
}
