//! Backoff times.

use std::time::Duration;

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// Parses the value of `Retry-After` (RFC 9110, section 10.2.3): seconds, or a time. `None` where it is neither.
#[must_use]
pub fn retry_after(value: &str, now: DateTime<Utc>) -> Option<Duration> {
    let value = value.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let time: DateTime<Utc> = httpdate::parse_http_date(value).ok()?.into();
    // A time that has passed is no wait at all.
    Some((time - now).to_std().unwrap_or_default())
}

/// Between half of a wait and all of it, so that callers who failed together do not come back together; `fresh` decides.
pub(super) fn jittered(wait: Duration, fresh: Uuid) -> Duration {
    // 16 of the bits of an id that carry neither version nor variant.
    let [high, low, ..] = fresh.into_bytes();
    let share = f64::from(u16::from_be_bytes([high, low])) / f64::from(u16::MAX);
    wait.mul_f64(0.5 + share / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_time() {
        let start = "1994-11-06T08:49:37Z".parse().expect("a time");
        let seconds = |value| retry_after(value, start).map(|wait| wait.as_secs());
        assert_eq!(seconds("120"), Some(120));
        assert_eq!(seconds(" 0 "), Some(0));
        assert_eq!(seconds("99999999999999999999999"), Some(u64::MAX));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:49:47 GMT"), Some(10));
        assert_eq!(seconds("Sunday, 06-Nov-94 08:49:47 GMT"), Some(10));
        assert_eq!(seconds("Sun, 06 Nov 1994 08:00:00 GMT"), Some(0));
        for bad in ["", "soon", "-5", "1.5", "1994-11-06T08:49:47Z"] {
            assert_eq!(retry_after(bad, start), None, "{bad:?}");
        }
    }

    #[test]
    fn a_wait_is_scattered_over_its_second_half() {
        let wait = Duration::from_secs(2);
        assert_eq!(jittered(wait, Uuid::nil()), Duration::from_secs(1));
        assert_eq!(jittered(wait, Uuid::max()), wait);
    }
}
