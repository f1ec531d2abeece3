//! Documents in strings, in lists and in sets.

use serde_json::Value;

/// The maximum number of strings in strings that are opened.
const MAX_STRINGS: usize = 3;

/// The value in a string, if it is JSON.
pub(super) fn opened(mut value: Value) -> Value {
    for _ in 0..MAX_STRINGS {
        let inner = value.as_str().and_then(|text| serde_json::from_str(text.trim()).ok());
        match inner {
            Some(inner @ (Value::Object(_) | Value::Array(_) | Value::String(_))) => value = inner,
            _ => break,
        }
    }
    value
}

/// A list or set whose items are opened when they are strings.
pub(super) fn opened_items(mut value: Value) -> Value {
    let is_set = value.get("activities").is_some();
    let list = if is_set { &mut value["activities"] } else { &mut value };
    if is_set {
        *list = opened(list.take());
    }
    if let Value::Array(items) = list {
        items.iter_mut().for_each(|item| *item = opened(item.take()));
    }
    value
}

/// The activities of a set or list, or the value itself.
pub(super) fn of_set(mut value: Value) -> Vec<Value> {
    let list = match value.get_mut("activities") {
        Some(list) if list.is_array() => list.take(),
        Some(_) | None => value,
    };
    if let Value::Array(items) = list { items } else { vec![list] }
}
