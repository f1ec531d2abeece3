//! Sends what users do to the bot, one after the other in each conversation.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};

use super::joined::Introduction;
use super::{BotChannel, ConnectorError, ServiceUrl, TurnError, outgoing};
use crate::activity::{Activity, ActivityId, ChannelAccount, ConversationId};
use crate::direct_line::publisher::is_recorded;
use crate::direct_line::{CHANNEL_ID, ClientActivity, Unrecorded};
use crate::metrics::Apology;
use crate::store::{Batch, EndOfTurn, StoreError, Turn};
use crate::{DeliveryError, HeldQueue, TurnEnd, TurnServer};

/// Once a post has timed out, nobody who waits behind it waits longer than this for an outcome.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// Serves the queues of the bot.
#[derive(Debug)]
pub struct BotServer {
    bot: Arc<BotChannel>,
    base: ServiceUrl,
}

/// Whether the last post of a queue has timed out.
#[derive(Debug, Default)]
pub struct HasTimedOut(bool);

impl BotServer {
    /// `here` is where the bot finds citewire when no other address is set.
    #[must_use]
    pub fn new(bot: Arc<BotChannel>, here: ServiceUrl) -> Self {
        let base = bot.options().service_url.clone().unwrap_or(here);
        Self { bot, base }
    }

    /// How long a post may take.
    fn within(&self, turn: &Turn, last: &HasTimedOut) -> Duration {
        let timeout = self.bot.options().timeout;
        let waited = (self.bot.clock.now() - turn.arrived).to_std().unwrap_or_default();
        if last.0 { timeout.min(LONGEST_WAIT.saturating_sub(waited)) } else { timeout }
    }

    /// Sends the bot what a user has said, and before it, where that is news, that the user has come.
    async fn said(&self, queue: &HeldQueue, turn: &Turn, said: &Activity, last: &mut HasTimedOut) -> TurnEnd {
        let (bot, id) = (&self.bot, queue.conversation());
        let user = said.from.clone().unwrap_or_default();
        match bot.is_news(id, user.id.as_deref().unwrap_or_default(), Some(turn.place)).await {
            Ok(true) => {
                let locale = said.extra.get("locale").and_then(Value::as_str).map(str::to_owned);
                match self.joined(queue, &user, locale, self.within(turn, last)).await {
                    Ok(replies) => bot.take_before(id, replies).await,
                    Err(Interrupted) => return TurnEnd::Interrupted,
                }
            }
            Ok(false) => {}
            Err(error) => {
                tracing::error!(conversation.id = %id, %error, "the store could not be read to check whether a user is new");
            }
        }
        let service_url = bot.service_url(id, &self.base);
        let activity = outgoing::said(id, said, bot.options(), &self.base, &service_url);
        let in_history = said.id.clone().filter(|_| turn.body.is_none());
        let outcome = tokio::select! {
            biased;
            () = queue.ending.over.cancelled() => return TurnEnd::Interrupted,
            outcome = bot.client.post(&activity, self.within(turn, last)) => outcome,
        };
        last.0 = matches!(outcome, Err(TurnError::TooSlow | TurnError::NoTimeLeft));
        match outcome {
            Ok(replies) => bot.take(queue, turn, replies, in_history.as_ref()).await,
            Err(error) => bot.apologize(queue, turn, said, &error).await,
        }
    }

    /// Tells the bot that a user has come; returns its replies.
    async fn joined(
        &self,
        queue: &HeldQueue,
        user: &ChannelAccount,
        locale: Option<String>,
        within: Duration,
    ) -> Result<Vec<Value>, Interrupted> {
        let (bot, id) = (&self.bot, queue.conversation());
        let Some(name) = &user.id else { return Ok(Vec::new()) };
        let first = !bot.joined.has_another(id, name);
        let activity_id = ActivityId::from(format!("{id}|cu{}", bot.publisher.fresh_name()));
        let service_url = bot.service_url(id, &self.base);
        let mut update = outgoing::joined(id, user, first, activity_id, bot.clock.now(), bot.options(), &service_url);
        if let Some(locale) = locale {
            update.extra.insert("locale".to_owned(), json!(locale));
        }
        let outcome = tokio::select! {
            biased;
            () = queue.ending.over.cancelled() => return Err(Interrupted),
            outcome = bot.client.post(&update, within) => outcome,
        };
        let owed = outcome.as_ref().is_err_and(TurnError::nothing_was_sent);
        bot.joined.note(id, name, if owed { Introduction::Owed } else { Introduction::Made });
        Ok(outcome.unwrap_or_else(|error| {
            tracing::warn!(conversation.id = %id, %error, again = owed, "the bot was not notified that a user joined");
            Vec::new()
        }))
    }
}

/// The server ends.
struct Interrupted;

#[async_trait]
impl TurnServer for BotServer {
    type Memory = HasTimedOut;

    async fn answer(&self, queue: &HeldQueue, turn: &Turn, memory: &mut HasTimedOut) -> TurnEnd {
        let (bot, id) = (&self.bot, queue.conversation());
        // The bot had answered before the process that has told it ended.
        if turn.answered {
            return TurnEnd::Silent;
        }
        match turn.body.as_deref().map(Unrecorded::from_body) {
            None => match queue.activity(turn).await {
                Ok(Some(said)) => self.said(queue, turn, &said, memory).await,
                Ok(None) => TurnEnd::Silent,
                Err(error) => TurnEnd::Failed(error),
            },
            Some(Ok(Unrecorded::Ephemeral(said))) => self.said(queue, turn, &said, memory).await,
            Some(Ok(Unrecorded::Joined { user, locale })) => {
                // The conversation may have gone on without a known user, in which this one has spoken.
                let name = user.id.as_deref().unwrap_or_default();
                match bot.has_spoken(id, name, Some(turn.place)).await {
                    Ok(true) => bot.joined.note(id, name, Introduction::Made),
                    Ok(false) => {
                        return match self.joined(queue, &user, locale, self.within(turn, memory)).await {
                            Ok(replies) => bot.take(queue, turn, replies, None).await,
                            Err(Interrupted) => TurnEnd::Interrupted,
                        };
                    }
                    Err(error) => {
                        tracing::error!(conversation.id = %id, %error, "the bot was not yet notified that a user joined");
                        bot.joined.note(id, name, Introduction::Owed);
                    }
                }
                TurnEnd::Silent
            }
            Some(Err(error)) => {
                tracing::warn!(conversation.id = %id, %error, "a waiting turn could not be understood");
                TurnEnd::Silent
            }
        }
    }

    async fn apologize(&self, queue: &HeldQueue, turn: &Turn) -> TurnEnd {
        match queue.activity(turn).await {
            Ok(Some(said)) => self.bot.apologize(queue, turn, &said, &TurnError::GivenUp).await,
            Ok(None) => TurnEnd::Silent,
            Err(error) => TurnEnd::Failed(error),
        }
    }
}

impl BotChannel {
    /// Takes the replies in the body of an answer, which end the turn: where another node serves the queue by now, the bot has been
    /// told again, and none of them is recorded.
    async fn take(
        &self,
        queue: &HeldQueue,
        turn: &Turn,
        replies: Vec<Value>,
        answered: Option<&ActivityId>,
    ) -> TurnEnd {
        let id = queue.conversation();
        let said = self.heard(id, replies, answered).await;
        if said.is_empty() {
            return TurnEnd::Silent;
        }
        let recorded = self.publisher.record(id, Batch::new(said).ending(Some(queue.end_of(turn)))).await;
        if let Err(error) = &recorded
            && !matches!(error, StoreError::Superseded)
        {
            tracing::warn!(conversation.id = %id, %error, "the replies of the bot could not be recorded");
        }
        TurnEnd::of(recorded.map_err(DeliveryError::from))
    }

    /// Takes replies to something that is no turn of its own.
    async fn take_before(&self, id: &ConversationId, replies: Vec<Value>) {
        let said = self.heard(id, replies, None).await;
        if said.is_empty() {
            return;
        }
        if let Err(error) = self.publisher.record(id, Batch::new(said)).await {
            tracing::warn!(conversation.id = %id, %error, "the replies of the bot could not be recorded");
        }
    }

    /// Replies as they are to be recorded; those that are ephemeral are shown. What cannot be taken is left out, and the others are
    /// not.
    async fn heard(&self, id: &ConversationId, replies: Vec<Value>, answered: Option<&ActivityId>) -> Vec<Activity> {
        let mut recorded = Vec::new();
        for reply in replies {
            match self.hear(id, reply, answered).await {
                Ok(said) => recorded.extend(said),
                Err(error) => tracing::warn!(conversation.id = %id, %error, "a reply of the bot was rejected"),
            }
        }
        recorded
    }

    async fn hear(
        &self,
        id: &ConversationId,
        reply: Value,
        answered: Option<&ActivityId>,
    ) -> Result<Option<Activity>, ConnectorError> {
        let mut reply = ClientActivity::from_json(reply)?.into_inner();
        reply.reply_to_id = reply.reply_to_id.or_else(|| answered.cloned());
        let said = self.ready_anyway(id, reply).await?;
        if is_recorded(&said) {
            return Ok(Some(said));
        }
        self.publisher.publish(id, said).await?.ok_or(ConnectorError::UnknownConversation)?;
        Ok(None)
    }

    /// The base of the Connector routes for one conversation.
    fn service_url(&self, id: &ConversationId, base: &ServiceUrl) -> String {
        let base = base.as_str();
        if self.options().tickets {
            format!("{base}{}/{}/", super::TICKET_PREFIX, self.tickets.issue(id, self.clock.now()))
        } else {
            format!("{base}/")
        }
    }

    /// Ends a turn by telling its user that the bot did not answer, unless the bot has answered.
    async fn apologize(&self, queue: &HeldQueue, turn: &Turn, said: &Activity, error: &TurnError) -> TurnEnd {
        let id = queue.conversation();
        tracing::warn!(conversation.id = %id, activity.kind = said.kind, %error, "a post to the bot failed");
        let Some(apology) = self.apology(said, error) else { return TurnEnd::Silent };
        self.metrics.apology(if matches!(error, TurnError::GivenUp) { Apology::GivenUp } else { Apology::Failure });
        let end = EndOfTurn { unless_answered: true, ..queue.end_of(turn) };
        let recorded = self.publisher.record(id, Batch::new(vec![apology]).ending(Some(end))).await;
        if let Err(error) = &recorded
            && !matches!(error, StoreError::Superseded)
        {
            tracing::error!(conversation.id = %id, %error, "the failure message for a user could not be recorded");
        }
        TurnEnd::of(recorded.map_err(DeliveryError::from))
    }

    /// The words for users who get no answer. A typing indicator needs none.
    pub(super) fn apology(&self, said: &Activity, error: &TurnError) -> Option<Activity> {
        if said.is_ephemeral() {
            return None;
        }
        let mut apology = Activity::new("message");
        apology.text = Some(self.options().failure_text.clone());
        apology.text_format = Some("plain".to_owned());
        apology.from = Some(outgoing::account(self.options()));
        apology.channel_id = Some(CHANNEL_ID.to_owned());
        apology.reply_to_id = said.id.clone();
        apology.channel_data = Some(json!({"citewire": {"code": error.code()}}));
        Some(apology)
    }
}
