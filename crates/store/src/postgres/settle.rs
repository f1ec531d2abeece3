//! Finds out what became of a transaction when the answer to its COMMIT is lost.

use chrono::{DateTime, Utc};
use sqlx::postgres::PgConnection;
use tokio::time::{Instant, timeout_at};

use super::connect::Connector;
use super::connections::pause;
use super::group::{CommitCheck, Trace};

const STATUS: &str = "SELECT pg_xact_status($1::xid8)";

/// The row names the transaction that has written it by the lower half of its number.
const ACTIVITY: &str = "SELECT at, body FROM activity WHERE conversation = $1 AND place = $2 \
                        AND xmin::text::bigint = $3::numeric % 4294967296";

const FEEDBACK: &str = "SELECT at, body FROM feedback WHERE conversation = $1 AND at = $2 AND body = $4 \
                        AND xmin::text::bigint = $3::numeric % 4294967296 LIMIT 1";

const TURN: &str = "SELECT 1 FROM turn WHERE key = $1 AND xmin::text::bigint = $2::numeric % 4294967296";

/// Whether the transaction is committed; `None` where that cannot be found out in time.
pub(super) async fn settle(connector: &Connector, trace: &Trace, deadline: Instant) -> Option<bool> {
    loop {
        let looked = timeout_at(deadline, async {
            let mut connection = connector.connect(deadline).await?;
            look(&mut connection, trace).await
        });
        match looked.await {
            Ok(Ok(Some(committed))) => return Some(committed),
            // It is still running, or this server cannot tell.
            Ok(Ok(None)) => {}
            Ok(Err(error)) => tracing::debug!(%error, "not settled yet"),
            Err(_) => return None,
        }
        if Instant::now() >= deadline {
            return None;
        }
        pause(deadline).await;
    }
}

/// `None` while the transaction runs: it may wait for a standby.
async fn look(connection: &mut PgConnection, trace: &Trace) -> Result<Option<bool>, sqlx::Error> {
    let status = sqlx::query_scalar::<_, Option<String>>(STATUS).bind(&trace.transaction);
    // A server that was promoted may not know the number yet: then nothing of that transaction has reached it.
    let status = match status.fetch_one(&mut *connection).await {
        Ok(status) => status,
        Err(error) if error.as_database_error().is_some() => None,
        Err(error) => return Err(error),
    };
    if status.as_deref() == Some("in progress") {
        return Ok(None);
    }
    is_there(connection, trace).await.map(Some)
}

/// Whether the row is there as this transaction has written it. Another server may give its number to another transaction, which
/// would hardly write the same text at the same time to the same place.
async fn is_there(connection: &mut PgConnection, trace: &Trace) -> Result<bool, sqlx::Error> {
    let (row, expected) = match &trace.commit_check {
        CommitCheck::Activity { conversation, place, at, body } => {
            (sqlx::query_as(ACTIVITY).bind(conversation).bind(place).bind(&trace.transaction), (at, body))
        }
        CommitCheck::Feedback { conversation, at, body } => {
            (sqlx::query_as(FEEDBACK).bind(conversation).bind(at).bind(&trace.transaction).bind(body), (at, body))
        }
        CommitCheck::Turn { key } => {
            let there = sqlx::query_scalar(TURN).bind(key).bind(&trace.transaction);
            return Ok(there.fetch_optional(connection).await? == Some(1_i32));
        }
        CommitCheck::None => return Ok(false),
    };
    let row: Option<(DateTime<Utc>, String)> = row.fetch_optional(connection).await?;
    Ok(row.is_some_and(|(at, body)| (&at, &body) == expected))
}
