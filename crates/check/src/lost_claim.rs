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
        let written = claim.get("position")?;
        let position = printed(written.as_array().map_or(Some(written), |items| items.first())?)?;
        let url = claim.pointer("/appearance/url").and_then(Value::as_str).map(ToOwned::to_owned);
        Some(Self { at: at.clone(), position, url })
    }
}
