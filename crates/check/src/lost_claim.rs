//! A claim that Web Chat does not read, as far as it is written.

use serde_json::Value;

use super::place::printed;
use super::pointer::Pointer;

/// A claim that is not read.
#[derive(Debug)]
pub(super) struct Unread {
    pub(super) at: Pointer,
    pub(super) position: String,
    /// The address of its appearance.
    pub(super) url: Option<String>,
}

impl Unread {
    /// Reads a claim as far as it is written; `None` if it says no position.
    pub(super) fn of(claim: &Value, at: &Pointer) -> Option<Self> {
        let position = match claim.get("position")? {
            Value::Array(items) => printed(items.first()?)?,
            one => printed(one)?,
        };
        let url = claim.pointer("/appearance/url").and_then(Value::as_str).map(ToOwned::to_owned);
        Some(Self { at: at.clone(), position, url })
    }
}
