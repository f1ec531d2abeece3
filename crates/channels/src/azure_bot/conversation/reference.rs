//! The conversation reference, with which citewire can send to a conversation later.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::name::outer;
use super::{Address, NoConversation, PublicName};
use crate::activity::{ChannelAccount, Role};
use crate::azure_bot::auth::Caller;
use crate::dialect::Dialect;

/// Everything that is needed to answer in a conversation later. As JSON its members are called as in
/// [the protocol](https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference#conversationreference-object).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationReference {
    /// `conversation`, whole: Teams wants all of it back.
    pub conversation: Value,
    /// The channel: `msteams`, `webchat`, …; without the part behind a colon that some channels have.
    pub channel_id: String,
    /// The caller.
    pub caller: Caller,
    /// The bot, as the channel named it: `recipient` of what came in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot: Option<Value>,
    /// The last speaker: `from` of the last activity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<Value>,
    /// Where answers go. It was trusted when it came, which has to be asked again before it is called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_url: Option<String>,
    /// The language of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// The activity with which all this came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub activity_id: Option<String>,
    /// The user is in Microsoft 365 Copilot, which is a part of the channel of Teams.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub copilot: bool,
}

/// The stored value is not a conversation reference.
#[derive(Debug, thiserror::Error)]
pub enum NoReference {
    /// A later citewire may have written it, or somebody else.
    #[error("this version of citewire cannot read the stored conversation reference")]
    Unreadable(#[from] serde_json::Error),
}

/// References as they are stored, by the version of their form.
#[derive(Deserialize)]
#[serde(tag = "version")]
enum Kept {
    #[serde(rename = "1")]
    First(ConversationReference),
}

/// The borrowed form for writing, without a copy.
#[derive(Serialize)]
#[serde(tag = "version")]
enum Keep<'a> {
    #[serde(rename = "1")]
    First(&'a ConversationReference),
}

impl ConversationReference {
    /// A conversation of which nothing else is known. Of `channel_id` stays what stands before a colon.
    #[must_use]
    pub fn new(conversation: Value, channel_id: &str, caller: Caller) -> Self {
        Self {
            conversation,
            channel_id: outer(channel_id).to_owned(),
            caller,
            bot: None,
            user: None,
            service_url: None,
            locale: None,
            activity_id: None,
            copilot: false,
        }
    }

    /// The name under which the world knows the conversation.
    #[must_use]
    pub fn name(&self) -> PublicName {
        let id = self.conversation.get("id").and_then(Value::as_str).unwrap_or_default();
        PublicName::new(&self.caller, &self.channel_id, id)
    }

    /// The dialect of the channel. A channel that nobody knows gets what Web Chat gets, and so does an agent whose user is on a
    /// channel with a form of its own: the agent answers there in its own words. E-mails are HTML where `html_email` says so.
    #[must_use]
    pub fn dialect(&self, html_email: bool) -> Dialect {
        let of_channel = || {
            let name = if html_email && self.channel_id == "email" { "email-html" } else { &self.channel_id };
            let named: Option<Dialect> = name.parse().ok();
            named.filter(|dialect| !(self.is_agent() && dialect.is_drawn())).unwrap_or(Dialect::WebChat)
        };
        if self.copilot && self.channel_id == "msteams" { Dialect::M365Copilot } else { of_channel() }
    }

    /// The speaker and the addressee of an answer. It replies to nothing yet.
    ///
    /// # Errors
    /// When the conversation has no id.
    pub fn address(&self) -> Result<Address, NoConversation> {
        let mut address = Address::new(self.conversation.clone())?;
        address.channel_id = Some(self.channel_id.clone()).filter(|channel| !channel.is_empty());
        address.bot.clone_from(&self.bot);
        address.user.clone_from(&self.user);
        address.service_url.clone_from(&self.service_url);
        address.locale.clone_from(&self.locale);
        Ok(address)
    }

    /// Whether another agent is the other side, which may show the text of an answer and nothing else of it.
    #[must_use]
    pub fn is_agent(&self) -> bool {
        matches!(self.caller, Caller::Agent { .. })
    }

    /// The user, as the store knows users. Nothing of it is checked: Teams names people in many ways.
    #[must_use]
    pub fn user_account(&self) -> Option<ChannelAccount> {
        account(self.user.as_ref(), Role::User)
    }

    /// The bot, as the store knows bots.
    #[must_use]
    pub fn bot_account(&self) -> Option<ChannelAccount> {
        account(self.bot.as_ref(), Role::Bot)
    }

    /// Reads what is stored.
    ///
    /// # Errors
    /// When it is no reference.
    pub fn from_stored(stored: &Value) -> Result<Self, NoReference> {
        let Kept::First(reference) = Kept::deserialize(stored)?;
        Ok(reference)
    }

    /// The stored form.
    #[must_use]
    pub fn to_stored(&self) -> Value {
        serde_json::to_value(Keep::First(self)).expect("a reference has no map whose keys are not text")
    }

    /// Whether what is stored says the same. Every activity has another id, which is no reason to store anything: an answer
    /// that comes later answers none of them.
    pub(super) fn is_stored_in(&self, stored: &Value) -> bool {
        Self::from_stored(stored).is_ok_and(|stored| {
            let same_activity = Self { activity_id: self.activity_id.clone(), ..stored };
            same_activity == *self
        })
    }
}

/// An account with nothing but what the store has words for, whatever else the channel says of it.
pub(super) fn account(value: Option<&Value>, role: Role) -> Option<ChannelAccount> {
    let text = |name: &str| value?.get(name)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let mut account = ChannelAccount::new(text("id")?, role);
    account.name = text("name");
    if let Some(object_id) = text("aadObjectId") {
        account.extra.insert("aadObjectId".to_owned(), Value::String(object_id));
    }
    Some(account)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn teams() -> ConversationReference {
        let conversation = json!({"id": "19:a@thread.tacv2", "tenantId": "no guid", "conversationType": "channel"});
        ConversationReference {
            bot: Some(json!({"id": "28:bot", "name": "HR"})),
            user: Some(json!({"id": "29:ann", "name": "Ann", "aadObjectId": "00000000-0000-0000-0000-0000000000020"})),
            service_url: Some("https://smba.trafficmanager.net/emea/".to_owned()),
            locale: Some("en-US".to_owned()),
            activity_id: Some("1:x".to_owned()),
            ..ConversationReference::new(conversation, "msteams", Caller::Channel)
        }
    }

    #[test]
    fn a_reference_is_stored_with_its_version_and_read_back() {
        let stored = teams().to_stored();
        assert_eq!((&stored["version"], &stored["conversation"]["tenantId"]), (&json!("1"), &json!("no guid")));
        assert_eq!(stored["caller"], json!({"kind": "channel"}));
        assert_eq!(ConversationReference::from_stored(&stored).expect("a reference"), teams());
        for other in [json!(null), json!({}), json!({"version": "2"}), json!({"version": "1", "channelId": "x"})] {
            assert!(ConversationReference::from_stored(&other).is_err(), "{other}");
        }
    }

    #[test]
    fn another_activity_is_no_reason_to_store_a_reference_again() {
        let (first, stored) = (teams(), teams().to_stored());
        assert!(ConversationReference { activity_id: Some("2:y".to_owned()), ..first.clone() }.is_stored_in(&stored));
        for changed in [
            ConversationReference {
                service_url: Some("https://smba.trafficmanager.net/amer/".to_owned()),
                ..first.clone()
            },
            ConversationReference { user: Some(json!({"id": "29:bob"})), ..first.clone() },
            ConversationReference { copilot: true, ..first.clone() },
            ConversationReference { caller: Caller::Emulator, ..first },
        ] {
            assert!(!changed.is_stored_in(&stored), "{changed:?}");
        }
        assert!(!teams().is_stored_in(&json!({"version": "0"})), "what cannot be read is replaced");
    }

    #[test]
    fn the_channel_says_the_dialect() {
        for (channel, copilot, dialect) in [
            ("msteams", false, Dialect::Teams),
            ("msteams", true, Dialect::M365Copilot),
            ("msteams:COPILOT", true, Dialect::M365Copilot),
            ("msteams:something", false, Dialect::Teams),
            ("webchat", false, Dialect::WebChat),
            ("directline", true, Dialect::WebChat),
            ("email", false, Dialect::Plain),
            ("sms", false, Dialect::Plain),
            ("slack", false, Dialect::Slack),
            ("telegram", false, Dialect::Telegram),
            ("line", false, Dialect::Line),
            ("kik", false, Dialect::WebChat),
            ("", false, Dialect::WebChat),
        ] {
            let reference =
                ConversationReference { copilot, ..ConversationReference::new(json!({}), channel, Caller::Channel) };
            assert_eq!(reference.dialect(false), dialect, "{channel} {copilot}");
            let with_html = if channel == "email" { Dialect::EmailHtml } else { dialect };
            assert_eq!(reference.dialect(true), with_html, "{channel} {copilot}");
        }
        let agent = Caller::Agent { app_id: "a".to_owned() };
        let reference = ConversationReference::new(json!({}), "slack", agent);
        assert_eq!(reference.dialect(false), Dialect::WebChat, "the agent has Slack, we have the agent");
    }

    #[test]
    fn people_are_known_by_what_teams_says_of_them() {
        let user = serde_json::to_value(teams().user_account()).expect("JSON");
        let expected = json!({"id": "29:ann", "name": "Ann", "role": "user",
            "aadObjectId": "00000000-0000-0000-0000-0000000000020"});
        assert_eq!(user, expected);
        for odd in [json!({}), json!({"id": ""}), json!({"id": 5}), json!("ann"), json!(null)] {
            let reference = ConversationReference { user: Some(odd), ..teams() };
            assert_eq!(reference.user_account(), None);
        }
    }
}
