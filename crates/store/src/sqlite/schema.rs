//! The schema of the file, and the migrations of older files.
//!
//! To change it, add a file to `migrations` and a line to `MIGRATIONS`; never change one that was released, because
//! what was applied is held against it.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{ConnectOptions as _, Connection as _, SqlSafeStr as _, SqliteConnection};

use super::failure::Failure;
use super::place::beside;
use super::{SqliteError, connect};
use crate::private_file;

const MIGRATIONS: [(i64, &str, &str); 8] = [
    (1, "conversations", include_str!("migrations/0001_conversations.sql")),
    (2, "references and feedback", include_str!("migrations/0002_references_and_feedback.sql")),
    (3, "members", include_str!("migrations/0003_members.sql")),
    (4, "sizes", include_str!("migrations/0004_sizes.sql")),
    (5, "assistants", include_str!("migrations/0005_assistants.sql")),
    (6, "turns", include_str!("migrations/0006_turns.sql")),
    (7, "assistant keys", include_str!("migrations/0007_assistant_keys.sql")),
    (8, "document changes", include_str!("migrations/0008_document_changes.sql")),
];

/// The newest version of the schema that is known here.
pub(super) const NEWEST: i64 = MIGRATIONS[MIGRATIONS.len() - 1].0;

/// The `application_id` of our files, which the first migration writes.
const OURS: i64 = 0x6369_7465;

/// The first bytes of every file of SQLite.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// The smallest page.
const LEAST_BYTES: u64 = 512;

/// Looks at a file that exists without changing it: whether it is ours, whole as far as SQLite sees at once, and not of
/// a later version. One that SQLite finds empty is the rest of a copy that was broken off: a new store gets its name when it is whole.
pub(super) async fn inspect(path: &Path) -> Result<i64, SqliteError> {
    let failed = |error| explain(error, path);
    let mut connection = connect::reading(path).connect().await.map_err(failed)?;
    let looked = look(&mut connection).await;
    connection.close().await.ok();
    let (application, tables, version) = looked.map_err(|error| {
        if is_blank(path) {
            damaged(path, Part::FirstPage)
        } else if has(path, "-journal") {
            damaged(path, Part::End)
        } else {
            failed(error)
        }
    })?;
    if application == 0 && tables == 0 {
        return Err(damaged(path, Part::Everything));
    }
    if application != OURS {
        return Err(SqliteError::Foreign { path: path.to_owned() });
    }
    if version > NEWEST {
        return Err(SqliteError::Newer { path: path.to_owned(), found: version, known: NEWEST });
    }
    Ok(version)
}

/// The missing part of a file that was cut short.
#[derive(Debug, thiserror::Error)]
enum Part {
    #[error("it is empty")]
    Everything,
    #[error("its first page is missing")]
    FirstPage,
    #[error("whoever wrote it was broken off, and has left a journal (-journal)")]
    End,
    #[error("only its log (-wal) is there")]
    AllButTheLog,
}

fn damaged(path: &Path, missing: Part) -> SqliteError {
    SqliteError::Damaged { path: path.to_owned(), source: missing.into() }
}

/// Whether there is something in the file beside it whose name has this at its end.
fn has(path: &Path, end: &str) -> bool {
    fs::metadata(beside(path, end)).is_ok_and(|beside| beside.len() > 0)
}

/// Whether zeros stand where every SQLite file says that it is one, or no more than a part of that: whoever copies a file may write its
/// first page last.
fn is_blank(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LEAST_BYTES).read_to_end(&mut head));
    let magic = &head[..head.len().min(MAGIC.len())];
    read.is_ok()
        && (magic.iter().all(|byte| *byte == 0) || head.len() < LEAST_BYTES as usize && MAGIC.starts_with(magic))
}

/// Makes a new store. It gets its name when it is whole, so that a file which is not whole is never taken for a new one.
pub(super) async fn create(path: &Path, max_bytes: usize) -> Result<(), SqliteError> {
    let failed = |source| SqliteError::Create { path: path.to_owned(), source };
    if has(path, "-wal") {
        return Err(damaged(path, Part::AllButTheLog));
    }
    let new = beside(path, ".new");
    for end in ["", "-wal", "-shm", "-journal"] {
        // Of a start that was broken off.
        fs::remove_file(beside(&new, end)).or_else(unless_missing).map_err(failed)?;
    }
    private_file::options().write(true).create_new(true).open(&new).map_err(failed)?;
    let made = async {
        let mut connection = connect::writing(&new, max_bytes).connect().await.map_err(|e| explain(e, &new))?;
        migrate(&mut connection, &new).await?;
        connection.close().await.map_err(|error| explain(error, &new))
    };
    made.await?;
    private_file::put(&new, path).map_err(failed)
}

fn unless_missing(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

/// The application that the file belongs to, how many tables it has besides the list of migrations, and its version.
async fn look(connection: &mut SqliteConnection) -> Result<(i64, i64, i64), sqlx::Error> {
    let application = sqlx::query_scalar("PRAGMA application_id").fetch_one(&mut *connection).await?;
    let listed = "SELECT count(*) FROM sqlite_schema WHERE name = '_sqlx_migrations'";
    let listed: i64 = sqlx::query_scalar(listed).fetch_one(&mut *connection).await?;
    let tables = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name <> '_sqlx_migrations'";
    let tables = sqlx::query_scalar(tables).fetch_one(&mut *connection).await?;
    let version = if listed > 0 {
        let version = "SELECT coalesce(max(version), 0) FROM _sqlx_migrations";
        sqlx::query_scalar(version).fetch_one(&mut *connection).await?
    } else {
        0
    };
    Ok((application, tables, version))
}

/// Brings the file to the newest version.
pub(super) async fn migrate(connection: &mut SqliteConnection, path: &Path) -> Result<(), SqliteError> {
    let migrations = MIGRATIONS.map(|(version, name, sql)| {
        Migration::new(version, name.into(), MigrationType::Simple, sql.into_sql_str(), false)
    });
    let migrated = Migrator::with_migrations(migrations.into()).run(connection).await;
    migrated.map_err(|error| {
        if let MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) = error {
            return explain(error, path);
        }
        SqliteError::Failed { path: path.to_owned(), source: error.into() }
    })
}

/// Why the file cannot be opened, in an operator's words.
pub(super) fn explain(error: sqlx::Error, path: &Path) -> SqliteError {
    let path = path.to_owned();
    match Failure::of(&error) {
        Failure::Foreign => SqliteError::Foreign { path },
        Failure::Damaged => SqliteError::Damaged { path, source: error.into() },
        Failure::Full
        | Failure::Disk
        | Failure::ReadOnly
        | Failure::Busy
        | Failure::Closed
        | Failure::Moved
        | Failure::Other => SqliteError::Failed { path, source: error.into() },
    }
}
