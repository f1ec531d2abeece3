//! The list of conversations for operators.

use chrono::{DateTime, Utc};

use super::Conversation;
use crate::activity::ConversationId;

/// One conversation in a [`Listing`].
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The conversation and its user.
    pub conversation: Conversation,
    /// How many activities are recorded in it.
    pub activities: u64,
    /// When it was created, in whole milliseconds.
    pub created: DateTime<Utc>,
    /// When something was recorded in it last, or, while nothing is, when it was created; in whole milliseconds.
    pub active: DateTime<Utc>,
}

impl Summary {
    /// A conversation as a backend finds it.
    #[must_use]
    pub fn new(conversation: Conversation, activities: u64, created: DateTime<Utc>, active: DateTime<Utc>) -> Self {
        Self { conversation, activities, created, active }
    }

    /// Where a page that ends with this conversation ends.
    #[must_use]
    pub fn place(&self) -> ListCursor {
        ListCursor { active: self.active, id: self.conversation.id.clone() }
    }
}

/// A place in the list of all conversations. They stand by the time of the last record, the newest first, and those of
/// one millisecond by id, the greatest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListCursor {
    /// When something was recorded last in the conversation there.
    pub active: DateTime<Utc>,
    /// The id of that conversation.
    pub id: ConversationId,
}

/// A page of the list of all conversations.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// The one in which something was recorded last comes first.
    pub conversations: Vec<Summary>,
    /// Where the next page starts; `None` when this is the last one.
    pub next: Option<ListCursor>,
}

impl Listing {
    /// A page cut from what follows a place: `limit` conversations of `found`, which holds one more if there is more.
    #[must_use]
    pub fn cut(mut found: Vec<Summary>, limit: usize) -> Self {
        let more = found.len() > limit;
        found.truncate(limit);
        let next = if more { found.last().map(Summary::place) } else { None };
        Self { conversations: found, next }
    }
}

/// The numbers of conversations, activities and bytes in a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Conversations.
    pub conversations: u64,
    /// Activities in all of them.
    pub activities: u64,
    /// Bytes of all that, as the backend counts them.
    pub bytes: u64,
}

impl Counts {
    /// The counts of a backend.
    #[must_use]
    pub fn new(conversations: u64, activities: u64, bytes: u64) -> Self {
        Self { conversations, activities, bytes }
    }
}
