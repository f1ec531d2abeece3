//! The types of conversations in the store.

use std::sync::Arc;

use chrono::{DateTime, Duration, SubsecRound as _, Utc};
use serde_json::Value;

use super::{EndOfTurn, NewTurn, Queued};
use crate::activity::{Activity, ActivityId, ChannelAccount, ConversationId, Watermark};

/// A conversation in the store, without its activities.
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    /// Its id.
    pub id: ConversationId,
    /// The user for whom it was started.
    pub user: Option<ChannelAccount>,
    /// The reference to it where somebody else holds it, as JSON that the store does not read.
    pub reference: Option<Value>,
}

impl Conversation {
    /// A conversation as a backend keeps it.
    #[must_use]
    pub fn new(id: ConversationId, user: Option<ChannelAccount>) -> Self {
        Self { id, user, reference: None }
    }

    /// Sets the reference to a conversation that is held elsewhere.
    #[must_use]
    pub fn referred(self, reference: Option<Value>) -> Self {
        Self { reference, ..self }
    }
}

/// The outcome of [`ConversationStore::create`](super::ConversationStore::create).
#[derive(Clone, Debug, PartialEq)]
pub enum Created {
    /// There was no such conversation.
    New(Conversation),
    /// It was there already.
    Existing(Conversation),
}

/// Activities that are recorded together.
#[derive(Clone, Debug)]
pub struct Batch {
    /// In order; at least one.
    pub activities: Vec<Activity>,
    /// The caller's name for this append. A second append with the same key in the same conversation records nothing
    /// and returns what the first one recorded.
    pub key: Option<String>,
    /// Further names under which [`ConversationStore::recall`](super::ConversationStore::recall) finds this batch, such as the id that another service has given
    /// it. They share one space with keys. A name that another batch has already stays with that one.
    pub names: Vec<String>,
    /// No activity of the batch gets an earlier timestamp, even when the clock says so: readers were shown something that it
    /// has to follow.
    pub not_before: Option<DateTime<Utc>>,
    /// The turn to record with this batch, where it has to be answered.
    pub turn: Option<NewTurn>,
    /// The turn that this batch answers.
    pub end: Option<EndOfTurn>,
    /// The place of the activity to which this batch is a reply: if a turn is about it, the turn counts as answered.
    pub answers: Option<Watermark>,
}

impl Batch {
    /// A batch without a key.
    #[must_use]
    pub fn new(activities: Vec<Activity>) -> Self {
        Self { activities, key: None, names: Vec::new(), not_before: None, turn: None, end: None, answers: None }
    }

    /// Stamps the batch with this time or a later one.
    #[must_use]
    pub fn not_before(self, time: Option<DateTime<Utc>>) -> Self {
        Self { not_before: time, ..self }
    }

    /// Puts the batch under a key, so that a repetition of it records nothing.
    #[must_use]
    pub fn keyed(self, key: Option<String>) -> Self {
        Self { key, ..self }
    }

    /// Adds the turn for which the batch is the reason.
    #[must_use]
    pub fn asking(self, turn: Option<NewTurn>) -> Self {
        Self { turn, ..self }
    }

    /// Adds the turn that the batch ends.
    #[must_use]
    pub fn ending(self, end: Option<EndOfTurn>) -> Self {
        Self { end, ..self }
    }

    /// Makes the batch a reply to the activity at this place.
    #[must_use]
    pub fn answering(self, place: Option<Watermark>) -> Self {
        Self { answers: place, ..self }
    }

    /// Adds names under which the batch is found too.
    #[must_use]
    pub fn named(self, names: Vec<String>) -> Self {
        Self { names, ..self }
    }
}

/// A recorded activity with its watermark.
#[derive(Clone, Debug, PartialEq)]
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

/// The outcome of [`ConversationStore::append`](super::ConversationStore::append).
#[derive(Clone, Debug, PartialEq)]
pub struct Appended {
    /// The recorded activities, in order; none where the batch was to record nothing
    /// ([`EndOfTurn::unless_answered`]).
    pub recorded: Vec<Recorded>,
    /// The key was known: this was recorded before, and nothing was recorded now.
    pub repeated: bool,
    /// The outcome for the turn of the batch, where something was recorded and the batch has one.
    pub queued: Option<Queued>,
}

impl Appended {
    /// An outcome.
    #[must_use]
    pub fn new(recorded: Vec<Recorded>, repeated: bool) -> Self {
        Self { recorded, repeated, queued: None }
    }

    /// Adds the outcome for the turn of the batch.
    #[must_use]
    pub fn queued(self, queued: Option<Queued>) -> Self {
        Self { queued, ..self }
    }
}

/// Part of a conversation.
#[derive(Clone, Debug, PartialEq)]
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

/// The newest watermark of a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Newest {
    /// The place of the newest activity; `None` while there is none.
    pub watermark: Option<Watermark>,
    /// Its time.
    pub timestamp: Option<DateTime<Utc>>,
}

impl Newest {
    /// Takes place and time from the newest recorded activity; neither where there is none.
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
