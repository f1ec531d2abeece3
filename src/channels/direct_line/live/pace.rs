//! When updates go out.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// At most one update in an interval, and none that is late: the first goes out as soon as there is something to show, and
/// whatever is new after that when the interval is over, whether more of the answer comes or not.
#[derive(Debug)]
pub(super) struct Pace {
    interval: Duration,
    /// Since when something waits to be shown.
    waiting: Option<Instant>,
    /// Before this nothing goes out.
    next: Instant,
}

impl Pace {
    pub(super) fn new(interval: Duration) -> Self {
        Self { interval, waiting: None, next: Instant::now() }
    }

    /// There is something new to show.
    pub(super) fn wish(&mut self) {
        self.waiting.get_or_insert_with(Instant::now);
    }

    pub(super) fn is_waiting(&self) -> bool {
        self.waiting.is_some()
    }

    /// What was new is shown.
    pub(super) fn shown(&mut self) {
        self.waiting = None;
        self.next = Instant::now() + self.interval;
    }

    /// Nobody was there to see it; it waits on.
    pub(super) fn unseen(&mut self) {
        self.waiting = Some(Instant::now());
        self.next = Instant::now() + self.interval;
    }

    /// Resolves when an update may go out.
    pub(super) async fn allowed(&self) {
        sleep_until(self.next).await;
    }

    /// Resolves when an update must go out, however much of the answer there is to take in. Until then, what has arrived
    /// already is taken in first, so that an answer that comes at once is not shown in pieces.
    pub(super) async fn due(&self) {
        let Some(since) = self.waiting else { return std::future::pending().await };
        let due = self.next.max(since + self.interval);
        // Timers stand still while a body that always has more keeps the thread.
        if Instant::now() < due {
            sleep_until(due).await;
        }
    }
}
