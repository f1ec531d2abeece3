//! The limits of a store.

/// Bounds of a store. What goes beyond is refused with [`StoreError::Full`](super::StoreError::Full); nothing is ever
/// forgotten before its time, because a reader's watermark must not come to mean something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreLimits {
    /// Conversations.
    pub max_conversations: usize,
    /// Activities in one conversation.
    pub max_activities: usize,
    /// Bytes of the database, whether that is in a file or in memory.
    pub max_bytes: usize,
    /// Bytes of one conversation: its activities and feedback as JSON and its attachments as they are. So no conversation takes
    /// the room of all others.
    pub max_conversation_bytes: usize,
}

/// The share of one conversation where nothing else is set.
const SHARE: usize = 64 * 1024 * 1024;

impl StoreLimits {
    /// The share of one conversation in a store of so many bytes: 64 MiB, and at most an eighth.
    #[must_use]
    pub const fn share_of(max_bytes: usize) -> usize {
        if max_bytes / 8 < SHARE { max_bytes / 8 } else { SHARE }
    }

    /// Limits for the memory of a small machine: 256 MiB.
    #[must_use]
    pub const fn in_memory() -> Self {
        let max_bytes = 256 * 1024 * 1024;
        let max_conversation_bytes = Self::share_of(max_bytes);
        Self { max_conversations: 10_000, max_activities: 10_000, max_bytes, max_conversation_bytes }
    }

    /// Limits for the disk of a small machine: 8 GiB.
    #[must_use]
    pub const fn on_disk() -> Self {
        let max_bytes = 8 * 1024 * 1024 * 1024;
        let max_conversation_bytes = Self::share_of(max_bytes);
        Self { max_conversations: 1_000_000, max_activities: 100_000, max_bytes, max_conversation_bytes }
    }

    /// Limits for a database. It may grow as large as its disks are.
    #[must_use]
    pub const fn in_database() -> Self {
        Self { max_bytes: usize::MAX, max_conversation_bytes: SHARE, ..Self::on_disk() }
    }
}
