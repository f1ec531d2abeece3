//! Changes that are no groups: each in a transaction of its own.

use tokio::time::{Instant, timeout_at};

use super::connections::{Lease, pause};
use super::failure::{Failure, NamedCause, report, timed_out};
use super::writer::Shared;
use crate::StoreError;

/// Does a change. It is done again while the database cannot be reached, but not where the answer to COMMIT is lost: only the
/// caller knows whether that makes sense.
pub(super) async fn transact<'a, T, F>(
    shared: &'a Shared,
    mut work: impl FnMut(Lease<'a>) -> F,
) -> Result<T, StoreError>
where
    F: Future<Output = Result<(T, Lease<'a>), sqlx::Error>>,
{
    let connections = &shared.connections;
    let deadline = Instant::now() + connections.patience;
    let mut cause = NamedCause::default();
    loop {
        // A connection that swallows everything leaves time for another one.
        let end = deadline.min(Instant::now() + connections.patience / 2);
        let tried = timeout_at(end, async {
            let mut lease = connections.lease(deadline).await?;
            sqlx::raw_sql("BEGIN ISOLATION LEVEL READ COMMITTED").execute(&mut *lease).await?;
            work(lease).await
        });
        match tried.await.unwrap_or_else(|_| Err(timed_out())) {
            Ok((outcome, lease)) => return commit(lease, outcome, deadline).await,
            Err(error) if connections.may_try_again(&error, deadline) => {
                cause.note(error);
                pause(deadline).await;
            }
            Err(sqlx::Error::PoolClosed) => return Err(StoreError::Closed),
            Err(error) => {
                let error = cause.or(error);
                connections.standing.note(Failure::of(&error));
                return Err(report(error, "a change could not be recorded"));
            }
        }
    }
}

async fn commit<T>(mut lease: Lease<'_>, outcome: T, deadline: Instant) -> Result<T, StoreError> {
    let committed = timeout_at(deadline, sqlx::raw_sql("COMMIT").execute(&mut *lease)).await;
    match committed.unwrap_or_else(|_| Err(timed_out())).and_then(|_| lease.done(outcome)) {
        Err(error) if Failure::of(&error) == Failure::Gone => {
            tracing::error!(%error, "it is not known whether a change was recorded");
            Err(StoreError::Doubtful)
        }
        done => done.map_err(|error| report(error, "a change could not be recorded")),
    }
}
