//! What a store of conversations promises.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Duration, SubsecRound as _, Utc};
use serde_json::Value;

use super::{Attachment, Counts, Doorbell, Feedback, FeedbackPage, Listing, Place, StoreError};
use crate::activity::{Activity, ActivityId, ChannelAccount, ConversationId, Watermark};
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
pub trait ConversationStore: Debug + Send + Sync {
    /// Creates the conversation, or finds the one that is there already. A user who is known stays; where none is
    /// known yet, `user` becomes it.
    async fn create(&self, id: &ConversationId, user: Option<ChannelAccount>) -> Result<Created, StoreError>;

    /// The conversation, when it exists.
    async fn find(&self, id: &ConversationId) -> Result<Option<Conversation>, StoreError>;

    /// When the conversation was created, in whole milliseconds. A deleted conversation can be created again under its id; the
    /// time tells the two apart.
    async fn created(&self, id: &ConversationId) -> Result<Option<DateTime<Utc>>, StoreError>;

    /// Keeps where a conversation is that somebody else holds, in place of what was kept of that before; says whether the
    /// conversation is there. The conversation does not live longer for it, because nothing is recorded in it.
    async fn refer(&self, id: &ConversationId, reference: Value) -> Result<bool, StoreError>;

    /// Appends a batch. The store assigns places, ids by [`ActivityId::at`], the conversation, and timestamps: the
    /// present in whole milliseconds, yet at least 1 ms after the activity before and not before what the batch says.
    async fn append(&self, id: &ConversationId, batch: Batch) -> Result<Option<Appended>, StoreError>;

    /// What a batch recorded under this key or name, if one did: so that work can be spared whose outcome is there already,
    /// and so that what others call by their own names is found.
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

    /// A doorbell that rings after every append to the conversation and falls silent when it goes.
    async fn subscribe(&self, id: &ConversationId) -> Result<Option<Doorbell>, StoreError>;

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
    /// is the store's. It is a record like an activity, so the conversation lives longer for it.
    async fn keep_feedback(&self, id: &ConversationId, feedback: Feedback) -> Result<bool, StoreError>;

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
    async fn list(&self, after: Option<Place>, limit: usize) -> Result<Listing, StoreError>;

    /// How much there is altogether.
    async fn count(&self) -> Result<Counts, StoreError>;

    /// Deletes the conversations in which nothing was recorded since `idle_since`, with attachments, feedback and references;
    /// returns how many.
    async fn expire(&self, idle_since: DateTime<Utc>) -> Result<usize, StoreError>;

    /// Deletes one conversation with everything that is kept of it; says whether it was there.
    async fn delete(&self, id: &ConversationId) -> Result<bool, StoreError>;

    /// Whether the store can take work; the reason when it cannot. Answers `GET /readyz`.
    async fn ready(&self) -> Result<(), StoreError>;

    /// Figures about what it does, where it keeps any.
    fn figures(&self) -> Option<&StoreFigures> {
        None
    }

    /// Finishes what was accepted, takes nothing more, and lets go of what it holds. Reading may go on to work or fail
    /// with [`StoreError::Closed`]. Closing again does nothing.
    async fn close(&self) -> Result<(), StoreError>;
}

/// What is known of a conversation besides its activities.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Conversation {
    /// Its id.
    pub id: ConversationId,
    /// The user for whom it was started.
    pub user: Option<ChannelAccount>,
    /// Where it is, when somebody else holds it, in words that the store does not read.
    pub reference: Option<Value>,
}

impl Conversation {
    /// A conversation as a backend keeps it.
    #[must_use]
    pub fn new(id: ConversationId, user: Option<ChannelAccount>) -> Self {
        Self { id, user, reference: None }
    }

    /// The same conversation, which is held elsewhere.
    #[must_use]
    pub fn referred(self, reference: Option<Value>) -> Self {
        Self { reference, ..self }
    }
}

/// The outcome of [`ConversationStore::create`].
#[derive(Clone, Debug, PartialEq)]
pub enum Created {
    /// There was no such conversation.
    New(Conversation),
    /// It was there already.
    Existing(Conversation),
}

/// Activities that belong together.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Batch {
    /// In order; at least one.
    pub activities: Vec<Activity>,
    /// The caller's name for this append. A second append with the same key in the same conversation records nothing
    /// and returns what the first one recorded.
    pub key: Option<String>,
    /// Further names under which [`ConversationStore::recall`] finds this batch, such as the id that another service has given
    /// it. They share one space with keys. A name that another batch has already stays with that one.
    pub names: Vec<String>,
    /// No activity of the batch gets an earlier timestamp, even when the clock says so: readers were shown something that it
    /// has to follow.
    pub not_before: Option<DateTime<Utc>>,
}

impl Batch {
    /// A batch without a key.
    #[must_use]
    pub fn new(activities: Vec<Activity>) -> Self {
        Self { activities, key: None, names: Vec::new(), not_before: None }
    }

    /// The same batch, stamped with this time or a later one.
    #[must_use]
    pub fn not_before(self, time: Option<DateTime<Utc>>) -> Self {
        Self { not_before: time, ..self }
    }

    /// The same batch under a key.
    #[must_use]
    pub fn keyed(self, key: Option<String>) -> Self {
        Self { key, ..self }
    }

    /// The same batch, found under these names too.
    #[must_use]
    pub fn named(self, names: Vec<String>) -> Self {
        Self { names, ..self }
    }
}

/// One activity and its place.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Recorded {
    /// The place.
    pub watermark: Watermark,
    /// The activity, with its id, timestamp and conversation.
    pub activity: Arc<Activity>,
}

impl Recorded {
    /// Gives an activity its place, its id, its conversation and its time.
    #[must_use]
    pub fn at(mut activity: Activity, id: &ConversationId, watermark: Watermark, timestamp: DateTime<Utc>) -> Self {
        activity.id = Some(ActivityId::at(id, watermark));
        activity.timestamp = Some(timestamp);
        activity.conversation = Some(id.clone().into());
        Self { watermark, activity: Arc::new(activity) }
    }
}

/// The outcome of [`ConversationStore::append`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Appended {
    /// What was recorded, in order.
    pub recorded: Vec<Recorded>,
    /// The key was known: this was recorded before, and nothing was recorded now.
    pub repeated: bool,
}

impl Appended {
    /// An outcome.
    #[must_use]
    pub fn new(recorded: Vec<Recorded>, repeated: bool) -> Self {
        Self { recorded, repeated }
    }
}

/// A piece of a conversation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Page {
    /// Oldest first.
    pub recorded: Vec<Recorded>,
    /// Where the next page starts: the last activity here, or, when there is none, the one that the reader has seen.
    pub reached: Option<Watermark>,
}

impl Page {
    /// A page for a reader who had seen `after`, which lies within the conversation.
    #[must_use]
    pub fn new(recorded: Vec<Recorded>, after: Option<Watermark>) -> Self {
        let reached = recorded.last().map(|last| last.watermark).or(after);
        Self { recorded, reached }
    }
}

/// How far a conversation reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Newest {
    /// The place of the newest activity; `None` while there is none.
    pub watermark: Option<Watermark>,
    /// Its time.
    pub timestamp: Option<DateTime<Utc>>,
}

impl Newest {
    /// What follows from the newest recorded activity.
    #[must_use]
    pub fn of(last: Option<&Recorded>) -> Self {
        Self { watermark: last.map(|last| last.watermark), timestamp: last.and_then(|last| last.activity.timestamp) }
    }

    /// The place of the next activity.
    #[must_use]
    pub fn next_watermark(self) -> Watermark {
        self.watermark.map_or(Watermark::FIRST, Watermark::next)
    }

    /// The time of the next activity: the present, but always later than the one before, because readers sort by it.
    #[must_use]
    pub fn next_timestamp(self, now: DateTime<Utc>) -> DateTime<Utc> {
        let now = now.trunc_subsecs(3);
        self.timestamp.map_or(now, |last| now.max(last + Duration::milliseconds(1)))
    }
}
