//! Records activities and sends them to the readers of a conversation.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::{Ephemeral, Hub, Unrecorded};
use crate::activity::{Activity, ActivityId, ConversationId};
use crate::clock::{Clock, IdSource};
use crate::store::{Batch, ConversationStore, NewTurn, Queued, StoreError};

/// An activity as everybody reads it.
#[derive(Debug)]
pub(super) struct Published {
    pub(super) activity: Arc<Activity>,
    /// The outcome for its turn.
    pub(super) queued: Option<Queued>,
}

/// Whether an activity has a place in the history.
pub(super) fn is_recorded(activity: &Activity) -> bool {
    !activity.is_ephemeral() && activity.kind != "conversationUpdate"
}

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

    /// The readers.
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
        Ok(self.publish_asking(id, activity, None, None).await?.map(|published| published.activity))
    }

    /// Publishes an activity that is a turn. An ephemeral one stands in the turn itself. What was recorded under `key` before
    /// is recorded no second time.
    pub(super) async fn publish_asking(
        &self,
        id: &ConversationId,
        activity: Activity,
        key: Option<String>,
        turn: Option<NewTurn>,
    ) -> Result<Option<Published>, StoreError> {
        if !is_recorded(&activity) {
            let Some(activity) = self.show(id, activity).await? else { return Ok(None) };
            let queued = match turn {
                Some(turn) => {
                    let body = Unrecorded::Ephemeral(Box::new((*activity).clone())).to_body();
                    self.store.queue_turn(id, NewTurn { body, ..turn }).await?
                }
                None => None,
            };
            return Ok(Some(Published { activity, queued }));
        }
        self.record(id, Batch::new(vec![activity]).keyed(key).asking(turn)).await
    }

    /// Records one activity as the batch says; `None` when the conversation does not exist, or nothing was to be recorded.
    pub(super) async fn record(&self, id: &ConversationId, batch: Batch) -> Result<Option<Published>, StoreError> {
        let Some(appended) = self.store.append(id, batch).await? else { return Ok(None) };
        let queued = appended.queued;
        let recorded = appended.recorded.into_iter().next();
        Ok(recorded.map(|recorded| Published { activity: recorded.activity, queued }))
    }

    /// The time.
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
