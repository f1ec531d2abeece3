//! The description of a format: how to recognize it, and its readers. The table of all formats is in `formats.rs`.

use serde_json::{Map, Value};

use super::event::ReadEvents;
use super::{IngestError, Provider};
use crate::answer::Answer;

/// The members of a whole answer, or of one event.
pub(super) type Members = Map<String, Value>;

/// One format.
#[derive(Debug)]
pub(super) struct Format {
    pub(super) provider: Provider,
    /// The members by which people recognize a whole answer, for messages: `choices`.
    pub(super) sign: &'static str,
    /// The top-level members of a whole answer, in lists that formats may share. If several formats fit, the one that has
    /// most of the answer's members is chosen. A missing name has no other effect.
    pub(super) members: &'static [&'static [&'static str]],
    /// Whether a whole answer has the members of this format.
    pub(super) is_whole: fn(&Members) -> bool,
    /// Whether an event has members that only this format has. The first format in the table that accepts an event reads the
    /// stream.
    pub(super) is_event: fn(&Members) -> bool,
    /// Reads a whole answer.
    pub(super) parse: fn(&str) -> Result<Answer, IngestError>,
    /// Makes the reader of a stream.
    pub(super) reader: fn() -> Box<dyn ReadEvents>,
}

/// Whether a member is present and not `null`.
pub(super) fn is_something(members: &Members, name: &str) -> bool {
    members.get(name).is_some_and(|value| !value.is_null())
}

/// Whether a member is this string.
pub(super) fn is_text(members: &Members, name: &str, text: &str) -> bool {
    members.get(name).and_then(Value::as_str) == Some(text)
}

/// Whether a value is a list of addresses, which may be empty. Other formats have a list of objects as `citations`.
pub(super) fn is_addresses(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(|entry| entry.is_string() || entry.is_null()))
}
