//! Which calls are made again, when and how often: data.

use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::clock::IdSource;
use crate::egress::scattered;

/// What to do after an answer of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Nothing: it would be the same again.
    GiveUp,
    /// Get another token, once, and call again.
    Renew,
    /// Wait, and call again as often as there are waits.
    BackOff,
    /// Wait, and call again, but once only.
    Once,
}

/// What each status asks for: the first one, the last one, and the rule. All others are for good. That 502 and 504 are among
/// them is the advice of Teams, although the service may have taken what it was sent.
pub const STATUS_RULES: &[(u16, u16, Rule)] = &[
    (401, 401, Rule::Renew),
    (412, 412, Rule::BackOff),
    (429, 429, Rule::BackOff),
    (500, 500, Rule::Once),
    (502, 504, Rule::BackOff),
];

/// The rule for a status.
pub(super) fn rule_for(status: u16) -> Rule {
    let rule = STATUS_RULES.iter().find(|(first, last, _)| (*first..=*last).contains(&status));
    rule.map_or(Rule::GiveUp, |(_, _, rule)| *rule)
}

/// How long and how often to wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retry {
    /// How long to wait before each repetition, where the service does not say. About: between half of it and all of it, so
    /// that calls that failed together do not come back together. There are no more repetitions than entries.
    pub waits: Vec<Duration>,
    /// The longest `Retry-After` that is honoured; a longer one is cut to this.
    pub longest_retry_after: Duration,
    /// The time for everything, repetitions included. What would begin later is not begun.
    pub total: Duration,
}

impl Default for Retry {
    /// As Teams advises: three more tries, 2 to 20 seconds apart.
    fn default() -> Self {
        Self {
            waits: [2, 5, 15].map(Duration::from_secs).into(),
            longest_retry_after: Duration::from_secs(30),
            total: Duration::from_secs(60),
        }
    }
}

impl Retry {
    /// No repetitions: for what is out of date by then.
    #[must_use]
    pub fn never() -> Self {
        Self { waits: Vec::new(), ..Self::default() }
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
        rule: Rule,
        retry_after: Option<Duration>,
        now: DateTime<Utc>,
        ids: &dyn IdSource,
    ) -> Option<Duration> {
        match rule {
            Rule::GiveUp | Rule::Renew => return None,
            Rule::Once if self.used > 0 => return None,
            Rule::Once | Rule::BackOff => {}
        }
        let planned = *self.rules.waits.get(self.used)?;
        self.used += 1;
        let wait = match retry_after {
            Some(asked) => asked.min(self.rules.longest_retry_after),
            None => scattered(planned, ids.fresh()),
        };
        (later(now, wait) < self.until).then_some(wait)
    }
}

/// A time so much later.
pub(super) fn later(now: DateTime<Utc>, by: Duration) -> DateTime<Utc> {
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
    fn point_09_every_status_has_its_rule() {
        for (status, rule) in [
            (200, Rule::GiveUp),
            (307, Rule::GiveUp),
            (400, Rule::GiveUp),
            (401, Rule::Renew),
            (403, Rule::GiveUp),
            (404, Rule::GiveUp),
            (405, Rule::GiveUp),
            (412, Rule::BackOff),
            (413, Rule::GiveUp),
            (429, Rule::BackOff),
            (500, Rule::Once),
            (501, Rule::GiveUp),
            (502, Rule::BackOff),
            (503, Rule::BackOff),
            (504, Rule::BackOff),
        ] {
            assert_eq!(rule_for(status), rule, "{status}");
        }
    }

    #[test]
    fn waits_grow_are_scattered_and_come_to_an_end() {
        let retry = Retry::default();
        let mut patience = Patience::new(&retry, start());
        for planned in &retry.waits {
            let wait = patience.next(Rule::BackOff, None, start(), &RandomIds).expect("there is more");
            assert!(wait >= *planned / 2 && wait <= *planned, "{wait:?} for {planned:?}");
        }
        assert_eq!(patience.next(Rule::BackOff, None, start(), &RandomIds), None);
    }

    #[test]
    fn a_fault_of_the_service_is_tried_once_more_and_only_before_anything_else_was() {
        let retry = Retry::default();
        let mut patience = Patience::new(&retry, start());
        assert!(patience.next(Rule::Once, None, start(), &RandomIds).is_some());
        assert_eq!(patience.next(Rule::Once, None, start(), &RandomIds), None);
        assert_eq!(Patience::new(&Retry::never(), start()).next(Rule::BackOff, None, start(), &RandomIds), None);
    }

    #[test]
    fn what_the_service_asks_for_is_honoured_up_to_a_limit() {
        let retry = Retry::default();
        let mut patience = Patience::new(&retry, start());
        let ids = CountingIds::default();
        let mut next = |seconds| patience.next(Rule::BackOff, Some(Duration::from_secs(seconds)), start(), &ids);
        assert_eq!(next(7), Some(Duration::from_secs(7)));
        assert_eq!(next(u64::MAX), Some(retry.longest_retry_after));
    }

    #[test]
    fn nothing_begins_after_the_end_of_the_time() {
        let retry = Retry::default();
        let mut patience = Patience::new(&retry, start());
        let late = start() + chrono::Duration::seconds(59);
        assert_eq!(patience.left(late), Duration::from_secs(1));
        assert_eq!(patience.next(Rule::BackOff, Some(Duration::from_secs(1)), late, &CountingIds::default()), None);
        assert_eq!(patience.left(late + chrono::Duration::seconds(5)), Duration::ZERO);
    }
}
