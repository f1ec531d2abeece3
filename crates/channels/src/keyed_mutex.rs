//! A mutex per key.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::OwnedMutexGuard;

/// Lets callers with the same name go one after the other. Callers with different names do not wait for each other.
#[derive(Debug, Default)]
pub(crate) struct KeyedMutex(Mutex<BTreeMap<String, Weak<tokio::sync::Mutex<()>>>>);

/// The turn lasts as long as this value.
#[derive(Debug)]
pub(crate) struct KeyedGuard {
    _guard: OwnedMutexGuard<()>,
}

impl KeyedMutex {
    /// Waits until nobody else has a turn under this name.
    pub(crate) async fn take(&self, name: &str) -> KeyedGuard {
        let lock = self.lock(name);
        KeyedGuard { _guard: lock.lock_owned().await }
    }

    fn lock(&self, name: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut turns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Names are kept only while somebody has or awaits a turn.
        turns.retain(|_, turn| turn.strong_count() > 0);
        if let Some(turn) = turns.get(name).and_then(Weak::upgrade) {
            return turn;
        }
        let turn = Arc::default();
        turns.insert(name.to_owned(), Arc::downgrade(&turn));
        turn
    }
}

#[cfg(test)]
mod tests {
    use futures_util::poll;

    use super::*;

    #[tokio::test]
    async fn a_name_has_one_turn_at_a_time_and_is_forgotten_afterwards() {
        let turns = KeyedMutex::default();
        let first = turns.take("a").await;
        let other = turns.take("b").await;
        let mut second = Box::pin(turns.take("a"));
        assert!(poll!(&mut second).is_pending());
        drop((first, other));
        drop(second.await);
        drop(turns.take("c").await);
        assert_eq!(turns.0.lock().expect("a lock").len(), 1, "only the last one is remembered");
    }
}
