//! Reads from the store.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use futures_util::TryStreamExt as _;
use serde::de::DeserializeOwned;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions, SqliteRow};
use sqlx::{Row as _, SqlitePool};

use super::failure::{Failure, report};
use crate::activity::{Activity, ConversationId, Watermark};
use crate::backend;
use crate::writing::Standing;
use crate::{
    Attachment, Conversation, Counts, FeedbackPage, ListCursor, Listing, Newest, NotedFeedback, Page, Recorded,
    StoreError, Summary,
};

/// The connections that read at the same time.
const CONNECTIONS: u32 = 4;

/// A page ends before its limit where its activities have so many bytes, so that memory does not depend on what
/// clients say.
const MAX_PAGE_BYTES: usize = 8 * 1024 * 1024;

const FIND: &str = "SELECT user, next, newest, reference FROM conversation WHERE id = ?";

const CREATED: &str = "SELECT created FROM conversation WHERE id = ?";

/// One statement, so that what is read is of one moment. Without any activity there is one row all the same.
const READ: &str = "SELECT conversation.next, activity.watermark, activity.timestamp, activity.body \
                    FROM conversation LEFT JOIN activity \
                    ON activity.conversation = conversation.key AND activity.watermark > ? \
                    WHERE conversation.id = ? ORDER BY activity.watermark LIMIT ?";

const BATCH: &str = "SELECT batch.first, batch.count FROM conversation \
                     JOIN batch ON batch.conversation = conversation.key WHERE conversation.id = ? AND batch.name = ?";

const ATTACHMENT: &str = "SELECT attachment.content_type, attachment.name, attachment.bytes \
                          FROM conversation JOIN attachment ON attachment.conversation = conversation.key \
                          WHERE conversation.id = ? AND attachment.id = ?";

/// Without any feedback there is one row all the same.
const FEEDBACK: &str = "SELECT feedback.key, feedback.timestamp, feedback.body FROM conversation \
                        LEFT JOIN feedback ON feedback.conversation = conversation.key AND feedback.key > ? \
                        WHERE conversation.id = ? ORDER BY feedback.key LIMIT ?";

const FIRST_SAID: &str = "SELECT member.first FROM conversation JOIN member ON member.conversation = conversation.key \
                          WHERE conversation.id = ? AND member.user = ?";

const OF_USER: &str = "SELECT conversation.id FROM member JOIN conversation ON conversation.key = member.conversation \
                       WHERE member.user = ? AND conversation.id > ? ORDER BY conversation.id LIMIT ?";

const LIST: &str = "SELECT id, user, next, created, active, reference FROM conversation \
                    WHERE (active, id) < (?, ?) ORDER BY active DESC, id DESC LIMIT ?";

const COUNT: &str = "SELECT (SELECT count(*) FROM conversation), (SELECT coalesce(sum(next), 0) FROM conversation), \
                     (SELECT page_count FROM pragma_page_count()) * (SELECT page_size FROM pragma_page_size())";

/// Reads on connections that cannot write.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    pub(super) pool: SqlitePool,
    path: PathBuf,
    standing: Arc<Standing>,
}

impl Reader {
    /// A reader of a database that is there, which the log calls by this path.
    pub(super) async fn open(
        options: SqliteConnectOptions,
        path: &Path,
        standing: Arc<Standing>,
    ) -> Result<Self, sqlx::Error> {
        let pool = SqlitePoolOptions::new()
            .max_connections(CONNECTIONS)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            .connect_with(options)
            .await?;
        Ok(Self { pool, path: path.to_owned(), standing })
    }

    pub(super) fn failed(&self, error: sqlx::Error) -> StoreError {
        self.standing.note(Failure::of(&error));
        report(error, &self.path, "conversations could not be read")
    }
}

impl backend::Reader for Reader {
    async fn find(&self, id: &ConversationId) -> Result<Option<(Conversation, Newest)>, StoreError> {
        let row = sqlx::query(FIND).bind(id.as_str()).fetch_optional(&self.pool).await;
        let found = row.and_then(|row| {
            row.map(|row| {
                let (next, newest) = (number(&row, 1)?, row.try_get::<Option<i64>, _>(2)?);
                let newest = Newest {
                    watermark: next.checked_sub(1).map(Watermark::from_index),
                    timestamp: newest.and_then(DateTime::from_timestamp_millis),
                };
                let conversation = Conversation::new(id.clone(), read_json(row.try_get(0)?)?);
                Ok((conversation.referred(read_json(row.try_get(3)?)?), newest))
            })
            .transpose()
        });
        found.map_err(|error| self.failed(error))
    }

    async fn created(&self, id: &ConversationId) -> Result<Option<DateTime<Utc>>, StoreError> {
        let row = sqlx::query(CREATED).bind(id.as_str()).fetch_optional(&self.pool).await;
        let created = row.and_then(|row| row.map(|row| time(row.try_get(0)?)).transpose());
        created.map_err(|error| self.failed(error))
    }

    async fn batch(&self, id: &ConversationId, name: &str) -> Result<Option<(Watermark, usize)>, StoreError> {
        let row = sqlx::query(BATCH).bind(id.as_str()).bind(name).fetch_optional(&self.pool).await;
        let found = row.and_then(|row| {
            row.map(|row| {
                let (first, count) = (number(&row, 0)?, number(&row, 1)?);
                Ok((Watermark::from_index(first), usize::try_from(count).unwrap_or_default()))
            })
            .transpose()
        });
        found.map_err(|error| self.failed(error))
    }

    async fn read(
        &self,
        id: &ConversationId,
        after: Option<Watermark>,
        limit: usize,
    ) -> Result<Option<Page>, StoreError> {
        let seen = after.map_or(-1, |after| i64::try_from(after.index()).unwrap_or(i64::MAX));
        let limit = i64::try_from(limit.max(1)).unwrap_or(i64::MAX);
        let read = async {
            let mut rows = sqlx::query(READ).bind(seen).bind(id.as_str()).bind(limit).fetch(&self.pool);
            let (mut recorded, mut bytes, mut next) = (Vec::new(), 0, None);
            while bytes < MAX_PAGE_BYTES
                && let Some(row) = rows.try_next().await?
            {
                next = Some(number(&row, 0)?);
                if let Some(watermark) = row.try_get::<Option<i64>, _>(1)? {
                    let body: String = row.try_get(3)?;
                    bytes += body.len();
                    recorded.push(activity(id, watermark, row.try_get(2)?, &body)?);
                }
            }
            Ok(next.map(|next| {
                let newest = next.checked_sub(1).map(Watermark::from_index);
                Page::new(recorded, after.min(newest))
            }))
        };
        read.await.map_err(|error| self.failed(error))
    }

    async fn attachment(&self, id: &ConversationId, attachment_id: &str) -> Result<Option<Attachment>, StoreError> {
        let row = sqlx::query(ATTACHMENT).bind(id.as_str()).bind(attachment_id).fetch_optional(&self.pool).await;
        let found = row.and_then(|row| {
            let attachment =
                |row: SqliteRow| Ok(Attachment::new(row.try_get::<String, _>(0)?, row.try_get(1)?, row.try_get(2)?));
            row.map(attachment).transpose()
        });
        found.map_err(|error| self.failed(error))
    }

    async fn feedback(
        &self,
        id: &ConversationId,
        after: Option<u64>,
        limit: usize,
    ) -> Result<Option<FeedbackPage>, StoreError> {
        let limit = limit.max(1);
        let after = after.map_or(-1, |after| i64::try_from(after).unwrap_or(i64::MAX));
        let most = i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX);
        let rows = sqlx::query(FEEDBACK).bind(after).bind(id.as_str()).bind(most).fetch_all(&self.pool).await;
        let found = rows.and_then(|rows| {
            if rows.is_empty() {
                return Ok(None);
            }
            let mut found = Vec::with_capacity(rows.len());
            for row in &rows {
                if let Some(key) = row.try_get::<Option<i64>, _>(0)? {
                    let feedback = serde_json::from_str(row.try_get(2)?).map_err(undecodable)?;
                    found.push((key.unsigned_abs(), NotedFeedback::new(time(row.try_get(1)?)?, feedback)));
                }
            }
            Ok(Some(FeedbackPage::cut(found, limit)))
        });
        found.map_err(|error| self.failed(error))
    }

    async fn first_said(&self, id: &ConversationId, user: &str) -> Result<Option<Watermark>, StoreError> {
        let first = sqlx::query_scalar::<_, Option<i64>>(FIRST_SAID).bind(id.as_str()).bind(user);
        let first = first.fetch_optional(&self.pool).await.map_err(|error| self.failed(error))?;
        Ok(first.flatten().map(|first| Watermark::from_index(first.unsigned_abs())))
    }

    async fn conversations_of(
        &self,
        user: &str,
        after: Option<&ConversationId>,
        limit: usize,
    ) -> Result<Vec<ConversationId>, StoreError> {
        let (after, limit) =
            (after.map_or("", ConversationId::as_str), i64::try_from(limit.max(1)).unwrap_or(i64::MAX));
        let ids = sqlx::query_scalar::<_, String>(OF_USER).bind(user).bind(after).bind(limit).fetch_all(&self.pool);
        let ids = ids.await.and_then(|ids| {
            ids.into_iter().map(|id| ConversationId::try_from(id).map_err(undecodable)).collect::<Result<Vec<_>, _>>()
        });
        ids.map_err(|error| self.failed(error))
    }

    async fn list(&self, after: Option<ListCursor>, limit: usize) -> Result<Listing, StoreError> {
        let limit = limit.max(1);
        let (time, id) = match &after {
            Some(place) => (place.active.timestamp_millis(), place.id.as_str()),
            None => (i64::MAX, ""),
        };
        let most = i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX);
        let rows = sqlx::query(LIST).bind(time).bind(id).bind(most).fetch_all(&self.pool).await;
        let found = rows.and_then(|rows| rows.iter().map(summary).collect::<Result<Vec<_>, _>>());
        found.map(|found| Listing::cut(found, limit)).map_err(|error| self.failed(error))
    }

    async fn count(&self) -> Result<Counts, StoreError> {
        let row = sqlx::query(COUNT).fetch_one(&self.pool).await;
        let counts = row.and_then(|row| Ok(Counts::new(number(&row, 0)?, number(&row, 1)?, number(&row, 2)?)));
        counts.map_err(|error| self.failed(error))
    }
}

/// A row of id, user, number of activities, the times of creation and of the last record, and the reference.
pub(super) fn summary(row: &SqliteRow) -> Result<Summary, sqlx::Error> {
    let id = ConversationId::try_from(row.try_get::<String, _>(0)?).map_err(undecodable)?;
    let conversation = Conversation::new(id, read_json(row.try_get(1)?)?).referred(read_json(row.try_get(5)?)?);
    Ok(Summary::new(conversation, number(row, 2)?, time(row.try_get(3)?)?, time(row.try_get(4)?)?))
}

/// An activity as it was recorded.
pub(super) fn activity(
    id: &ConversationId,
    watermark: i64,
    timestamp: i64,
    body: &str,
) -> Result<Recorded, sqlx::Error> {
    let activity: Activity = serde_json::from_str(body).map_err(undecodable)?;
    Ok(Recorded::at(activity, id, Watermark::from_index(watermark.unsigned_abs()), time(timestamp)?))
}

/// A number that is never negative.
pub(super) fn number(row: &SqliteRow, index: usize) -> Result<u64, sqlx::Error> {
    u64::try_from(row.try_get::<i64, _>(index)?).map_err(undecodable)
}

pub(super) fn read_json<T: DeserializeOwned>(json: Option<String>) -> Result<Option<T>, sqlx::Error> {
    json.map(|json| serde_json::from_str(&json)).transpose().map_err(undecodable)
}

/// A time from its milliseconds.
pub(super) fn time(millis: i64) -> Result<DateTime<Utc>, sqlx::Error> {
    DateTime::from_timestamp_millis(millis).ok_or_else(|| sqlx::Error::Decode("a time beyond all years".into()))
}

pub(super) fn undecodable(error: impl std::error::Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::Decode(error.into())
}
