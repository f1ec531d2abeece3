//! Opens connections to the server that takes writes.

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _, Row as _};
use tokio::time::{Instant, timeout_at};

use super::address::Address;
use super::failure::timed_out;

/// One host is waited for this long before the next one is asked.
const PATIENCE: Duration = Duration::from_secs(3);

/// A canceled COMMIT that waits for a standby succeeds with a mere warning, so nothing is ever canceled for its time. What is
/// acknowledged is at least on the disk. A session that has lost its client keeps its locks for as short a time as can be.
const SESSION: &str = "
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = '10s';
SET tcp_keepalives_idle = 5;
SET tcp_keepalives_interval = 2;
SET tcp_keepalives_count = 3;
SET client_min_messages = error;
SELECT set_config('synchronous_commit', 'on', false)
    WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write');
SELECT pg_is_in_recovery() AS standby";

/// Knows how to connect.
#[derive(Clone, Debug)]
pub(super) struct Connector {
    pub(super) address: Address,
}

impl Connector {
    /// A connection to the first host that is no standby.
    pub(super) async fn connect(&self, deadline: Instant) -> Result<PgConnection, sqlx::Error> {
        self.find(deadline).await.map(|(connection, _)| connection)
    }

    /// Connects to the first host that is no standby. Returns its options too, for a library that connects by itself.
    pub(super) async fn find(&self, deadline: Instant) -> Result<(PgConnection, PgConnectOptions), sqlx::Error> {
        let mut refused = None;
        for host in self.address.hosts() {
            let host = host?;
            let patience = deadline.min(Instant::now() + PATIENCE);
            match timeout_at(patience, ask(&host)).await.unwrap_or_else(|_| Err(timed_out())) {
                Ok(Some(connection)) => return Ok((connection, host)),
                Ok(None) => refused = Some(standby()),
                Err(error) => refused = Some(error),
            }
        }
        Err(refused.unwrap_or_else(standby))
    }
}

/// Whether two connections share a session of the server: what one has set there, the other one finds.
pub(super) async fn is_pooled(connector: &Connector, connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    let mark = "SELECT set_config('citewire.session', gen_random_uuid()::text, false)";
    let mark: String = sqlx::query_scalar(mark).fetch_one(connection).await?;
    let mut other = connector.connect(Instant::now() + PATIENCE).await?;
    let found = "SELECT current_setting('citewire.session', true)";
    let found: Option<String> = sqlx::query_scalar(found).fetch_one(&mut other).await?;
    other.close().await.ok();
    Ok(found.as_deref() == Some(&*mark))
}

/// A connection to this host, unless it is a standby.
async fn ask(host: &PgConnectOptions) -> Result<Option<PgConnection>, sqlx::Error> {
    let mut connection = host.connect().await?;
    let rows = sqlx::raw_sql(SESSION).fetch_all(&mut connection).await?;
    let standby = rows.last().map_or(Ok(false), |row| row.try_get::<bool, _>("standby"))?;
    if standby {
        connection.close().await.ok();
        return Ok(None);
    }
    Ok(Some(connection))
}

fn standby() -> sqlx::Error {
    let error = std::io::Error::new(std::io::ErrorKind::ConnectionRefused, "no host of store.url takes writes");
    sqlx::Error::Io(error)
}
