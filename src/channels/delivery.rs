//! Answers on their way into a conversation.

use std::sync::Arc;

use super::direct_line::CHANNEL_ID;
use super::direct_line::DirectLineOptions;
use crate::activity::{Activity, ActivityId, ChannelAccount, ConversationId, Role};
use crate::convert::Converted;
use crate::report::Report;
use crate::store::{Batch, ConversationStore, Recorded, StoreError};

/// Brings converted answers into conversations of the embedded channel, under the name of the bot.
#[derive(Clone, Debug)]
pub struct Delivery {
    store: Arc<dyn ConversationStore>,
    bot: ChannelAccount,
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

/// Why an answer did not arrive. Nothing of it is in the conversation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeliveryError {
    /// There is no such conversation, or no longer.
    #[error("there is no such conversation")]
    UnknownConversation,
    /// The conversion gave no message.
    #[error("the conversion gave no message to deliver")]
    NoMessage,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Delivery {
    /// Deliveries into `store`, from the bot that the channel's options name.
    #[must_use]
    pub fn new(store: Arc<dyn ConversationStore>, options: &DirectLineOptions) -> Self {
        let mut bot = ChannelAccount::new(options.bot_id.clone(), Role::Bot);
        bot.name = Some(options.bot_name.clone());
        Self { store, bot }
    }

    /// Whether there is such a conversation: asked before work is spent on an answer for it.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn knows(&self, id: &ConversationId) -> Result<bool, StoreError> {
        Ok(self.store.find(id).await?.is_some())
    }

    /// Records the message of a whole answer. Updates that were meant to be shown before it are left out: when the
    /// answer is whole there is nothing left to wait for. With a `key`, a repeated call delivers nothing and returns
    /// what the first one delivered.
    ///
    /// # Errors
    /// When the conversation is gone, the store is full, or there is no message.
    pub async fn deliver(
        &self,
        id: &ConversationId,
        converted: Converted,
        key: Option<String>,
    ) -> Result<Delivered, DeliveryError> {
        let activities: Vec<_> = converted
            .activities
            .into_iter()
            .filter(|activity| !activity.is_ephemeral())
            .map(|activity| self.sign(activity))
            .collect();
        if activities.is_empty() {
            return Err(DeliveryError::NoMessage);
        }
        let appended = self.store.append(id, Batch::new(activities).keyed(key)).await?;
        let appended = appended.ok_or(DeliveryError::UnknownConversation)?;
        let Recorded { activity, .. } = appended.recorded.into_iter().next_back().ok_or(DeliveryError::NoMessage)?;
        let id = activity.id.clone().ok_or(DeliveryError::NoMessage)?;
        Ok(Delivered { id, activity, report: converted.report })
    }

    /// No `replyToId`: Web Chat holds a reply back for seconds when it does not know what it answers.
    fn sign(&self, mut activity: Activity) -> Activity {
        activity.from = Some(self.bot.clone());
        activity.channel_id = Some(CHANNEL_ID.to_owned());
        activity
    }
}
