//! Checks the entities as a JSON-LD graph.
//!
//! Web Chat accepts some errors that JSON-LD processors refuse, and the other way round, so both readings are checked.

use serde_json::{Map, Value};

use super::code;
use super::findings::Findings;
use super::place::{Place, excerpt};
use super::pointer::Pointer;
use super::terms::{is_known, is_known_type};
use crate::context::is_address;
use crate::expand::{expand, resolve};

/// The maximum nesting of objects and lists. A message needs six levels; the processor uses much stack for each.
const MAX_DEPTH: usize = 8;

pub(super) fn check(things: &[&Place<'_>], findings: &mut Findings) {
    let Some(first) = things.first() else { return };
    let mut claims = Vec::new();
    let known: Vec<_> = things.iter().map(|thing| known_part(thing, 0, &mut claims, findings)).collect();
    let subjects = match expand(&Value::Array(known)) {
        Ok(subjects) => subjects,
        Err(error) => {
            findings.add(
                code::LINKED_DATA_INVALID,
                &first.at,
                format!("Web Chat may still draw the message, but readers of JSON-LD refuse the entities: {error}."),
            );
            return;
        }
    };
    let mut seen: std::collections::BTreeMap<String, Pointer> = std::collections::BTreeMap::new();
    for (id, at) in claims {
        let Some(id) = resolve(id) else { continue };
        let Some(subject) = subjects.get(&id) else { continue };
        let ambiguous = ["position", "appearance", "name"]
            .iter()
            .any(|property| subject.values.get(*property).is_some_and(|values| *values > 1));
        if let Some(first) = seen.get(&id).filter(|_| ambiguous) {
            findings.add(
                code::CLAIMS_MERGE,
                &at.key("@id"),
                format!(
                    "{} has this `@id` as well: Web Chat keeps the claims apart, other readers see one claim with \
                     two positions. Give this one an `@id` of its own, by a fragment for instance.",
                    first.as_str()
                ),
            );
        }
        seen.entry(id).or_insert(at);
    }
}

/// A copy of the thing without contexts and unknown terms. Collects the claims that have an identifier.
fn known_part<'v>(
    place: &Place<'v>,
    depth: usize,
    claims: &mut Vec<(&'v str, Pointer)>,
    findings: &mut Findings,
) -> Value {
    if depth > MAX_DEPTH && (place.value.is_object() || place.value.is_array()) {
        findings.add(
            code::NESTING_TOO_DEEP,
            &place.at,
            format!("More than {MAX_DEPTH} levels inside a thing: the graph below this place was not checked."),
        );
        return Value::Null;
    }
    let object = match place.value {
        Value::Array(items) => {
            let items = items.iter().enumerate();
            let known = items
                .map(|(index, item)| known_part(&Place::new(item, place.at.index(index)), depth + 1, claims, findings));
            return Value::Array(known.collect());
        }
        Value::Object(object) => object,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return place.value.clone(),
    };
    if object.get("@type").is_some_and(|kind| kind == "Claim")
        && let Some(id) = object.get("@id").and_then(Value::as_str)
    {
        claims.push((id, place.at.clone()));
    }
    let mut known = Map::new();
    for (key, value) in object {
        let at = place.at.key(key);
        match key.as_str() {
            "@context" => continue,
            "@type" | "type" => {
                if value.as_str().is_some_and(is_known_type) {
                    known.insert(key.clone(), value.clone());
                }
                continue;
            }
            // The rules of Web Chat have reported these already.
            "@id" if !value.is_string() => continue,
            key if is_known(key) => {}
            _ => continue,
        }
        if key == "@id" || is_address(key) {
            check_addresses(key == "@id", value, &at, findings);
        }
        known.insert(key.clone(), known_part(&Place::new(value, at), depth + 1, claims, findings));
    }
    Value::Object(known)
}

fn check_addresses(is_name: bool, value: &Value, at: &Pointer, findings: &mut Findings) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate().filter(|(_, item)| item.is_string()) {
                check_addresses(is_name, item, &at.index(index), findings);
            }
        }
        Value::String(written) if is_name && resolve(written).is_none() => findings.add(
            code::NODE_ID_INVALID,
            at,
            format!(
                "{:?} is no IRI, which no user sees: readers of JSON-LD lose the name of this node. Write an address, or a name \
                 that begins with `_:`.",
                excerpt(written)
            ),
        ),
        Value::String(written) if resolve(written).is_none() => findings.add(
            code::IRI_INVALID,
            at,
            format!(
                "{:?} is no IRI: readers of JSON-LD silently lose what it says, and links may not open. \
                 Percent-encode it.",
                excerpt(written)
            ),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::pointer::Pointer;

    fn codes(thing: &Value) -> Vec<(&'static str, String)> {
        let mut findings = Findings::default();
        check(&[&Place::new(thing, Pointer::default())], &mut findings);
        findings.finish().into_iter().map(|finding| (finding.code, finding.pointer)).collect()
    }

    #[test]
    fn two_claims_with_one_identifier_merge_unless_they_agree() {
        let claim = |position: &str| json!({"@type": "Claim", "@id": "https://a.example/", "position": position});
        assert_eq!(codes(&json!({"citation": [claim("1"), claim("2")]})), [("claims-merge", "/citation/1/@id".into())]);
        assert_eq!(codes(&json!({"citation": [claim("1"), claim("1")]})), []);
    }

    #[test]
    fn addresses_that_are_no_iris_are_found() {
        let thing = json!({"@type": "Message", "image": "https://a.example/a b", "url": "https://a.example/ü"});
        assert_eq!(codes(&thing), [("iri-invalid", "/image".into())]);
    }

    #[test]
    fn values_that_json_ld_forbids_are_found() {
        assert_eq!(codes(&json!({"name": {"@value": [1]}})), [("linked-data-invalid", String::new())]);
    }
}
