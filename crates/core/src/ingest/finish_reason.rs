//! Notes about finish reasons other than the usual ones.

use serde::Deserializer;

use super::json::text_or_number;
use crate::report::{Entry, Kind};

/// A note about a finish reason that is not in `usual`, such as a limit, a filter or a pause. Case is ignored; an empty
/// reason counts as none.
pub(super) fn odd_reason(reason: Option<String>, usual: &[&str], pointer: impl FnOnce() -> String) -> Option<Entry> {
    let reason = reason.filter(|reason| !reason.is_empty())?;
    if usual.iter().any(|usual| usual.eq_ignore_ascii_case(&reason)) {
        return None;
    }
    let message = format!("the model ended with {reason:?}, so the answer may lack its end");
    Some(Entry::in_input(Kind::Note, "finish-reason", pointer(), message))
}

/// Reads a finish reason of Gemini, which may be the name or the number of a value of `enum FinishReason`: clients generated
/// from the protocol buffers write numbers. Numbers above 5 differ between Gemini and Vertex AI, so they are kept as numbers.
pub(super) fn gemini_reason<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    const NAMES: [&str; 6] = ["FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER"];
    named(deserializer, &NAMES)
}

/// Reads why Gemini refused a question: the name or the number of a value of `enum BlockReason`.
pub(super) fn gemini_block<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    const NAMES: [&str; 5] = ["BLOCK_REASON_UNSPECIFIED", "SAFETY", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT"];
    named(deserializer, &NAMES)
}

fn named<'de, D: Deserializer<'de>>(deserializer: D, names: &[&str]) -> Result<Option<String>, D::Error> {
    let name = text_or_number(deserializer)?;
    Ok(name.map(|name| match name.parse::<usize>().ok().and_then(|number| names.get(number)) {
        Some(named) => (*named).to_owned(),
        None => name,
    }))
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
