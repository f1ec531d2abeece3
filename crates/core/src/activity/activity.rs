//! The activity: a message or event of a conversation.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ActivityId, Attachment, ChannelAccount, ConversationAccount, Entity, Role};

/// One Bot Framework activity.
///
/// Only members that citewire reads or writes have fields. All others are kept in [`extra`](Self::extra) and written as
/// received (activity specification, A2005). `null` means absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Activity {
    /// `message`, `typing`, `event`, `conversationUpdate`, … Unknown types are allowed (A2006).
    #[serde(rename = "type")]
    pub kind: String,
    /// The id, assigned by the channel that delivers the activity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<ActivityId>,
    /// The time at which the channel received the activity; UTC with milliseconds, written with `Z`.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "utc_millis")]
    pub timestamp: Option<DateTime<Utc>>,
    /// The channel: `directline`, `webchat`, `msteams`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_id: Option<String>,
    /// The sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<ChannelAccount>,
    /// The conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<ConversationAccount>,
    /// The addressee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipient: Option<ChannelAccount>,
    /// The activity that this one answers. Web Chat delays a reply by 5 s if it does not know this id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to_id: Option<ActivityId>,
    /// The format of `text`: `markdown` for every message with citations.
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
    /// Data on which channel and client agree; passed through unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channel_data: Option<Value>,
    /// Members that citewire does not know, kept as received.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Activity {
    /// An empty activity of this type.
    #[must_use]
    pub fn new(kind: impl Into<String>) -> Self {
        Self { kind: kind.into(), ..Self::default() }
    }

    /// The id of the user who sent the activity; `None` for a bot or an unnamed sender.
    #[must_use]
    pub fn speaker(&self) -> Option<&str> {
        self.from.as_ref().filter(|from| from.role == Some(Role::User))?.id.as_deref()
    }

    /// A Markdown message.
    #[must_use]
    pub fn message(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), text_format: Some("markdown".into()), ..Self::new("message") }
    }

    /// The activity with its text marked as extended Markdown, as Teams calls the format with tables, task lists and math
    /// (<https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages>).
    #[must_use]
    pub fn in_extended_markdown(mut self) -> Self {
        self.text_format = Some("extendedmarkdown".to_owned());
        self
    }

    /// The kind of activities that are delivered but not recorded.
    pub const EPHEMERAL: &str = "typing";

    /// Whether the activity is delivered but not recorded: typing indicators and the updates of a livestream.
    #[must_use]
    pub fn is_ephemeral(&self) -> bool {
        self.kind == Self::EPHEMERAL
    }
}

/// Serializes times as RFC 3339 in UTC with milliseconds and `Z`, the form of Direct Line (activity specification, A2040 and
/// A2043).
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
