//! The activity: one message, or one event, of a conversation.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ActivityId, Attachment, ChannelAccount, ConversationAccount, Entity, Role};

/// One Bot Framework activity.
///
/// Only the members that citewire reads or writes are named; all others are kept in [`extra`](Self::extra) and go
/// out as they came in (activity specification, A2005). `null` is the same as absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    /// `message`, `typing`, `event`, `conversationUpdate`, … Unknown types are legal (A2006).
    #[serde(rename = "type")]
    pub kind: String,
    /// Assigned by the channel that delivers the activity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<ActivityId>,
    /// When the channel took the activity in; UTC, milliseconds, written with `Z`.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "utc_millis")]
    pub timestamp: Option<DateTime<Utc>>,
    /// The channel: `directline`, `webchat`, `msteams`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<String>,
    /// Who sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<ChannelAccount>,
    /// Where it belongs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationAccount>,
    /// Whom it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipient: Option<ChannelAccount>,
    /// The activity that this one answers. Web Chat holds a reply back for 5 s when it does not know the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to_id: Option<ActivityId>,
    /// `markdown` for everything that carries citations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_format: Option<String>,
    /// The text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Metadata; the schema.org Message comes first (`docs/guides/web-chat.md`, rule 1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entities: Option<Vec<Entity>>,
    /// Cards and files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Vec<Attachment>>,
    /// Whatever channel and client agreed on; passed through untouched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_data: Option<Value>,
    /// Members that citewire does not know, kept as they came.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Activity {
    /// An activity of the given type with nothing in it.
    #[must_use]
    pub fn new(kind: impl Into<String>) -> Self {
        Self { kind: kind.into(), ..Self::default() }
    }

    /// The id of the user who sends it; none where that is a bot or nobody is named.
    #[must_use]
    pub fn speaker(&self) -> Option<&str> {
        self.from.as_ref().filter(|from| from.role == Some(Role::User))?.id.as_deref()
    }

    /// A Markdown message.
    #[must_use]
    pub fn message(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), text_format: Some("markdown".into()), ..Self::new("message") }
    }

    /// Whether the activity is passed on but not kept: typing indicators and the chunks of a livestream.
    #[must_use]
    pub fn is_ephemeral(&self) -> bool {
        self.kind == "typing"
    }
}

/// RFC 3339 in UTC with milliseconds and `Z`, the form of Direct Line (activity specification, A2040 and A2043).
mod utc_millis {
    use chrono::{DateTime, SecondsFormat, Utc};
    use serde::{Deserialize as _, Deserializer, Serializer};

    #[expect(clippy::ref_option, reason = "the signature that serde's `with` asks for")]
    pub(super) fn serialize<S: Serializer>(time: &Option<DateTime<Utc>>, serializer: S) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => serializer.serialize_str(&time.to_rfc3339_opts(SecondsFormat::Millis, true)),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<DateTime<Utc>>, D::Error> {
        Option::<DateTime<Utc>>::deserialize(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_citewire_does_not_know_survives_a_round_trip() {
        let wire = json!({
            "type": "message", "text": "hi", "locale": "de-DE", "deliveryMode": "stream",
            "channelData": {"clientActivityID": "a1", "nested": [1, null]},
            "entities": [{"type": "ClientCapabilities", "requiresBotState": true}],
        });
        let activity: Activity = serde_json::from_value(wire.clone()).expect("an activity");
        assert_eq!(serde_json::to_value(&activity).expect("JSON"), wire);
    }

    #[test]
    fn null_is_the_same_as_absent() {
        let activity: Activity =
            serde_json::from_value(json!({"type": "message", "text": null, "entities": null, "timestamp": null}))
                .expect("an activity");
        assert_eq!(activity, Activity::new("message"));
    }

    #[test]
    fn timestamps_are_utc_with_milliseconds_and_z() {
        let mut activity = Activity::new("message");
        activity.timestamp = Some("2026-01-02T03:04:05.6789+02:00".parse().expect("a time"));
        assert_eq!(serde_json::to_value(&activity).expect("JSON")["timestamp"], "2026-01-02T01:04:05.678Z");
    }
}
