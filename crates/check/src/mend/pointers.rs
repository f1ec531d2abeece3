//! Leads from the pointer of a finding to the values around it.

use serde_json::{Map, Value};

/// A member of an object.
pub(super) struct Member<'d> {
    pub(super) object: &'d mut Map<String, Value>,
    pub(super) key: String,
}

/// The object that holds the member at `pointer`, and its key. The member may be absent.
pub(super) fn member<'d>(document: &'d mut Value, pointer: &str) -> Option<Member<'d>> {
    let (parent, key) = pointer.rsplit_once('/')?;
    let object = document.pointer_mut(parent)?.as_object_mut()?;
    Some(Member { object, key: key.replace("~1", "/").replace("~0", "~") })
}

/// The object at `pointer`.
pub(super) fn object<'d>(document: &'d mut Value, pointer: &str) -> Option<&'d mut Map<String, Value>> {
    document.pointer_mut(pointer)?.as_object_mut()
}

/// The name of the member that holds the value at `pointer`, whether in a list or not.
pub(super) fn name(pointer: &str) -> &str {
    let mut parts = pointer.rsplit('/').skip_while(|part| part.parse::<usize>().is_ok());
    parts.next().unwrap_or_default()
}

/// The pointer of the activity around `pointer`.
pub(super) fn activity(pointer: &str) -> &str {
    let mut length = 0;
    for (index, part) in pointer.split('/').enumerate().skip(1).take(2) {
        let is_item = part.parse::<usize>().is_ok();
        if !(is_item || (index == 1 && part == "activities")) {
            break;
        }
        length += part.len() + 1;
        if is_item {
            return &pointer[..length];
        }
    }
    ""
}

/// The pointer of the claim around `pointer`.
pub(super) fn claim(pointer: &str) -> Option<&str> {
    let start = pointer.rfind("/citation/")? + "/citation/".len();
    let end = pointer[start..].find('/').map_or(pointer.len(), |length| start + length);
    Some(&pointer[..end])
}

/// The claims of an activity, with the objects that stand for a list of one.
pub(super) fn claims(activity: &mut Value) -> Vec<&mut Map<String, Value>> {
    let Some(entities) = activity.get_mut("entities").and_then(Value::as_array_mut) else { return Vec::new() };
    let citations = entities.iter_mut().filter_map(|entity| entity.get_mut("citation"));
    citations
        .flat_map(|citation| {
            if citation.is_array() {
                citation.as_array_mut().into_iter().flatten().collect::<Vec<_>>()
            } else {
                vec![citation]
            }
        })
        .filter_map(Value::as_object_mut)
        .collect()
}

/// The position of a claim as text.
pub(super) fn position(claim: &Map<String, Value>) -> Option<String> {
    crate::place::printed(claim.get("position")?)
}

/// Sets `key` unless it is there and not `null`.
pub(super) fn add(object: &mut Map<String, Value>, key: &str, value: Value) -> Option<()> {
    let is_absent = object.get(key).is_none_or(Value::is_null);
    is_absent.then(|| drop(object.insert(key.to_owned(), value)))
}
