//! The retry policy of failed calls; each caller sets the numbers.

use std::time::Duration;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::backoff::jittered;

/// The waits between the attempts of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    /// How long to wait before each repetition, where the other side does not say. There are no more repetitions than entries.
    pub waits: Vec<Duration>,
    /// Whether the waits are taken at random between half of them and all of them, so that callers who failed together do not come
    /// back together.
    pub jittered: bool,
    /// The longest `Retry-After` that is honoured.
    pub longest_retry_after: Duration,
    /// The reaction to a longer one.
    pub longer: LongWait,
    /// The time for everything, repetitions included. What would begin later is not begun.
    pub total: Duration,
}

/// How to handle a `Retry-After` above the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongWait {
    /// It is made again after the longest wait that there may be.
    Cut,
    /// It is not made again: somebody waits for the outcome, and whoever is asked too early refuses once more.
    GiveUp,
}

impl Retry {
    /// About these waits, within a minute.
    #[must_use]
    pub fn after(waits: impl Into<Vec<Duration>>) -> Self {
        let (longest_retry_after, total) = (Duration::from_secs(30), Duration::from_secs(60));
        Self { waits: waits.into(), jittered: true, longest_retry_after, longer: LongWait::Cut, total }
    }

    /// No repetitions: for what is out of date by then.
    #[must_use]
    pub fn never() -> Self {
        Self::after([])
    }
}

/// The rest of a [`Retry`].
#[derive(Debug)]
pub struct RetryBudget<'a> {
    rules: &'a Retry,
    used: usize,
    until: DateTime<Utc>,
}

impl<'a> RetryBudget<'a> {
    /// All of it, from now on.
    #[must_use]
    pub fn new(rules: &'a Retry, now: DateTime<Utc>) -> Self {
        Self { rules, used: 0, until: later(now, rules.total) }
    }

    /// How much time is left.
    #[must_use]
    pub fn left(&self, now: DateTime<Utc>) -> Duration {
        (self.until - now).to_std().unwrap_or_default()
    }

    /// Whether nothing was repeated yet.
    #[must_use]
    pub fn is_unused(&self) -> bool {
        self.used == 0
    }

    /// How long to wait before the next repetition; `None` when it is time to give up. `fresh` decides where in its second half a
    /// jittered wait ends.
    pub fn next(
        &mut self,
        retry_after: Option<Duration>,
        now: DateTime<Utc>,
        fresh: impl FnOnce() -> Uuid,
    ) -> Option<Duration> {
        let planned = *self.rules.waits.get(self.used)?;
        self.used += 1;
        let wait = match retry_after {
            Some(asked) if asked > self.rules.longest_retry_after && self.rules.longer == LongWait::GiveUp => {
                return None;
            }
            Some(asked) => asked.min(self.rules.longest_retry_after),
            None if self.rules.jittered => jittered(planned, fresh()),
            None => planned,
        };
        (later(now, wait) < self.until).then_some(wait)
    }
}

/// Looks a status up in a table. A row is the first status, the last one, and what they mean.
#[must_use]
pub fn by_status<T: Copy>(table: &[(u16, u16, T)], status: u16) -> Option<T> {
    table.iter().find(|(first, last, _)| (*first..=*last).contains(&status)).map(|(_, _, meaning)| *meaning)
}

/// A time so much later.
#[must_use]
pub fn later(now: DateTime<Utc>, by: Duration) -> DateTime<Utc> {
    chrono::Duration::from_std(by).ok().and_then(|by| now.checked_add_signed(by)).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> DateTime<Utc> {
        "1994-11-06T08:49:37Z".parse().expect("a time")
    }

    fn retry() -> Retry {
        Retry::after([2, 5].map(Duration::from_secs))
    }

    #[test]
    fn waits_grow_are_scattered_and_come_to_an_end() {
        let retry = retry();
        let mut patience = RetryBudget::new(&retry, start());
        assert_eq!(patience.next(None, start(), Uuid::nil), Some(Duration::from_secs(1)));
        assert_eq!(patience.next(None, start(), Uuid::max), Some(Duration::from_secs(5)));
        assert_eq!(patience.next(None, start(), Uuid::nil), None);
        assert_eq!(RetryBudget::new(&Retry::never(), start()).next(None, start(), Uuid::nil), None);
    }

    #[test]
    fn what_the_other_side_asks_for_is_honoured_up_to_a_limit() {
        let retry = retry();
        let mut patience = RetryBudget::new(&retry, start());
        let mut next = |seconds| patience.next(Some(Duration::from_secs(seconds)), start(), Uuid::nil);
        assert_eq!(next(7), Some(Duration::from_secs(7)));
        assert_eq!(next(u64::MAX), Some(retry.longest_retry_after));
    }

    #[test]
    fn a_caller_that_cannot_wait_long_gives_up() {
        let retry = Retry { longer: LongWait::GiveUp, ..retry() };
        let next = |seconds| {
            let mut patience = RetryBudget::new(&retry, start());
            patience.next(Some(Duration::from_secs(seconds)), start(), Uuid::nil)
        };
        assert_eq!([next(30), next(31)], [Some(Duration::from_secs(30)), None]);
    }

    #[test]
    fn waits_that_are_not_scattered_are_exact() {
        let retry = Retry { jittered: false, ..retry() };
        let mut patience = RetryBudget::new(&retry, start());
        assert_eq!(patience.next(None, start(), Uuid::nil), Some(Duration::from_secs(2)));
    }

    #[test]
    fn nothing_begins_after_the_end_of_the_time() {
        let retry = retry();
        let mut patience = RetryBudget::new(&retry, start());
        let late = start() + chrono::Duration::seconds(59);
        assert_eq!(patience.left(late), Duration::from_secs(1));
        assert_eq!(patience.next(Some(Duration::from_secs(1)), late, Uuid::nil), None);
        assert_eq!(patience.left(late + chrono::Duration::seconds(5)), Duration::ZERO);
    }
}
