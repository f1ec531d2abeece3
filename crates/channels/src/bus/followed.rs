//! The conversations whose channels this node hears.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::activity::ConversationId;

/// The conversations that are read here, and those of them for which that has changed.
#[derive(Debug, Default)]
pub(super) struct Followed {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// How many follow each.
    followers: BTreeMap<ConversationId, usize>,
    changed: BTreeSet<ConversationId>,
}

/// Which channels to enter and which to leave.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Changes {
    pub(super) enter: Vec<ConversationId>,
    pub(super) leave: Vec<ConversationId>,
}

impl Followed {
    pub(super) fn add(&self, id: &ConversationId) {
        let mut state = self.state();
        let followers = state.followers.entry(id.clone()).or_default();
        *followers += 1;
        if *followers == 1 {
            state.changed.insert(id.clone());
            self.changed.notify_one();
        }
    }

    pub(super) fn remove(&self, id: &ConversationId) {
        let mut state = self.state();
        let Some(followers) = state.followers.get_mut(id) else { return };
        *followers -= 1;
        if *followers == 0 {
            state.followers.remove(id);
            state.changed.insert(id.clone());
            self.changed.notify_one();
        }
    }

    pub(super) fn has(&self, id: &ConversationId) -> bool {
        self.state().followers.contains_key(id)
    }

    /// A connection that hears nothing yet has to enter all channels.
    pub(super) fn begin_anew(&self) {
        let mut state = self.state();
        state.changed = state.followers.keys().cloned().collect();
        self.changed.notify_one();
    }

    /// Takes at most so many changes since the last call; waits for the first.
    pub(super) async fn changes(&self, most: usize) -> Changes {
        loop {
            let changes = self.take(most);
            if changes != Changes::default() {
                return changes;
            }
            self.changed.notified().await;
        }
    }

    fn take(&self, most: usize) -> Changes {
        let mut state = self.state();
        let mut changes = Changes::default();
        while changes.enter.len() + changes.leave.len() < most
            && let Some(id) = state.changed.pop_first()
        {
            let side = if state.followers.contains_key(&id) { &mut changes.enter } else { &mut changes.leave };
            side.push(id);
        }
        changes
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No call above can panic half-way through a change, so what a poisoned lock guards is whole.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> ConversationId {
        text.parse().expect("an id")
    }

    #[test]
    fn only_the_first_follower_enters_and_the_last_one_leaves() {
        let followed = Followed::default();
        followed.add(&id("a"));
        followed.add(&id("a"));
        assert_eq!(followed.take(9), Changes { enter: vec![id("a")], leave: vec![] });
        followed.remove(&id("a"));
        assert_eq!(followed.take(9), Changes::default());
        followed.remove(&id("a"));
        assert_eq!(followed.take(9), Changes { enter: vec![], leave: vec![id("a")] });
    }

    #[test]
    fn a_new_connection_enters_everything_that_is_followed_then() {
        let followed = Followed::default();
        for name in ["a", "b", "c"] {
            followed.add(&id(name));
        }
        assert_eq!(followed.take(2).enter, [id("a"), id("b")]);
        followed.remove(&id("b"));
        followed.begin_anew();
        assert_eq!(followed.take(9), Changes { enter: vec![id("a"), id("c")], leave: vec![] });
    }
}
