//! A claim that Web Chat does not read, as far as it is written.

use serde_json::Value;

use super::place::printed;
use super::pointer::Pointer;

/// A claim that is not read.
#[derive(Debug)]
pub(super) struct Unread {
    pub(super) at: Pointer,
    /// The position, if it says one.
    pub(super) position: Option<String>,
    /// The address of its appearance.
    pub(super) url: Option<String>,
}

impl Unread {
    /// Reads a claim as far as it is written.
    pub(super) fn of(claim: &Value, at: &Pointer) -> Self {
        let written = claim.get("position");
        let first = written.and_then(|written| written.as_array().map_or(Some(written), |items| items.first()));
        let position = first.and_then(printed);
        let url = claim.pointer("/appearance/url").and_then(Value::as_str).map(ToOwned::to_owned);
        Self { at: at.clone(), position, url }
    }
}
