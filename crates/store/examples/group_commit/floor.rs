//! What SQLite itself does with the rows of a store, for `benches/store.rs` and `benches/posts.sh`.

use std::path::Path;
use std::time::{Duration, Instant};

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, SqlSafeStr as _};

/// Activities go to so many conversations in turn.
pub(crate) const CONVERSATIONS: usize = 200;

/// Durable appends per second into a table and an index of the store's shape, `group` rows in a transaction, on one
/// connection, with nothing around it.
pub(crate) async fn appends_per_second(
    path: &Path,
    body: &str,
    group: usize,
    time: Duration,
) -> Result<f64, sqlx::Error> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .disable_statement_logging();
    let mut connection = options.connect().await?;
    let schema = "CREATE TABLE activity (key INTEGER PRIMARY KEY, conversation INTEGER, watermark INTEGER, \
                  timestamp INTEGER, body TEXT); \
                  CREATE UNIQUE INDEX place ON activity (conversation, watermark)";
    sqlx::raw_sql(schema).execute(&mut connection).await?;
    // The rows of a transaction in one call, so that nothing but SQLite is measured.
    let rows = vec!["(?, ?, ?, ?)"; group].join(", ");
    let insert =
        format!("BEGIN; INSERT INTO activity (conversation, watermark, timestamp, body) VALUES {rows}; COMMIT");
    let insert = sqlx::AssertSqlSafe(insert).into_sql_str();
    let (since, mut count) = (Instant::now(), 0_usize);
    while since.elapsed() < time {
        let mut query = sqlx::query(insert.clone());
        for number in count..count + group {
            let (conversation, watermark) = (number % CONVERSATIONS, number / CONVERSATIONS);
            query = query.bind(conversation as i64).bind(watermark as i64).bind(number as i64).bind(body.to_owned());
        }
        query.execute(&mut connection).await?;
        count += group;
    }
    let rate = count as f64 / since.elapsed().as_secs_f64();
    connection.close().await?;
    Ok(rate)
}
