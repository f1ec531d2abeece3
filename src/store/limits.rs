//! How much a store keeps.

/// Bounds of a store. What goes beyond is refused with [`StoreError::Full`](super::StoreError::Full); nothing is ever
/// forgotten before its time, because a reader's watermark must not come to mean something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreLimits {
    /// Conversations.
    pub max_conversations: usize,
    /// Activities in one conversation.
    pub max_activities: usize,
    /// Bytes: in memory of all activities and attachments as JSON and as they are, on disk of the file.
    pub max_bytes: usize,
}

impl StoreLimits {
    /// What fits into the memory of a small machine.
    #[must_use]
    pub const fn in_memory() -> Self {
        Self { max_conversations: 10_000, max_activities: 10_000, max_bytes: 256 * 1024 * 1024 }
    }

    /// What fits on the disk of a small machine: 8 GiB.
    #[must_use]
    pub const fn on_disk() -> Self {
        Self { max_conversations: 1_000_000, max_activities: 100_000, max_bytes: 8 * 1024 * 1024 * 1024 }
    }
}
