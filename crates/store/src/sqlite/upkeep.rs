//! The upkeep by the writer: deletes, returns space, and tests whether writing works.

use std::collections::BTreeSet;
use std::time::Duration;

use chrono::{DateTime, SubsecRound as _, Utc};

use sqlx::{Row as _, SqliteConnection};

use super::connect::PATIENCE;
use super::copies::Copies;
use super::work::Alone;
use super::writer::Writer;
use crate::StoreError;
use crate::activity::ConversationId;
use crate::writing::{Reply, rows};

/// The conversations that one transaction deletes at most, so that others do not wait for long.
const MAX_DELETED: i64 = 32;

/// A file of at most so many bytes is rewritten after a deletion: that takes as much memory, and less than a second in which
/// nothing is written.
const MAX_REWRITTEN: i64 = 64 * 1024 * 1024;

/// A reader that still needs the log is waited for this long before it is left for the next upkeep: nothing is written
/// meanwhile.
const WAIT_FOR_READERS: Duration = Duration::from_millis(250);

const DUE: &str = "DELETE FROM conversation WHERE key IN \
                   (SELECT key FROM conversation WHERE active < ? ORDER BY active LIMIT ?) RETURNING id";

/// 256 KiB, the longest message that clients may send by default.
const PROBE: &str = "BEGIN IMMEDIATE; \
                     CREATE TABLE probe (bytes BLOB); \
                     INSERT INTO probe VALUES (zeroblob(262144)); \
                     ROLLBACK; \
                     PRAGMA user_version = 0";

const EMPTY: &str = "DELETE FROM conversation WHERE key IN \
                     (SELECT key FROM conversation WHERE bytes = 0 AND reference IS NULL \
                     AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY created, id LIMIT ?) RETURNING id";

const OF_USER: &str = "DELETE FROM conversation WHERE key IN \
                       (SELECT conversation FROM member WHERE user = ? LIMIT ?) RETURNING id";

impl Writer {
    /// Does what does not go into a transaction with anything else.
    pub(super) async fn alone(&mut self, alone: Alone) {
        match alone {
            Alone::Delete(id, reply) => {
                let deleted = self.delete(&id).await;
                self.answer(reply, deleted).await;
            }
            Alone::Erase(user, reply) => {
                let erased = self.erase(&user).await;
                self.answer(reply, erased).await;
            }
            Alone::Expire(idle_since, reply) => {
                let expired = self.expire(idle_since).await;
                self.answer(reply, expired).await;
            }
            Alone::Shrink(reply) => {
                let shrunk = self.shrink().await;
                self.answer(reply, shrunk).await;
            }
            Alone::Clear(reply) => {
                self.rewrite().await;
                let cleared = self.empty_log().await;
                self.answer(reply, cleared).await;
            }
            Alone::Assistants(work) => self.assistants(work).await,
            Alone::NoteTurn { queue, turn, stage, said, reply } => {
                let noted = self.note_turn(&queue, turn, stage, said).await;
                self.answer(reply, noted).await;
            }
            Alone::ForgetTurns(id, kind, reply) => {
                let forgotten = self.forget_turns(&id, kind).await;
                self.answer(reply, forgotten).await;
            }
            Alone::ForgetName { id, name, reply } => {
                let forgotten = self.forget_name(&id, &name).await;
                self.answer(reply, forgotten).await;
            }
            Alone::Probe(reply) => {
                let probed = self.probe().await;
                self.answer(reply, probed).await;
            }
            // Not reached twice: the first one closes the queue, and a second one in it is answered at the end.
            Alone::Close(reply) => {
                reply.send(Err(StoreError::Closed)).ok();
            }
        }
    }

    pub(super) async fn answer<T>(&mut self, reply: Reply<T>, outcome: Result<T, sqlx::Error>) {
        self.answer_about(reply, outcome, 0).await;
    }

    /// Answers a change that writes so many bytes. The number tells a full store from a full disk.
    pub(super) async fn answer_about<T>(&mut self, reply: Reply<T>, outcome: Result<T, sqlx::Error>, bytes: usize) {
        let outcome = match outcome {
            Ok(outcome) => {
                self.recorded();
                Ok(outcome)
            }
            Err(error) => {
                self.abandon().await;
                Err(self.failed(error, bytes).await)
            }
        };
        reply.send(outcome).ok();
    }

    async fn delete(&mut self, id: &ConversationId) -> Result<bool, sqlx::Error> {
        let delete = sqlx::query("DELETE FROM conversation WHERE id = ?").bind(id.as_str());
        let deleted = delete.execute(self.connection().await?).await?.rows_affected() > 0;
        if deleted {
            self.forget(id);
            // The conversation is deleted, whether or not the log can be emptied now: upkeep tries that again.
            self.empty_log().await.ok();
        }
        Ok(deleted)
    }

    async fn expire(&mut self, idle_since: DateTime<Utc>) -> Result<usize, sqlx::Error> {
        // Times are kept in whole milliseconds, cut off: what is younger by less stays.
        let since = idle_since.trunc_subsecs(3).timestamp_millis();
        let due = sqlx::query_scalar(DUE).bind(since).bind(MAX_DELETED);
        let expired = due.fetch_all(self.connection().await?).await?;
        Ok(self.forget_all(&expired))
    }

    async fn erase(&mut self, user: &str) -> Result<usize, sqlx::Error> {
        let of_user = sqlx::query_scalar(OF_USER).bind(user).bind(MAX_DELETED);
        let erased = of_user.fetch_all(self.connection().await?).await?;
        Ok(self.forget_all(&erased))
    }

    /// Deletes up to so many of the oldest conversations in which nothing was ever recorded, besides those that are needed.
    pub(super) async fn delete_empty(&mut self, most: usize, needed: &BTreeSet<&str>) -> Result<(), sqlx::Error> {
        let needed = rows(needed).map_err(|error| sqlx::Error::Encode(error.into()))?;
        let empty = sqlx::query_scalar(EMPTY).bind(needed).bind(i64::try_from(most).unwrap_or(i64::MAX));
        let deleted = empty.fetch_all(self.connection().await?).await?;
        self.forget_all(&deleted);
        Ok(())
    }

    fn forget_all(&mut self, deleted: &[String]) -> usize {
        for id in deleted {
            if let Ok(id) = id.parse() {
                self.forget(&id);
            }
        }
        deleted.len()
    }

    fn forget(&mut self, id: &ConversationId) {
        self.conversations = self.conversations.saturating_sub(1);
        self.heads.remove(id);
        self.copies = Copies::EVERYWHERE;
        self.notifiers.close(id);
        self.queues.forget_all(id);
    }

    async fn shrink(&mut self) -> Result<bool, sqlx::Error> {
        let connection = self.connection().await?;
        // 4 MiB at a time.
        sqlx::query("PRAGMA incremental_vacuum(1024)").execute(&mut *connection).await?;
        let free: i64 = sqlx::query_scalar("PRAGMA freelist_count").fetch_one(connection).await?;
        Ok(free > 0)
    }

    /// Moves the log into the file and cuts it to nothing, where it may hold something that was deleted. It stays as it is as
    /// long as somebody reads from it, a program that copies the file for instance; then the next upkeep tries again.
    async fn empty_log(&mut self) -> Result<(), sqlx::Error> {
        if self.copies.in_log && self.place.is_on_disk() {
            let emptied = empty_log(self.connection().await?).await?;
            self.copies.in_log = !emptied;
        }
        Ok(())
    }

    /// Rewrites a small file, where unused parts of its pages may hold something that was deleted.
    ///
    /// `secure_delete` overwrites a row where it stands. A row that SQLite moved before, because pages were merged, leaves a
    /// copy in the unused part of the page where it was, and only rewriting the file removes that.
    async fn rewrite(&mut self) {
        if !self.copies.in_pages || !self.place.is_on_disk() {
            return;
        }
        match self.try_to_rewrite().await {
            Ok(rewritten) => self.copies.in_pages = !rewritten,
            Err(error) => {
                tracing::warn!(store.path = %self.path.display(), %error,
                    "deleted data may remain in unused parts of the store file; the next upkeep tries again");
            }
        }
    }

    async fn try_to_rewrite(&mut self) -> Result<bool, sqlx::Error> {
        let connection = self.connection().await?;
        let bytes = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
        let bytes: i64 = sqlx::query_scalar(bytes).fetch_one(&mut *connection).await?;
        if bytes > MAX_REWRITTEN {
            return Ok(false);
        }
        sqlx::query("VACUUM").execute(connection).await?;
        self.copies.in_log = true;
        Ok(true)
    }

    /// Writes as much as a long message and takes it back, to see whether writing works again: where only a page fits, the next
    /// message would be refused.
    ///
    /// A transaction that is too large for memory is written to the log before it ends, so a cache of a few pages makes SQLite
    /// ask the disk for room, although nothing is committed.
    async fn probe(&mut self) -> Result<(), sqlx::Error> {
        let connection = self.connection().await?;
        sqlx::query("PRAGMA cache_size = 8").execute(&mut *connection).await?;
        let probed = sqlx::raw_sql(PROBE).execute(&mut *connection).await;
        if probed.is_err() {
            self.abandon().await;
        }
        let usual = sqlx::query("PRAGMA cache_size = -2000").execute(self.connection().await?).await;
        probed.and(usual).map(drop)
    }
}

/// Whether the log is empty afterwards.
async fn empty_log(connection: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    wait_for(connection, WAIT_FOR_READERS).await?;
    let moved = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut *connection).await;
    wait_for(connection, PATIENCE).await?;
    let busy: i64 = moved?.try_get(0)?;
    Ok(busy == 0)
}

async fn wait_for(connection: &mut SqliteConnection, time: Duration) -> Result<(), sqlx::Error> {
    let wait = format!("PRAGMA busy_timeout = {}", time.as_millis());
    sqlx::query(sqlx::AssertSqlSafe(wait)).execute(connection).await.map(drop)
}
