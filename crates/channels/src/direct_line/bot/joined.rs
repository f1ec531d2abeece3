//! Remembers the users about whom the bot was notified.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::activity::ConversationId;

/// The number of conversations that are remembered. Beyond, all are forgotten, and found out again from the store.
const MAX_REMEMBERED: usize = 20_000;

/// The number of users that are remembered for one conversation. Beyond, those of whom the bot knows are forgotten, and found out again from
/// the store, which takes no longer in a long conversation.
const MAX_USERS: usize = 1_000;

/// The introduction of a user to the bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Introduction {
    /// It was, or is about to be.
    Made,
    /// It was to be told, but could not be reached: it is told with the next thing that the user says.
    Owed,
}

/// The users of each conversation about whom the bot was notified.
#[derive(Debug, Default)]
pub(super) struct Joined(Mutex<BTreeMap<ConversationId, BTreeMap<String, Introduction>>>);

impl Joined {
    fn users(&self) -> MutexGuard<'_, BTreeMap<ConversationId, BTreeMap<String, Introduction>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The introduction of a user.
    pub(super) fn get(&self, id: &ConversationId, user: &str) -> Option<Introduction> {
        self.users().get(id)?.get(user).copied()
    }

    /// Whether another user of the conversation is remembered.
    pub(super) fn has_another(&self, id: &ConversationId, user: &str) -> bool {
        self.users().get(id).is_some_and(|users| users.keys().any(|known| known != user))
    }

    /// Remembers a user.
    pub(super) fn note(&self, id: &ConversationId, user: &str, told: Introduction) {
        let mut conversations = self.users();
        if conversations.len() >= MAX_REMEMBERED && !conversations.contains_key(id) {
            conversations.clear();
        }
        let users = conversations.entry(id.clone()).or_default();
        if users.len() >= MAX_USERS && !users.contains_key(user) {
            users.retain(|_, told| *told == Introduction::Owed);
            if users.len() >= MAX_USERS {
                users.clear();
            }
        }
        users.insert(user.to_owned(), told);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Users without number in one conversation take no memory without end, and one to whom the bot owes news is kept.
    #[test]
    fn the_users_of_a_conversation_are_bounded() {
        let (joined, id) = (Joined::default(), "c".parse().expect("an id"));
        joined.note(&id, "owed", Introduction::Owed);
        for number in 0..10 * MAX_USERS {
            joined.note(&id, &number.to_string(), Introduction::Made);
            assert!(joined.has_another(&id, &number.to_string()));
        }
        assert_eq!(joined.get(&id, "owed"), Some(Introduction::Owed));
        assert_eq!(joined.get(&id, &(10 * MAX_USERS - 1).to_string()), Some(Introduction::Made));
        assert!(joined.users().get(&id).is_some_and(|users| users.len() <= MAX_USERS));
    }
}
