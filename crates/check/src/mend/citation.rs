//! Mends lists of claims.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::pointers::{add, position};
use crate::message::is_message_type;
use crate::misplaced::is_claim;

/// Adds claims to a list, without those that it has; `None` if one has the position of another claim of the list, because two
/// sources at one position are no one's to choose from.
pub(super) fn add_claims(own: &mut Vec<Value>, more: &[Value]) -> Option<()> {
    let known: BTreeSet<String> = own.iter().map(written).collect();
    let taken: BTreeSet<String> = own.iter().filter_map(place).collect();
    let new: Vec<&Value> = more.iter().filter(|claim| !known.contains(&written(claim))).collect();
    let is_free = |claim: &&Value| place(claim).is_none_or(|position| !taken.contains(&position));
    new.iter().all(is_free).then(|| own.extend(new.into_iter().cloned()))
}

/// The position of a claim, as text.
fn place(claim: &Value) -> Option<String> {
    position(claim.as_object()?)
}

/// A claim as it is compared: `1` and `"1"` are one position.
fn written(claim: &Value) -> String {
    let mut claim = claim.clone();
    if let Some(position) = place(&claim) {
        claim["position"] = json!(position);
    }
    claim.to_string()
}

/// Puts the claims of a second Message entity into the first, unless the two contradict each other.
pub(super) fn merged(document: &mut Value, at: &str) -> Option<String> {
    let (list, index) = at.rsplit_once('/')?;
    let index: usize = index.parse().ok()?;
    let entities = document.pointer_mut(list)?.as_array_mut()?;
    let is_message = |entity: &Value| entity["type"].as_str().is_some_and(is_message_type);
    let first = entities.iter().position(is_message).filter(|first| *first < index)?;
    let second = entities.get(index)?.as_object()?.clone();
    let target = entities[first].as_object_mut()?;
    let agree = |key: &str, value: &Value| target.get(key).is_none_or(|own| own == value);
    if second.iter().any(|(key, value)| key != "citation" && !agree(key, value)) {
        return None;
    }
    let mut claims = target.get("citation").cloned().unwrap_or(json!([])).as_array()?.clone();
    add_claims(&mut claims, second.get("citation").cloned().unwrap_or(json!([])).as_array()?)?;
    for (key, value) in second {
        target.insert(key, value);
    }
    target.insert("citation".into(), Value::Array(claims));
    entities.remove(index);
    Some("put its claims into the first Message entity".into())
}

/// Writes the claims of a message to Teams as a list.
pub(super) fn listed(document: &mut Value, at: &str) -> Option<String> {
    let value = document.pointer_mut(at)?;
    if is_keyed(value) {
        return unkeyed(document, at);
    }
    is_claim(value).then(|| *value = json!([value.take()]))?;
    Some("made it a list of one".into())
}

/// Whether claims stand under their numbers.
pub(super) fn is_keyed(claims: &Value) -> bool {
    let is_number = |key: &String| key.parse::<u32>().is_ok();
    claims.as_object().is_some_and(|members| {
        !members.is_empty() && members.iter().all(|(key, claim)| is_number(key) && claim.is_object())
    })
}

/// Writes claims that stand under their numbers as a list; `None` if one of them has no position and the numbers begin with 0,
/// which may be those of a list.
pub(super) fn unkeyed(document: &mut Value, at: &str) -> Option<String> {
    let claims = document.pointer_mut(at)?;
    let members = claims.as_object().filter(|_| is_keyed(claims))?;
    let mut list: Vec<(u32, Value)> =
        members.iter().filter_map(|(key, claim)| Some((key.parse().ok()?, claim.clone()))).collect();
    list.sort_by_key(|(number, _)| *number);
    let from_zero = list.first().is_some_and(|(number, _)| *number == 0);
    if from_zero && list.iter().any(|(_, claim)| place(claim).is_none()) {
        return None;
    }
    for (number, claim) in &mut list {
        add(claim.as_object_mut()?, "position", json!(number.to_string()));
    }
    *claims = Value::Array(list.into_iter().map(|(_, claim)| claim).collect());
    Some("wrote the claims as a list".into())
}
