//! Records activities and sends them to the readers of a conversation.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::{Ephemeral, Hub};
use crate::activity::{Activity, ActivityId, ConversationId};
use crate::clock::{Clock, IdSource};
use crate::store::{Batch, ConversationStore, StoreError};

/// Records activities, and shows ephemeral activities without recording them.
#[derive(Debug)]
pub struct Publisher {
    store: Arc<dyn ConversationStore>,
    hub: Hub,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
}

impl Publisher {
    /// Publishes into `store`, and past it to the readers that `hub` knows.
    #[must_use]
    pub fn new(store: Arc<dyn ConversationStore>, hub: Hub, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Self {
        Self { store, hub, clock, ids }
    }

    /// Who reads.
    #[must_use]
    pub fn hub(&self) -> &Hub {
        &self.hub
    }

    /// Publishes an activity as it will be read, with its id; `None` when the conversation does not exist. What is
    /// ephemeral has no place in the history: it is shown to everyone who reads now. A conversationUpdate is shown to
    /// nobody, because clients never see one.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn publish(&self, id: &ConversationId, activity: Activity) -> Result<Option<Arc<Activity>>, StoreError> {
        if activity.is_ephemeral() || activity.kind == "conversationUpdate" {
            return self.show(id, activity).await;
        }
        let appended = self.store.append(id, Batch::new(vec![activity])).await?;
        Ok(appended.and_then(|appended| appended.recorded.into_iter().next()).map(|recorded| recorded.activity))
    }

    /// What time it is.
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// An id for an activity that has no place in the history.
    #[must_use]
    pub fn fresh_id(&self, id: &ConversationId) -> ActivityId {
        ActivityId::from(format!("{id}|e{}", self.fresh_name()))
    }

    /// A name that nobody can guess and nothing else has.
    #[must_use]
    pub fn fresh_name(&self) -> String {
        self.ids.fresh().simple().to_string()
    }

    /// An activity that has an id already keeps it.
    async fn show(&self, id: &ConversationId, mut activity: Activity) -> Result<Option<Arc<Activity>>, StoreError> {
        let Some(newest) = self.store.newest(id).await? else {
            return Ok(None);
        };
        let shown = activity.is_ephemeral();
        activity.id.get_or_insert_with(|| self.fresh_id(id));
        activity.timestamp = newest.timestamp.max(Some(self.clock.now()));
        activity.conversation = Some(id.clone().into());
        let activity = Arc::new(activity);
        if shown {
            self.hub.show(id, Ephemeral::new(newest.watermark, Arc::clone(&activity)));
        }
        Ok(Some(activity))
    }
}
