//! Notices that the file was taken away or replaced while it is open: everything would go on to work, and all that is recorded
//! would be gone with the process.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::private_file::{self, FileIdentity};
use crate::writing::Standing;

/// Why the store is lost then.
pub(super) const MOVED: &str = "its file was deleted or replaced while citewire ran; start citewire anew";

/// The place of the database.
#[derive(Clone, Debug)]
pub(super) enum Place {
    /// The memory of this process.
    Memory,
    /// A file.
    File(FilePlace),
}

/// The names of the file and of its log.
#[derive(Clone, Debug)]
pub(super) struct FilePlace {
    path: PathBuf,
    log: PathBuf,
    file: Option<FileIdentity>,
    /// SQLite makes it when it begins to read, and deletes it when nobody has the file open.
    log_file: Arc<Mutex<Option<FileIdentity>>>,
    standing: Arc<Standing>,
}

/// Another file has the name of the store, or none.
#[derive(Debug, thiserror::Error)]
#[error("the file of the store was deleted or replaced")]
pub(super) struct Moved;

impl Place {
    /// The place of a file that is there.
    pub(super) fn of(path: &Path, standing: Arc<Standing>) -> Self {
        let (log, file) = (beside(path, "-wal"), private_file::identity(path));
        Self::File(FilePlace { path: path.to_owned(), log, file, log_file: Arc::default(), standing })
    }

    /// The file is opened anew, which may make another log.
    pub(super) fn reopened(&self) {
        match self {
            Self::Memory => {}
            Self::File(file) => file.reopened(),
        }
    }

    /// Whether the open files still have their names.
    pub(super) fn check(&self) -> Result<(), Moved> {
        match self {
            Self::Memory => Ok(()),
            Self::File(file) => file.check(),
        }
    }

    /// Whether deleted bytes may remain on a disk.
    pub(super) fn is_on_disk(&self) -> bool {
        match self {
            Self::Memory => false,
            Self::File(_) => true,
        }
    }
}

impl FilePlace {
    fn reopened(&self) {
        *self.log_file.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Tells the operator the first time that a name is gone. The names are looked at, and not the files: to close one of them would end
    /// SQLite's locks.
    fn check(&self) -> Result<(), Moved> {
        let has_log = || {
            let mut known = self.log_file.lock().unwrap_or_else(PoisonError::into_inner);
            let found = private_file::identity(&self.log);
            known.is_none_or(|known| found == Some(known)) && {
                *known = found;
                true
            }
        };
        if private_file::identity(&self.path) == self.file && has_log() {
            return Ok(());
        }
        if self.standing.lose(MOVED) {
            let mend = "put the files back in place or restore a backup, and start citewire anew; nothing is recorded until then";
            tracing::error!(store.path = %self.path.display(), mend,
                "the file of the store or its log (-wal) was deleted or replaced while it is open");
        }
        Err(Moved)
    }
}

/// The file whose name has this at its end.
pub(super) fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}
