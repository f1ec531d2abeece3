//! Connections that calls share, and the second attempt of work whose connection is lost.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx::Connection as _;
use sqlx::postgres::PgConnection;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::connect::Connector;
use super::failure::{Failure, NamedCause, mend, timed_out};
use crate::writing::{Health, Standing};

/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(100);

/// Connections, up to a greatest number, opened when they are needed.
#[derive(Debug)]
pub(super) struct Connections {
    pub(super) connector: Connector,
    /// How long work goes on to be tried.
    pub(super) patience: Duration,
    permits: Semaphore,
    idle: Mutex<Vec<Idle>>,
    /// Grows when connections that were opened before are not to be used any more.
    era: AtomicU64,
    /// The standing of the database as a whole, which every kind of work shares.
    pub(super) standing: Arc<Standing>,
    /// Whether the server could be asked last.
    health: Mutex<Health<Failure>>,
}

/// A connection at work. It is given back by [`Lease::done`]; dropped, where the work failed or its caller went away, it is closed, and
/// so no transaction stays open.
#[derive(Debug)]
pub(super) struct Lease<'a> {
    connections: &'a Connections,
    connection: PgConnection,
    era: u64,
    _permit: SemaphorePermit<'a>,
}

impl Lease<'_> {
    /// The work has succeeded with this.
    pub(super) fn done<T>(self, outcome: T) -> Result<T, sqlx::Error> {
        let Self { connections, connection, era, .. } = self;
        connections.idle.lock().unwrap_or_else(PoisonError::into_inner).push(Idle { connection, era });
        Ok(outcome)
    }
}

impl Deref for Lease<'_> {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.connection
    }
}

impl DerefMut for Lease<'_> {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.connection
    }
}

#[derive(Debug)]
struct Idle {
    connection: PgConnection,
    era: u64,
}

impl Connections {
    pub(super) fn new(connector: Connector, most: usize, patience: Duration) -> Self {
        let (permits, idle) = (Semaphore::new(most), Mutex::default());
        let health = Mutex::new(Health::new(Arc::default()));
        Self { connector, patience, permits, idle, era: AtomicU64::new(0), standing: Arc::default(), health }
    }

    /// Does some work on a connection, and does it again where the connection is lost: for as long as a failover takes, reads
    /// and what can be repeated wait rather than fail.
    pub(super) async fn run<'a, T, F>(&'a self, mut work: impl FnMut(Lease<'a>) -> F) -> Result<T, sqlx::Error>
    where
        F: Future<Output = Result<T, sqlx::Error>>,
    {
        let deadline = Instant::now() + self.patience;
        let mut cause = NamedCause::default();
        loop {
            // The half of the time: a connection that swallows everything leaves time for another one.
            let end = deadline.min(Instant::now() + self.patience / 2);
            let tried = timeout_at(end, async { work(self.lease(end).await?).await }).await;
            match tried.unwrap_or_else(|_| Err(timed_out())) {
                Ok(done) => {
                    self.answers();
                    return Ok(done);
                }
                Err(error) if self.may_try_again(&error, deadline) => {
                    cause.note(error);
                    pause(deadline).await;
                }
                Err(error) => {
                    let error = cause.or(error);
                    self.refuses(&error);
                    return Err(error);
                }
            }
        }
    }

    fn answers(&self) {
        if let Some(refused) = self.health.lock().unwrap_or_else(PoisonError::into_inner).recover() {
            tracing::warn!(refused, "the database answers again");
        }
    }

    /// Tells the operator of a server that is away, which refuses everything: not for each refusal.
    fn refuses(&self, error: &sqlx::Error) {
        let failure = Failure::of(error);
        self.standing.note(failure);
        let is_news = || self.health.lock().unwrap_or_else(PoisonError::into_inner).refuse(failure);
        if failure.is_of_the_server() && !matches!(error, sqlx::Error::PoolClosed) && is_news() {
            tracing::error!(%error, mend = mend(error), "the database could not be asked");
        }
    }

    /// A connection for some work.
    pub(super) async fn lease(&self, deadline: Instant) -> Result<Lease<'_>, sqlx::Error> {
        let permit = self.permits.acquire().await.map_err(|_| sqlx::Error::PoolClosed)?;
        let era = self.era.load(Ordering::Relaxed);
        let connection = match self.take_idle(era) {
            Some(connection) => connection,
            None => self.connector.connect(deadline).await?,
        };
        Ok(Lease { connections: self, connection, era, _permit: permit })
    }

    /// Takes one that is open already.
    pub(super) fn keep(&self, connection: PgConnection) {
        let era = self.era.load(Ordering::Relaxed);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(Idle { connection, era });
    }

    /// Whether another attempt makes sense. After a failover no connection to the server before is used.
    pub(super) fn may_try_again(&self, error: &sqlx::Error, deadline: Instant) -> bool {
        let failure = Failure::of(error);
        if matches!(failure, Failure::Gone | Failure::ReadOnly) {
            self.drop_all();
        }
        failure.may_pass() && !matches!(error, sqlx::Error::PoolClosed) && Instant::now() + PAUSE < deadline
    }

    /// Lets go of all connections, of those that are at work when their work is done.
    pub(super) fn drop_all(&self) {
        self.era.fetch_add(1, Ordering::Relaxed);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(super) async fn close(&self) {
        self.permits.close();
        let idle = std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner));
        for Idle { connection, .. } in idle {
            connection.close().await.ok();
        }
    }

    fn take_idle(&self, era: u64) -> Option<PgConnection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        std::iter::from_fn(|| idle.pop()).find(|idle| idle.era == era).map(|idle| idle.connection)
    }
}

/// Until the next attempt, or the end.
pub(super) async fn pause(deadline: Instant) {
    sleep_until(deadline.min(Instant::now() + PAUSE)).await;
}
