//! Logs refused activities with a rate limit, so that strangers cannot flood the log.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use chrono::{DateTime, Duration, Utc};

/// One complaint comes once in this time.
const PAUSE: Duration = Duration::minutes(1);

/// The number of complaints that are told apart.
const MOST: usize = 256;

/// The refusals that were logged recently.
#[derive(Debug, Default)]
pub struct RefusalLog(Mutex<BTreeMap<String, LastLine>>);

/// The last line about a complaint.
#[derive(Debug)]
struct LastLine {
    at: DateTime<Utc>,
    since: u64,
}

impl RefusalLog {
    /// Whether to tell this now, and of how many of its kind nothing was told since the last time.
    pub fn take(&self, words: &str, now: DateTime<Utc>) -> Option<u64> {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = told.get_mut(words) {
            if now.signed_duration_since(last.at) < PAUSE {
                last.since += 1;
                return None;
            }
            let since = last.since;
            *last = LastLine { at: now, since: 0 };
            return Some(since);
        }
        if told.len() >= MOST {
            told.retain(|_, last| now.signed_duration_since(last.at) < PAUSE);
        }
        if told.len() >= MOST {
            return None;
        }
        told.insert(words.to_owned(), LastLine { at: now, since: 0 });
        Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_complaint_comes_once_a_minute_with_a_count_of_the_others() {
        let refusal_log = RefusalLog::default();
        let at = |seconds| DateTime::from_timestamp(seconds, 0).expect("a time");
        assert_eq!(refusal_log.take("a", at(0)), Some(0));
        assert_eq!([refusal_log.take("a", at(1)), refusal_log.take("a", at(59))], [None, None]);
        assert_eq!(refusal_log.take("b", at(59)), Some(0));
        assert_eq!(refusal_log.take("a", at(60)), Some(2));
    }

    #[test]
    fn nobody_fills_the_memory_with_complaints() {
        let refusal_log = RefusalLog::default();
        let now = DateTime::UNIX_EPOCH;
        let told = (0..1_000).filter(|n| refusal_log.take(&n.to_string(), now).is_some()).count();
        assert_eq!((told, refusal_log.0.lock().expect("a lock").len()), (MOST, MOST));
        assert_eq!(refusal_log.take("new", now + PAUSE), Some(0));
    }
}
