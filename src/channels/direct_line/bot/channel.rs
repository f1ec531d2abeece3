//! Connects the bot with the embedded channel.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

use super::joined::{Joined, Told};
use super::queue::{BotEvent, BotQueue, QueueError};
use super::ticket::Tickets;
use super::{BotBinding, BotClient, BotOptions, Citer, TurnError};
use crate::activity::{Activity, ChannelAccount, ConversationId, Watermark};
use crate::channels::direct_line::{Listener, Publisher};
use crate::clock::Clock;
use crate::store::{ConversationStore, StoreError};

/// The bot behind the embedded channel: sends it the activities of users, and receives its answers.
#[derive(Debug)]
pub struct BotChannel {
    pub(super) client: BotClient,
    pub(super) tickets: Tickets,
    pub(super) lines: BotQueue,
    pub(super) joined: Joined,
    pub(super) store: Arc<dyn ConversationStore>,
    pub(super) publisher: Arc<Publisher>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) citer: Arc<dyn Citer>,
}

impl BotChannel {
    /// A bot that speaks through `publisher` into the conversations of `store`.
    #[must_use]
    pub fn new(
        client: BotClient,
        store: Arc<dyn ConversationStore>,
        publisher: Arc<Publisher>,
        clock: Arc<dyn Clock>,
        citer: Arc<dyn Citer>,
    ) -> Self {
        let BotBinding { secret, options, .. } = client.binding();
        let (tickets, lines) = (Tickets::new(secret, options.ticket_lifetime), BotQueue::new(options));
        Self { client, tickets, lines, joined: Joined::default(), store, publisher, clock, citer }
    }

    /// What was set.
    #[must_use]
    pub fn options(&self) -> &BotOptions {
        &self.client.binding().options
    }

    /// Puts the news that a user has come into the conversation's line.
    fn announce(&self, id: &ConversationId, user: &ChannelAccount, locale: Option<String>) {
        let Some(name) = &user.id else { return };
        let first = !self.joined.has_another(id, name);
        // Noted before it waits: once it does, it may fail at any time, which is noted as well, and has to be the last word.
        self.joined.note(id, name, Told::Yes);
        if self.lines.push(id, BotEvent::Joined { user: user.clone(), locale, first }).is_err() {
            self.joined.note(id, name, Told::Owed);
        }
    }

    /// Whether the bot is to be told now that this user has come. What is not remembered is found out: the user for whom
    /// a conversation was started was announced then; of any other the bot heard when they first spoke.
    async fn is_news(&self, id: &ConversationId, user: &str, before: Option<Watermark>) -> Result<bool, StoreError> {
        match self.joined.get(id, user) {
            Some(Told::Yes) => return Ok(false),
            Some(Told::Owed) => return Ok(true),
            None => {}
        }
        let started_for = self.store.find(id).await?.and_then(|conversation| conversation.user?.id);
        let is_old = started_for.is_some_and(|known| known == user) || self.has_spoken(id, user, before).await?;
        if is_old {
            self.joined.note(id, user, Told::Yes);
        }
        Ok(!is_old)
    }

    /// Whether the user has said anything in the history so far, up to the place `before`.
    async fn has_spoken(&self, id: &ConversationId, user: &str, before: Option<Watermark>) -> Result<bool, StoreError> {
        let first = self.store.first_said(id, user).await?;
        Ok(first.is_some_and(|first| before.is_none_or(|before| first < before)))
    }
}

#[async_trait]
impl Listener for BotChannel {
    async fn joined(&self, id: &ConversationId, user: &ChannelAccount, locale: Option<String>) {
        let Some(name) = &user.id else { return };
        // The conversation may have gone on without a known user, in which this one has spoken.
        match self.has_spoken(id, name, None).await {
            Ok(true) => self.joined.note(id, name, Told::Yes),
            Ok(false) => self.announce(id, user, locale),
            Err(error) => {
                tracing::error!(conversation.id = %id, %error, "the bot was not yet notified that a user joined");
                self.joined.note(id, name, Told::Owed);
            }
        }
    }

    async fn said(&self, id: &ConversationId, activity: Arc<Activity>) {
        let from = activity.from.clone().unwrap_or_default();
        let place = activity.id.as_ref().and_then(|activity| activity.place_in(id));
        match self.is_news(id, from.id.as_deref().unwrap_or_default(), place).await {
            Ok(true) => {
                let locale = activity.extra.get("locale").and_then(Value::as_str).map(str::to_owned);
                self.announce(id, &from, locale);
            }
            Ok(false) => {}
            Err(error) => {
                tracing::error!(conversation.id = %id, %error, "the store could not be read to check whether a user is new");
            }
        }
        match self.lines.push(id, BotEvent::Said(Arc::clone(&activity))) {
            Ok(()) => {}
            Err(QueueError::Full) => self.apologize(id, &activity, &TurnError::Busy).await,
            Err(QueueError::Closed) => self.apologize(id, &activity, &TurnError::Ending).await,
        }
    }
}
