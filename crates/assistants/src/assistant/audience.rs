//! Chooses who answers in a conversation of the channel: the bot or the assistants.

use std::sync::Arc;

use async_trait::async_trait;

use super::Answering;
use crate::activity::{Activity, ChannelAccount, ConversationId};
use crate::channels::direct_line::{Owner, Respondent};
use crate::store::{NewTurn, Queued};

/// Gives what users do to the respondent of their conversation: to the bot in conversations of the channel if a bot is
/// configured, to the assistants in all others.
#[derive(Debug)]
pub struct Audience {
    bot: Option<Arc<dyn Respondent>>,
    assistants: Answering,
}

impl Audience {
    /// A bot, where there is one, and the assistants.
    #[must_use]
    pub fn new(bot: Option<Arc<dyn Respondent>>, assistants: Answering) -> Self {
        Self { bot, assistants }
    }

    fn of(&self, id: &ConversationId) -> &dyn Respondent {
        match &self.bot {
            Some(bot) if Owner::of(id) == Owner::CHANNEL => &**bot,
            Some(_) | None => &self.assistants,
        }
    }
}

#[async_trait]
impl Respondent for Audience {
    fn joined(&self, id: &ConversationId, user: &ChannelAccount, locale: Option<String>) -> Option<NewTurn> {
        self.of(id).joined(id, user, locale)
    }

    fn said(&self, id: &ConversationId, activity: &Activity) -> Option<NewTurn> {
        self.of(id).said(id, activity)
    }

    async fn no_room(&self, id: &ConversationId, activity: Arc<Activity>, full: Queued) {
        self.of(id).no_room(id, activity, full).await;
    }
}
