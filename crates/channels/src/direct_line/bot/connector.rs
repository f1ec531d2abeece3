//! The operations of the Bot Connector routes.

use serde::Deserialize;
use serde_json::Value;

use super::{BotChannel, ConnectorError, outgoing};
use crate::activity::{Activity, ActivityId, ChannelAccount, ConversationId, Role};
use crate::direct_line::ClientActivity;
use crate::store::Conversation;

/// The credential of a caller on the Connector routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BotCaller {
    /// The bearer of the secret: may reach every conversation.
    Secret,
    /// The bearer of a ticket: may reach one conversation, which was checked.
    Ticket,
}

/// A conversation that the bot created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// The conversation.
    pub id: ConversationId,
    /// The id of the activity that the bot said first, if it said anything.
    pub activity_id: Option<ActivityId>,
}

/// A new conversation of a bot. Members that Direct Line does not use are ignored.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConversationParameters {
    /// Must be false or absent: Direct Line has no groups.
    #[serde(default)]
    is_group: Option<bool>,
    /// Exactly one user; the bot may be listed too.
    #[serde(default)]
    #[schema(value_type = Vec<ChannelAccount>, required)]
    members: Option<Vec<ChannelAccount>>,
    /// The first activity of the conversation.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    activity: Option<Value>,
}

impl BotChannel {
    /// The caller with this bearer, or with this ticket for this conversation; `None` for nobody.
    #[must_use]
    pub fn authenticate(
        &self,
        bearer: Option<&str>,
        ticket: Option<&str>,
        id: Option<&ConversationId>,
    ) -> Option<BotCaller> {
        if bearer.is_some_and(|bearer| self.client.binding().secret.matches(bearer)) {
            return Some(BotCaller::Secret);
        }
        let is_good = self.tickets.is_good(ticket?, id?, self.clock.now());
        (is_good && self.options().tickets).then_some(BotCaller::Ticket)
    }

    /// Has the bot say what is in the body, as an answer to `answered` or to what the activity itself says it answers.
    ///
    /// # Errors
    /// When the body is no activity, or the conversation is gone.
    pub async fn send(
        &self,
        id: &ConversationId,
        answered: Option<String>,
        body: &[u8],
    ) -> Result<ActivityId, ConnectorError> {
        let mut said = ClientActivity::parse(body)?.into_inner();
        said.reply_to_id = answered.map(ActivityId::from).or(said.reply_to_id);
        self.say(id, said).await
    }

    async fn say(&self, id: &ConversationId, said: Activity) -> Result<ActivityId, ConnectorError> {
        self.speak(id, said).await?.id.clone().ok_or(ConnectorError::UnknownConversation)
    }

    /// Begins a conversation with one user, who can be given a token for it with the secret of Direct Line.
    ///
    /// # Errors
    /// When the caller shows a ticket only, the body is unusable, or the store cannot take it.
    pub async fn begin(&self, caller: BotCaller, id: ConversationId, body: &[u8]) -> Result<Begun, ConnectorError> {
        if caller != BotCaller::Secret {
            return Err(ConnectorError::SecretRequired);
        }
        let wanted = "an object with bot, members and activity is required";
        let parameters: ConversationParameters =
            serde_json::from_slice(body).map_err(|_| ConnectorError::Parameters { pointer: "", wanted })?;
        if parameters.is_group == Some(true) {
            return Err(ConnectorError::Parameters { pointer: "/isGroup", wanted: "Direct Line has no groups" });
        }
        let bot = Some(self.options().id.as_str());
        let members = parameters.members.unwrap_or_default().into_iter();
        let mut users = members.filter(|member| member.id.as_deref() != bot);
        let user = users.next().filter(|user| user.id.as_ref().is_some_and(|id| !id.is_empty()));
        let (Some(mut user), None) = (user, users.next()) else {
            let wanted = "exactly one user, with an id, is required";
            return Err(ConnectorError::Parameters { pointer: "/members", wanted });
        };
        let first = match parameters.activity {
            None | Some(Value::Null) => None,
            Some(activity) => Some(ClientActivity::from_json(activity)?.into_inner()),
        };
        user.role = Some(Role::User);
        self.store.create(&id, Some(user.clone())).await?;
        // The bot knows whom it has begun a conversation with.
        self.joined.note(&id, user.id.as_deref().unwrap_or_default(), super::joined::Introduction::Made);
        let activity_id = match first {
            Some(first) => Some(self.say(&id, first).await?),
            None => None,
        };
        Ok(Begun { id, activity_id })
    }

    /// The members: the user for whom the conversation was started, and the bot.
    ///
    /// # Errors
    /// When the conversation is gone.
    pub async fn members(&self, id: &ConversationId) -> Result<Vec<ChannelAccount>, ConnectorError> {
        let Conversation { user, .. } = self.store.find(id).await?.ok_or(ConnectorError::UnknownConversation)?;
        let user = user.map(|user| ChannelAccount { role: Some(Role::User), ..user });
        Ok(user.into_iter().chain([outgoing::account(self.options())]).collect())
    }

    /// One of them.
    ///
    /// # Errors
    /// When the conversation is gone, or nobody of this id takes part in it.
    pub async fn member(&self, id: &ConversationId, member: &str) -> Result<ChannelAccount, ConnectorError> {
        let members = self.members(id).await?;
        members.into_iter().find(|account| account.id.as_deref() == Some(member)).ok_or(ConnectorError::UnknownMember)
    }
}
