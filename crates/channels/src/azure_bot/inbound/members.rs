//! Helpers to read members of an activity.

use serde_json::Value;

/// A text, not an empty one, that is a member of an object.
pub(super) fn text_of<'a>(object: Option<&'a Value>, name: &str) -> Option<&'a str> {
    object?.get(name)?.as_str().filter(|text| !text.is_empty())
}
