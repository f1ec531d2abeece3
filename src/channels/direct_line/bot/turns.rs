//! Sends queued activities to the bot, one after the other in each conversation.

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::joined::Told;
use super::queue::{BotEvent, QueuedEvent};
use super::{BotChannel, ServiceUrl, TurnError, outgoing};
use crate::activity::{Activity, ActivityId, ConversationId};
use crate::channels::direct_line::{CHANNEL_ID, ClientActivity};

/// Once a post has timed out, nobody who waits behind it waits longer than this for an outcome.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

impl BotChannel {
    /// Tells the bot all news, until `ending`: then nothing more is sent, users whose words did not reach the bot are
    /// told, and the future ends. `here` is where the bot finds citewire when no other address is set.
    pub async fn run(&self, here: &ServiceUrl, ending: CancellationToken) {
        let base = self.options().service_url.as_ref().unwrap_or(here);
        let mut serving = FuturesUnordered::new();
        loop {
            tokio::select! {
                biased;
                () = ending.cancelled() => break,
                Some(()) = serving.next() => {}
                id = self.lines.unserved(), if serving.len() < self.options().max_turns => {
                    serving.push(self.serve(id, base, &ending));
                }
            }
        }
        self.lines.close();
        while let Some(id) = self.lines.try_unserved() {
            serving.push(self.serve(id, base, &ending));
        }
        while serving.next().await.is_some() {}
    }

    async fn serve(&self, id: ConversationId, base: &ServiceUrl, ending: &CancellationToken) {
        let timeout = self.options().timeout;
        let mut has_timed_out = false;
        while let Some(QueuedEvent { news, since }) = self.lines.next(&id) {
            let left = LONGEST_WAIT.saturating_sub(since.elapsed());
            let within = if has_timed_out { timeout.min(left) } else { timeout };
            let outcome = tokio::select! {
                biased;
                () = ending.cancelled() => Err(TurnError::Ending),
                outcome = self.turn(&id, &news, base, within) => outcome,
            };
            has_timed_out = matches!(outcome, Err(TurnError::TooSlow | TurnError::NoTimeLeft));
            if let Err(error) = outcome {
                self.failed(&id, news, &error).await;
            }
        }
    }

    async fn turn(
        &self,
        id: &ConversationId,
        news: &BotEvent,
        base: &ServiceUrl,
        within: Duration,
    ) -> Result<(), TurnError> {
        let options = self.options();
        let service_url = self.service_url(id, base);
        let (activity, answered) = match news {
            BotEvent::Said(said) => {
                let in_history = said.id.clone().filter(|activity| activity.place_in(id).is_some());
                (outgoing::said(id, said, options, base, &service_url), in_history)
            }
            BotEvent::Joined { user, locale, first } => {
                let activity_id = ActivityId::from(format!("{id}|cu{}", self.publisher.fresh_name()));
                let now = self.clock.now();
                let mut update = outgoing::joined(id, user, *first, activity_id, now, options, &service_url);
                if let Some(locale) = locale {
                    update.extra.insert("locale".to_owned(), json!(locale));
                }
                (update, None)
            }
        };
        let replies = self.client.post(&activity, within).await?;
        for reply in replies {
            self.reply(id, reply, answered.as_ref()).await;
        }
        Ok(())
    }

    /// Takes one reply from the body of an answer. What cannot be taken is left out, and the others are not.
    async fn reply(&self, id: &ConversationId, reply: Value, answered: Option<&ActivityId>) {
        let said = match ClientActivity::from_json(reply) {
            Ok(reply) => {
                let mut reply = reply.into_inner();
                reply.reply_to_id = reply.reply_to_id.or_else(|| answered.cloned());
                self.speak_anyway(id, reply).await
            }
            Err(error) => Err(error.into()),
        };
        if let Err(error) = said {
            tracing::warn!(conversation.id = %id, %error, "a reply of the bot was rejected");
        }
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

    async fn failed(&self, id: &ConversationId, news: BotEvent, error: &TurnError) {
        match news {
            BotEvent::Said(said) if self.lines.is_answered(id) => {
                tracing::warn!(conversation.id = %id, activity.kind = said.kind, %error, "a post to the bot failed after the bot had answered it");
            }
            BotEvent::Said(said) => self.apologize(id, &said, error).await,
            BotEvent::Joined { user, .. } => {
                let owed = error.nothing_was_sent();
                tracing::warn!(conversation.id = %id, %error, again = owed, "the bot was not notified that a user joined");
                if let Some(user) = user.id.filter(|_| owed) {
                    self.joined.note(id, &user, Told::Owed);
                }
            }
        }
    }

    /// Tells the user that the bot did not answer. A typing indicator needs no answer.
    pub(super) async fn apologize(&self, id: &ConversationId, said: &Activity, error: &TurnError) {
        tracing::warn!(conversation.id = %id, activity.kind = said.kind, %error, "a post to the bot failed");
        if said.is_ephemeral() {
            return;
        }
        let mut apology = Activity::new("message");
        apology.text = Some(self.options().failure_text.clone());
        apology.text_format = Some("plain".to_owned());
        apology.from = Some(outgoing::account(self.options()));
        apology.channel_id = Some(CHANNEL_ID.to_owned());
        apology.reply_to_id = said.id.clone();
        apology.channel_data = Some(json!({"citewire": {"code": error.code()}}));
        match self.publisher.publish(id, apology).await {
            Ok(_) => {}
            Err(error) => {
                tracing::error!(conversation.id = %id, %error, "the failure message for a user could not be recorded");
            }
        }
    }
}
