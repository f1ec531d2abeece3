//! The pace of streaming updates.

use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::time::Instant;

use crate::egress::later;

/// The longest time between two updates, however often the service has asked for less.
const LONGEST: Duration = Duration::from_secs(15);

/// Each update of the embedded channel holds all of the text so far, for each reader. A long answer is updated less often, so that
/// it does not take more than this.
const BYTES_A_SECOND: u64 = 256_000;

/// A time of the clock that an answer uses.
pub(super) trait Moment: Copy + Ord {
    /// The time that is later by this much.
    fn after(self, by: Duration) -> Self;
}

impl Moment for DateTime<Utc> {
    fn after(self, by: Duration) -> Self {
        later(self, by)
    }
}

impl Moment for Instant {
    fn after(self, by: Duration) -> Self {
        self + by
    }
}

/// At most one update in an interval, and none that is late: the first goes out as soon as there is something to show, and
/// whatever is new after that when the interval is over, whether more of the answer comes or not.
#[derive(Debug)]
pub(super) struct Pace<T> {
    interval: Duration,
    /// Since when something waits to be shown.
    waiting: Option<T>,
    /// Before this nothing goes out.
    next: T,
    /// When something went out last.
    last: T,
}

impl<T: Moment> Pace<T> {
    pub(super) fn new(interval: Duration, now: T) -> Self {
        Self { interval, waiting: None, next: now, last: now }
    }

    /// There is something new to show.
    pub(super) fn wish(&mut self, now: T) {
        self.waiting.get_or_insert(now);
    }

    /// There is nothing new any more.
    pub(super) fn forget(&mut self) {
        self.waiting = None;
    }

    /// Something went out. Whatever the service made of it, the next one does not follow at once.
    pub(super) fn sent(&mut self, now: T) {
        self.waiting = None;
        self.last = now;
        self.next = now.after(self.interval);
    }

    /// Something of so many bytes went out to each reader: [`BYTES_A_SECOND`] are enough.
    pub(super) fn sent_bytes(&mut self, bytes: usize, now: T) {
        self.sent(now);
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let takes = Duration::from_micros(bytes.saturating_mul(1_000_000) / BYTES_A_SECOND);
        self.next = self.next.max(now.after(takes));
    }

    /// It was not seen by anybody: it waits on, at the same pace.
    pub(super) fn unseen(&mut self, now: T) {
        self.next = now.after(self.interval);
        self.waiting = Some(now);
    }

    /// The service wants less, or nothing for a while; what was new is new still.
    pub(super) fn slow_down(&mut self, asked: Option<Duration>, now: T) {
        self.interval = (self.interval * 2).min(LONGEST.max(self.interval));
        self.next = now.after(asked.unwrap_or_default().max(self.interval));
        self.waiting = Some(now);
    }

    /// From when on an update may go out, where there is something to show.
    pub(super) fn allowed(&self) -> Option<T> {
        self.waiting.map(|_| self.next)
    }

    /// From when on it must, however much of the answer there is to take in. Until then, what has arrived already is taken in
    /// first, so that an answer that comes at once is not shown in pieces.
    pub(super) fn due(&self) -> Option<T> {
        self.waiting.map(|since| self.next.max(since.after(self.interval)))
    }

    /// When something went out last.
    pub(super) fn last(&self) -> T {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_answer_is_updated_less_often() {
        let start = Instant::now();
        let mut pace = Pace::new(Duration::from_millis(100), start);
        for (bytes, milliseconds) in [(1_000, 100), (25_600, 100), (300_000, 1171)] {
            pace.sent_bytes(bytes, start);
            pace.wish(start);
            assert_eq!(pace.allowed().map(|next| (next - start).as_millis()), Some(milliseconds), "{bytes}");
        }
    }

    #[test]
    fn after_a_refusal_the_interval_grows_to_a_limit_and_what_the_service_asks_for_is_kept() {
        let start: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().expect("a time");
        let mut pace = Pace::new(Duration::from_millis(1500), start);
        assert_eq!((pace.allowed(), pace.due()), (None, None));
        pace.wish(start);
        assert_eq!(pace.allowed(), Some(start));
        let mut wait = |asked| {
            pace.slow_down(asked, start);
            (pace.allowed().expect("it waits") - start).num_milliseconds()
        };
        assert_eq!(
            [wait(None), wait(Some(Duration::from_secs(20))), wait(None), wait(None)],
            [3000, 20_000, 12_000, 15_000]
        );
        pace.sent(start);
        assert_eq!(pace.allowed(), None);
    }
}
