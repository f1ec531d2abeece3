//! Time and randomness as arguments, so that tests can set the time and the next ids.

use std::fmt::Debug;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use async_trait::async_trait;
use chrono::{DateTime, Duration, Utc};
use uuid::Uuid;

/// Tells the time, and waits.
#[async_trait]
pub trait Clock: Debug + Send + Sync {
    /// The present, in UTC.
    fn now(&self) -> DateTime<Utc>;

    /// Waits until this time has passed.
    async fn wait(&self, time: std::time::Duration);

    /// Goes ahead by this from now on, or back, to agree with the clock of others. A clock that follows no other does
    /// nothing.
    fn adjust(&self, _by: Duration) {}
}

/// Generates unguessable, unique ids.
pub trait IdSource: Debug + Send + Sync {
    /// A fresh id.
    fn fresh(&self) -> Uuid;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place where the machine's clock is read")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    async fn wait(&self, time: std::time::Duration) {
        tokio::time::sleep(time).await;
    }
}

/// Clocks that NTP keeps are less apart than this.
const ASTRAY: Duration = Duration::seconds(5);

/// The clock of the machine, which can be made to agree with the one that several machines share.
#[derive(Debug, Default)]
pub struct ClusterClock {
    machine: SystemClock,
    /// Milliseconds.
    ahead: AtomicI64,
}

#[async_trait]
impl Clock for ClusterClock {
    fn now(&self) -> DateTime<Utc> {
        self.machine.now() + Duration::milliseconds(self.ahead.load(Ordering::Relaxed))
    }

    async fn wait(&self, time: std::time::Duration) {
        self.machine.wait(time).await;
    }

    fn adjust(&self, by: Duration) {
        let ahead = self.ahead.fetch_add(by.num_milliseconds(), Ordering::Relaxed) + by.num_milliseconds();
        if by.abs() < ASTRAY {
            tracing::info!(milliseconds = ahead, "the clock of this node follows the one of the database");
        } else {
            tracing::warn!(
                milliseconds = ahead,
                "the clocks of this machine and of the database are apart; citewire goes by the database's: synchronize both \
                 machines (NTP), because TLS certificates are judged by the machine's"
            );
        }
    }
}

/// Random ids (UUID version 4) from a generator of each thread that the operating system seeds, again and again.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomIds;

impl IdSource for RandomIds {
    #[expect(clippy::disallowed_methods, reason = "this is the one place where random ids are made")]
    fn fresh(&self) -> Uuid {
        Uuid::new_v4()
    }
}

/// A clock that only moves when a test moves it. Waiting moves it at once.
#[derive(Debug)]
pub struct ManualClock(Mutex<DateTime<Utc>>);

impl ManualClock {
    /// A clock that shows `now`.
    #[must_use]
    pub fn at(now: DateTime<Utc>) -> Self {
        Self(Mutex::new(now))
    }

    /// Moves the clock; a negative duration moves it back.
    pub fn advance(&self, by: Duration) {
        let mut now = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *now += by;
    }
}

#[async_trait]
impl Clock for ManualClock {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    async fn wait(&self, time: std::time::Duration) {
        self.advance(Duration::from_std(time).unwrap_or(Duration::MAX));
    }
}

/// Ids that count up from 1; for tests.
#[derive(Debug, Default)]
pub struct CountingIds(AtomicU64);

impl IdSource for CountingIds {
    fn fresh(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.0.fetch_add(1, Ordering::Relaxed)) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_moves_only_when_told() {
        let start = "2026-01-01T00:00:00Z".parse().expect("a time");
        let clock = ManualClock::at(start);
        assert_eq!(clock.now(), start);
        clock.advance(Duration::seconds(-5));
        assert_eq!(clock.now(), start - Duration::seconds(5));
    }

    #[tokio::test]
    async fn waiting_moves_a_manual_clock() {
        let start = "2026-01-01T00:00:00Z".parse().expect("a time");
        let clock = ManualClock::at(start);
        clock.wait(std::time::Duration::from_secs(3600)).await;
        assert_eq!(clock.now(), start + Duration::hours(1));
    }

    #[test]
    fn no_source_gives_an_id_twice() {
        let counting = CountingIds::default();
        assert_ne!(counting.fresh(), counting.fresh());
        assert_ne!(RandomIds.fresh(), RandomIds.fresh());
    }
}
