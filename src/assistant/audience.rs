//! Passes activities of users to the bot or to the assistants.

use std::sync::Arc;

use async_trait::async_trait;

use super::Answering;
use crate::activity::{Activity, ChannelAccount, ConversationId};
use crate::channels::direct_line::{Listener, Owner};

/// Passes activities of users to the responder of their conversation: to the bot in conversations of the channel if a bot is
/// configured, to the assistants in all others.
#[derive(Debug)]
pub struct Audience {
    bot: Option<Arc<dyn Listener>>,
    assistants: Answering,
}

impl Audience {
    /// A bot, where there is one, and the assistants.
    #[must_use]
    pub fn new(bot: Option<Arc<dyn Listener>>, assistants: Answering) -> Self {
        Self { bot, assistants }
    }

    fn of(&self, id: &ConversationId) -> &dyn Listener {
        match &self.bot {
            Some(bot) if Owner::of(id) == Owner::CHANNEL => &**bot,
            Some(_) | None => &self.assistants,
        }
    }
}

#[async_trait]
impl Listener for Audience {
    async fn joined(&self, id: &ConversationId, user: &ChannelAccount, locale: Option<String>) {
        self.of(id).joined(id, user, locale).await;
    }

    async fn said(&self, id: &ConversationId, activity: Arc<Activity>) {
        self.of(id).said(id, activity).await;
    }
}
