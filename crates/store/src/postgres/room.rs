//! The limits of a store that several nodes fill.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use sqlx::postgres::PgConnection;

use super::removal::remove;
use super::row::signed;
use crate::activity::ConversationId;
use crate::{StoreError, StoreLimits};

/// Nodes that start conversations near the limit do so one after the other.
const COUNTING: i64 = 0x6369_7465_0002;

const KNOWN: &str = "SELECT id FROM conversation WHERE id = ANY($1)";

const COUNT: &str = "SELECT count(*) FROM (SELECT FROM head LIMIT $1) AS counted";

/// The oldest in which nothing was ever recorded. What somebody is writing to is not empty for long.
const EMPTY: &str = "SELECT h.conversation FROM head h JOIN conversation c ON c.key = h.conversation \
                     WHERE h.bytes = 0 AND c.reference IS NULL AND c.id <> ALL($1) \
                     ORDER BY c.created, c.id LIMIT $2 FOR UPDATE OF h SKIP LOCKED";

const BYTES: &str = "SELECT (SELECT coalesce(sum(bytes), 0) FROM head)::bigint \
                     + (SELECT coalesce(sum(bytes), 0) FROM document)::bigint";

/// How much there is, about: counted from time to time, and in between by what this node adds.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) limits: StoreLimits,
    conversations: AtomicI64,
    bytes: AtomicI64,
    /// Something was deleted since the bytes were counted.
    deleted: AtomicBool,
}

impl Room {
    pub(super) fn new(limits: StoreLimits) -> Self {
        Self { limits, conversations: AtomicI64::new(0), bytes: AtomicI64::new(0), deleted: AtomicBool::new(false) }
    }

    /// Whether so many bytes may be added.
    pub(super) fn takes(&self, bytes: usize) -> Result<(), StoreError> {
        let limit = self.limits.max_bytes;
        let grown = self.bytes.load(Ordering::Relaxed).saturating_add(signed(bytes));
        if self.has_byte_limit() && grown > signed(limit) {
            return Err(StoreError::Full { what: "bytes", limit });
        }
        Ok(())
    }

    /// Counts conversations and bytes that were added.
    pub(super) fn added(&self, conversations: usize, bytes: usize) {
        self.conversations.fetch_add(signed(conversations), Ordering::Relaxed);
        self.bytes.fetch_add(signed(bytes), Ordering::Relaxed);
    }

    /// Counts conversations that were deleted.
    pub(super) fn removed(&self, conversations: usize) {
        self.conversations.fetch_sub(signed(conversations), Ordering::Relaxed);
        self.deleted.store(true, Ordering::Relaxed);
    }

    /// Whether bytes are to be counted before something is refused for them.
    pub(super) fn is_outdated(&self) -> bool {
        self.has_byte_limit() && self.deleted.load(Ordering::Relaxed)
    }

    pub(super) fn has_byte_limit(&self) -> bool {
        self.limits.max_bytes != usize::MAX
    }

    /// Counts the bytes.
    pub(super) async fn weigh(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        self.deleted.store(false, Ordering::Relaxed);
        let bytes: i64 = sqlx::query_scalar(BYTES).fetch_one(connection).await?;
        self.bytes.store(bytes, Ordering::Relaxed);
        Ok(())
    }

    /// Counts the conversations.
    pub(super) async fn count(&self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        let counted = count(connection, self.limits.max_conversations).await?;
        self.conversations.store(counted, Ordering::Relaxed);
        Ok(())
    }

    /// How many conversations there are, for a transaction that may create these. Near the limit that is exact, and conversations
    /// in which nothing was ever recorded are deleted, the oldest first, where there is no room: whoever only starts
    /// conversations keeps nobody else from starting one. Says which ones.
    pub(super) async fn make(
        &self,
        connection: &mut PgConnection,
        creates: &BTreeSet<&ConversationId>,
        needed: &BTreeSet<&ConversationId>,
    ) -> Result<(usize, Vec<String>), sqlx::Error> {
        let (about, limit) = (self.conversations.load(Ordering::Relaxed), signed(self.limits.max_conversations));
        // Margin for the conversations that all nodes may start in a minute.
        let near = (limit / 50).max(10_000);
        if creates.is_empty() || about + signed(creates.len()) + near < limit {
            return Ok((unsigned(about), Vec::new()));
        }
        sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(COUNTING).execute(&mut *connection).await?;
        let asked: Vec<&str> = creates.iter().map(|id| id.as_str()).collect();
        let known: Vec<String> = sqlx::query_scalar(KNOWN).bind(&asked).fetch_all(&mut *connection).await?;
        let counted = count(connection, self.limits.max_conversations).await?;
        let missing = counted + signed(asked.len() - known.len()) - limit;
        if missing <= 0 {
            return Ok((unsigned(counted), Vec::new()));
        }
        let needed: Vec<&str> = needed.iter().map(|id| id.as_str()).collect();
        let empty = sqlx::query_scalar(EMPTY).bind(needed).bind(missing);
        let empty: Vec<i64> = empty.fetch_all(&mut *connection).await?;
        let removed = remove(connection, &empty).await?;
        Ok((unsigned(counted - signed(removed.len())), removed))
    }
}

/// At most a few more than the limit.
async fn count(connection: &mut PgConnection, limit: usize) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(COUNT).bind(signed(limit).saturating_add(1_000)).fetch_one(connection).await
}

fn unsigned(count: i64) -> usize {
    usize::try_from(count).unwrap_or_default()
}
