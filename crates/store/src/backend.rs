//! The conversations of a store, whichever database keeps them: what is read, what is handed to the writer, and what callers get of
//! that.

use std::fmt::Debug;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::activity::{ChannelAccount, ConversationId, Watermark};
use crate::metrics::StoreFigures;
use crate::notifier_registry::NotifierRegistry;
use crate::writing::{Append, Change, Create, Keep, Note, Pending, Placed, Refer};
use crate::{
    Appended, Attachment, Batch, ChangeListener, Conversation, ConversationStore, Counts, Created, Feedback,
    FeedbackPage, ListCursor, Listing, NewTurn, Newest, Page, StoreError, Turns,
};

/// A database that keeps conversations. Its store is a [`ConversationStore`] by this.
pub(crate) trait Backend: Turns + Debug + Send + Sync {
    type Reader: Reader;

    fn reader(&self) -> &Self::Reader;

    /// The notifiers of its conversations.
    fn notifiers(&self) -> &NotifierRegistry;

    /// Hands a change of about so many bytes to the writer and waits until it is committed.
    fn change<C: Send, A: Send>(
        &self,
        change: C,
        bytes: usize,
        wrap: fn(Pending<C, A>) -> Change,
    ) -> impl Future<Output = Result<A, StoreError>> + Send;

    /// Appends a batch, as often as the database wants that tried.
    fn append_batch(
        &self,
        id: &ConversationId,
        batch: Batch,
    ) -> impl Future<Output = Result<Option<Appended>, StoreError>> + Send
    where
        Self: Sized,
    {
        append(self, id, batch)
    }

    /// Deletes these conversations, in small steps between which others get their turn; says how many.
    fn remove(&self, removal: Removal<'_>) -> impl Future<Output = Result<usize, StoreError>> + Send;

    /// See [`ConversationStore::strangers`].
    fn names_of_strangers(&self) -> Vec<String> {
        Vec::new()
    }

    /// See [`ConversationStore::ready`].
    fn check(&self) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// See [`ConversationStore::figures`].
    fn store_figures(&self) -> &StoreFigures;

    /// See [`ConversationStore::close`].
    fn end(&self) -> impl Future<Output = Result<(), StoreError>> + Send;
}

/// The reads of a database. Each is of one moment.
pub(crate) trait Reader: Send + Sync {
    /// The conversation, and how far it reaches.
    fn find(
        &self,
        id: &ConversationId,
    ) -> impl Future<Output = Result<Option<(Conversation, Newest)>, StoreError>> + Send;

    /// When the conversation was created.
    fn created(&self, id: &ConversationId) -> impl Future<Output = Result<Option<DateTime<Utc>>, StoreError>> + Send;

    /// Where a batch of this name begins, and how many activities it has.
    fn batch(
        &self,
        id: &ConversationId,
        name: &str,
    ) -> impl Future<Output = Result<Option<(Watermark, usize)>, StoreError>> + Send;

    /// Up to `limit` activities after `after`.
    fn read(
        &self,
        id: &ConversationId,
        after: Option<Watermark>,
        limit: usize,
    ) -> impl Future<Output = Result<Option<Page>, StoreError>> + Send;

    fn attachment(
        &self,
        id: &ConversationId,
        attachment_id: &str,
    ) -> impl Future<Output = Result<Option<Attachment>, StoreError>> + Send;

    /// Up to `limit` pieces of feedback behind the one at `after`.
    fn feedback(
        &self,
        id: &ConversationId,
        after: Option<u64>,
        limit: usize,
    ) -> impl Future<Output = Result<Option<FeedbackPage>, StoreError>> + Send;

    /// The place of the first thing that a user has said.
    fn first_said(
        &self,
        id: &ConversationId,
        user: &str,
    ) -> impl Future<Output = Result<Option<Watermark>, StoreError>> + Send;

    /// Up to `limit` conversations to which a user belongs, by id.
    fn conversations_of(
        &self,
        user: &str,
        after: Option<&ConversationId>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<ConversationId>, StoreError>> + Send;

    /// Up to `limit` conversations, the one in which something was recorded last first.
    fn list(&self, after: Option<ListCursor>, limit: usize)
    -> impl Future<Output = Result<Listing, StoreError>> + Send;

    /// How much there is altogether.
    fn count(&self) -> impl Future<Output = Result<Counts, StoreError>> + Send;
}

/// The conversations to delete.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Removal<'a> {
    One(&'a ConversationId),
    /// Those in which nothing was recorded since.
    IdleSince(DateTime<Utc>),
    /// Those to which this user belongs.
    Of(&'a str),
}

/// Hands a batch to the writer once.
pub(crate) async fn append(
    backend: &impl Backend,
    id: &ConversationId,
    batch: Batch,
) -> Result<Option<Appended>, StoreError> {
    let (append, written) = Append::new(id, batch)?;
    let bytes = append.bodies.len();
    match backend.change(append, bytes, Change::Append).await? {
        None => Ok(None),
        Some(Placed::Now { first, timestamp, queued }) => Ok(Some(written.at(id, first, timestamp).queued(queued))),
        Some(Placed::Nowhere) => Ok(Some(Appended::new(Vec::new(), false))),
        Some(Placed::Before { first, count }) => recorded_before(backend.reader(), id, (first, count)).await,
    }
}

/// The outcome of a batch whose key was used before: what it recorded then, read page by page. `None` where that is gone.
async fn recorded_before(
    reader: &impl Reader,
    id: &ConversationId,
    (first, count): (Watermark, usize),
) -> Result<Option<Appended>, StoreError> {
    let (mut recorded, mut after) = (Vec::with_capacity(count), first.previous());
    while recorded.len() < count {
        match reader.read(id, after, count - recorded.len()).await? {
            Some(page) if !page.recorded.is_empty() => {
                after = page.reached;
                recorded.extend(page.recorded);
            }
            Some(_) | None => return Ok(None),
        }
    }
    Ok(Some(Appended::new(recorded, true)))
}

#[async_trait]
impl<B: Backend> ConversationStore for B {
    async fn create_asking(
        &self,
        id: &ConversationId,
        user: Option<ChannelAccount>,
        turn: Option<NewTurn>,
    ) -> Result<Created, StoreError> {
        let reference = match self.find(id).await? {
            Some(found) if found.user.is_some() || user.is_none() => return Ok(Created::Existing(found)),
            found => found.and_then(|found| found.reference),
        };
        let create = Create::new(id, user, turn)?;
        let created = self.change(create, 0, Change::Create).await?;
        created.outcome(id, reference)
    }

    async fn find(&self, id: &ConversationId) -> Result<Option<Conversation>, StoreError> {
        Ok(self.reader().find(id).await?.map(|(conversation, _)| conversation))
    }

    async fn created(&self, id: &ConversationId) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.reader().created(id).await
    }

    async fn refer(&self, id: &ConversationId, reference: Value) -> Result<bool, StoreError> {
        let refer = Refer { id: id.clone(), reference: reference.to_string() };
        let bytes = refer.reference.len();
        self.change(refer, bytes, Change::Refer).await
    }

    async fn append(&self, id: &ConversationId, batch: Batch) -> Result<Option<Appended>, StoreError> {
        self.append_batch(id, batch).await
    }

    async fn recall(&self, id: &ConversationId, key: &str) -> Result<Option<Appended>, StoreError> {
        match self.reader().batch(id, key).await? {
            Some(batch) => recorded_before(self.reader(), id, batch).await,
            None => Ok(None),
        }
    }

    async fn read(
        &self,
        id: &ConversationId,
        after: Option<Watermark>,
        limit: usize,
    ) -> Result<Option<Page>, StoreError> {
        self.reader().read(id, after, limit).await
    }

    async fn newest(&self, id: &ConversationId) -> Result<Option<Newest>, StoreError> {
        Ok(self.reader().find(id).await?.map(|(_, newest)| newest))
    }

    async fn subscribe(&self, id: &ConversationId) -> Result<Option<ChangeListener>, StoreError> {
        loop {
            let listener = self.notifiers().listen(id);
            if self.reader().find(id).await?.is_none() {
                return Ok(None);
            }
            // A deletion, or the sweep, may have closed it just before the conversation was created.
            if listener.has_changed().is_ok() {
                return Ok(Some(listener));
            }
        }
    }

    async fn keep_attachment(
        &self,
        id: &ConversationId,
        attachment_id: &str,
        attachment: Attachment,
    ) -> Result<bool, StoreError> {
        let bytes = attachment.bytes.len();
        let keep = Keep::new(id, attachment_id, attachment);
        self.change(keep, bytes, Change::Keep).await
    }

    async fn attachment(&self, id: &ConversationId, attachment_id: &str) -> Result<Option<Attachment>, StoreError> {
        self.reader().attachment(id, attachment_id).await
    }

    async fn keep_feedback(
        &self,
        id: &ConversationId,
        feedback: Feedback,
        name: Option<String>,
    ) -> Result<bool, StoreError> {
        let note = Note::new(id, feedback, name)?;
        let bytes = note.body.len();
        self.change(note, bytes, Change::Note).await
    }

    async fn feedback(
        &self,
        id: &ConversationId,
        after: Option<u64>,
        limit: usize,
    ) -> Result<Option<FeedbackPage>, StoreError> {
        self.reader().feedback(id, after, limit).await
    }

    async fn first_said(&self, id: &ConversationId, user: &str) -> Result<Option<Watermark>, StoreError> {
        self.reader().first_said(id, user).await
    }

    async fn conversations_of(
        &self,
        user: &str,
        after: Option<&ConversationId>,
        limit: usize,
    ) -> Result<Vec<ConversationId>, StoreError> {
        self.reader().conversations_of(user, after, limit).await
    }

    async fn erase(&self, user: &str) -> Result<usize, StoreError> {
        self.remove(Removal::Of(user)).await
    }

    async fn list(&self, after: Option<ListCursor>, limit: usize) -> Result<Listing, StoreError> {
        self.reader().list(after, limit).await
    }

    async fn count(&self) -> Result<Counts, StoreError> {
        self.reader().count().await
    }

    async fn expire(&self, idle_since: DateTime<Utc>) -> Result<usize, StoreError> {
        self.remove(Removal::IdleSince(idle_since)).await
    }

    async fn delete(&self, id: &ConversationId) -> Result<bool, StoreError> {
        Ok(self.remove(Removal::One(id)).await? > 0)
    }

    async fn ready(&self) -> Result<(), StoreError> {
        self.check().await
    }

    fn strangers(&self) -> Vec<String> {
        self.names_of_strangers()
    }

    fn figures(&self) -> &StoreFigures {
        self.store_figures()
    }

    async fn close(&self) -> Result<(), StoreError> {
        self.end().await
    }
}
