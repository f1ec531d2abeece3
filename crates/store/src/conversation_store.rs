//! The trait of all stores.

use std::fmt::Debug;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::Value;

use super::conversation::{Appended, Batch, Conversation, Created, Newest, Page};
use super::{
    Attachment, ChangeListener, Counts, Feedback, FeedbackPage, ListCursor, Listing, NewTurn, StoreError, Turns,
};
use crate::activity::{ChannelAccount, ConversationId, Watermark};
use crate::metrics::StoreFigures;

/// Keeps conversations: append-only lists of activities, each with a place.
///
/// What every backend promises:
/// - Places ([`Watermark`]) of a conversation count from 0 without gaps, in the order of the appends.
/// - A call that changes something returns only when the change is as durable as the backend can make it.
/// - A reader that starts after a watermark gets exactly what follows, each activity once and in order.
/// - A batch is recorded whole or not at all.
/// - Not found is `Ok(None)` or `Ok(false)`, never an error.
#[async_trait]
pub trait ConversationStore: Turns + Debug + Send + Sync {
    /// Creates the conversation, or finds the one that is there already. A user who is known stays; where none is
    /// known yet, `user` becomes it.
    async fn create(&self, id: &ConversationId, user: Option<ChannelAccount>) -> Result<Created, StoreError> {
        self.create_asking(id, user, None).await
    }

    /// Creates or finds the conversation, as [`create`](Self::create) does. Where it has no known user before and one
    /// afterwards, this turn is recorded with it, if there is room for it.
    async fn create_asking(
        &self,
        id: &ConversationId,
        user: Option<ChannelAccount>,
        turn: Option<NewTurn>,
    ) -> Result<Created, StoreError>;

    /// The conversation, when it exists.
    async fn find(&self, id: &ConversationId) -> Result<Option<Conversation>, StoreError>;

    /// When the conversation was created, in whole milliseconds. A deleted conversation can be created again under its id; the
    /// time tells the two apart.
    async fn created(&self, id: &ConversationId) -> Result<Option<DateTime<Utc>>, StoreError>;

    /// Keeps where a conversation is that somebody else holds, in place of what was kept of that before; says whether the
    /// conversation is there. The conversation does not live longer for it, because nothing is recorded in it.
    async fn refer(&self, id: &ConversationId, reference: Value) -> Result<bool, StoreError>;

    /// Appends a batch. The store assigns places, ids by [`ActivityId::at`](crate::activity::ActivityId::at), the conversation, and timestamps: the
    /// present in whole milliseconds, yet at least 1 ms after the activity before and not before what the batch says. A batch that
    /// ends a turn is recorded only by the holder of the turn's queue: [`StoreError::Superseded`] otherwise.
    async fn append(&self, id: &ConversationId, batch: Batch) -> Result<Option<Appended>, StoreError>;

    /// Finds the batch that was recorded under this key or name, if one was. Work can be spared whose outcome is there
    /// already, and things that others call by their own names are found.
    async fn recall(&self, id: &ConversationId, key: &str) -> Result<Option<Appended>, StoreError>;

    /// Up to `limit` activities (at least 1) after `after`, oldest first; `None` starts at the beginning. A watermark
    /// beyond the newest counts as the newest.
    async fn read(
        &self,
        id: &ConversationId,
        after: Option<Watermark>,
        limit: usize,
    ) -> Result<Option<Page>, StoreError>;

    /// How far the conversation reaches.
    async fn newest(&self, id: &ConversationId) -> Result<Option<Newest>, StoreError>;

    /// A listener that reports every append to the conversation, and is closed when the conversation is deleted.
    async fn subscribe(&self, id: &ConversationId) -> Result<Option<ChangeListener>, StoreError>;

    /// Keeps an attachment of the conversation under an id that the caller has made; says whether the conversation is
    /// there. An id that is taken keeps what it has: what a recorded activity refers to never changes. How long an
    /// attachment may be is for the caller to decide.
    async fn keep_attachment(
        &self,
        id: &ConversationId,
        attachment_id: &str,
        attachment: Attachment,
    ) -> Result<bool, StoreError>;

    /// An attachment, byte for byte as it was kept.
    async fn attachment(&self, id: &ConversationId, attachment_id: &str) -> Result<Option<Attachment>, StoreError>;

    /// Keeps what a reader thinks of the conversation or of an answer in it; says whether the conversation is there. The time
    /// is the store's. It is a record like an activity, so the conversation lives longer for it. With a name that something in the
    /// conversation has already, nothing is kept: it has come before. Batches and feedback share their names.
    async fn keep_feedback(
        &self,
        id: &ConversationId,
        feedback: Feedback,
        name: Option<String>,
    ) -> Result<bool, StoreError>;

    /// Up to `limit` pieces of feedback (at least 1) in the order in which they came; `after` is where the page before ended.
    async fn feedback(
        &self,
        id: &ConversationId,
        after: Option<u64>,
        limit: usize,
    ) -> Result<Option<FeedbackPage>, StoreError>;

    /// The place of the first activity that this user has sent; `None` where they have sent none or there is no such
    /// conversation. Takes no longer in a long conversation.
    async fn first_said(&self, id: &ConversationId, user: &str) -> Result<Option<Watermark>, StoreError>;

    /// Up to `limit` conversations (at least 1) to which a user belongs, by id, after `after`. A user belongs to a conversation
    /// that was started for them, in which they have sent an activity, or in which they have rated an answer. `user` is the id of
    /// their account, letter for letter.
    async fn conversations_of(
        &self,
        user: &str,
        after: Option<&ConversationId>,
        limit: usize,
    ) -> Result<Vec<ConversationId>, StoreError>;

    /// Deletes every conversation to which a user belongs, whole, as [`delete`](Self::delete) does; returns how many.
    async fn erase(&self, user: &str) -> Result<usize, StoreError>;

    /// Up to `limit` conversations (at least 1), the one in which something was recorded last first; `after` is where
    /// the page before ended. A conversation that grows meanwhile moves to the front, where a later page does not come.
    async fn list(&self, after: Option<ListCursor>, limit: usize) -> Result<Listing, StoreError>;

    /// How much there is altogether.
    async fn count(&self) -> Result<Counts, StoreError>;

    /// Deletes the conversations in which nothing was recorded since `idle_since`, with attachments, feedback and references;
    /// returns how many.
    async fn expire(&self, idle_since: DateTime<Utc>) -> Result<usize, StoreError>;

    /// Deletes one conversation with everything that is kept of it; says whether it was there.
    async fn delete(&self, id: &ConversationId) -> Result<bool, StoreError>;

    /// Whether the store can take work; the reason when it cannot. Answers `GET /readyz`.
    async fn ready(&self) -> Result<(), StoreError>;

    /// The names of other nodes of the store that have other secrets, so that each refuses what the other has signed.
    fn strangers(&self) -> Vec<String>;

    /// Figures about what it does.
    fn figures(&self) -> &StoreFigures;

    /// Finishes what was accepted, takes nothing more, and lets go of what it holds. Reading may go on to work or fail
    /// with [`StoreError::Closed`]. Closing again does nothing.
    async fn close(&self) -> Result<(), StoreError>;
}
