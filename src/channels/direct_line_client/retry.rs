//! What to do after a call that failed: rules and waiting times, as data.

use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::clock::IdSource;
use crate::egress::scattered;

/// What to do after a call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Nothing: it will fail again.
    GiveUp,
    /// Ask for a fresh credential, once, and repeat.
    Renew,
    /// Nothing was taken in: wait and repeat.
    Repeat,
    /// It may have been taken in: wait, look for it in the conversation, and repeat only when it is not there.
    LookFirst,
    /// It was taken in, but its id is missing: look for it, and never repeat.
    LookOnly,
}

/// What each status means: the first one, the last one, and the rule. All others are for good.
pub const STATUS_RULES: &[(u16, u16, Rule)] = &[
    (200, 299, Rule::LookOnly),
    (401, 401, Rule::Renew),
    (403, 403, Rule::Renew),
    (408, 408, Rule::Repeat),
    (429, 429, Rule::Repeat),
    (500, 500, Rule::LookFirst),
    // 502 is `BotRejectedActivity`: the bot was called, and what it has done is unknown.
    (502, 504, Rule::LookFirst),
];

/// The rule for a status.
pub(super) fn rule_for(status: u16) -> Rule {
    let rule = STATUS_RULES.iter().find(|(first, last, _)| (*first..=*last).contains(&status));
    rule.map_or(Rule::GiveUp, |(_, _, rule)| *rule)
}

/// How long and how often to wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Retry {
    /// How long to wait before each repetition, where the other side does not say. About: between half of it and all of
    /// it, so that callers who failed together do not come back together. There are no more repetitions than entries.
    pub(super) waits: Vec<Duration>,
    /// The longest `Retry-After` that is honoured; a longer one is cut to this.
    pub(super) longest_retry_after: Duration,
    /// The time for everything, repetitions included. What would begin later is not begun.
    pub(super) total: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            waits: [250, 500, 1000, 2000].map(Duration::from_millis).into(),
            longest_retry_after: Duration::from_secs(30),
            total: Duration::from_secs(60),
        }
    }
}

/// What is left of a [`Retry`].
#[derive(Debug)]
pub(super) struct Patience<'a> {
    rules: &'a Retry,
    used: usize,
    until: DateTime<Utc>,
}

impl<'a> Patience<'a> {
    pub(super) fn new(rules: &'a Retry, now: DateTime<Utc>) -> Self {
        Self { rules, used: 0, until: later(now, rules.total) }
    }

    /// How much time is left.
    pub(super) fn left(&self, now: DateTime<Utc>) -> Duration {
        (self.until - now).to_std().unwrap_or_default()
    }

    /// How long to wait before the next repetition; `None` when it is time to give up.
    pub(super) fn next(
        &mut self,
        retry_after: Option<Duration>,
        now: DateTime<Utc>,
        ids: &dyn IdSource,
    ) -> Option<Duration> {
        let planned = *self.rules.waits.get(self.used)?;
        self.used += 1;
        let wait = match retry_after {
            Some(asked) => asked.min(self.rules.longest_retry_after),
            None => scattered(planned, ids.fresh()),
        };
        (later(now, wait) < self.until).then_some(wait)
    }
}

fn later(now: DateTime<Utc>, by: Duration) -> DateTime<Utc> {
    chrono::Duration::from_std(by).ok().and_then(|by| now.checked_add_signed(by)).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{CountingIds, RandomIds};

    fn start() -> DateTime<Utc> {
        "1994-11-06T08:49:37Z".parse().expect("a time")
    }

    #[test]
    fn every_status_has_its_rule() {
        for (status, rule) in [
            (200, Rule::LookOnly),
            (204, Rule::LookOnly),
            (301, Rule::GiveUp),
            (400, Rule::GiveUp),
            (401, Rule::Renew),
            (403, Rule::Renew),
            (404, Rule::GiveUp),
            (409, Rule::GiveUp),
            (413, Rule::GiveUp),
            (429, Rule::Repeat),
            (500, Rule::LookFirst),
            (501, Rule::GiveUp),
            (502, Rule::LookFirst),
            (503, Rule::LookFirst),
            (504, Rule::LookFirst),
        ] {
            assert_eq!(rule_for(status), rule, "{status}");
        }
    }

    #[test]
    fn waits_grow_are_scattered_and_come_to_an_end() {
        let retry = Retry::default();
        let mut patience = Patience::new(&retry, start());
        for planned in &retry.waits {
            let wait = patience.next(None, start(), &RandomIds).expect("there is more");
            assert!(wait >= *planned / 2 && wait <= *planned, "{wait:?} for {planned:?}");
        }
        assert_eq!(patience.next(None, start(), &RandomIds), None);
    }

    #[test]
    fn what_the_other_side_asks_for_is_honoured_up_to_a_limit() {
        let retry = Retry::default();
        let mut patience = Patience::new(&retry, start());
        let mut next = |seconds| patience.next(Some(Duration::from_secs(seconds)), start(), &CountingIds::default());
        assert_eq!(next(7), Some(Duration::from_secs(7)));
        assert_eq!(next(u64::MAX), Some(retry.longest_retry_after));
    }

    #[test]
    fn nothing_begins_after_the_end_of_the_time() {
        let retry = Retry::default();
        let mut patience = Patience::new(&retry, start());
        let late = start() + chrono::Duration::seconds(59);
        assert_eq!(patience.left(late), Duration::from_secs(1));
        assert_eq!(patience.next(Some(Duration::from_secs(1)), late, &CountingIds::default()), None);
        assert_eq!(patience.left(late + chrono::Duration::seconds(5)), Duration::ZERO);
    }
}
