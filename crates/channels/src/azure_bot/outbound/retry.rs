//! The retry policy of calls to the Bot Connector, as data.

use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::clock::IdSource;
use crate::egress::{Retry, RetryBudget, by_status};

/// The next step after a response of the service.
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

/// The rule for each status: the first one, the last one, and the rule. All others are for good. That 502 and 504 are among
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
    by_status(STATUS_RULES, status).unwrap_or(Rule::GiveUp)
}

/// The pauses where the service does not say: as Teams advises, three more tries, 1 to 15 seconds apart.
pub(super) fn as_teams_advises() -> Retry {
    Retry::after([2, 5, 15].map(Duration::from_secs))
}

/// How long to wait before a call is made again under a rule; `None` when it is not.
pub(super) fn wait(
    rule: Rule,
    patience: &mut RetryBudget<'_>,
    retry_after: Option<Duration>,
    now: DateTime<Utc>,
    ids: &dyn IdSource,
) -> Option<Duration> {
    let may_repeat = match rule {
        Rule::GiveUp | Rule::Renew => false,
        Rule::Once => patience.is_unused(),
        Rule::BackOff => true,
    };
    if may_repeat { patience.next(retry_after, now, || ids.fresh()) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::RandomIds;

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
    fn a_fault_of_the_service_is_tried_once_more_and_only_before_anything_else_was() {
        let retry = as_teams_advises();
        let mut patience = RetryBudget::new(&retry, start());
        let mut next = |rule| wait(rule, &mut patience, None, start(), &RandomIds).is_some();
        assert_eq!([Rule::GiveUp, Rule::Renew, Rule::Once, Rule::Once].map(&mut next), [false, false, true, false]);
        assert_eq!([Rule::BackOff, Rule::BackOff, Rule::BackOff].map(next), [true, true, false]);
    }
}
