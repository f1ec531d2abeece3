//! The retry policy of failed calls, as data.

use std::time::Duration;

use crate::egress::{Retry, by_status};

/// The next step after a failed call.
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

/// The meaning of each status: the first one, the last one, and the rule. All others are for good.
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
    by_status(STATUS_RULES, status).unwrap_or(Rule::GiveUp)
}

/// The pauses where the other side does not say.
pub(super) fn usual() -> Retry {
    Retry::after([250, 500, 1000, 2000].map(Duration::from_millis))
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
