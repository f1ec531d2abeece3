//! The length of a queue, and the age of its oldest entry.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The waiting entries of one queue. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct Queue(Arc<Mutex<Entries>>);

#[derive(Debug, Default)]
struct Entries {
    next: u64,
    since: BTreeMap<u64, Instant>,
}

/// A waiting entry, counted until it is dropped.
#[derive(Debug)]
#[must_use = "dropped, it waits no more"]
pub struct Waiting {
    queue: Queue,
    number: u64,
}

impl Queue {
    /// Something begins to wait.
    pub fn enter(&self) -> Waiting {
        let number = self.with(|entries| {
            let number = entries.next;
            entries.next += 1;
            entries.since.insert(number, Instant::now());
            number
        });
        Waiting { queue: self.clone(), number }
    }

    /// How many entries wait, and for how long the oldest has.
    #[must_use]
    pub fn state(&self) -> (usize, Duration) {
        self.with(|entries| {
            let oldest = entries.since.first_key_value().map_or(Duration::ZERO, |(_, since)| since.elapsed());
            (entries.since.len(), oldest)
        })
    }

    fn with<T>(&self, does: impl FnOnce(&mut Entries) -> T) -> T {
        does(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.queue.with(|entries| entries.since.remove(&self.number));
    }
}

/// Queues by their names.
#[derive(Debug, Default)]
pub(super) struct Queues(Mutex<BTreeMap<&'static str, Queue>>);

impl Queues {
    pub(super) fn watch(&self, name: &'static str, queue: &Queue) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name, queue.clone());
    }

    /// The [state](Queue::state) of each.
    pub(super) fn states(&self) -> Vec<(&'static str, (usize, Duration))> {
        let queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        queues.iter().map(|(name, queue)| (*name, queue.state())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_knows_its_length_and_its_oldest_entry() {
        let queue = Queue::default();
        assert_eq!(queue.state(), (0, Duration::ZERO));
        let first = queue.enter();
        let between = Instant::now();
        let second = queue.clone().enter();
        let (length, oldest) = queue.state();
        assert!(length == 2 && oldest >= between.elapsed().saturating_sub(Duration::from_millis(1)));
        let since_second = Instant::now();
        drop(first);
        let (length, oldest) = queue.state();
        assert!(length == 1 && oldest >= since_second.elapsed().saturating_sub(Duration::from_millis(1)));
        drop(second);
        assert_eq!(queue.state(), (0, Duration::ZERO));
    }
}
