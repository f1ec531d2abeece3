//! Why a model ended, in the words of its provider.

use crate::report::{Entry, Kind};

/// What is odd about a reason, unless it is one of the usual ones: a limit, a filter, a pause.
pub(super) fn odd_reason(reason: Option<String>, usual: &[&str], pointer: impl FnOnce() -> String) -> Option<Entry> {
    let reason = reason.filter(|reason| !reason.is_empty())?;
    if usual.iter().any(|usual| usual.eq_ignore_ascii_case(&reason)) {
        return None;
    }
    let message = format!("the model ended with {reason:?}, so the answer may lack its end");
    Some(Entry::in_input(Kind::Note, "finish-reason", pointer(), message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_unusual_reason_is_odd() {
        let odd = |reason: &str| odd_reason(Some(reason.to_owned()), &["stop"], || "/reason".to_owned());
        assert_eq!([odd("stop"), odd("STOP"), odd(""), odd_reason(None, &[], String::new)], [const { None }; 4]);
        assert_eq!(odd("length").map(|entry| entry.code), Some("finish-reason"));
    }
}
