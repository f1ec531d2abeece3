//! Delivers answers into conversations.

use std::sync::Arc;

use super::azure_bot::{ProactiveConversation, ProactiveError, ProactiveMessages, find, is_behind_azure};
use super::delivered::Delivered;
use super::delivery_error::DeliveryError;
use super::direct_line::{DirectLineOptions, bot, sign};
use super::direct_line_client::{BoundDirectLine, Coverage};
use super::earlier_answers::earlier_answers;
use crate::activity::{ChannelAccount, ConversationId};
use crate::convert::{Converted, EarlierAnswers};
use crate::store::{Batch, ConversationStore, Recorded};

/// Brings converted answers into conversations: those of the embedded channel, under the name of the bot; those that are
/// bound to another Direct Line, as a client of it; and those behind Azure Bot Service, as the bot there.
#[derive(Clone, Debug)]
pub struct Delivery {
    store: Arc<dyn ConversationStore>,
    bot: ChannelAccount,
    bound: Option<Arc<BoundDirectLine>>,
    later: Option<ProactiveMessages>,
}

/// The place of a conversation: on this server, in another Direct Line, or behind Azure Bot Service.
#[derive(Clone, Debug, PartialEq)]
pub enum Whereabouts {
    /// In the embedded channel.
    Here(ConversationId),
    /// Bound to another Direct Line.
    Elsewhere(ConversationId),
    /// Behind Azure Bot Service.
    BehindAzure(Box<ProactiveConversation>),
}

impl Delivery {
    /// Deliveries into `store`, from the bot that the channel's options name.
    #[must_use]
    pub fn new(store: Arc<dyn ConversationStore>, options: &DirectLineOptions) -> Self {
        Self { store, bot: bot(options), bound: None, later: None }
    }

    /// Adds conversations that are elsewhere.
    #[must_use]
    pub fn bind(self, elsewhere: BoundDirectLine) -> Self {
        Self { bound: Some(Arc::new(elsewhere)), ..self }
    }

    /// Adds conversations behind Azure Bot Service.
    #[must_use]
    pub fn answer_later(self, later: ProactiveMessages) -> Self {
        Self { later: Some(later), ..self }
    }

    /// The deliveries behind Azure Bot Service.
    ///
    /// # Errors
    /// When there is no bot.
    pub fn later(&self) -> Result<&ProactiveMessages, ProactiveError> {
        self.later.as_ref().ok_or(ProactiveError::NoBot)
    }

    /// The place of the conversation with this id or name, or `None` if it does not exist. Callers ask before they convert an
    /// answer for it. A conversation in another Direct Line counts as existing, because only the other server knows. A
    /// conversation that is bound by its id is always in the other Direct Line; one that is bound by a prefix only if the
    /// embedded channel has no conversation with this id, because ids of the embedded channel are random and can begin with
    /// any prefix.
    ///
    /// # Errors
    /// When the store fails, or knows of the conversation in a way that cannot be read.
    pub async fn locate(&self, called: &str) -> Result<Option<Whereabouts>, DeliveryError> {
        let id: Option<ConversationId> = called.parse().ok();
        let coverage = match (&self.bound, &id) {
            (Some(bound), Some(id)) => bound.coverage(id),
            _ => Coverage::None,
        };
        match (coverage, id) {
            (Coverage::Exact, Some(id)) => Ok(Some(Whereabouts::Elsewhere(id))),
            (coverage, id) => match find(&*self.store, called).await? {
                Some(found) => Ok(match ProactiveConversation::of(&found)? {
                    Some(conversation) => Some(Whereabouts::BehindAzure(Box::new(conversation))),
                    None => Some(found.id).filter(|id| !is_behind_azure(id)).map(Whereabouts::Here),
                }),
                None if coverage == Coverage::Prefix => {
                    Ok(id.filter(|id| !is_behind_azure(id)).map(Whereabouts::Elsewhere))
                }
                None => Ok(None),
            },
        }
    }

    /// The earlier answers of a conversation that is kept here.
    pub async fn earlier(&self, id: &ConversationId) -> Option<Arc<EarlierAnswers>> {
        earlier_answers(&*self.store, id).await
    }

    /// Keeps the way to conversations elsewhere open. To be called from time to time.
    pub async fn keep_fresh(&self) {
        if let Some(bound) = &self.bound {
            bound.keep_fresh().await;
        }
    }

    /// Records the message of a whole answer in a conversation of the embedded channel. Updates that were meant to be shown
    /// before it are left out: when the answer is whole there is nothing left to wait for. With a `key`, a repeated call
    /// delivers nothing and returns what the first one delivered.
    ///
    /// # Errors
    /// When the conversation is gone, the store is full, or there is no message.
    pub async fn record(
        &self,
        id: &ConversationId,
        converted: Converted,
        key: Option<String>,
    ) -> Result<Delivered, DeliveryError> {
        let activities = converted.activities.into_iter().filter(|activity| !activity.is_ephemeral());
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

    /// Posts the message of a whole answer to another Direct Line, likewise. There is one: a second could be refused after the
    /// first has arrived.
    ///
    /// # Errors
    /// When the other Direct Line refuses, no other is bound, or there is no message.
    pub async fn post(
        &self,
        id: &ConversationId,
        converted: Converted,
        key: Option<String>,
    ) -> Result<Delivered, DeliveryError> {
        let bound = self.bound.as_ref().ok_or(DeliveryError::UnknownConversation)?;
        let mut messages = converted.activities.into_iter().filter(|activity| !activity.is_ephemeral());
        let message = messages.next_back().ok_or(DeliveryError::NoMessage)?;
        let posted = bound.post(id, message, key.as_deref()).await?;
        Ok(Delivered { id: posted.id, activity: Arc::new(posted.activity), report: converted.report })
    }
}
