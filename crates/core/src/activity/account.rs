//! The accounts of users, bots and conversations.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ConversationId;

/// A user, a bot or a channel: `from`, `recipient`, `membersAdded[]` (activity specification, section "Channel account").
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ChannelAccount {
    /// The id in the channel. With the enhanced authentication of Direct Line, user ids begin with `dl_`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(example = "dl_ann"))]
    pub id: Option<String>,
    /// The display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The role, `user` or `bot`. Web Chat shows citations for every role, but feedback buttons only for `bot`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, example = "user"))]
    pub role: Option<Role>,
    /// Members that citewire does not know, kept as they came.
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schema(ignore))]
    pub extra: Map<String, Value>,
}

impl ChannelAccount {
    /// An account with an id and a role.
    #[must_use]
    pub fn new(id: impl Into<String>, role: Role) -> Self {
        Self { id: Some(id.into()), role: Some(role), ..Self::default() }
    }
}

/// The role of a [`ChannelAccount`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// A person.
    User,
    /// A bot.
    Bot,
    /// Another role, kept as received.
    #[serde(untagged)]
    Other(String),
}

/// The conversation of an activity: `conversation`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConversationAccount {
    /// The id of the conversation.
    pub id: ConversationId,
    /// Members that citewire does not know, kept as received.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl From<ConversationId> for ConversationAccount {
    fn from(id: ConversationId) -> Self {
        Self { id, extra: Map::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_of_others_survive_a_round_trip() {
        let account: ChannelAccount =
            serde_json::from_str(r#"{"id":"u1","role":"skill","aadObjectId":"x"}"#).expect("an account");
        assert_eq!(account.role, Some(Role::Other("skill".into())));
        assert_eq!(
            serde_json::to_value(&account).expect("JSON"),
            serde_json::json!({"id": "u1", "role": "skill", "aadObjectId": "x"})
        );
    }

    #[test]
    fn null_members_are_absent() {
        let account: ChannelAccount = serde_json::from_str(r#"{"id":null,"role":null}"#).expect("an account");
        assert_eq!(account, ChannelAccount::default());
    }
}
