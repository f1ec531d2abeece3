//! The times of the activities of a stream.

use chrono::{DateTime, Duration, SubsecRound as _, Utc};

/// Times for activities that Web Chat has to keep in order.
///
/// Web Chat 4.18.1 sorts by `timestamp`. It puts each chunk a thousandth of a millisecond behind the one before it, and the
/// final where its own time says: a final that is not stamped at least 1 ms behind the first chunk, and 1 ms more for each
/// 1000 chunks, is lost. Times that rise by a whole millisecond, the finest that is written, are always far enough apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamps {
    latest: Option<DateTime<Utc>>,
}

impl Stamps {
    /// Times later than `latest`, which is the time of the newest activity in the conversation where there is one.
    #[must_use]
    pub fn after(latest: Option<DateTime<Utc>>) -> Self {
        Self { latest }
    }

    /// The time of the next activity: the present, but always a millisecond later than the time before it, even when
    /// the clock stands still or goes back.
    pub fn next(&mut self, now: DateTime<Utc>) -> DateTime<Utc> {
        let now = now.trunc_subsecs(3);
        let next = self.latest.map_or(now, |latest| now.max(latest.trunc_subsecs(3) + Duration::milliseconds(1)));
        self.latest = Some(next);
        next
    }

    /// The latest time so far: the final's must be later, whoever assigns it.
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
