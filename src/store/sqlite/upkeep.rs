//! What the writer does besides recording: deletes, gives space back, tries itself.

use chrono::{DateTime, SubsecRound as _, Utc};

use super::work::{Alone, Reply};
use super::writer::Writer;
use crate::activity::ConversationId;
use crate::store::StoreError;

/// So many conversations expire in one transaction, so that others wait not for long.
const MAX_EXPIRED: i64 = 32;

const DUE: &str = "DELETE FROM conversation WHERE key IN \
                   (SELECT key FROM conversation WHERE active < ? ORDER BY active LIMIT ?) RETURNING id";

impl Writer {
    /// Does what does not go into a transaction with anything else.
    pub(super) async fn alone(&mut self, alone: Alone) {
        match alone {
            Alone::Delete(id, reply) => {
                let deleted = self.delete(&id).await;
                self.answer(reply, deleted).await;
            }
            Alone::Expire(idle_since, reply) => {
                let expired = self.expire(idle_since).await;
                self.answer(reply, expired).await;
            }
            Alone::Shrink(reply) => {
                let shrunk = self.shrink().await;
                self.answer(reply, shrunk).await;
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

    async fn answer<T>(&mut self, reply: Reply<T>, outcome: Result<T, sqlx::Error>) {
        let outcome = match outcome {
            Ok(outcome) => {
                self.recorded();
                Ok(outcome)
            }
            Err(error) => {
                self.abandon().await;
                Err(self.failed(error, 0).await)
            }
        };
        reply.send(outcome).ok();
    }

    async fn delete(&mut self, id: &ConversationId) -> Result<bool, sqlx::Error> {
        let delete = sqlx::query("DELETE FROM conversation WHERE id = ?").bind(id.as_str());
        let deleted = delete.execute(self.connection().await?).await?.rows_affected() > 0;
        if deleted {
            self.forget(id);
        }
        Ok(deleted)
    }

    async fn expire(&mut self, idle_since: DateTime<Utc>) -> Result<usize, sqlx::Error> {
        // Times are kept in whole milliseconds, cut off: what is younger by less stays.
        let since = idle_since.trunc_subsecs(3).timestamp_millis();
        let due = sqlx::query_scalar(DUE).bind(since).bind(MAX_EXPIRED);
        let expired: Vec<String> = due.fetch_all(self.connection().await?).await?;
        for id in &expired {
            if let Ok(id) = id.parse() {
                self.forget(&id);
            }
        }
        Ok(expired.len())
    }

    fn forget(&mut self, id: &ConversationId) {
        self.conversations = self.conversations.saturating_sub(1);
        self.heads.remove(id);
        self.bells.silence(id);
    }

    async fn shrink(&mut self) -> Result<bool, sqlx::Error> {
        let connection = self.connection().await?;
        // 4 MiB at a time.
        sqlx::query("PRAGMA incremental_vacuum(1024)").execute(&mut *connection).await?;
        let free: i64 = sqlx::query_scalar("PRAGMA freelist_count").fetch_one(connection).await?;
        Ok(free > 0)
    }

    /// Writes a page whose content stays the same, to see whether writing works again.
    async fn probe(&mut self) -> Result<(), sqlx::Error> {
        sqlx::query("PRAGMA user_version = 0").execute(self.connection().await?).await?;
        Ok(())
    }
}
