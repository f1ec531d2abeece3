//! Finds suggested actions in a shape in which no client draws buttons of them.

use serde_json::{Value, json};

use super::code;
use super::findings::Findings;
use super::place::Place;

/// The members of which one at least gives a button its words or its picture.
const SHOWN: [&str; 5] = ["title", "text", "displayText", "value", "image"];

/// Reports suggested actions that are no buttons.
pub(super) fn check(activity: &Place<'_>, findings: &mut Findings) {
    let Some(written) = activity.member("suggestedActions") else { return };
    let fault = if written.object().is_none() {
        Some(written)
    } else if let Some(actions) = written.member("actions") {
        match actions.value.as_array() {
            None => Some(actions),
            Some(items) => {
                let place = |(index, item)| Place::new(item, actions.at.index(index));
                items.iter().enumerate().map(place).find(|action| !is_action(action.value))
            }
        }
    } else {
        Some(written)
    };
    if let Some(fault) = fault {
        findings.add(
            code::SUGGESTED_ACTIONS_MALFORMED,
            &fault.at,
            "No client draws a button of this, and without a list of actions Web Chat 4.18.1 loses the whole chat. Write {\"to\": [], \"actions\": [{\"type\": \"imBack\", \"title\": …, \"value\": …}]}.",
        );
    }
}

fn is_action(action: &Value) -> bool {
    action.get("type").is_some_and(Value::is_string)
        && SHOWN.iter().any(|key| action.get(key).is_some_and(|value| !value.is_null()))
}

/// The suggested actions as clients read them; nothing if the words of an action are not known.
pub(super) fn mended(written: &Value) -> Option<Value> {
    let one = |action: &Value| match action {
        Value::String(words) if !words.trim().is_empty() => {
            Some(json!({"type": "imBack", "title": words, "value": words}))
        }
        Value::Object(members) if is_action(action) || members.contains_key("type") => {
            is_action(action).then(|| action.clone())
        }
        Value::Object(members) => {
            let words = ["title", "text", "displayText", "value"].iter().find_map(|key| members.get(*key)?.as_str())?;
            let mut action = members.clone();
            action.insert("type".into(), json!("imBack"));
            action.entry("title").or_insert(json!(words));
            action.entry("value").or_insert(json!(words));
            Some(Value::Object(action))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
    };
    let list = |actions: &Value| match actions.as_array() {
        Some(items) => items.iter().map(one).collect::<Option<Vec<_>>>(),
        None => one(actions).map(|action| vec![action]),
    };
    if let Some(members) =
        written.as_object().filter(|members| members.contains_key("actions") || members.contains_key("to"))
    {
        let mut mended = members.clone();
        mended.insert("actions".into(), Value::Array(list(members.get("actions")?)?));
        return Some(Value::Object(mended));
    }
    Some(json!({"to": [], "actions": list(written)?}))
}

#[cfg(test)]
mod tests {
    use super::super::{Channel, check as check_all, mend};
    use super::*;

    fn found(actions: &Value, channel: Channel) -> Vec<(&'static str, String)> {
        let activity = json!({"type": "message", "text": "a", "suggestedActions": actions});
        check_all(&activity, channel).into_iter().map(|finding| (finding.code, finding.pointer)).collect()
    }

    #[test]
    fn other_shapes_are_named_and_mended() {
        let action = json!({"type": "imBack", "title": "Yes", "value": "Yes"});
        let right = json!({"to": [], "actions": [action]});
        for (written, pointer, mended) in [
            (json!([action]), "/suggestedActions", &right),
            (json!(["Yes"]), "/suggestedActions", &right),
            (json!("Yes"), "/suggestedActions", &right),
            (action.clone(), "/suggestedActions", &right),
            (json!({"to": [], "actions": ["Yes"]}), "/suggestedActions/actions/0", &right),
            (json!({"to": [], "actions": action}), "/suggestedActions/actions", &right),
            (
                json!({"to": [], "actions": [action, {"title": "No"}]}),
                "/suggestedActions/actions/1",
                &json!({"to": [], "actions": [action, {"type": "imBack", "title": "No", "value": "No"}]}),
            ),
        ] {
            for channel in [Channel::WebChat, Channel::Teams] {
                assert_eq!(
                    found(&written, channel),
                    [("suggested-actions-malformed", pointer.to_owned())],
                    "{written}"
                );
                let document = json!({"type": "message", "text": "a", "suggestedActions": written});
                let done = mend(&document, channel).expect("an activity");
                assert_eq!((&done.document["suggestedActions"], done.findings.len()), (mended, 0), "{written}");
            }
        }
    }

    #[test]
    fn what_is_drawn_is_left_alone_and_nothing_is_made_up() {
        for fine in [
            json!({"actions": [{"type": "openUrl", "title": "A", "value": "https://a.example/"}]}),
            json!({"to": ["u"], "actions": []}),
            json!({"actions": [{"type": "imBack", "image": "https://a.example/a.png", "value": {"a": 1}}]}),
            json!(null),
        ] {
            assert_eq!(found(&fine, Channel::WebChat), [], "{fine}");
        }
        for unknown in [json!(7), json!({"actions": [{"type": "imBack"}]}), json!({"to": []}), json!([""])] {
            assert_eq!(mended(&unknown), None, "{unknown}");
        }
    }
}
