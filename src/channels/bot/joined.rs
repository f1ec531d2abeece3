//! Whom the bot has been told of.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::activity::ConversationId;

/// So many conversations are remembered. Beyond, all are forgotten, and found out again from the store.
const MAX_REMEMBERED: usize = 20_000;

/// Whether the bot has been told of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// It has, or is about to be.
    Yes,
    /// It was to be told, but could not be reached: it is told with the next thing that the user says.
    Owed,
}

/// Users by conversation.
#[derive(Debug, Default)]
pub(super) struct Joined(Mutex<BTreeMap<ConversationId, BTreeMap<String, Told>>>);

impl Joined {
    fn users(&self) -> MutexGuard<'_, BTreeMap<ConversationId, BTreeMap<String, Told>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is remembered of a user.
    pub(super) fn get(&self, id: &ConversationId, user: &str) -> Option<Told> {
        self.users().get(id)?.get(user).copied()
    }

    /// Whether another user of the conversation is remembered.
    pub(super) fn has_another(&self, id: &ConversationId, user: &str) -> bool {
        self.users().get(id).is_some_and(|users| users.keys().any(|known| known != user))
    }

    /// Remembers a user.
    pub(super) fn note(&self, id: &ConversationId, user: &str, told: Told) {
        let mut users = self.users();
        if users.len() >= MAX_REMEMBERED && !users.contains_key(id) {
            users.clear();
        }
        users.entry(id.clone()).or_default().insert(user.to_owned(), told);
    }
}
