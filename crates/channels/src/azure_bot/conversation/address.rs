//! The sender, the recipient and the conversation of an activity.

use serde_json::{Map, Value, json};

use crate::activity::Activity;
use crate::azure_bot::TrustedServiceUrl;

/// The conversation, the sender, the recipient and the reply id, which every activity of a bot needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    /// The conversation, whole: Teams wants its `tenantId`, and emulators decide by its `conversationType`.
    conversation: Map<String, Value>,
    /// The channel: `msteams`, `webchat`, …; without the part behind a colon that some channels have.
    pub channel_id: Option<String>,
    /// The bot itself, as whom the channel addressed it: `recipient` of what it answers.
    pub bot: Option<Value>,
    /// Whom it answers: `from` of that.
    pub user: Option<Value>,
    /// The activity that is answered. With it activities are replies, without it they are sent.
    pub reply_to_id: Option<String>,
    /// The service of the conversation, as the channel wrote it.
    pub service_url: Option<String>,
    /// The language of the conversation.
    pub locale: Option<String>,
}

/// The value is not a conversation with an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a conversation must be an object with an id")]
pub struct NoConversation;

/// The service URL and the conversation for activities through the Connector.
#[derive(Clone, Debug, PartialEq)]
pub struct Destination {
    /// The service.
    pub service_url: TrustedServiceUrl,
    /// The scope of tokens: `https://api.botframework.com/.default`, or that of the agent that has called. `None` calls
    /// without a token, as emulators are called.
    pub scope: Option<String>,
    /// The speaker and the addressee there.
    pub address: Address,
}

impl Address {
    /// The given conversation, of which nothing else is known.
    ///
    /// # Errors
    /// When it is no object with an id that is a text and not empty.
    pub fn new(conversation: Value) -> Result<Self, NoConversation> {
        let Value::Object(conversation) = conversation else { return Err(NoConversation) };
        if conversation.get("id").and_then(Value::as_str).is_none_or(str::is_empty) {
            return Err(NoConversation);
        }
        Ok(Self {
            conversation,
            channel_id: None,
            bot: None,
            user: None,
            reply_to_id: None,
            service_url: None,
            locale: None,
        })
    }

    /// The id of the conversation, as the channel wrote it.
    #[must_use]
    pub fn conversation_id(&self) -> &str {
        self.conversation.get("id").and_then(Value::as_str).unwrap_or_default()
    }

    /// `personal`, `groupChat`, `channel`; nothing where the channel does not say.
    #[must_use]
    pub fn conversation_type(&self) -> Option<&str> {
        self.conversation.get("conversationType").and_then(Value::as_str)
    }

    /// Whether this is a group chat of Teams, in which several questions may be open.
    #[must_use]
    pub fn is_group_chat(&self) -> bool {
        self.channel_id.as_deref() == Some("msteams") && self.conversation_type() == Some("groupChat")
    }

    /// Whether this is a group chat or a channel of Teams, with a user who can be told something alone.
    #[must_use]
    pub fn is_among_others(&self) -> bool {
        let has_user = || self.user.as_ref().is_some_and(|user| user["id"].as_str().is_some_and(|id| !id.is_empty()));
        self.channel_id.as_deref() == Some("msteams")
            && matches!(self.conversation_type(), Some("groupChat" | "channel"))
            && has_user()
    }

    /// Whether the service takes streams here: in one-on-one chats of Teams, which say that they are, and where Web Chat is,
    /// unless the conversation says that it is more than two.
    #[must_use]
    pub fn can_stream(&self) -> bool {
        let is_group = self.conversation.get("isGroup").and_then(Value::as_bool).unwrap_or_default();
        let personal = self.conversation_type().map(|kind| kind == "personal");
        match self.channel_id.as_deref() {
            // A conversation without a type counts as one of many people there.
            Some("msteams") => personal == Some(true) && !is_group,
            Some("webchat" | "directline" | "emulator") => personal != Some(false) && !is_group,
            _ => false,
        }
    }

    /// The activity on the wire. What the channel assigns is left out, and so is what is empty, which some readers refuse
    /// (activity specification, A2004, A2031, A2041, A2100, A3050); the id stays, which only activities of a stream have.
    #[must_use]
    pub fn sign(&self, activity: &Activity) -> Map<String, Value> {
        let mut wire = match serde_json::to_value(activity) {
            Ok(Value::Object(wire)) => wire,
            Ok(_) | Err(_) => Map::new(),
        };
        wire.remove("timestamp");
        wire.retain(|name, value| {
            !value.is_null()
                && *value != ""
                && (!matches!(name.as_str(), "entities" | "attachments") || *value != json!([]))
        });
        wire.insert("conversation".to_owned(), Value::Object(self.conversation.clone()));
        let members = [
            ("from", self.bot.clone()),
            ("recipient", self.user.clone()),
            ("replyToId", self.reply_to_id.clone().map(Value::String)),
            ("channelId", self.channel_id.clone().map(Value::String)),
            ("serviceUrl", self.service_url.clone().map(Value::String)),
            ("locale", self.locale.clone().map(Value::String)),
        ];
        for (name, value) in members {
            if let Some(value) = value.filter(|value| !value.is_null() && *value != "") {
                wire.insert(name.to_owned(), value);
            }
        }
        wire
    }
}

impl Destination {
    /// A place that is answered without a token, until [`scope`](Self::scope) is set.
    #[must_use]
    pub fn new(service_url: TrustedServiceUrl, address: Address) -> Self {
        Self { service_url, scope: None, address }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(conversation: Value) -> Address {
        Address::new(conversation).expect("a conversation")
    }

    #[test]
    fn a_conversation_without_an_id_is_none() {
        for bad in [json!(null), json!("c1"), json!({}), json!({"id": ""}), json!({"id": 5})] {
            assert_eq!(Address::new(bad.clone()), Err(NoConversation), "{bad}");
        }
    }

    #[test]
    fn an_activity_goes_from_the_bot_to_the_user_and_names_what_it_answers() {
        let mut to =
            address(json!({"id": "19:a@thread.tacv2;messageid=1", "tenantId": "t", "conversationType": "channel"}));
        to.channel_id = Some("msteams".to_owned());
        to.bot = Some(json!({"id": "28:bot", "name": "Bot"}));
        to.user = Some(json!({"id": "29:user", "aadObjectId": "no guid"}));
        to.reply_to_id = Some("1:x".to_owned());
        to.service_url = Some("https://smba.trafficmanager.net/emea/".to_owned());
        let mut activity = Activity::message("hi");
        activity.entities = Some(Vec::new());
        activity.timestamp = Some("2026-01-01T00:00:00Z".parse().expect("a time"));
        let expected = json!({
            "type": "message", "text": "hi", "textFormat": "markdown", "channelId": "msteams",
            "conversation": {"id": "19:a@thread.tacv2;messageid=1", "tenantId": "t", "conversationType": "channel"},
            "from": {"id": "28:bot", "name": "Bot"}, "recipient": {"id": "29:user", "aadObjectId": "no guid"},
            "replyToId": "1:x", "serviceUrl": "https://smba.trafficmanager.net/emea/",
        });
        assert_eq!(Value::Object(to.sign(&activity)), expected);
    }

    #[test]
    fn row_where_streams_are_for_one_on_one_chats() {
        let can = |channel: &str, conversation: Value| {
            let mut to = address(conversation);
            to.channel_id = Some(channel.to_owned());
            to.can_stream()
        };
        let of = |kind: &str| json!({"id": "c", "conversationType": kind});
        for (channel, conversation, expected) in [
            ("msteams", of("personal"), true),
            ("msteams", of("groupChat"), false),
            ("msteams", of("channel"), false),
            ("msteams", json!({"id": "c"}), false),
            ("msteams", json!({"id": "c", "conversationType": "personal", "isGroup": true}), false),
            ("webchat", json!({"id": "c"}), true),
            ("directline", json!({"id": "c"}), true),
            ("emulator", of("personal"), true),
            ("emulator", of("groupChat"), false),
            ("directline", json!({"id": "c", "isGroup": true}), false),
            ("slack", json!({"id": "c"}), false),
            ("email", of("personal"), false),
        ] {
            assert_eq!(can(channel, conversation.clone()), expected, "{channel} {conversation}");
        }
    }
}
