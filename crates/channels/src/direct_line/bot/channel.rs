//! Connects the bot with the embedded channel.

use std::sync::Arc;

use async_trait::async_trait;

use super::joined::{Introduction, Joined};
use super::ticket::Tickets;
use super::{BotBinding, BotClient, BotOptions, Citer, TurnError};
use crate::activity::{Activity, ChannelAccount, ConversationId, Watermark};
use crate::clock::Clock;
use crate::direct_line::{Publisher, Respondent, Unrecorded};
use crate::metrics::Metrics;
use crate::store::{ConversationStore, NewTurn, Queued, StoreError, TurnKind, TurnRoom};

/// The bot behind the embedded channel: sends it the activities of users, and receives its answers.
#[derive(Debug)]
pub struct BotChannel {
    pub(super) client: BotClient,
    pub(super) tickets: Tickets,
    pub(super) joined: Joined,
    pub(super) store: Arc<dyn ConversationStore>,
    pub(super) publisher: Arc<Publisher>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) citer: Arc<dyn Citer>,
    pub(super) metrics: Metrics,
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
        let tickets = Tickets::new(secret, options.ticket_lifetime);
        Self { client, tickets, joined: Joined::default(), store, publisher, clock, citer, metrics: Metrics::default() }
    }

    /// Counts in these metrics.
    #[must_use]
    pub fn counted(self, metrics: Metrics) -> Self {
        Self { metrics, ..self }
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &BotOptions {
        &self.client.binding().options
    }

    fn turn(&self) -> NewTurn {
        let options = self.options();
        let room = TurnRoom { in_queue: options.max_waiting, in_all: options.max_waiting_in_all };
        NewTurn { kind: TurnKind::Bot, body: None, room, name: None, bound: false }
    }

    /// Whether the bot is to be told now that this user has come. What is not remembered is found out: the user for whom
    /// a conversation was started was announced then; of any other the bot heard when they first spoke.
    pub(super) async fn is_news(
        &self,
        id: &ConversationId,
        user: &str,
        before: Option<Watermark>,
    ) -> Result<bool, StoreError> {
        match self.joined.get(id, user) {
            Some(Introduction::Made) => return Ok(false),
            Some(Introduction::Owed) => return Ok(true),
            None => {}
        }
        let started_for = self.store.find(id).await?.and_then(|conversation| conversation.user?.id);
        let is_old = started_for.is_some_and(|known| known == user) || self.has_spoken(id, user, before).await?;
        if is_old {
            self.joined.note(id, user, Introduction::Made);
        }
        Ok(!is_old)
    }

    /// Whether the user has said anything in the history so far, up to the place `before`.
    pub(super) async fn has_spoken(
        &self,
        id: &ConversationId,
        user: &str,
        before: Option<Watermark>,
    ) -> Result<bool, StoreError> {
        let first = self.store.first_said(id, user).await?;
        Ok(first.is_some_and(|first| before.is_none_or(|before| first < before)))
    }
}

#[async_trait]
impl Respondent for BotChannel {
    fn joined(&self, _id: &ConversationId, user: &ChannelAccount, locale: Option<String>) -> Option<NewTurn> {
        user.id.as_ref()?;
        let body = Unrecorded::Joined { user: user.clone(), locale }.to_body()?;
        Some(NewTurn { body: Some(body), ..self.turn() })
    }

    fn said(&self, _id: &ConversationId, _activity: &Activity) -> Option<NewTurn> {
        Some(self.turn())
    }

    async fn no_room(&self, id: &ConversationId, activity: Arc<Activity>, _full: Queued) {
        let apology = self.apology(&activity, &TurnError::Busy);
        tracing::warn!(conversation.id = %id, activity.kind = activity.kind, error = %TurnError::Busy, "a post to the bot failed");
        let Some(apology) = apology else { return };
        if let Err(error) = self.publisher.publish(id, apology).await {
            tracing::error!(conversation.id = %id, %error, "the failure message for a user could not be recorded");
        }
    }
}
