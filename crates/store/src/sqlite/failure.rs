//! Classifies errors of SQLite.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use sqlx::error::DatabaseError;

use super::place::{MOVED, Moved};
use crate::StoreError;
use crate::writing::FailureKind;

/// The kind of a failure, by SQLite's primary result code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The file has reached its greatest size, or the disk is full.
    Full,
    /// The disk or the file system has failed.
    Disk,
    /// The file or its folder cannot be written.
    ReadOnly,
    /// The file is damaged.
    Damaged,
    /// The file is no SQLite database.
    Foreign,
    /// The connection could not be had in time.
    Busy,
    /// The connection is closed.
    Closed,
    /// The file was deleted or replaced.
    Moved,
    /// Anything else; a statement that SQLite refuses, for instance.
    Other,
}

impl Failure {
    pub(super) fn of(error: &sqlx::Error) -> Self {
        if matches!(error, sqlx::Error::PoolTimedOut) {
            return Self::Busy;
        }
        if matches!(error, sqlx::Error::PoolClosed) {
            return Self::Closed;
        }
        if matches!(error, sqlx::Error::Configuration(cause) if cause.is::<Moved>()) {
            return Self::Moved;
        }
        if matches!(error, sqlx::Error::Io(_)) {
            return Self::Disk;
        }
        let code = error.as_database_error().and_then(DatabaseError::code).and_then(|code| code.parse::<u32>().ok());
        // An extended code carries the primary one in its lowest byte.
        match code.map(|code| code & 0xff) {
            Some(13) => Self::Full,
            Some(10 | 14) => Self::Disk,
            Some(8) => Self::ReadOnly,
            Some(11) => Self::Damaged,
            Some(26) => Self::Foreign,
            Some(5 | 6) => Self::Busy,
            // A statement of ours that does not fit the file is met where somebody has changed its tables.
            Some(1) if lacks_a_part(error) => Self::Damaged,
            Some(_) | None => Self::Other,
        }
    }

    /// Whether a smaller transaction could succeed where this one has not.
    pub(super) fn may_be_of_one_batch(self) -> bool {
        match self {
            Self::Full | Self::Damaged | Self::Other => true,
            Self::Disk | Self::ReadOnly | Self::Foreign | Self::Busy | Self::Closed | Self::Moved => false,
        }
    }

    /// Advice to the operator on ending this failure.
    fn mend(self) -> &'static str {
        match self {
            Self::Full => "free space on that disk; citewire then continues by itself",
            Self::Disk => {
                "check the system log for errors of that disk; citewire continues by itself when it can write again"
            }
            Self::ReadOnly => "make the file and its folder writable for the user that citewire runs as",
            Self::Damaged | Self::Foreign => "stop citewire and replace the file with a backup",
            Self::Moved => "put the files back in place or restore a backup, and start citewire anew",
            Self::Busy => "find the other program that has the file open",
            Self::Closed | Self::Other => "report this error",
        }
    }
}

impl FailureKind for Failure {
    fn lasting(self) -> Option<&'static str> {
        match self {
            Self::Damaged | Self::Foreign => Some("its file is damaged; stop citewire and put a backup in its place"),
            Self::Moved => Some(MOVED),
            Self::Full | Self::Disk | Self::ReadOnly | Self::Busy | Self::Closed | Self::Other => None,
        }
    }
}

/// Whether a table or a column is missing.
fn lacks_a_part(error: &sqlx::Error) -> bool {
    let message = error.as_database_error().map(DatabaseError::message).unwrap_or_default();
    ["no such table", "no such column", "has no column"].iter().any(|part| message.contains(part))
}

/// Tells the operator what has failed and how to mend it, and gives what the caller may know.
pub(super) fn report(error: sqlx::Error, path: &Path, what: &'static str) -> StoreError {
    let failure = Failure::of(&error);
    match failure {
        Failure::Closed => return StoreError::Closed,
        Failure::Busy => tracing::warn!(store.path = %path.display(), %error, mend = failure.mend(), "{what}"),
        Failure::Full
        | Failure::Disk
        | Failure::ReadOnly
        | Failure::Damaged
        | Failure::Foreign
        | Failure::Moved
        | Failure::Other => {
            tracing::error!(store.path = %path.display(), %error, mend = failure.mend(), "{what}");
        }
    }
    told_of(error)
}

/// Translates an error of the library into the one that the caller gets.
pub(super) fn told_of(error: sqlx::Error) -> StoreError {
    let failure = Failure::of(&error);
    // The one inside says the same, and says it once.
    let cause: Arc<dyn Error + Send + Sync> =
        if let sqlx::Error::Database(inside) = error { inside.into_error().into() } else { Arc::new(error) };
    match failure {
        Failure::Full => StoreError::NoSpace { cause },
        Failure::Busy => StoreError::Busy,
        Failure::Closed => StoreError::Closed,
        Failure::Moved => StoreError::Lost { reason: MOVED },
        Failure::Disk | Failure::ReadOnly | Failure::Damaged | Failure::Foreign | Failure::Other => {
            StoreError::Failed { cause }
        }
    }
}
