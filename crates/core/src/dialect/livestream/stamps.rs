//! The times of the activities of a stream.

use chrono::{DateTime, Duration, SubsecRound as _, Utc};

/// Timestamps for activities that Web Chat sorts.
///
/// Web Chat 4.18.1 sorts by `timestamp`. It places each chunk 1 µs behind the one before it, and the final message at its
/// own time. A final message is lost unless it is at least 1 ms later than the first chunk, plus 1 ms for each 1000 chunks.
/// Stamps rise by at least 1 ms, the finest unit that is written, so they are always far enough apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamps {
    latest: Option<DateTime<Utc>>,
}

impl Stamps {
    /// Stamps later than `latest`, the time of the newest activity in the conversation, if any.
    #[must_use]
    pub fn after(latest: Option<DateTime<Utc>>) -> Self {
        Self { latest }
    }

    /// The time of the next activity: `now`, but at least 1 ms later than the previous stamp, even if the clock stands still
    /// or goes back.
    pub fn next(&mut self, now: DateTime<Utc>) -> DateTime<Utc> {
        let now = now.trunc_subsecs(3);
        let next = self.latest.map_or(now, |latest| now.max(latest.trunc_subsecs(3) + Duration::milliseconds(1)));
        self.latest = Some(next);
        next
    }

    /// The latest stamp so far. The time of the final message must be later.
    #[must_use]
    pub fn latest(self) -> Option<DateTime<Utc>> {
        self.latest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: &str) -> DateTime<Utc> {
        time.parse().expect("a time")
    }

    #[test]
    fn times_follow_the_clock_in_whole_milliseconds() {
        let mut stamps = Stamps::default();
        assert_eq!(stamps.next(at("2026-01-01T00:00:00.0019Z")), at("2026-01-01T00:00:00.001Z"));
        assert_eq!(stamps.next(at("2026-01-01T00:00:01Z")), at("2026-01-01T00:00:01Z"));
    }

    #[test]
    fn times_rise_when_the_clock_stands_still_or_goes_back() {
        let now = at("2026-01-01T00:00:00.5004Z");
        let mut stamps = Stamps::after(Some(now));
        let times: Vec<_> = [now, now, at("2025-01-01T00:00:00Z")].map(|now| stamps.next(now)).into();
        assert_eq!(times, ["501", "502", "503"].map(|ms| at(&format!("2026-01-01T00:00:00.{ms}Z"))));
        assert_eq!(stamps.latest(), times.last().copied());
    }
}
