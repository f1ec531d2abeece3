//! Exports and descriptions of a store, which commands read whether a server runs or not.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::Counts;
use crate::activity::{Activity, ConversationId, Watermark};

/// The conversations to export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection<'a> {
    /// All of them.
    All,
    /// One.
    Conversation(&'a ConversationId),
    /// Those to which the user with this id belongs.
    User(&'a str),
}

/// The size and the content of a store, in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// The file, or the database without its password.
    pub place: String,
    /// The version of its schema.
    pub version: i64,
    /// How much is in it.
    pub counts: Counts,
    /// When the oldest conversation was created.
    pub oldest: Option<DateTime<Utc>>,
    /// When something was recorded last.
    pub newest: Option<DateTime<Utc>>,
}

/// A recorded activity with its conversation and watermark.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Archived {
    /// The conversation.
    pub conversation: ConversationId,
    /// The place in it.
    pub watermark: Watermark,
    /// The activity as readers of the conversation get it.
    pub activity: Arc<Activity>,
}

impl Description {
    /// A store in numbers.
    #[must_use]
    pub fn new(place: String, version: i64, counts: Counts, span: [Option<DateTime<Utc>>; 2]) -> Self {
        let [oldest, newest] = span;
        Self { place, version, counts, oldest, newest }
    }
}

impl Archived {
    /// An activity of this conversation.
    #[must_use]
    pub fn new(conversation: ConversationId, watermark: Watermark, activity: Arc<Activity>) -> Self {
        Self { conversation, watermark, activity }
    }
}
