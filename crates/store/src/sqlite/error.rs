//! Errors when a file is opened as a store.

use std::error::Error;
use std::io;
use std::path::PathBuf;

/// The file cannot be opened as a store. The file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum SqliteError {
    /// The file or one beside it cannot be made.
    #[error("{path} cannot be created: make its folder writable for this user, or set store.url to another place")]
    Create {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
    /// There is no such file.
    #[error("there is no store at {path}: it is made when `citewire serve` starts")]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// Another process has the file.
    #[error("{path} is in use by {holder}: a store has one server at a time")]
    InUse {
        /// The file.
        path: PathBuf,
        /// The process that has it, by its number where that is known.
        holder: String,
    },
    /// The file is something else.
    #[error("{path} is not a store of citewire: set store.url to another file")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file is incomplete or damaged.
    #[error("{path} is damaged or cut short: put a backup in its place, or move it away to start with an empty store")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The error of SQLite.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// The file was written by an earlier version of citewire, which did not note what is asked for.
    #[error("{path} has schema version {found}, and this needs version {needed}: start `citewire serve` once")]
    Older {
        /// The file.
        path: PathBuf,
        /// The version of the file.
        found: i64,
        /// The version that has it.
        needed: i64,
    },
    /// A later version of citewire has changed the file.
    #[error("{path} has schema version {found}, and this citewire knows versions up to {known}: use a newer citewire")]
    Newer {
        /// The file.
        path: PathBuf,
        /// The version of the file.
        found: i64,
        /// The newest version that is known here.
        known: i64,
    },
    /// A file stands where the copy was to go.
    #[error("{path} exists already: name another file, or move it away")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// No copy of the store was written.
    #[error("no backup was written to {path}")]
    Copy {
        /// The path of the copy.
        path: PathBuf,
        /// The error of the system or of SQLite.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// SQLite refuses for another reason.
    #[error("{path} cannot be used")]
    Failed {
        /// The file.
        path: PathBuf,
        /// The error of SQLite.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
}
