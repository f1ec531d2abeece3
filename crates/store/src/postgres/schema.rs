//! The schema of the database, and the migrations of older ones.
//!
//! To change it, add a file to `migrations` and a line to `MIGRATIONS`; never change one that was released. The version before
//! runs beside during an upgrade, so a migration adds, and what takes away comes a release later.

use sqlx::postgres::PgConnection;
use sqlx::{Connection as _, Row as _};
use tokio::time::Instant;

use super::address::Address;
use super::connect::{Connector, is_pooled};
use super::error::PostgresError;
use super::options::PostgresOptions;

const MIGRATIONS: [Migration; 5] = [
    Migration { version: 1, usable_from: 1, statements: include_str!("migrations/0001_everything.sql") },
    Migration { version: 2, usable_from: 1, statements: include_str!("migrations/0002_bound_turns.sql") },
    Migration { version: 3, usable_from: 1, statements: include_str!("migrations/0003_secrets.sql") },
    Migration { version: 4, usable_from: 1, statements: include_str!("migrations/0004_assistant_keys.sql") },
    Migration { version: 5, usable_from: 1, statements: include_str!("migrations/0005_document_changes.sql") },
];

/// A step to a newer version of the schema.
struct Migration {
    version: i32,
    /// The oldest version for which programs were made that can use this one. A step that takes something away raises it to the
    /// version that needs it no more.
    usable_from: i32,
    statements: &'static str,
}

/// The newest version of the schema that is known here.
pub(super) const NEWEST: i32 = MIGRATIONS[MIGRATIONS.len() - 1].version;

/// PostgreSQL 14.
const OLDEST_SERVER: i32 = 140_000;

/// By this advisory lock nodes that start at the same time migrate one after the other.
const MIGRATING: i64 = 0x6369_7465_0001;

const SERVER: &str = "SELECT current_setting('server_version_num')::int, current_setting('server_version'), \
                      current_setting('server_encoding'), current_setting('transaction_read_only')";

const VERSIONS: &str =
    "CREATE TABLE IF NOT EXISTS citewire_schema (version int PRIMARY KEY, applied timestamptz NOT NULL);
     ALTER TABLE citewire_schema ADD COLUMN IF NOT EXISTS usable_from int";

/// Without a word about the oldest, only those who know the version can use it.
const VERSION: &str = "SELECT version, coalesce((to_jsonb(citewire_schema)->>'usable_from')::int, version) \
                       FROM citewire_schema ORDER BY version DESC LIMIT 1";

/// A connection to a server that can be used, with a schema that fits.
pub(super) async fn connect(connector: &Connector, options: &PostgresOptions) -> Result<PgConnection, PostgresError> {
    let address = &connector.address;
    let explain = |error| PostgresError::explain(error, address);
    let mut connection = connector.connect(Instant::now() + options.write_timeout).await.map_err(explain)?;
    if is_pooled(connector, &mut connection).await.map_err(explain)? {
        return Err(PostgresError::Pooled { address: address.clone() });
    }
    if options.migrate {
        migrate(&mut connection, address).await?;
    } else {
        require(&mut connection, address).await?;
    }
    Ok(connection)
}

/// Looks whether the server can be used, without changing anything.
pub(super) async fn inspect(connection: &mut PgConnection, address: &Address) -> Result<i32, PostgresError> {
    let explain = |error| PostgresError::explain(error, address);
    let row = sqlx::query(SERVER).fetch_one(&mut *connection).await.map_err(explain)?;
    let address = || address.clone();
    if row.try_get::<i32, _>(0).map_err(explain)? < OLDEST_SERVER {
        let found = row.try_get(1).map_err(explain)?;
        return Err(PostgresError::OldServer { address: address(), found });
    }
    let found: String = row.try_get(2).map_err(explain)?;
    if found != "UTF8" {
        return Err(PostgresError::Encoding { address: address(), found });
    }
    if row.try_get::<String, _>(3).map_err(explain)? == "on" {
        return Err(PostgresError::ReadOnly { address: address() });
    }
    let (found, usable_from) = version(connection).await.map_err(explain)?;
    if usable_from > NEWEST {
        return Err(PostgresError::Newer { address: address(), found, known: NEWEST });
    }
    if found > NEWEST {
        tracing::warn!(
            found,
            known = NEWEST,
            "the database was migrated by a newer citewire, beside which this one can work"
        );
    }
    Ok(found)
}

/// Says whether the database has the version that is needed.
pub(super) async fn require(connection: &mut PgConnection, address: &Address) -> Result<i32, PostgresError> {
    let found = inspect(connection, address).await?;
    if found < NEWEST {
        return Err(PostgresError::Older { address: address.clone(), found, needed: NEWEST });
    }
    Ok(found)
}

/// Brings the database to the newest version; says which one it had.
pub(super) async fn migrate(connection: &mut PgConnection, address: &Address) -> Result<i32, PostgresError> {
    let found = inspect(connection, address).await?;
    if found < NEWEST {
        try_to_migrate(connection).await.map_err(|error| PostgresError::explain(error, address))?;
        inspect(connection, address).await?;
    }
    Ok(found)
}

/// All in one transaction: a database that is half-way is never seen.
async fn try_to_migrate(connection: &mut PgConnection) -> Result<(), sqlx::Error> {
    let mut transaction = connection.begin().await?;
    // Others wait their turn here, and then find nothing to do. Tables are not waited for long: those who wait for a lock keep
    // everybody else from the table meanwhile.
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(MIGRATING).execute(&mut *transaction).await?;
    sqlx::query("SET LOCAL lock_timeout = '5s'").execute(&mut *transaction).await?;
    sqlx::raw_sql(VERSIONS).execute(&mut *transaction).await?;
    let (found, _) = version(&mut transaction).await?;
    for step in MIGRATIONS.into_iter().filter(|step| step.version > found) {
        sqlx::raw_sql(step.statements).execute(&mut *transaction).await?;
        let note = sqlx::query("INSERT INTO citewire_schema (version, applied, usable_from) VALUES ($1, now(), $2)");
        note.bind(step.version).bind(step.usable_from).execute(&mut *transaction).await?;
    }
    transaction.commit().await
}

/// The version of the schema, and for which older one programs were made that can use it; 0 where there is none.
async fn version(connection: &mut PgConnection) -> Result<(i32, i32), sqlx::Error> {
    let there: bool =
        sqlx::query_scalar("SELECT to_regclass('citewire_schema') IS NOT NULL").fetch_one(&mut *connection).await?;
    if !there {
        return Ok((0, 0));
    }
    Ok(sqlx::query_as(VERSION).fetch_optional(connection).await?.unwrap_or_default())
}
