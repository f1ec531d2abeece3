//! Opens connections.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::sqlite::{SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};

/// The size of a page of a new file, in bytes; SQLite's own default.
pub(super) const PAGE_BYTES: usize = 4096;

/// After so many pages of the log they are moved into the file: 16 MiB, four times SQLite's default, for fewer of the
/// pauses that this makes.
const PAGES_IN_LOG: &str = "4096";

/// The log is cut back to so many bytes when it has been longer.
const LOG_BYTES: &str = "67108864";

/// How long a connection waits for others that hold a lock of the file.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The connection that writes. What it commits is on the disk; what it deletes is overwritten with zeros, where it
/// stands in the file. Copies elsewhere are for `upkeep.rs` to remove.
pub(super) fn writing(path: &Path, max_bytes: usize) -> SqliteConnectOptions {
    changing(path, max_bytes)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("wal_autocheckpoint", PAGES_IN_LOG)
        .pragma("journal_size_limit", LOG_BYTES)
}

fn changing(path: &Path, max_bytes: usize) -> SqliteConnectOptions {
    let pages = (max_bytes / PAGE_BYTES).max(1);
    base(path)
        .page_size(PAGE_BYTES as u32)
        .auto_vacuum(SqliteAutoVacuum::Incremental)
        .pragma("secure_delete", "ON")
        // Nothing of what is kept goes into files of the system's temporary folder.
        .pragma("temp_store", "MEMORY")
        .pragma("max_page_count", pages.to_string())
}

/// A connection that reads.
pub(super) fn reading(path: &Path) -> SqliteConnectOptions {
    base(path).read_only(true)
}

/// A name for a database in memory, which all connections of this process that know the name share.
pub(super) fn name_in_memory() -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    format!("file:citewire-{}?mode=memory&cache=shared", NUMBER.fetch_add(1, Ordering::Relaxed)).into()
}

/// The connection that writes to a database in memory.
pub(super) fn writing_in_memory(name: &Path, max_bytes: usize) -> SqliteConnectOptions {
    changing(name, max_bytes)
}

/// A connection that reads a database in memory, which cannot be opened for reading only.
pub(super) fn reading_in_memory(name: &Path) -> SqliteConnectOptions {
    base(name).pragma("query_only", "ON")
}

fn base(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .foreign_keys(true)
        .busy_timeout(PATIENCE)
        // A statement is logged with what it is about, which is nobody's business.
        .disable_statement_logging()
}
