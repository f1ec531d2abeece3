//! Reads JSON like Web Chat: `null` and wrong types are absent, and single values and lists are interchangeable.

use serde_json::{Map, Value};

use super::code;
use super::findings::Findings;
use super::pointer::Pointer;

/// The only `@context` that Web Chat accepts.
pub(super) const CONTEXT: &str = "https://schema.org";

/// A JSON value and its place.
#[derive(Clone, Debug)]
pub(super) struct Place<'v> {
    pub(super) value: &'v Value,
    pub(super) at: Pointer,
}

impl<'v> Place<'v> {
    pub(super) fn new(value: &'v Value, at: Pointer) -> Self {
        Self { value, at }
    }

    /// The member `key`; `None` if the value is not an object, or lacks the member, or the member is `null`.
    pub(super) fn member(&self, key: &str) -> Option<Place<'v>> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        Some(Place::new(value, self.at.key(key)))
    }

    /// A single-valued member; of a list, the first item.
    pub(super) fn one(&self, key: &str) -> Option<Place<'v>> {
        let member = self.member(key)?;
        let Value::Array(items) = member.value else { return Some(member) };
        let first = items.first().filter(|value| !value.is_null())?;
        Some(Place::new(first, member.at.index(0)))
    }

    /// A multi-valued member; a value that is not a list is the only item. `null` items are skipped.
    pub(super) fn many(&self, key: &str) -> Vec<Place<'v>> {
        let Some(member) = self.member(key) else { return Vec::new() };
        let Value::Array(items) = member.value else { return vec![member] };
        let items = items.iter().enumerate().filter(|(_, item)| !item.is_null());
        items.map(|(index, item)| Place::new(item, member.at.index(index))).collect()
    }

    /// A single-valued string member.
    pub(super) fn text(&self, key: &str) -> Option<&'v str> {
        self.one(key)?.value.as_str()
    }

    /// Like [`text`](Self::text), but the empty string counts as absent.
    pub(super) fn some_text(&self, key: &str) -> Option<&'v str> {
        self.text(key).filter(|text| !text.is_empty())
    }

    pub(super) fn object(&self) -> Option<&'v Map<String, Value>> {
        self.value.as_object()
    }

    /// Whether Web Chat takes this value for a nested thing; reports the reason if not. `what` names the part that users do
    /// not see.
    pub(super) fn is_thing(&self, what: &str, findings: &mut Findings) -> bool {
        let Some(object) = self.object() else {
            findings.add_once(
                code::NESTED_NOT_OBJECT,
                &self.at,
                format!("This is not an object, so {what} is missing in every version. Write an object with `@type`."),
            );
            return false;
        };
        if !object.get("@type").is_some_and(Value::is_string) {
            findings.add_once(
                code::NESTED_TYPE_MISSING,
                &self.at,
                format!(
                    "Without a string `@type` the whole object counts as absent, without any error: {what} is missing \
                     in every version. Add `@type`."
                ),
            );
            return false;
        }
        if object.get("@id").is_some_and(|id| !id.is_string()) {
            findings.add_once(
                code::NESTED_ID_NOT_STRING,
                &self.at.key("@id"),
                format!(
                    "An `@id` that is no string makes the object count as absent: {what} is missing. Write a string."
                ),
            );
            return false;
        }
        if object.get("@context").is_some_and(|context| context != CONTEXT) {
            findings.add_once(
                code::NESTED_CONTEXT_WRONG,
                &self.at.key("@context"),
                format!(
                    "A nested `@context` other than \"{CONTEXT}\" makes the object count as absent: {what} is missing. \
                     Leave it out."
                ),
            );
            return false;
        }
        true
    }
}

/// A number or string in JavaScript's notation, in which positions are compared.
pub(super) fn printed(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(match number.as_f64() {
            Some(float) if number.is_f64() => float.to_string(),
            _ => number.to_string(),
        }),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The first 60 characters of a text, for quotation in a finding.
pub(super) fn excerpt(text: &str) -> String {
    const MAX_CHARS: usize = 60;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn null_is_absent_and_lists_and_single_values_stand_for_each_other() {
        let value = json!({"a": null, "b": ["x", "y"], "c": "z", "d": [null, 1]});
        let place = Place::new(&value, Pointer::default());
        assert!(place.member("a").is_none());
        assert_eq!(place.text("b"), Some("x"));
        assert_eq!(place.one("b").expect("a value").at.as_str(), "/b/0");
        assert_eq!(place.many("c").len(), 1);
        assert_eq!(place.many("d")[0].at.as_str(), "/d/1");
    }

    #[test]
    fn numbers_are_printed_as_javascript_prints_them() {
        assert_eq!(printed(&json!(1)).as_deref(), Some("1"));
        assert_eq!(printed(&json!(1.0)).as_deref(), Some("1"));
        assert_eq!(printed(&json!(1.5)).as_deref(), Some("1.5"));
        assert_eq!(printed(&json!({})), None);
    }

    #[test]
    fn excerpts_are_cut_between_characters() {
        assert_eq!(excerpt("short"), "short");
        assert_eq!(excerpt(&"ü".repeat(80)).chars().count(), 61);
    }
}
