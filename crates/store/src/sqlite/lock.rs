//! The lock that lets one server use a store file.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::Path;

use super::SqliteError;
use super::place::beside;
use crate::private_file;

/// The right to write to a store, until it is dropped or the process ends, however it ends.
///
/// The lock is on a file of its own, for two reasons: SQLite's exclusive mode would also keep our own readers out, and
/// its ordinary locks on the store are lost as soon as this process closes any other handle of that file.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Locks the store at this path, which need not exist yet.
    pub(super) fn take(path: &Path) -> Result<Self, SqliteError> {
        let beside = beside(path, ".lock");
        let create = |source| SqliteError::Create { path: beside.clone(), source };
        if let Some(folder) = path.parent() {
            private_file::create_folder(folder).map_err(create)?;
        }
        let mut options = private_file::options();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&beside).map_err(create)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                file.read_to_string(&mut holder).ok();
                let number = holder.trim();
                let known = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
                let holder = if known { format!("process {number}") } else { "another process".to_owned() };
                return Err(SqliteError::InUse { path: path.to_owned(), holder });
            }
            Err(TryLockError::Error(error)) => return Err(create(error)),
        }
        // For the message above, so that it does not matter when it cannot be written.
        file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id())).ok();
        Ok(Self { file })
    }
}

impl Drop for Lock {
    /// Unlocks in so many words: closing the file would leave the lock with a process that is just being started and
    /// has not yet let go of what it inherits.
    fn drop(&mut self) {
        self.file.unlock().ok();
    }
}

/// Makes the file for its owner alone, and what SQLite has made beside it with the mode that it had. Must not run while SQLite has the
/// file open.
pub(super) fn make_private(path: &Path) -> Result<(), SqliteError> {
    let create = |source| SqliteError::Create { path: path.to_owned(), source };
    private_file::make_private(path).map_err(create)?;
    for beside in ["-wal", "-shm"].map(|end| beside(path, end)) {
        match private_file::make_private(&beside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(create(error)),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}
