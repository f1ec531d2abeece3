//! Reads from the store.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use futures_util::TryStreamExt as _;
use sqlx::Row as _;
use sqlx::postgres::PgRow;

use super::connections::{Connections, Lease};
use super::escape::{escape, unescape};
use super::failure::{Failure, report, told_of};
use super::row::{activity, conversation_id, number, read_json, signed, summary, undecodable};
use crate::activity::{ConversationId, Watermark};
use crate::backend;
use crate::{
    Attachment, Conversation, Counts, FeedbackPage, ListCursor, Listing, Newest, NotedFeedback, Page, StoreError,
};

/// A page ends before its limit where its activities have so many bytes, so that memory does not depend on what
/// clients say.
const MAX_PAGE_BYTES: usize = 8 * 1024 * 1024;

const FIND: &str = "SELECT c.\"user\", h.next, h.newest, c.reference \
                    FROM conversation c JOIN head h ON h.conversation = c.key WHERE c.id = $1";

const CREATED: &str = "SELECT created FROM conversation WHERE id = $1";

/// One statement, so that what is read is of one moment. Without any activity there is one row all the same.
const READ: &str = "SELECT h.next, a.place, a.at, a.body FROM conversation c JOIN head h ON h.conversation = c.key \
                    LEFT JOIN activity a ON a.conversation = c.key AND a.place > $2 \
                    WHERE c.id = $1 ORDER BY a.place LIMIT $3";

const BATCH: &str = "SELECT b.first, b.count::bigint FROM conversation c JOIN batch b ON b.conversation = c.key \
                     WHERE c.id = $1 AND b.name = $2";

const ATTACHMENT: &str = "SELECT a.content_type, a.name, a.bytes FROM conversation c \
                          JOIN attachment a ON a.conversation = c.key WHERE c.id = $1 AND a.id = $2";

/// Without any feedback there is one row all the same.
const FEEDBACK: &str = "SELECT f.key, f.at, f.body FROM conversation c \
                        LEFT JOIN feedback f ON f.conversation = c.key AND f.key > $2 \
                        WHERE c.id = $1 ORDER BY f.key LIMIT $3";

const FIRST_SAID: &str = "SELECT m.first FROM conversation c JOIN member m ON m.conversation = c.key \
                          WHERE c.id = $1 AND m.\"user\" = $2";

const OF_USER: &str = "SELECT c.id FROM member m JOIN conversation c ON c.key = m.conversation \
                       WHERE m.\"user\" = $1 AND c.id > $2 ORDER BY c.id LIMIT $3";

/// The bound of the time alone is one that the index knows; the rest of it is about those of the same millisecond.
const LIST: &str = "SELECT c.id, c.\"user\", h.next, c.created, h.active, c.reference \
                    FROM head h JOIN conversation c ON c.key = h.conversation \
                    WHERE h.active <= $1 AND (h.active, c.id) < ($1, $2) ORDER BY h.active DESC, c.id DESC LIMIT $3";

const COUNT: &str = "SELECT count(*), coalesce(sum(next), 0)::bigint, coalesce(sum(bytes), 0)::bigint FROM head";

/// Reads on connections that others use as well.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(super) connections: Arc<Connections>,
}

impl Reader {
    /// Does some work, and says what callers may know where that fails.
    pub(super) async fn read_with<'a, T, F>(&'a self, work: impl FnMut(Lease<'a>) -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, sqlx::Error>>,
    {
        self.connections.run(work).await.map_err(failed)
    }
}

impl backend::Reader for Reader {
    async fn find(&self, id: &ConversationId) -> Result<Option<(Conversation, Newest)>, StoreError> {
        let row = self
            .read_with(|mut c| async move {
                let row = sqlx::query(FIND).bind(id.as_str()).fetch_optional(&mut *c).await?;
                c.done(row)
            })
            .await?;
        let found = row.map(|row| {
            let newest = Newest {
                watermark: number(&row, 1)?.checked_sub(1).map(Watermark::from_index),
                timestamp: row.try_get(2)?,
            };
            let conversation = Conversation::new(id.clone(), read_json(row.try_get(0)?)?);
            Ok((conversation.referred(read_json(row.try_get(3)?)?), newest))
        });
        found.transpose().map_err(failed)
    }

    async fn created(&self, id: &ConversationId) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.read_with(|mut c| async move {
            let created = sqlx::query_scalar(CREATED).bind(id.as_str()).fetch_optional(&mut *c).await?;
            c.done(created)
        })
        .await
    }

    async fn batch(&self, id: &ConversationId, name: &str) -> Result<Option<(Watermark, usize)>, StoreError> {
        let found = self
            .read_with(|mut c| async move {
                let found = sqlx::query_as::<_, (i64, i64)>(BATCH)
                    .bind(id.as_str())
                    .bind(escape(name))
                    .fetch_optional(&mut *c)
                    .await?;
                c.done(found)
            })
            .await?;
        let batch = |(first, count): (i64, i64)| {
            (Watermark::from_index(first.unsigned_abs()), usize::try_from(count).unwrap_or_default())
        };
        Ok(found.map(batch))
    }

    async fn read(
        &self,
        id: &ConversationId,
        after: Option<Watermark>,
        limit: usize,
    ) -> Result<Option<Page>, StoreError> {
        let seen = after.map_or(-1, |after| i64::try_from(after.index()).unwrap_or(i64::MAX));
        let limit = signed(limit.max(1));
        self.read_with(|mut c| async move {
            let mut rows = sqlx::query(READ).bind(id.as_str()).bind(seen).bind(limit).fetch(&mut *c);
            let (mut recorded, mut bytes, mut next) = (Vec::new(), 0, None);
            while bytes < MAX_PAGE_BYTES
                && let Some(row) = rows.try_next().await?
            {
                next = Some(number(&row, 0)?);
                if let Some(place) = row.try_get::<Option<i64>, _>(1)? {
                    let body: &str = row.try_get(3)?;
                    bytes += body.len();
                    recorded.push(activity(id, place, row.try_get(2)?, body)?);
                }
            }
            drop(rows);
            let page = next.map(|next| {
                let newest = next.checked_sub(1).map(Watermark::from_index);
                Page::new(recorded, after.min(newest))
            });
            c.done(page)
        })
        .await
    }

    async fn attachment(&self, id: &ConversationId, attachment_id: &str) -> Result<Option<Attachment>, StoreError> {
        let attachment = |row: PgRow| {
            let name: Option<String> = row.try_get(1)?;
            Ok(Attachment::new(unescape(row.try_get(0)?), name.map(unescape), row.try_get(2)?))
        };
        self.read_with(|mut c| async move {
            let found =
                sqlx::query(ATTACHMENT).bind(id.as_str()).bind(escape(attachment_id)).fetch_optional(&mut *c).await?;
            c.done(found)
        })
        .await?
        .map(attachment)
        .transpose()
        .map_err(failed)
    }

    async fn feedback(
        &self,
        id: &ConversationId,
        after: Option<u64>,
        limit: usize,
    ) -> Result<Option<FeedbackPage>, StoreError> {
        let limit = limit.max(1);
        let after = after.map_or(-1, |after| i64::try_from(after).unwrap_or(i64::MAX));
        let most = signed(limit.saturating_add(1));
        let rows = self
            .read_with(|mut c| async move {
                let found = sqlx::query(FEEDBACK).bind(id.as_str()).bind(after).bind(most).fetch_all(&mut *c).await?;
                c.done(found)
            })
            .await?;
        if rows.is_empty() {
            return Ok(None);
        }
        let feedback = rows.iter().filter_map(|row| noted(row).transpose()).collect::<Result<_, _>>();
        feedback.map(|found| Some(FeedbackPage::cut(found, limit))).map_err(failed)
    }

    async fn first_said(&self, id: &ConversationId, user: &str) -> Result<Option<Watermark>, StoreError> {
        let first = self
            .read_with(|mut c| async move {
                let first = sqlx::query_scalar::<_, Option<i64>>(FIRST_SAID).bind(id.as_str()).bind(escape(user));
                let first = first.fetch_optional(&mut *c).await?;
                c.done(first)
            })
            .await?
            .flatten();
        Ok(first.map(|first| Watermark::from_index(first.unsigned_abs())))
    }

    async fn conversations_of(
        &self,
        user: &str,
        after: Option<&ConversationId>,
        limit: usize,
    ) -> Result<Vec<ConversationId>, StoreError> {
        let (after, limit) = (after.map_or("", ConversationId::as_str), signed(limit.max(1)));
        let ids = self
            .read_with(|mut c| async move {
                let found = sqlx::query_scalar::<_, String>(OF_USER)
                    .bind(escape(user))
                    .bind(after)
                    .bind(limit)
                    .fetch_all(&mut *c)
                    .await?;
                c.done(found)
            })
            .await?;
        ids.into_iter().map(conversation_id).collect::<Result<_, _>>().map_err(failed)
    }

    async fn list(&self, after: Option<ListCursor>, limit: usize) -> Result<Listing, StoreError> {
        let limit = limit.max(1);
        let (time, id) = match &after {
            Some(place) => (place.active, place.id.as_str()),
            None => (END_OF_TIME, ""),
        };
        let most = signed(limit.saturating_add(1));
        let rows = self
            .read_with(|mut c| async move {
                let rows = sqlx::query(LIST).bind(time).bind(id).bind(most).fetch_all(&mut *c).await?;
                c.done(rows)
            })
            .await?;
        let found = rows.iter().map(summary).collect::<Result<Vec<_>, _>>();
        found.map(|found| Listing::cut(found, limit)).map_err(failed)
    }

    async fn count(&self) -> Result<Counts, StoreError> {
        let row = self
            .read_with(|mut c| async move {
                let row = sqlx::query(COUNT).fetch_one(&mut *c).await?;
                c.done(row)
            })
            .await?;
        let counts = || Ok(Counts::new(number(&row, 0)?, number(&row, 1)?, number(&row, 2)?));
        counts().map_err(failed)
    }
}

/// Later than every record, and a time that PostgreSQL knows.
const END_OF_TIME: DateTime<Utc> = DateTime::from_timestamp(253_402_300_799, 0).expect("a time");

fn noted(row: &PgRow) -> Result<Option<(u64, NotedFeedback)>, sqlx::Error> {
    let Some(key) = row.try_get::<Option<i64>, _>(0)? else { return Ok(None) };
    let feedback = serde_json::from_str(row.try_get(2)?).map_err(undecodable)?;
    Ok(Some((key.unsigned_abs(), NotedFeedback::new(row.try_get(1)?, feedback))))
}

/// Collects decoded rows; one that cannot be decoded fails them all.
pub(super) fn decoded<T>(rows: impl Iterator<Item = Result<T, sqlx::Error>>) -> Result<Vec<T>, StoreError> {
    rows.collect::<Result<_, _>>().map_err(failed)
}

pub(super) fn failed(error: sqlx::Error) -> StoreError {
    if matches!(error, sqlx::Error::PoolClosed) {
        return StoreError::Closed;
    }
    // Of the others, `Connections` has told.
    if Failure::of(&error).is_of_the_server() {
        told_of(error)
    } else {
        report(error, "conversations could not be read")
    }
}
