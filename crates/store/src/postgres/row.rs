//! Decodes rows into the values of the store.

use chrono::{DateTime, Utc};
use serde::de::DeserializeOwned;
use sqlx::Row as _;
use sqlx::postgres::PgRow;

use crate::activity::{Activity, ConversationId, Watermark};
use crate::{Conversation, Recorded, Summary};

/// A row of id, user, number of activities, the times of creation and of the last record, and the reference.
pub(super) fn summary(row: &PgRow) -> Result<Summary, sqlx::Error> {
    let id = conversation_id(row.try_get(0)?)?;
    let conversation = Conversation::new(id, read_json(row.try_get(1)?)?).referred(read_json(row.try_get(5)?)?);
    Ok(Summary::new(conversation, number(row, 2)?, row.try_get(3)?, row.try_get(4)?))
}

/// An activity as it was recorded.
pub(super) fn activity(
    id: &ConversationId,
    place: i64,
    at: DateTime<Utc>,
    body: &str,
) -> Result<Recorded, sqlx::Error> {
    let activity: Activity = serde_json::from_str(body).map_err(undecodable)?;
    Ok(Recorded::at(activity, id, Watermark::from_index(place.unsigned_abs()), at))
}

pub(super) fn conversation_id(text: String) -> Result<ConversationId, sqlx::Error> {
    ConversationId::try_from(text).map_err(undecodable)
}

/// A number that is never negative.
pub(super) fn number(row: &PgRow, index: usize) -> Result<u64, sqlx::Error> {
    u64::try_from(row.try_get::<i64, _>(index)?).map_err(undecodable)
}

pub(super) fn read_json<T: DeserializeOwned>(json: Option<String>) -> Result<Option<T>, sqlx::Error> {
    json.map(|json| serde_json::from_str(&json)).transpose().map_err(undecodable)
}

pub(super) fn undecodable(error: impl std::error::Error + Send + Sync + 'static) -> sqlx::Error {
    sqlx::Error::Decode(error.into())
}

/// A count as PostgreSQL takes it.
pub(super) fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
