//! Time limits, size limit and retries of a back end.

use std::time::Duration;

use serde::Deserialize;
use utoipa::ToSchema;

use crate::egress::{LongWait, Retry, StreamLimits};

/// Time limits, size limit and retries of a back end: the table `limits` of an upstream.
#[derive(Clone, Debug, PartialEq, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CallLimits {
    /// The longest time to connect, in seconds.
    pub connect_seconds: f64,
    /// The longest time from the call to the first byte of the answer, in seconds.
    pub first_byte_seconds: f64,
    /// The longest time from the first byte to the first words of an answer, in seconds. Comments and empty events are no words; what a
    /// model thinks aloud counts.
    pub first_words_seconds: f64,
    /// The longest pause within an answer, in seconds.
    pub silence_seconds: f64,
    /// The largest answer, in bytes as sent.
    pub max_bytes: usize,
    /// How often citewire repeats a call that failed before the first byte.
    pub retries: u32,
    /// The longest `Retry-After` that citewire waits for, in seconds. If the back end asks for a longer wait, the call fails.
    pub retry_after_seconds: f64,
}

impl Default for CallLimits {
    fn default() -> Self {
        Self {
            connect_seconds: 10.0,
            first_byte_seconds: 60.0,
            first_words_seconds: 60.0,
            silence_seconds: 30.0,
            max_bytes: 16 * 1024 * 1024,
            retries: 2,
            retry_after_seconds: 10.0,
        }
    }
}

/// A limit beyond which no call makes sense.
const LONGEST_SECONDS: f64 = 3600.0;

/// The most that a call is repeated.
const MOST_RETRIES: u32 = 10;

/// How long to wait before the first repetition, where the other side does not say; twice as long before each other.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// The longest wait that was not asked for.
const LONGEST_WAIT: Duration = Duration::from_secs(8);

impl CallLimits {
    /// The faults, by the names of the keys in the table.
    pub(super) fn faults(&self) -> Vec<(&'static str, &'static str)> {
        let seconds = [
            ("connect_seconds", self.connect_seconds),
            ("first_byte_seconds", self.first_byte_seconds),
            ("first_words_seconds", self.first_words_seconds),
            ("silence_seconds", self.silence_seconds),
        ];
        let wrong = |seconds: f64| !(seconds > 0.0 && seconds <= LONGEST_SECONDS);
        let mut faults: Vec<_> =
            seconds.into_iter().filter(|(_, seconds)| wrong(*seconds)).map(|(key, _)| (key, SECONDS)).collect();
        if !(0.0..=LONGEST_SECONDS).contains(&self.retry_after_seconds) {
            faults.push(("retry_after_seconds", "the value must be 0 to 3600 seconds"));
        }
        if self.max_bytes == 0 {
            faults.push(("max_bytes", "more than 0 bytes are required"));
        }
        if self.retries > MOST_RETRIES {
            faults.push(("retries", "the value must be 0 to 10"));
        }
        faults
    }

    pub(super) fn connect(&self) -> Duration {
        seconds(self.connect_seconds)
    }

    pub(super) fn first_words(&self) -> Duration {
        seconds(self.first_words_seconds)
    }

    /// The limits of one call.
    pub(super) fn of_stream(&self) -> StreamLimits {
        StreamLimits {
            first_byte: seconds(self.first_byte_seconds),
            silence: seconds(self.silence_seconds),
            bytes: self.max_bytes,
        }
    }

    /// How a call is made again that failed before the first byte. Each attempt has limits of its own, all of them together
    /// have none.
    pub(super) fn retry(&self) -> Retry {
        let wait = |retry| FIRST_WAIT.saturating_mul(2_u32.saturating_pow(retry)).min(LONGEST_WAIT);
        let mut retry = Retry::after((0..self.retries).map(wait).collect::<Vec<_>>());
        retry.longest_retry_after = seconds(self.retry_after_seconds);
        retry.longer = LongWait::GiveUp;
        retry.total = Duration::MAX;
        retry
    }
}

const SECONDS: &str = "more than 0 and at most 3600 seconds are required";

/// Numbers that were not checked give the longest time.
fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::from_secs(3600))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_come_to_an_end() {
        let limits = CallLimits { retries: 6, ..CallLimits::default() };
        let waits = |limits: CallLimits| limits.retry().waits.iter().map(Duration::as_millis).collect::<Vec<_>>();
        assert_eq!(waits(limits), [500, 1000, 2000, 4000, 8000, 8000]);
        assert_eq!(waits(CallLimits { retries: 0, ..CallLimits::default() }), []);
    }

    #[test]
    fn impossible_limits_are_named() {
        assert_eq!(CallLimits::default().faults(), []);
        let limits = CallLimits {
            connect_seconds: 0.0,
            first_byte_seconds: f64::NAN,
            first_words_seconds: 0.0,
            silence_seconds: 1e9,
            max_bytes: 0,
            retries: 11,
            retry_after_seconds: -1.0,
        };
        let keys: Vec<_> = limits.faults().into_iter().map(|(key, _)| key).collect();
        let all = [
            "connect_seconds",
            "first_byte_seconds",
            "first_words_seconds",
            "silence_seconds",
            "retry_after_seconds",
            "max_bytes",
            "retries",
        ];
        assert_eq!(keys, all);
    }
}
