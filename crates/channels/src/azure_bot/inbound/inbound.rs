//! An activity as Azure Bot Service, or another agent, posts it.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value};

use super::members::text_of;
use super::mention;
use crate::azure_bot::auth::Caller;
use crate::azure_bot::conversation::{ConversationReference, outer};

/// An activity from outside, of which nothing is believed but that it is an object with a type and a conversation.
///
/// It is read member by member, each by what it is: what is of another type than it should be counts as absent. Teams names
/// conversations, users and tenants in ways that no strict type of ours would take.
#[derive(Clone, PartialEq)]
pub struct Inbound {
    members: Map<String, Value>,
}

/// The body is not an activity. Messages never repeat its content.
#[derive(Debug, thiserror::Error)]
pub enum InboundError {
    /// The body is not JSON.
    #[error("the body is not JSON")]
    NotJson(#[source] serde_json::Error),
    /// The body is JSON, but no object.
    #[error("an activity must be a JSON object")]
    NotAnObject,
    /// `type` is missing, empty or not text.
    #[error("an activity needs a type")]
    NoType,
    /// `conversation.id` is missing, empty or not text.
    #[error("an activity needs a conversation with an id")]
    NoConversation,
}

/// How the sender wants its answer (activity specification, A3110 to A3116).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryMode {
    /// By calls to `serviceUrl`. What is unknown means this.
    Normal,
    /// All of it in the body of the response.
    ExpectReplies,
    /// In the body of the response, one event after the other.
    Stream,
}

/// The channel of Teams, and of Microsoft 365 Copilot.
const TEAMS: &str = "msteams";

/// How Microsoft 365 Copilot names itself as a part of that channel.
const COPILOT: &str = "COPILOT";

impl Inbound {
    /// Reads the body of a post.
    ///
    /// # Errors
    /// When it is no activity.
    pub fn parse(body: &[u8]) -> Result<Self, InboundError> {
        let json = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let Value::Object(members) = serde_json::from_slice(json).map_err(InboundError::NotJson)? else {
            return Err(InboundError::NotAnObject);
        };
        Self::of(members)
    }

    /// The activity with these members.
    ///
    /// # Errors
    /// When it is none.
    pub fn of(members: Map<String, Value>) -> Result<Self, InboundError> {
        let inbound = Self { members };
        if inbound.text_member("type").is_none() {
            return Err(InboundError::NoType);
        }
        if text_of(inbound.members.get("conversation"), "id").is_none() {
            return Err(InboundError::NoConversation);
        }
        Ok(inbound)
    }

    /// All of it, as it came.
    #[must_use]
    pub fn into_members(self) -> Map<String, Value> {
        self.members
    }

    /// `type`.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.text_member("type").unwrap_or_default()
    }

    /// `id`. Some activities have none.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.text_member("id")
    }

    /// `channelId`. Agents of the Agents SDK for JavaScript (1.8.1) that pass an activity on write it with an underscore, the name
    /// of a member of their own, and read its answer by it.
    #[must_use]
    pub fn channel_id(&self) -> Option<&str> {
        self.text_member("channelId").or_else(|| self.text_member("_channelId"))
    }

    /// `serviceUrl`.
    #[must_use]
    pub fn service_url(&self) -> Option<&str> {
        self.text_member("serviceUrl")
    }

    /// `locale`.
    #[must_use]
    pub fn locale(&self) -> Option<&str> {
        self.text_member("locale")
    }

    /// `name` of an event or an invoke.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.text_member("name")
    }

    /// The activity to which answers reply. Direct Line and Web Chat know nothing of what told the bot that somebody has come.
    #[must_use]
    pub fn answered_id(&self) -> Option<&str> {
        let is_unknown =
            self.kind() == "conversationUpdate" && matches!(self.channel_id(), Some("directline" | "webchat"));
        self.id().filter(|_| !is_unknown)
    }

    /// `replyToId`: what a user reacts to.
    #[must_use]
    pub fn reply_to_id(&self) -> Option<&str> {
        self.text_member("replyToId")
    }

    /// `action` of an `installationUpdate`.
    #[must_use]
    pub fn action(&self) -> Option<&str> {
        self.text_member("action")
    }

    /// `value`: what a card or an invoke brings along.
    #[must_use]
    pub fn value(&self) -> Option<&Value> {
        self.members.get("value").filter(|value| !value.is_null())
    }

    /// `conversation.id`.
    #[must_use]
    pub fn conversation_id(&self) -> &str {
        text_of(self.members.get("conversation"), "id").unwrap_or_default()
    }

    /// `conversation`, whole: Teams wants all of it back.
    #[must_use]
    pub fn conversation(&self) -> &Value {
        self.members.get("conversation").unwrap_or(&Value::Null)
    }

    /// `from`: who speaks.
    #[must_use]
    pub fn from(&self) -> Option<&Value> {
        self.object("from")
    }

    /// `recipient`: the bot, as it is named in this conversation.
    #[must_use]
    pub fn recipient(&self) -> Option<&Value> {
        self.object("recipient")
    }

    /// `from.id`.
    #[must_use]
    pub fn from_id(&self) -> Option<&str> {
        text_of(self.members.get("from"), "id")
    }

    /// `recipient.id`.
    #[must_use]
    pub fn recipient_id(&self) -> Option<&str> {
        text_of(self.members.get("recipient"), "id")
    }

    /// `deliveryMode`.
    #[must_use]
    pub fn delivery_mode(&self) -> DeliveryMode {
        match self.text_member("deliveryMode") {
            Some("expectReplies") => DeliveryMode::ExpectReplies,
            Some("stream") => DeliveryMode::Stream,
            Some(_) | None => DeliveryMode::Normal,
        }
    }

    /// Whether somebody has come who is not the bot.
    #[must_use]
    pub fn adds_somebody(&self) -> bool {
        let bot = self.recipient_id();
        self.list("membersAdded").iter().filter_map(|member| text_of(Some(member), "id")).any(|id| Some(id) != bot)
    }

    /// Whether files or cards are attached. Teams attaches the text once more as HTML, which is neither.
    #[must_use]
    pub fn has_attachments(&self) -> bool {
        let is_text = |kind: &str| kind.eq_ignore_ascii_case("text/html") || kind.eq_ignore_ascii_case("text/plain");
        self.list("attachments").iter().any(|attached| !text_of(Some(attached), "contentType").is_some_and(is_text))
    }

    /// The user's words without the mention of the bot, as the user sees them.
    #[must_use]
    pub fn words(&self) -> String {
        let text = self.text_member("text").unwrap_or_default();
        let without = mention::strip(text, self.list("entities"), self.recipient_id());
        let words = if self.is_teams() { mention::decode(&without) } else { Cow::Borrowed(&*without) };
        words.trim().to_owned()
    }

    /// Whether it comes through Teams, of which Microsoft 365 Copilot is a part.
    #[must_use]
    pub fn is_teams(&self) -> bool {
        self.channel_id().map(outer) == Some(TEAMS)
    }

    /// Whether it comes from Microsoft 365 Copilot: by the channel's own part, or by the entity in which products name themselves.
    #[must_use]
    pub fn is_copilot(&self) -> bool {
        let is = |text: Option<&str>| text.is_some_and(|text| text.eq_ignore_ascii_case(COPILOT));
        let part = self.channel_id().and_then(|channel| channel.split_once(':')).map(|(_, part)| part);
        let is_product = |entity: &Value| {
            let kind = text_of(Some(entity), "type").unwrap_or_default();
            kind.eq_ignore_ascii_case("ProductInfo") && is(text_of(Some(entity), "id"))
        };
        let product = text_of(self.members.get("channelData"), "productContext");
        self.is_teams() && (is(part) || is(product) || self.list("entities").iter().any(is_product))
    }

    /// Where its conversation is, and who has called.
    #[must_use]
    pub fn reference(&self, caller: Caller) -> ConversationReference {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let channel_id = self.channel_id().unwrap_or_default();
        let mut reference = ConversationReference::new(self.conversation().clone(), channel_id, caller);
        reference.bot = self.recipient().cloned();
        reference.user = self.from().cloned();
        reference.service_url = owned(self.service_url());
        reference.locale = owned(self.locale());
        reference.activity_id = owned(self.id());
        reference.copilot = self.is_copilot();
        reference
    }

    fn text_member(&self, name: &str) -> Option<&str> {
        self.members.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    fn object(&self, name: &str) -> Option<&Value> {
        self.members.get(name).filter(|value| value.is_object())
    }

    fn list(&self, name: &str) -> &[Value] {
        self.members.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

impl fmt::Debug for Inbound {
    /// A log holds no words of users.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbound")
            .field("kind", &self.kind())
            .field("channel_id", &self.channel_id())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn inbound(activity: &Value) -> Inbound {
        Inbound::parse(activity.to_string().as_bytes()).expect("an activity")
    }

    #[test]
    fn what_is_no_activity_is_refused_by_what_it_lacks() {
        let error = |body: &str| Inbound::parse(body.as_bytes()).expect_err(body).to_string();
        for (body, words) in [
            ("{", "not JSON"),
            ("", "not JSON"),
            ("[]", "JSON object"),
            (r#""message""#, "JSON object"),
            ("{}", "needs a type"),
            (r#"{"type":""}"#, "needs a type"),
            (r#"{"type":5,"conversation":{"id":"c"}}"#, "needs a type"),
            (r#"{"type":"message"}"#, "needs a conversation"),
            (r#"{"type":"message","conversation":"c"}"#, "needs a conversation"),
            (r#"{"type":"message","conversation":{"id":""}}"#, "needs a conversation"),
            (r#"{"type":"message","conversation":{"id":7}}"#, "needs a conversation"),
        ] {
            let said = error(body);
            assert!(said.contains(words), "{body}: {said}");
        }
    }

    #[test]
    fn members_of_another_type_are_absent() {
        let odd =
            inbound(&json!({"type": "message", "conversation": {"id": "a:1;messageid=2"}, "id": 5, "text": ["x"],
            "from": "ann", "recipient": {"id": 7}, "entities": {}, "membersAdded": [5, null, {"id": ""}], "value": null,
            "channelId": "", "serviceUrl": {}, "deliveryMode": 1, "attachments": "x"}));
        assert_eq!((odd.id(), odd.from(), odd.recipient_id(), odd.channel_id()), (None, None, None, None));
        assert_eq!((odd.service_url(), odd.value(), odd.words().as_str()), (None, None, ""));
        assert!(!odd.adds_somebody() && !odd.has_attachments());
        assert_eq!((odd.delivery_mode(), odd.conversation_id()), (DeliveryMode::Normal, "a:1;messageid=2"));
    }

    #[test]
    fn a_channel_is_read_as_agents_of_the_sdk_for_javascript_write_it() {
        let channel = |more: Value| {
            let mut activity = json!({"type": "message", "conversation": {"id": "c"}});
            activity.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            inbound(&activity).channel_id().map(str::to_owned)
        };
        assert_eq!(channel(json!({"_channelId": "webchat"})).as_deref(), Some("webchat"));
        assert_eq!(channel(json!({"_channelId": "webchat", "channelId": "msteams"})).as_deref(), Some("msteams"));
        assert_eq!(channel(json!({})), None);
    }

    #[test]
    fn ids_that_are_almost_guids_are_ids() {
        let playground = inbound(&json!({"type": "conversationUpdate", "conversation": {"id": "x", "tenantId": "t"},
            "recipient": {"id": "00000000-0000-0000-0000-00000000000011"},
            "membersAdded": [{"id": "00000000-0000-0000-0000-00000000000011"}, {"id": "user-id-0"}]}));
        assert!(playground.adds_somebody());
        let bot_only = inbound(&json!({"type": "conversationUpdate", "conversation": {"id": "x"},
            "recipient": {"id": "bot"}, "membersAdded": [{"id": "bot"}]}));
        assert!(!bot_only.adds_somebody());
    }

    #[test]
    fn delivery_modes_are_read_and_unknown_ones_are_normal() {
        let mode = |mode: &str| {
            let activity = json!({"type": "message", "conversation": {"id": "c"}, "deliveryMode": mode});
            inbound(&activity).delivery_mode()
        };
        assert_eq!(mode("expectReplies"), DeliveryMode::ExpectReplies);
        assert_eq!(mode("stream"), DeliveryMode::Stream);
        for other in ["normal", "notification", "ephemeral", "ExpectReplies", ""] {
            assert_eq!(mode(other), DeliveryMode::Normal, "{other}");
        }
    }

    #[test]
    fn copilot_is_told_from_teams() {
        let from = |channel: &str, entities: Value| {
            let activity = json!({"type": "message", "conversation": {"id": "c"}, "channelId": channel,
                "entities": entities});
            inbound(&activity).is_copilot()
        };
        assert!(from("msteams:COPILOT", json!([])));
        assert!(from("msteams", json!([{"type": "clientInfo"}, {"type": "ProductInfo", "id": "COPILOT"}])));
        assert!(!from("msteams", json!([{"type": "ProductInfo", "id": "TEAMS"}])));
        assert!(!from("webchat", json!([{"type": "ProductInfo", "id": "COPILOT"}])));
        assert!(!from("msteamsx:COPILOT", json!([])));
    }

    #[test]
    fn the_html_that_teams_sends_along_is_no_attachment() {
        let attached = |kinds: Value| {
            let activity = json!({"type": "message", "conversation": {"id": "c"}, "attachments": kinds});
            inbound(&activity).has_attachments()
        };
        assert!(!attached(json!([{"contentType": "text/html", "content": "<p>hi</p>"}])));
        assert!(attached(json!([{"contentType": "text/html"}, {"contentType": "image/png"}])));
        assert!(attached(json!([{}])));
    }

    #[test]
    fn what_was_said_is_not_in_debug_output() {
        let said = inbound(&json!({"type": "message", "conversation": {"id": "c"}, "text": "my salary"}));
        assert!(!format!("{said:?}").contains("salary"));
    }
}
