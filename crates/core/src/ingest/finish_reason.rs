//! Why a model ended, in the words of its provider.

use serde::Deserializer;

use super::json::text_or_number;
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

/// A reason of Gemini's, by its name or by its number in `enum FinishReason`: clients that are made from its protocol buffers write
/// numbers. Those above 5 differ between Gemini and Vertex AI, so they stay numbers.
pub(super) fn gemini_reason<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    const NAMES: [&str; 6] = ["FINISH_REASON_UNSPECIFIED", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER"];
    named(deserializer, &NAMES)
}

/// Why Gemini refused a question, likewise, of `enum BlockReason`.
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
