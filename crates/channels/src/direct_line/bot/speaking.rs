//! Delivers activities of the bot to readers.

use std::sync::Arc;

use super::cited::{cited, uncited};
use super::livestream::with_stream_info;
use super::{BotChannel, ConnectorError, outgoing};
use crate::activity::{Activity, ConversationId};
use crate::direct_line::CHANNEL_ID;
use crate::direct_line::publisher::is_recorded;
use crate::store::Batch;

/// Members that concern a bot and its channel alone. A reference to a conversation holds its `serviceUrl`, and with it the
/// bot's ticket.
const BETWEEN_US: [&str; 3] = ["callerId", "deliveryMode", "relatesTo"];

impl BotChannel {
    /// Has the bot say something, in its own name whatever the activity says. Its manifest must be usable.
    pub(super) async fn speak(&self, id: &ConversationId, said: Activity) -> Result<Arc<Activity>, ConnectorError> {
        let said =
            if self.options().cite { cited(said, &*self.citer).map_err(ConnectorError::Manifest)? } else { said };
        self.publish(id, said).await
    }

    /// The bot's activity as it is to be published, where nobody can be told of a manifest that cannot be used: what the bot wrote
    /// beside it is said.
    pub(super) async fn ready_anyway(&self, id: &ConversationId, said: Activity) -> Result<Activity, ConnectorError> {
        let said = if self.options().cite {
            cited(said.clone(), &*self.citer).unwrap_or_else(|error| {
                tracing::warn!(conversation.id = %id, %error, "the citations of a bot's answer could not be added");
                uncited(said)
            })
        } else {
            said
        };
        self.ready(id, said).await
    }

    async fn publish(&self, id: &ConversationId, said: Activity) -> Result<Arc<Activity>, ConnectorError> {
        let said = self.ready(id, said).await?;
        let place = said.reply_to_id.as_ref().and_then(|answered| answered.place_in(id));
        if is_recorded(&said) {
            let recorded = self.publisher.record(id, Batch::new(vec![said]).answering(place)).await?;
            return recorded.map(|recorded| recorded.activity).ok_or(ConnectorError::UnknownConversation);
        }
        self.publisher.publish(id, said).await?.ok_or(ConnectorError::UnknownConversation)
    }

    /// An activity of the bot as readers see it.
    async fn ready(&self, id: &ConversationId, mut said: Activity) -> Result<Activity, ConnectorError> {
        said.from = Some(outgoing::account(self.options()));
        said.channel_id = Some(CHANNEL_ID.to_owned());
        for name in BETWEEN_US {
            said.extra.remove(name);
        }
        if let Some(answered) = &said.reply_to_id {
            let newest = self.store.newest(id).await?.ok_or(ConnectorError::UnknownConversation)?;
            // Web Chat holds an answer back for seconds when it does not know what it answers. A conversationUpdate, which
            // clients never see, is no such thing.
            if answered.place_in(id).is_none_or(|place| Some(place) > newest.watermark) {
                said.reply_to_id = None;
            }
        }
        Ok(with_stream_info(said, || self.publisher.fresh_id(id)))
    }
}
