//! Checks rules across the activities of one document, except those of streams.

use std::collections::{BTreeMap, BTreeSet};

use super::activity::Activity;
use super::code;
use super::findings::Findings;
use super::place::excerpt;

/// Checks the relations between activities, in the order in which they were sent.
pub(super) fn check(activities: &[Activity<'_>], findings: &mut Findings) {
    check_ids(activities, findings);
    check_replies(activities, findings);
    check_times(activities, findings);
    check_runs(activities, findings);
    for echo in activities.iter().filter(|activity| activity.from_user && activity.kind == "message") {
        if echo.id.is_some() && echo.client_activity_id.is_none() && echo.is_of_web_chat {
            findings.add(
                code::ECHO_WITHOUT_CLIENT_ID,
                &echo.at,
                "Web Chat does not recognize the user's own message: the user sees \"Sending\", then \"Send failed\". \
                 Return `channelData.clientActivityID` as it was posted.",
            );
        }
    }
}

fn check_ids(activities: &[Activity<'_>], findings: &mut Findings) {
    let mut seen: BTreeMap<&str, &Activity<'_>> = BTreeMap::new();
    for activity in activities {
        let Some(id) = activity.id else { continue };
        if let Some(first) = seen.get(id) {
            // Activities of one stream may share an id, because each replaces the one before it.
            if (first.stream.is_none() || activity.stream.is_none()) && loses(first, activity) {
                findings.add(
                    code::ID_REPEATED,
                    &activity.at.key("id"),
                    format!("{} has this id as well and vanishes. Give each activity its own.", first.at.as_str()),
                );
            }
        }
        seen.insert(id, activity);
    }
}

/// Whether users lose something when `newer` takes the place of `older`. A step that only changes its state loses nothing.
fn loses(older: &Activity<'_>, newer: &Activity<'_>) -> bool {
    let text = older.text.unwrap_or_default().trim();
    // An activity of another kind is not drawn: nothing is left of the message.
    let is_hidden = older.kind == "message" && newer.kind != "message" && newer.stream.is_none() && !text.is_empty();
    is_hidden
        || !newer.text.unwrap_or_default().trim_start().starts_with(text)
        || older.has_attachments && !newer.has_attachments
}

fn check_replies(activities: &[Activity<'_>], findings: &mut Findings) {
    let mut known = BTreeSet::new();
    let mut is_first = true;
    for activity in activities {
        let is_answer = activity.kind == "message" && !activity.from_user;
        if let Some(reply_to) = activity.reply_to.filter(|reply_to| is_answer && !is_first && !known.contains(reply_to))
        {
            findings.add(
                code::REPLY_TO_UNKNOWN,
                &activity.at.key("replyToId"),
                format!(
                    "No earlier activity has the id {:?}: Web Chat holds the answer back for five seconds when it does \
                     not know it. Echo the user's message first, with the id that the post returned.",
                    excerpt(reply_to)
                ),
            );
        }
        known.extend(activity.id);
        is_first &= !is_answer;
    }
}

fn check_times(activities: &[Activity<'_>], findings: &mut Findings) {
    let shown = activities.iter().filter(|activity| activity.kind == "message" && activity.stream.is_none());
    let mut latest = None;
    for activity in shown.filter(|activity| !activity.has_sequence_id) {
        let Some(time) = activity.time else { continue };
        if latest.is_some_and(|latest| time < latest) {
            findings.add(
                code::TIMESTAMP_GOES_BACK,
                &activity.at.key("timestamp"),
                "An earlier time than that of a message before it: users see this message above that one. Let times \
                 rise.",
            );
        }
        latest = latest.max(Some(time));
    }
}

fn check_runs(activities: &[Activity<'_>], findings: &mut Findings) {
    let messages: Vec<_> = activities.iter().filter(|activity| activity.kind == "message").collect();
    for pair in messages.windows(2) {
        if pair[0].in_status_line && !pair[0].from_user && !pair[1].from_user {
            findings.add(
                code::TWO_BOT_MESSAGES,
                &pair[0].at,
                "Another bot message follows at once: users do not see this one's interpreter and thumbs, which are \
                 drawn under the last message of a run only. Send one message, or put them into the last.",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{Channel, check};

    fn codes(document: &Value) -> Vec<(&'static str, String)> {
        check(document, Channel::WebChat).into_iter().map(|finding| (finding.code, finding.pointer)).collect()
    }

    #[test]
    fn an_answer_to_an_unknown_activity_is_found() {
        let question = json!({"type": "message", "id": "q", "text": "?", "from": {"role": "user", "id": "u"},
                              "channelData": {"clientActivityID": "c1"}});
        let hello = json!({"type": "message", "id": "h", "text": "hello", "from": {"role": "bot", "id": "b"}});
        let answer = |id: &str, to: &str| json!({"type": "message", "id": id, "text": "a", "replyToId": to});
        assert_eq!(codes(&json!([hello, question, answer("a", "q")])), []);
        assert_eq!(codes(&json!([hello, question, answer("a", "x")])), [("reply-to-unknown", "/2/replyToId".into())]);
        assert_eq!(codes(&json!([answer("a", "x")])), []);
    }

    #[test]
    fn an_echo_needs_the_clients_own_id() {
        let echo = json!([{"type": "message", "id": "q", "text": "?", "from": {"role": "user", "id": "u"}}]);
        assert_eq!(codes(&echo), [("echo-without-client-activity-id", "/0".into())]);
        let mut recorded = echo.clone();
        recorded[0]["channelId"] = json!("chatdown");
        assert_eq!(codes(&recorded), []);
    }

    #[test]
    fn times_must_not_go_back_and_ids_must_not_repeat() {
        let at = |id: &str, time: &str| json!({"type": "message", "id": id, "text": "a", "timestamp": time});
        let back = json!([at("a", "2026-01-01T00:00:01Z"), at("b", "2026-01-01T00:00:00Z")]);
        assert_eq!(codes(&back), [("timestamp-goes-back", "/1/timestamp".into())]);
        let mut repeated = json!([at("a", "2026-01-01T00:00:01Z"), at("a", "2026-01-01T00:00:02Z")]);
        assert_eq!(codes(&repeated), []);
        repeated[1]["text"] = json!("ab");
        assert_eq!(codes(&repeated), []);
        repeated[1]["type"] = json!("messageUpdate");
        assert_eq!(codes(&repeated), [("id-repeated", "/1/id".into())]);
        repeated[1]["type"] = json!("message");
        repeated[1]["text"] = json!("b");
        assert_eq!(codes(&repeated), [("id-repeated", "/1/id".into())]);
    }
}
