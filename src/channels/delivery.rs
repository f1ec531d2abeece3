//! Answers on their way into a conversation.

use std::sync::Arc;

use super::direct_line::CHANNEL_ID;
use super::direct_line::DirectLineOptions;
use super::direct_line_client::{BoundDirectLine, Coverage, PostError};
use crate::activity::{Activity, ActivityId, ChannelAccount, ConversationId, Role};
use crate::convert::Converted;
use crate::report::Report;
use crate::store::{Batch, ConversationStore, Recorded, StoreError};

/// Brings converted answers into conversations: those of the embedded channel, under the name of the bot, and those that
/// are bound to another Direct Line, as a client of it.
#[derive(Clone, Debug)]
pub struct Delivery {
    store: Arc<dyn ConversationStore>,
    bot: ChannelAccount,
    bound: Option<Arc<BoundDirectLine>>,
}

/// An answer that has arrived.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Delivered {
    /// The id of the message.
    pub id: ActivityId,
    /// The message as everyone reads it.
    pub activity: Arc<Activity>,
    /// What the conversion had to say.
    pub report: Report,
}

/// Why an answer did not arrive. Nothing of it is in the conversation, unless the error says that this is unknown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeliveryError {
    /// There is no such conversation, or no longer.
    #[error("there is no such conversation")]
    UnknownConversation,
    /// The conversion gave no message.
    #[error("the conversion gave no message to deliver")]
    NoMessage,
    /// The other Direct Line did not take it.
    #[error(transparent)]
    Elsewhere(#[from] PostError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Delivery {
    /// Deliveries into `store`, from the bot that the channel's options name.
    #[must_use]
    pub fn new(store: Arc<dyn ConversationStore>, options: &DirectLineOptions) -> Self {
        Self { store, bot: bot(options), bound: None }
    }

    /// The same deliveries, with conversations that are elsewhere.
    #[must_use]
    pub fn bind(self, elsewhere: BoundDirectLine) -> Self {
        Self { bound: Some(Arc::new(elsewhere)), ..self }
    }

    /// Keeps the way to conversations elsewhere open. To be called from time to time.
    pub async fn keep_fresh(&self) {
        if let Some(bound) = &self.bound {
            bound.keep_fresh().await;
        }
    }

    /// Where the conversation is, when it is not in the embedded channel. A conversation that is named is always
    /// elsewhere; one that is covered by its beginning only when the embedded channel has none of this id, because there
    /// ids are random and may begin like anything.
    async fn elsewhere(&self, id: &ConversationId) -> Result<Option<&BoundDirectLine>, StoreError> {
        let Some(bound) = &self.bound else { return Ok(None) };
        let is_bound = match bound.coverage(id) {
            Coverage::None => false,
            Coverage::Exact => true,
            Coverage::Prefix => self.store.find(id).await?.is_none(),
        };
        Ok(is_bound.then_some(&**bound))
    }

    /// Whether the conversation is not in the embedded channel but bound to another Direct Line.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn is_elsewhere(&self, id: &ConversationId) -> Result<bool, StoreError> {
        Ok(self.elsewhere(id).await?.is_some())
    }

    /// Whether there is such a conversation: asked before work is spent on an answer for it. What is elsewhere counts as
    /// known, since only the other side can say.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn knows(&self, id: &ConversationId) -> Result<bool, StoreError> {
        Ok(self.elsewhere(id).await?.is_some() || self.store.find(id).await?.is_some())
    }

    /// Records the message of a whole answer. Updates that were meant to be shown before it are left out: when the
    /// answer is whole there is nothing left to wait for. With a `key`, a repeated call delivers nothing and returns
    /// what the first one delivered.
    ///
    /// # Errors
    /// When the conversation is gone, the store is full, the other Direct Line refuses, or there is no message.
    pub async fn deliver(
        &self,
        id: &ConversationId,
        converted: Converted,
        key: Option<String>,
    ) -> Result<Delivered, DeliveryError> {
        let activities = converted.activities.into_iter().filter(|activity| !activity.is_ephemeral());
        if let Some(bound) = self.elsewhere(id).await? {
            return Self::post(bound, id, activities.collect(), converted.report, key).await;
        }
        let activities: Vec<_> = activities.map(|activity| sign(activity, &self.bot)).collect();
        if activities.is_empty() {
            return Err(DeliveryError::NoMessage);
        }
        let appended = self.store.append(id, Batch::new(activities).keyed(key)).await?;
        let appended = appended.ok_or(DeliveryError::UnknownConversation)?;
        let Recorded { activity, .. } = appended.recorded.into_iter().next_back().ok_or(DeliveryError::NoMessage)?;
        let id = activity.id.clone().ok_or(DeliveryError::NoMessage)?;
        Ok(Delivered { id, activity, report: converted.report })
    }

    /// Posts the message of an answer elsewhere. There is one: a second could be refused after the first has arrived.
    async fn post(
        bound: &BoundDirectLine,
        id: &ConversationId,
        activities: Vec<Activity>,
        report: Report,
        key: Option<String>,
    ) -> Result<Delivered, DeliveryError> {
        let message = activities.into_iter().next_back().ok_or(DeliveryError::NoMessage)?;
        let posted = bound.post(id, message, key.as_deref()).await?;
        Ok(Delivered { id: posted.id, activity: Arc::new(posted.activity), report })
    }
}

/// Who says answers in the embedded channel.
pub(super) fn bot(options: &DirectLineOptions) -> ChannelAccount {
    let mut bot = ChannelAccount::new(options.bot_id.clone(), Role::Bot);
    bot.name = Some(options.bot_name.clone());
    bot
}

/// The activity as something that the bot says in the embedded channel. No `replyToId`: Web Chat holds a reply back for
/// seconds when it does not know what it answers.
pub(super) fn sign(mut activity: Activity, bot: &ChannelAccount) -> Activity {
    activity.from = Some(bot.clone());
    activity.channel_id = Some(CHANNEL_ID.to_owned());
    activity
}
