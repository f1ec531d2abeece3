//! Checks one activity: its envelope and its content.

use std::collections::BTreeSet;

use serde_json::Value;

use super::activity_type::check_type;
use super::blank_nodes::BlankNodes;
use super::code;
use super::feedback;
use super::findings::Findings;
use super::linked_data;
use super::message::{self, Message};
use super::message_text::{self, Known};
use super::misplaced;
use super::place::{Place, excerpt};
use super::pointer::Pointer;
use super::stream_info::{self, StreamInfo};
use super::suggested_actions;
use super::terms;
use super::time::Time;
use super::unread;
use super::wrapped;
use super::{Channel, UnknownChannel};

/// Channels of Azure Bot Service without rules here.
const OTHER_CHANNELS: [&str; 10] =
    ["slack", "telegram", "line", "facebook", "kik", "twilio-sms", "groupme", "skype", "alexa", "outlook"];

/// The facts about one activity that checks of other activities need.
#[derive(Debug)]
pub(super) struct Activity<'v> {
    pub(super) at: Pointer,
    pub(super) kind: &'v str,
    pub(super) id: Option<&'v str>,
    pub(super) from_user: bool,
    /// True if Web Chat may have posted it, by its `channelId`.
    pub(super) is_of_web_chat: bool,
    pub(super) time: Option<Time>,
    /// Whether `channelData["webchat:sequence-id"]` orders the activity in place of its time.
    pub(super) has_sequence_id: bool,
    pub(super) reply_to: Option<&'v str>,
    pub(super) client_activity_id: Option<&'v str>,
    pub(super) stream: Option<StreamInfo<'v>>,
    pub(super) text: Option<&'v str>,
    pub(super) has_attachments: bool,
    pub(super) has_message: bool,
    pub(super) in_status_line: bool,
    /// The labels that the text defines.
    pub(super) defined: BTreeSet<String>,
    /// The numbers in brackets that are not links.
    pub(super) loose: BTreeSet<String>,
    /// The positions of the claims.
    pub(super) positions: BTreeSet<String>,
}

/// Checks one activity; `None` if the value is not an activity.
pub(super) fn check<'v>(place: &Place<'v>, findings: &mut Findings) -> Option<Activity<'v>> {
    if !is_activity(place, findings) {
        return None;
    }
    let kind = check_type(place, findings);
    terms::check_members(place, findings);
    check_channel_id(place, Channel::WebChat, findings);
    // Events may carry streams of other kinds, such as sound.
    let is_drawn = matches!(kind, "message" | "typing" | "");
    let stream = if is_drawn { stream_info::read(place, Channel::WebChat, findings) } else { None };
    let from_user = place.member("from").and_then(|from| from.text("role")) == Some("user");
    let data = place.member("channelData");
    let mut activity = Activity {
        at: place.at.clone(),
        kind,
        id: place.some_text("id"),
        from_user,
        is_of_web_chat: !place.text("channelId").is_some_and(is_elsewhere),
        time: time(place, findings),
        has_sequence_id: data.as_ref().is_some_and(|data| data.member("webchat:sequence-id").is_some()),
        reply_to: place.some_text("replyToId"),
        client_activity_id: data.as_ref().and_then(|data| data.some_text("clientActivityID")),
        stream,
        text: place.text("text"),
        has_attachments: !place.many("attachments").is_empty(),
        has_message: false,
        in_status_line: false,
        defined: BTreeSet::new(),
        loose: BTreeSet::new(),
        positions: BTreeSet::new(),
    };
    if is_drawn {
        check_content(place, &mut activity, findings);
    }
    Some(activity)
}

/// Whether a value is an activity; reports one that is not.
pub(super) fn is_activity(place: &Place<'_>, findings: &mut Findings) -> bool {
    let members = ["type", "text", "entities", "attachments", "channelData"];
    let keys = || place.object().into_iter().flat_map(|object| object.keys());
    if keys().any(|key| members.contains(&key.as_str())) && !message::is_bare_thing(place.value) {
        return true;
    }
    // Serializers of .NET write the names of properties as they are unless they are told otherwise.
    let is_of_capitals = keys().any(|key| members.iter().any(|member| key.eq_ignore_ascii_case(member)));
    let message = if is_of_capitals {
        "No client reads this: members of an activity begin with small letters, `type` and `text`. Have your serializer write \
         names in camel case."
    } else {
        "This is not an activity. An activity is an object with a `type`, such as {\"type\": \"message\", …}."
    };
    findings.add(code::NOT_AN_ACTIVITY, &place.at, message);
    false
}

/// Whether Web Chat has no part in a channel: a record of it has messages of users that no Web Chat has posted.
fn is_elsewhere(channel: &str) -> bool {
    channel != "emulator" && channel.parse::<Channel>() != Ok(Channel::WebChat)
}

/// Reports an activity that was recorded in another channel, whose rules may not be those of `channel`.
pub(super) fn check_channel_id(place: &Place<'_>, channel: Channel, findings: &mut Findings) {
    let Some(written) = place.member("channelId") else { return };
    let Some(name) = written.value.as_str().filter(|name| *name != "emulator") else { return };
    let is_other = match name.parse::<Channel>() {
        Ok(known) => known != channel,
        Err(UnknownChannel::NotYet { .. }) => true,
        Err(UnknownChannel::Unknown { .. }) => OTHER_CHANNELS.contains(&name),
    };
    if is_other {
        findings.add(
            code::CHANNEL_DIFFERS,
            &written.at,
            format!("The activity is one of {:?}, and is judged by the rules of {channel}.", excerpt(name)),
        );
    }
}

fn time(place: &Place<'_>, findings: &mut Findings) -> Option<Time> {
    let written = place.member("timestamp")?;
    let time = written.value.as_str().and_then(Time::parse);
    // Browsers read a number as milliseconds; without a status line stays only 0.
    let is_number = written.value.as_f64().is_some_and(|number| number != 0.0);
    if time.is_none() && !is_number {
        findings.add(
            code::TIMESTAMP_INVALID,
            &written.at,
            "Web Chat cannot read this time: the message may stand in the wrong place, without a status line. Write \
             RFC 3339, \"2026-01-02T03:04:05.678Z\".",
        );
    }
    time
}

/// Checks the content of a message.
fn check_content<'v>(place: &Place<'v>, activity: &mut Activity<'v>, findings: &mut Findings) {
    let entities = entities(place, findings);
    let none = Value::Null;
    let root = place.member("entities").unwrap_or(Place::new(&none, place.at.clone()));
    let nodes = BlankNodes::gather(&root, findings);
    let is_odd = |entity: &&Place<'_>| entity.object().is_none() && !entity.value.is_null();
    entities.iter().filter(is_odd).for_each(|entity| wrapped::check(entity, findings));
    let message = message::find(&entities, &nodes, findings);
    let unread = unread::gather(&entities, &nodes, findings);
    nodes.check(findings);
    let things: Vec<_> = entities.iter().filter(|entity| message::is_schema_thing(entity.value)).collect();
    things.iter().for_each(|thing| terms::check(thing, findings));
    linked_data::check(&things, findings);
    if let Some(message) = &message {
        activity.has_message = true;
        activity.in_status_line = message.in_status_line;
        activity.positions = message.claims.read.iter().filter_map(|claim| claim.position.clone()).collect();
        check_sender(place, message, findings);
    }
    let is_answer = message.is_some() || !unread.is_empty();
    if activity.from_user && is_answer {
        report_user(place, findings);
    }
    if !activity.from_user || is_answer {
        misplaced::check(place, findings);
        suggested_actions::check(place, findings);
        if message.as_ref().is_none_or(|message| !message.has_actions) {
            feedback::check(place, findings);
        }
    }
    check_channel_data(place, message.as_ref(), findings);
    if let Some(written) = place.member("text").filter(|text| !text.value.is_string()) {
        findings.add(
            code::TEXT_NOT_STRING,
            &written.at,
            "Web Chat throws when it reads this, and the whole chat vanishes from the page. `text` must be a string.",
        );
    } else if !activity.from_user || is_answer {
        let labels = message_text::check(
            place,
            &Known {
                kind: activity.kind,
                phase: activity.stream.as_ref().map(|stream| stream.phase),
                has_attachments: activity.has_attachments,
                positions: &activity.positions,
                message: message.as_ref(),
                unread: &unread,
            },
            findings,
        );
        activity.defined = labels.defined;
        activity.loose = labels.loose;
    }
}

fn entities<'v>(place: &Place<'v>, findings: &mut Findings) -> Vec<Place<'v>> {
    let Some(list) = place.member("entities") else { return Vec::new() };
    let Some(items) = list.value.as_array() else {
        findings.add(
            code::ENTITIES_NOT_LIST,
            &list.at,
            "Web Chat throws when it reads this: the message is blank in 4.18.1, and newer versions show neither it nor any \
             later message. Write a list, even for one entity.",
        );
        return Vec::new();
    };
    items.iter().enumerate().map(|(index, item)| Place::new(item, list.at.index(index))).collect()
}

fn check_sender(place: &Place<'_>, message: &Message<'_>, findings: &mut Findings) {
    let role = place.member("from").and_then(|from| from.member("role"));
    if let Some(role) = role.filter(|role| role.value != "bot" && role.value != "user" && message.in_status_line) {
        findings.add(
            code::SENDER_NOT_BOT,
            &role.at,
            "Interpreter and thumbs are drawn only under messages with the role \"bot\".",
        );
    }
}

/// Reports an answer with a Message thing, which bots write, that is sent as the user's.
fn report_user(place: &Place<'_>, findings: &mut Findings) {
    findings.add(
        code::SENDER_IS_USER,
        &place.at.key("from").key("role"),
        "Web Chat draws this answer as the user's own words, on their side of the chat, without interpreter and thumbs. Write the \
         role \"bot\", and the name of the bot.",
    );
}

fn check_channel_data(place: &Place<'_>, message: Option<&Message<'_>>, findings: &mut Findings) {
    let Some(data) = place.member("channelData") else { return };
    if data.text("webchat:fallback-text") == Some("") {
        findings.add(
            code::FALLBACK_TEXT_EMPTY,
            &data.at.key("webchat:fallback-text"),
            "An empty fallback text hides the message from screen readers. Leave it out or say something.",
        );
    }
    if let Some(feedback) = data.member("feedbackLoop")
        && message.is_some_and(|message| message.has_actions)
    {
        findings.add(
            code::FEEDBACK_LOOP_WINS,
            &feedback.at,
            "Newer versions take thumbs from here and ignore `potentialAction` of the Message thing; 4.18.1 does the \
             reverse. Both together are fine when they mean the same.",
        );
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::example::{assert_finds, cited, cited_with, found};

    #[test]
    fn members_of_the_wrong_type_are_found() {
        assert_finds(&cited_with("/text", json!(7)), "text-not-string", "/text");
        assert_finds(&cited_with("/entities", json!({})), "entities-not-list", "/entities");
        assert_finds(&cited_with("/timestamp", json!("today")), "timestamp-invalid", "/timestamp");
        assert_finds(&cited_with("/type", json!(7)), "activity-type-missing", "");
        assert_finds(&cited_with("/type", json!("Message")), "activity-type-unknown", "");
    }

    #[test]
    fn only_bots_have_a_status_line() {
        let role = |role: &str| cited_with("/from", json!({"id": "b", "role": role}));
        assert_finds(&role("channel"), "sender-not-bot", "/from/role");
        assert_eq!(found(&role("bot")), []);
        assert_eq!(found(&role("user")), [("sender-is-user", "/from/role".to_owned())]);
        let asked = json!({"type": "message", "from": {"role": "user"}, "text": "[1]", "entities": [{"type": "ClientCapabilities"}]});
        assert_eq!(found(&asked), []);
    }

    #[test]
    fn channel_data_can_hide_things() {
        let hidden = cited_with("/channelData", json!({"webchat:fallback-text": ""}));
        assert_finds(&hidden, "fallback-text-empty", "/channelData/webchat:fallback-text");
        let mut both = cited_with("/channelData", json!({"feedbackLoop": {"type": "default"}}));
        both["entities"][0]["potentialAction"] = json!({"@type": "LikeAction", "@id": "x"});
        assert_finds(&both, "feedback-loop-wins", "/channelData/feedbackLoop");
    }

    #[test]
    fn null_is_absent_and_other_activities_are_left_alone() {
        let nulls = json!({"type": "message", "text": "a", "entities": null, "channelData": null, "from": null});
        assert_eq!(found(&nulls), []);
        let mut event = cited();
        event["type"] = json!("event");
        event["text"] = json!("[1][2]");
        assert_eq!(found(&event), []);
    }
}
