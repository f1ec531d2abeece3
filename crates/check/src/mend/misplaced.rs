//! Moves parts of a Message thing from where no client reads them into the entities.

use serde_json::{Value, json};

use super::citation::add_claims;
use super::pointers::{Member, activity, member, object};
use crate::message::is_message_type;
use crate::misplaced::is_claim;
use crate::place::CONTEXT;

const TYPE: &str = "https://schema.org/Message";

/// Moves a part of a Message thing into the one that the entities have, or into a new one. A whole Message goes there as it is.
pub(super) fn moved(document: &mut Value, at: &str) -> Option<String> {
    let owner = activity(at).to_owned();
    let (parent, key) = at.rsplit_once('/')?;
    let is_message =
        |entity: &Value| ["type", "@type"].iter().any(|key| entity[*key].as_str().is_some_and(is_message_type));
    let entities = document.pointer(&format!("{owner}/entities")).and_then(Value::as_array);
    let has_message = entities.is_some_and(|entities| entities.iter().any(is_message));
    // The data of a channel stay, also where they say that they are a Message.
    let is_whole = parent != owner && parent != format!("{owner}/channelData");
    if !has_message && is_whole && document.pointer(parent).is_some_and(is_message) {
        let mut thing = taken(document, parent)?;
        for (key, value) in [("type", TYPE), ("@type", "Message"), ("@context", CONTEXT), ("@id", "")] {
            thing.as_object_mut()?.entry(key).or_insert_with(|| json!(value));
        }
        entities_of(document, &owner)?.insert(0, thing);
        return Some("moved the Message into `entities`".to_owned());
    }
    // Sources in another form say neither their position nor which member is the title.
    let is_list_of_sources = !matches!(key, "additionalType" | "usageInfo");
    let is_claims = |value: &Value| value.as_array().map_or_else(|| is_claim(value), |all| all.iter().all(is_claim));
    if is_list_of_sources && !document.pointer(at).is_some_and(is_claims) {
        return None;
    }
    let value = taken(document, at)?;
    let value = if value.is_array() || key == "usageInfo" { value } else { json!([value]) };
    let name = if key == "citations" { "citation" } else { key };
    let entities = entities_of(document, &owner)?;
    let found = entities.iter().position(is_message).unwrap_or_else(|| {
        entities.insert(0, json!({"type": TYPE, "@type": "Message", "@context": CONTEXT, "@id": ""}));
        0
    });
    let thing = entities.get_mut(found)?.as_object_mut()?;
    match (thing.get_mut(name), value) {
        (Some(Value::Array(own)), Value::Array(more)) => {
            add_claims(own, &more)?;
        }
        (None | Some(Value::Null), value) => drop(thing.insert(name.to_owned(), value)),
        (Some(_), _) => return None,
    }
    Some(format!("moved `{key}` into a Message entity"))
}

/// The entities of an activity, which has some from now on.
fn entities_of<'d>(document: &'d mut Value, owner: &str) -> Option<&'d mut Vec<Value>> {
    let entities = object(document, owner)?.entry("entities").or_insert_with(|| json!([]));
    if entities.is_null() {
        *entities = json!([]);
    }
    entities.as_array_mut()
}

/// Takes a value out of the list or the object that it stands in.
fn taken(document: &mut Value, at: &str) -> Option<Value> {
    let (parent, key) = at.rsplit_once('/')?;
    if let Some(items) = document.pointer_mut(parent)?.as_array_mut() {
        let index = key.parse().ok().filter(|index| *index < items.len())?;
        return Some(items.remove(index));
    }
    let Member { object, key } = member(document, at)?;
    object.remove(&key)
}
