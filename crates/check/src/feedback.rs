//! Finds the request for thumbs where no client reads it: outside of `channelData`, or there under another name.

use serde_json::{Map, Value, json};

use super::code;
use super::findings::Findings;
use super::place::Place;

/// The names that clients read in `channelData`.
const READ: [&str; 2] = ["feedbackLoop", "feedbackLoopEnabled"];

/// Whether a member asks for thumbs, in any spelling.
pub(super) fn is_request(key: &str) -> bool {
    let letters: String = key.chars().filter(|c| !matches!(c, '_' | '-')).collect();
    READ.iter().any(|name| letters.eq_ignore_ascii_case(name))
}

/// The kind of thumbs that a value names, in any case.
pub(super) fn kind(value: &Value) -> Option<&'static str> {
    let written = value.as_str()?.trim();
    ["default", "custom"].into_iter().find(|kind| kind.eq_ignore_ascii_case(written))
}

/// The request as clients read it; nothing if none was meant.
pub(super) fn request(value: &Value) -> Option<Value> {
    match value {
        Value::Bool(true) => Some(json!({"type": "default"})),
        Value::String(_) => kind(value).map(|kind| json!({"type": kind})),
        Value::Object(members) if members.contains_key("type") => Some(value.clone()),
        Value::Object(members) => {
            let mut request: Map<String, Value> = members.clone();
            request.insert("type".into(), json!("default"));
            Some(Value::Object(request))
        }
        Value::Null | Value::Bool(false) | Value::Number(_) | Value::Array(_) => None,
    }
}

/// Reports requests for thumbs that no client reads, unless there is one that it reads.
pub(super) fn check(activity: &Place<'_>, findings: &mut Findings) {
    let data = activity.member("channelData");
    if activity.text("type") == Some("typing")
        || data.as_ref().is_some_and(|data| READ.iter().any(|key| data.member(key).is_some()))
    {
        return;
    }
    let owners = [Some(activity.clone()), data].into_iter().flatten().chain(activity.many("entities"));
    for owner in owners {
        for (key, value) in owner.object().into_iter().flatten() {
            if is_request(key) && request(value).is_some() {
                findings.add(
                    code::FEEDBACK_MISPLACED,
                    &owner.at.key(key),
                    format!(
                        "No client reads `{key}` here: users see no thumbs. Move it to `feedbackLoop` in `channelData`, \
                         {{\"type\": \"default\"}}."
                    ),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Channel, check as check_all, mend};
    use super::*;

    fn found(document: &Value, channel: Channel) -> Vec<(&'static str, String)> {
        check_all(document, channel).into_iter().map(|finding| (finding.code, finding.pointer)).collect()
    }

    fn message(members: &Value) -> Value {
        let mut activity = json!({"type": "message", "text": "a"});
        for (key, value) in members.as_object().expect("members") {
            activity[key] = value.clone();
        }
        activity
    }

    #[test]
    fn a_request_that_no_client_reads_is_named_and_moved() {
        let thing = |value: Value| {
            let mut thing = json!({"type": "https://schema.org/Message", "@type": "Message", "@context": "https://schema.org", "@id": ""});
            thing["feedbackLoop"] = value;
            json!({"entities": [thing]})
        };
        for (members, pointer, kind) in [
            (json!({"feedbackLoop": {"type": "custom"}}), "/feedbackLoop", "custom"),
            (json!({"feedbackLoopEnabled": true}), "/feedbackLoopEnabled", "default"),
            (json!({"channelData": {"feedback_loop": {"type": "custom"}}}), "/channelData/feedback_loop", "custom"),
            (json!({"channelData": {"FeedbackLoop": "default"}}), "/channelData/FeedbackLoop", "default"),
            (thing(json!({})), "/entities/0/feedbackLoop", "default"),
        ] {
            for channel in [Channel::Teams, Channel::WebChat] {
                let activity = message(&members);
                assert_eq!(found(&activity, channel), [("feedback-misplaced", pointer.to_owned())], "{activity}");
                let mended = mend(&activity, channel).expect("an activity");
                assert_eq!(mended.document["channelData"]["feedbackLoop"]["type"], kind, "{}", mended.document);
                assert_eq!(
                    (mended.findings.len(), mended.document.pointer(pointer)),
                    (0, None),
                    "{:?}",
                    mended.findings
                );
            }
        }
        let mut last = message(
            &json!({"entities": [{"type": "streaminfo", "streamType": "final", "streamId": "a", "feedbackLoop": {}}]}),
        );
        assert_eq!(found(&last, Channel::Teams), [("feedback-misplaced", "/entities/0/feedbackLoop".into())]);
        last["channelData"] = json!({"feedbackLoopEnabled": true});
        assert_eq!(found(&last, Channel::Teams), []);
    }

    #[test]
    fn thumbs_that_nobody_asked_for_are_not_missed() {
        for members in [
            json!({"feedbackLoopEnabled": false}),
            json!({"feedbackLoop": null}),
            json!({"value": {"feedbackLoop": {"type": "default"}}}),
            json!({"feedback": {"type": "default"}}),
        ] {
            assert_eq!(found(&message(&members), Channel::Teams), [], "{members}");
        }
        let both = message(&json!({"feedbackLoop": {}, "channelData": {"feedbackLoop": {"type": "default"}}}));
        assert_eq!(found(&both, Channel::Teams), []);
    }
}
