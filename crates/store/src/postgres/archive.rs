//! Reads the database for the command `citewire store`, and brings its schema to the newest version.

use std::sync::Arc;
use std::time::Duration;

use sqlx::Row as _;
use sqlx::postgres::PgRow;
use tokio::time::Instant;

use super::address::Address;
use super::connect::Connector;
use super::connections::Connections;
use super::error::PostgresError;
use super::escape::escape;
use super::reader::{Reader, decoded, failed};
use super::removal::delete;
use super::row::{activity, conversation_id};
use super::schema;
use crate::activity::ConversationId;
use crate::archived::{Archived, Description, Selection};
use crate::backend::{Reader as _, Removal};
use crate::{Recorded, StoreError};

/// The activities that are in memory at a time.
const PAGE: i64 = 256;

/// A command waits this long for the database, and for each of its answers.
const PATIENCE: Duration = Duration::from_secs(60);

const CONVERSATIONS: &str = "SELECT key, id FROM conversation WHERE key > $1 ORDER BY key LIMIT 1";

const CONVERSATION: &str = "SELECT key, id FROM conversation WHERE key > $1 AND id = $2";

const OF_USER: &str = "SELECT c.key, c.id FROM member m JOIN conversation c ON c.key = m.conversation \
                       WHERE m.conversation > $1 AND m.\"user\" = $2 ORDER BY m.conversation LIMIT 1";

const ACTIVITIES: &str =
    "SELECT place, at, body FROM activity WHERE conversation = $1 AND place > $2 ORDER BY place LIMIT $3";

const SPAN: &str = "SELECT (SELECT min(created) FROM conversation), (SELECT max(active) FROM head)";

/// A database that has the schema of this version.
#[derive(Debug)]
pub struct Archive {
    address: Address,
    version: i32,
    reader: Reader,
}

/// Brings the schema to the newest version; says which one it had, and which one it has.
///
/// # Errors
/// When the database cannot be used.
pub async fn migrate(address: &Address) -> Result<(i32, i32), PostgresError> {
    let connector = Connector { address: address.clone() };
    let connected = connector.connect(Instant::now() + PATIENCE).await;
    let mut connection = connected.map_err(|error| PostgresError::explain(error, address))?;
    let before = schema::migrate(&mut connection, address).await?;
    Ok((before, schema::NEWEST))
}

impl Archive {
    /// Connects.
    ///
    /// # Errors
    /// When the database cannot be used, or has no schema that this version knows.
    pub async fn open(address: &Address) -> Result<Self, PostgresError> {
        let explain = |error| PostgresError::explain(error, address);
        let connections = Connections::new(Connector { address: address.clone() }, 1, PATIENCE);
        let mut lease = connections.lease(Instant::now() + PATIENCE).await.map_err(explain)?;
        let version = schema::require(&mut lease, address).await?;
        lease.done(()).map_err(explain)?;
        Ok(Self { address: address.clone(), version, reader: Reader { connections: Arc::new(connections) } })
    }

    /// Describes the database: its size, and the times of its oldest conversation and its newest record.
    ///
    /// # Errors
    /// When it cannot be read.
    pub async fn describe(&self) -> Result<Description, StoreError> {
        let counts = self.reader.count().await?;
        let span = self.reader.read_with(|mut c| async move {
            let row = sqlx::query(SPAN).fetch_one(&mut *c).await?;
            c.done([row.try_get(0)?, row.try_get(1)?])
        });
        Ok(Description::new(self.address.to_string(), self.version.into(), counts, span.await?))
    }

    /// Gives every activity of these conversations to `take`, in order within each conversation, until it
    /// fails; says how many those were. Memory does not depend on how many there are. What is recorded meanwhile may
    /// or may not be among them.
    ///
    /// # Errors
    /// When the database cannot be read; the inner one is that of `take`.
    pub async fn export<E>(
        &self,
        which: Selection<'_>,
        mut take: impl FnMut(Archived) -> Result<(), E>,
    ) -> Result<Result<u64, E>, StoreError> {
        let (mut last, mut count) = (0_i64, 0);
        while let Some((key, id)) = self.next(which, last).await? {
            last = key;
            let mut after = -1;
            loop {
                let page = self.page(key, after).await?;
                let rows = page.iter().map(|row| activity(&id, row.try_get(0)?, row.try_get(1)?, row.try_get(2)?));
                let page: Vec<Recorded> = decoded(rows)?;
                let Some(newest) = page.last() else { break };
                after = newest.watermark.index().cast_signed();
                for Recorded { watermark, activity } in page {
                    if let Err(error) = take(Archived::new(id.clone(), watermark, activity)) {
                        return Ok(Err(error));
                    }
                    count += 1;
                }
            }
        }
        Ok(Ok(count))
    }

    /// Deletes the conversations to which a user belongs; says how many. Servers tell their readers within seconds.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn erase(&self, user: &str) -> Result<usize, StoreError> {
        let mut erased = 0;
        loop {
            match delete(&self.reader.connections, Removal::Of(user)).await.map_err(failed)?.len() {
                0 => return Ok(erased),
                some => erased += some,
            }
        }
    }

    /// The conversation behind the one with this key.
    async fn next(&self, which: Selection<'_>, last: i64) -> Result<Option<(i64, ConversationId)>, StoreError> {
        let row = self.reader.read_with(|mut c| async move {
            let next = match which {
                Selection::All => sqlx::query(CONVERSATIONS).bind(last),
                Selection::Conversation(id) => sqlx::query(CONVERSATION).bind(last).bind(id.as_str()),
                Selection::User(user) => sqlx::query(OF_USER).bind(last).bind(escape(user)),
            };
            let row: Option<PgRow> = next.fetch_optional(&mut *c).await?;
            let next = row.map(|row| Ok::<_, sqlx::Error>((row.try_get(0)?, conversation_id(row.try_get(1)?)?)));
            c.done(next.transpose()?)
        });
        row.await
    }

    async fn page(&self, key: i64, after: i64) -> Result<Vec<PgRow>, StoreError> {
        let rows = self.reader.read_with(|mut c| async move {
            let rows = sqlx::query(ACTIVITIES).bind(key).bind(after).bind(PAGE).fetch_all(&mut *c).await?;
            c.done(rows)
        });
        rows.await
    }
}
