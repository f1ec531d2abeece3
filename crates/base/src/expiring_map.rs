//! A map whose entries expire; when it is full, it drops the oldest.

use std::borrow::Borrow;
use std::collections::{BTreeMap, VecDeque};

use chrono::{DateTime, TimeDelta, Utc};

/// A map of at most `max_entries` entries, each kept for `max_age` from the time when it was inserted.
#[derive(Debug)]
pub struct ExpiringMap<K, V> {
    entries: BTreeMap<K, V>,
    /// The keys with the times of their insertion, oldest first.
    order: VecDeque<(DateTime<Utc>, K)>,
    max_entries: usize,
    max_age: TimeDelta,
}

impl<K: Ord + Clone, V> ExpiringMap<K, V> {
    /// An empty map.
    #[must_use]
    pub fn new(max_entries: usize, max_age: TimeDelta) -> Self {
        Self { entries: BTreeMap::new(), order: VecDeque::new(), max_entries, max_age }
    }

    /// The value of a key, unless it has expired.
    pub fn get<Q>(&mut self, key: &Q, now: DateTime<Utc>) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        while self.order.front().is_some_and(|(since, _)| now.signed_duration_since(*since) >= self.max_age) {
            self.remove_oldest();
        }
        self.entries.get(key)
    }

    /// Inserts an entry. An entry that is there already stays as it is, with its time.
    pub fn insert_new(&mut self, key: K, value: V, now: DateTime<Utc>) {
        if self.max_entries == 0 || self.entries.contains_key(&key) {
            return;
        }
        while self.order.len() >= self.max_entries {
            self.remove_oldest();
        }
        self.order.push_back((now, key.clone()));
        self.entries.insert(key, value);
    }

    /// Removes an entry; when a key comes again, its time begins anew.
    pub fn remove(&mut self, key: &K) {
        if self.entries.remove(key).is_some() {
            self.order.retain(|(_, other)| other != key);
        }
    }

    fn remove_oldest(&mut self) {
        if let Some((_, oldest)) = self.order.pop_front() {
            self.entries.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(minute * 60, 0).expect("a time")
    }

    fn map(max_entries: usize) -> ExpiringMap<&'static str, i32> {
        ExpiringMap::new(max_entries, TimeDelta::minutes(10))
    }

    #[test]
    fn an_entry_is_there_until_its_time_is_over() {
        let mut map = map(10);
        map.insert_new("a", 1, at(0));
        assert_eq!(map.get("a", at(9)).copied(), Some(1));
        assert_eq!(map.get("b", at(9)), None);
        assert_eq!(map.get("a", at(10)), None);
        assert!(map.entries.is_empty() && map.order.is_empty());
    }

    #[test]
    fn the_oldest_entry_makes_room_and_the_first_value_of_a_key_stays() {
        let mut map = map(2);
        for (key, value) in [("a", 1), ("b", 2), ("b", 20), ("c", 3)] {
            map.insert_new(key, value, at(0));
        }
        assert_eq!(["a", "b", "c"].map(|key| map.get(key, at(0)).copied()), [None, Some(2), Some(3)]);
        assert_eq!((map.entries.len(), map.order.len()), (2, 2));
        let mut none = self::map(0);
        none.insert_new("a", 1, at(0));
        assert_eq!(none.get("a", at(0)), None);
    }

    #[test]
    fn a_removed_key_is_new_again_and_gets_a_new_time() {
        let mut map = map(10);
        map.insert_new("a", 1, at(0));
        map.remove(&"a");
        assert_eq!(map.get("a", at(1)), None);
        map.insert_new("a", 2, at(5));
        assert_eq!(map.get("a", at(14)), Some(&2));
    }
}
