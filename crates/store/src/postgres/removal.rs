//! Deletes conversations, and drafts of documents that were left.

use chrono::{DateTime, SubsecRound as _, TimeDelta, Utc};
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;

use super::connections::Connections;
use super::escape::escape;
use crate::backend::Removal;

/// The conversations that one transaction deletes at most, so that others do not wait for long.
const MAX_DELETED: i64 = 32;

const ONE: &str =
    "SELECT h.conversation FROM conversation c JOIN head h ON h.conversation = c.key WHERE c.id = $1 FOR UPDATE OF h";

/// Skips a head that is locked: it is being written to, and so is not due.
const DUE: &str = "SELECT conversation FROM head WHERE active < $1 ORDER BY active LIMIT $2 FOR UPDATE SKIP LOCKED";

const OF_USER: &str = "SELECT conversation FROM head \
                       WHERE conversation IN (SELECT conversation FROM member WHERE \"user\" = $1 LIMIT $2) \
                       ORDER BY conversation FOR UPDATE";

const REMOVE: &str = "
WITH head AS (DELETE FROM head WHERE conversation = ANY($1)),
    activity AS (DELETE FROM activity WHERE conversation = ANY($1)),
    batch AS (DELETE FROM batch WHERE conversation = ANY($1)),
    attachment AS (DELETE FROM attachment WHERE conversation = ANY($1)),
    feedback AS (DELETE FROM feedback WHERE conversation = ANY($1)),
    member AS (DELETE FROM member WHERE conversation = ANY($1)),
    line AS (DELETE FROM line WHERE conversation = ANY($1)),
    turn AS (DELETE FROM turn WHERE conversation = ANY($1))
DELETE FROM conversation WHERE key = ANY($1) RETURNING id";

/// Drafts whose upload began so long ago were left by a process that has ended. Others are another node's.
const DISCARD_OLD: &str = "DELETE FROM document WHERE draft AND received < $1";

/// Deletes some of these conversations, with all that belongs to them; says which. Where the answer of the server is lost, that is
/// done again: what was deleted stays so.
pub(super) async fn delete(connections: &Connections, removal: Removal<'_>) -> Result<Vec<String>, sqlx::Error> {
    let deleted = connections.run(|mut c| async move {
        let mut transaction = c.begin().await?;
        let keys = match removal {
            Removal::One(id) => sqlx::query_scalar(ONE).bind(id.as_str()),
            // Times are kept in whole milliseconds, cut off: what is younger by less stays.
            Removal::IdleSince(time) => sqlx::query_scalar(DUE).bind(time.trunc_subsecs(3)).bind(MAX_DELETED),
            Removal::Of(user) => sqlx::query_scalar(OF_USER).bind(escape(user)).bind(MAX_DELETED),
        };
        let keys: Vec<i64> = keys.fetch_all(&mut *transaction).await?;
        let removed = remove(&mut transaction, &keys).await?;
        transaction.commit().await?;
        c.done(removed)
    });
    deleted.await
}

/// Deletes conversations whose heads are locked: from then on nobody writes to them.
pub(super) async fn remove(connection: &mut PgConnection, keys: &[i64]) -> Result<Vec<String>, sqlx::Error> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    sqlx::query_scalar(REMOVE).bind(keys).fetch_all(connection).await
}

/// Deletes drafts that a process left which ended during an upload.
pub(super) async fn discard_old_drafts(connection: &mut PgConnection, now: DateTime<Utc>) -> Result<(), sqlx::Error> {
    sqlx::query(DISCARD_OLD).bind(now - TimeDelta::days(1)).execute(connection).await.map(drop)
}
