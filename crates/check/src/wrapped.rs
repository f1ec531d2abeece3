//! Finds entities in a list of their own, or written as a string of JSON: no client reads them.

use serde_json::Value;

use super::code;
use super::findings::Findings;
use super::message::is_schema_thing;
use super::misplaced::has_parts;
use super::place::Place;

/// The depth of lists and strings in each other that is read.
const DEPTH: usize = 4;

/// The entities that a list or a string holds; nothing if it holds anything else, or nothing at all.
pub(super) fn unwrapped(wrapped: &Value) -> Option<Vec<Value>> {
    let mut entities = Vec::new();
    let is_wrapped = matches!(wrapped, Value::Array(_) | Value::String(_));
    (is_wrapped && gather(wrapped, DEPTH, &mut entities) && !entities.is_empty()).then_some(entities)
}

/// Whether an entity holds a Message thing, in a list or a string.
pub(super) fn holds_message(entity: &Value) -> bool {
    unwrapped(entity).is_some_and(|all| all.iter().any(|one| is_schema_thing(one) || has_parts(one)))
}

fn gather(value: &Value, depth: usize, entities: &mut Vec<Value>) -> bool {
    match value {
        Value::Object(_) => entities.push(value.clone()),
        Value::Array(items) if depth > 0 => return items.iter().all(|item| gather(item, depth - 1, entities)),
        Value::String(text) if depth > 0 && text.trim_start().starts_with(['{', '[']) => {
            return serde_json::from_str(text).is_ok_and(|value: Value| gather(&value, depth - 1, entities));
        }
        Value::Array(_) | Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => return false,
    }
    true
}

/// Reports an entity that is no object.
pub(super) fn check(entity: &Place<'_>, findings: &mut Findings) {
    let shape = if entity.value.is_array() { "list" } else { "string" };
    if holds_message(entity.value) {
        findings.add(
            code::MESSAGE_WRAPPED,
            &entity.at,
            format!(
                "No client looks into this {shape}: the Message thing in it is not read, and users see no citations, labels or \
                 mark of AI. Write the object itself into `entities`."
            ),
        );
        return;
    }
    let told = match unwrapped(entity.value) {
        Some(_) => format!(
            "Entities are objects, and no client looks into this {shape}. Write the object itself into `entities`."
        ),
        None => "Entities are objects. Remove this one.".to_owned(),
    };
    findings.add(code::ENTITY_NOT_OBJECT, &entity.at, told);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::example::cited;
    use super::super::{Channel, check as check_all, mend};
    use super::*;

    fn codes(document: &Value, channel: Channel) -> Vec<&'static str> {
        check_all(document, channel).into_iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn a_message_in_a_list_or_a_string_is_named_and_unwrapped() {
        let thing = cited()["entities"][0].clone();
        let mention = json!({"type": "mention", "text": "a"});
        for wrapped in
            [json!([thing]), json!(thing.to_string()), json!([[thing.to_string()]]), json!(json!([thing]).to_string())]
        {
            let mut activity = cited();
            activity["entities"] = json!([wrapped, mention]);
            for channel in [Channel::WebChat, Channel::Teams] {
                let codes = codes(&activity, channel);
                assert!(codes.contains(&"message-wrapped"), "{codes:?}");
                assert!(!codes.contains(&"message-missing") && !codes.contains(&"citation-unopenable"), "{codes:?}");
            }
            let mended = mend(&activity, Channel::WebChat).expect("an activity");
            assert_eq!(mended.document["entities"], json!([thing, mention]));
            assert_eq!(mended.findings, []);
        }
    }

    #[test]
    fn other_entities_are_unwrapped_and_nothing_else_is() {
        let mut activity = cited();
        let thing = activity["entities"][0].clone();
        let mention = json!({"type": "mention", "text": "a"});
        activity["entities"] = json!([thing, [mention, mention]]);
        assert_eq!(codes(&activity, Channel::WebChat), ["entity-not-object"]);
        let mended = mend(&activity, Channel::WebChat).expect("an activity");
        assert_eq!(mended.document["entities"], json!([thing, mention, mention]));
        for other in [json!("x"), json!([]), json!("[1]"), json!([1, mention]), json!("{"), json!(7)] {
            activity["entities"] = json!([thing, other]);
            let mended = mend(&activity, Channel::WebChat).expect("an activity");
            assert_eq!(mended.document, activity);
        }
    }
}
