//! Activities that came lately, so that none of them is run twice.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use aws_lc_rs::digest;
use chrono::{DateTime, Utc};

/// So many bytes of a digest tell one activity from another.
const LENGTH: usize = 16;

/// What an activity is known by: its conversation, which names the channel, and its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::channels::azure_bot) struct Fingerprint([u8; LENGTH]);

impl Fingerprint {
    pub(in crate::channels::azure_bot) fn of(conversation: &str, id: &str) -> Self {
        let mut context = digest::Context::new(&digest::SHA256);
        for part in [conversation, id] {
            // With its length before it, so that no part can reach into the next.
            context.update(&part.len().to_be_bytes());
            context.update(part.as_bytes());
        }
        let digest = context.finish();
        let mut fingerprint = [0; LENGTH];
        fingerprint.copy_from_slice(&digest.as_ref()[..LENGTH]);
        Self(fingerprint)
    }
}

/// The activities of the last minutes. Where there are too many of them, the oldest are forgotten early.
#[derive(Debug)]
pub(super) struct Seen {
    keep: Duration,
    most: usize,
    known: BTreeSet<Fingerprint>,
    in_order: VecDeque<(DateTime<Utc>, Fingerprint)>,
}

impl Seen {
    pub(super) fn new(keep: Duration, most: usize) -> Self {
        Self { keep, most, known: BTreeSet::new(), in_order: VecDeque::new() }
    }

    /// Whether it came before.
    pub(super) fn knows(&mut self, fingerprint: Fingerprint, now: DateTime<Utc>) -> bool {
        self.forget_old(now);
        self.known.contains(&fingerprint)
    }

    /// Notes that it has come.
    pub(super) fn note(&mut self, fingerprint: Fingerprint, now: DateTime<Utc>) {
        if !self.known.insert(fingerprint) {
            return;
        }
        self.in_order.push_back((now, fingerprint));
        while self.in_order.len() > self.most {
            self.forget_oldest();
        }
    }

    /// Knows it no more.
    pub(super) fn forget(&mut self, fingerprint: Fingerprint) {
        if self.known.remove(&fingerprint) {
            self.in_order.retain(|(_, known)| *known != fingerprint);
        }
    }

    fn forget_old(&mut self, now: DateTime<Utc>) {
        let keep = chrono::Duration::from_std(self.keep).unwrap_or(chrono::Duration::MAX);
        while self.in_order.front().is_some_and(|(came, _)| now.signed_duration_since(*came) >= keep) {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        if let Some((_, oldest)) = self.in_order.pop_front() {
            self.known.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(minute * 60, 0).expect("a time")
    }

    fn named(name: &str) -> Fingerprint {
        Fingerprint::of("msteams:c", name)
    }

    #[test]
    fn an_activity_is_known_for_ten_minutes() {
        let mut seen = Seen::new(Duration::from_secs(600), 10);
        assert!(!seen.knows(named("1"), at(0)));
        seen.note(named("1"), at(0));
        assert!(seen.knows(named("1"), at(9)));
        assert!(!seen.knows(named("2"), at(9)));
        assert!(!seen.knows(named("1"), at(10)));
        assert!(seen.in_order.is_empty() && seen.known.is_empty());
    }

    #[test]
    fn there_is_room_for_so_many_and_the_oldest_go_first() {
        let mut seen = Seen::new(Duration::from_secs(600), 2);
        for name in ["1", "2", "2", "3"] {
            seen.note(named(name), at(0));
        }
        let known = ["1", "2", "3"].map(|name| seen.knows(named(name), at(0)));
        assert_eq!((known, seen.known.len()), ([false, true, true], 2));
    }

    #[test]
    fn what_is_forgotten_is_new_again_and_keeps_its_new_time() {
        let mut seen = Seen::new(Duration::from_secs(600), 10);
        seen.note(named("1"), at(0));
        seen.forget(named("1"));
        assert!(!seen.knows(named("1"), at(1)));
        seen.note(named("1"), at(5));
        assert!(seen.knows(named("1"), at(14)));
    }

    #[test]
    fn the_same_id_elsewhere_is_another_activity() {
        assert_ne!(Fingerprint::of("a", "c"), Fingerprint::of("x", "c"));
        assert_ne!(Fingerprint::of("ab", "c"), Fingerprint::of("a", "bc"));
    }
}
