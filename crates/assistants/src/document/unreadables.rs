//! Remembers documents that took their reader's time or its life, so that neither a restart nor a second copy takes them again.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use citewire_documents::Unreadable;
use serde::{Deserialize, Serialize};

use crate::digest::of_parts;

/// Another number has everything read again: to be raised when readers have learned to read more.
const READER: &str = concat!(env!("CARGO_PKG_VERSION"), "/2");

/// The number of documents that are remembered; the oldest go first.
const MOST: usize = 1_000;

/// A document is tried again after this time: the machine may have been busy.
const REMEMBERED_FOR: Duration = Duration::from_secs(7 * 24 * 3600);

/// The memory of one document.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct UnreadableFile {
    reason: Unreadable,
    /// Unix time in seconds.
    since: u64,
}

/// Documents that could not be read, by their content.
#[derive(Debug)]
pub(super) struct Unreadables(Mutex<UnreadableFiles>);

#[derive(Debug)]
struct UnreadableFiles {
    entries: BTreeMap<String, UnreadableFile>,
    file: Option<PathBuf>,
}

impl Unreadables {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(UnreadableFiles { entries: BTreeMap::new(), file: None }))
    }

    /// Remembers in this file from now on, and what it has already.
    pub(super) fn keep_in(&self, file: PathBuf) -> io::Result<()> {
        let entries = match fs::read(&file) {
            // A file that is damaged is one that remembers nothing.
            Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(error),
        };
        let mut memory = self.memory();
        memory.entries = entries;
        memory.file = Some(file);
        Ok(())
    }

    /// The reason why this document could not be read before.
    pub(super) fn reason(&self, key: &str) -> Option<Unreadable> {
        let entry = self.memory().entries.get(key)?.clone();
        let age = now().saturating_sub(entry.since);
        (age < REMEMBERED_FOR.as_secs()).then_some(entry.reason)
    }

    /// Remembers a document that was slow or ended its reader. Others are soon read again.
    pub(super) fn note(&self, key: String, reason: &Unreadable) {
        match reason {
            Unreadable::TookTooLong { .. } | Unreadable::TookTooMuchMemory | Unreadable::Crashed => {}
            Unreadable::Encrypted
            | Unreadable::Damaged(_)
            | Unreadable::OnlyPictures
            | Unreadable::Undecodable
            | Unreadable::TooLarge { .. }
            | Unreadable::Empty
            | Unreadable::TooManyPages { .. }
            | Unreadable::TooMuchText { .. }
            | Unreadable::TooMuchTextTogether { .. }
            | Unreadable::TooDense { .. }
            | Unreadable::TooMuchUnpacked { .. }
            | Unreadable::NotWhatItsNameSays(_)
            | Unreadable::NotUtf8 => return,
        }
        let mut memory = self.memory();
        memory.entries.insert(key, UnreadableFile { reason: reason.clone(), since: now() });
        while memory.entries.len() > MOST {
            let oldest = memory.entries.iter().min_by_key(|(_, entry)| entry.since).map(|(key, _)| key.clone());
            oldest.and_then(|key| memory.entries.remove(&key));
        }
        if let Some(file) = &memory.file
            && let Err(error) = write(file, &memory.entries)
        {
            tracing::warn!(file = %file.display(), %error, "unreadable documents cannot be remembered beyond the next start");
        }
    }

    fn memory(&self) -> MutexGuard<'_, UnreadableFiles> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Replaces the file as a whole.
fn write(file: &Path, entries: &BTreeMap<String, UnreadableFile>) -> io::Result<()> {
    let new = file.with_extension("new");
    fs::write(&new, serde_json::to_vec(entries)?)?;
    fs::rename(new, file)
}

/// A key of a document and of everything else that has a say in whether it can be read.
pub(super) fn key<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> String {
    let digest = of_parts([READER.as_bytes()].into_iter().chain(parts));
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_slow_is_remembered_beyond_a_restart_and_what_is_quick_to_refuse_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("unreadable.json");
        let before = Unreadables::new();
        before.keep_in(file.clone()).expect("no file is none");
        before.note("slow".to_owned(), &Unreadable::TookTooLong { seconds: 60 });
        before.note("damaged".to_owned(), &Unreadable::Encrypted);
        let after = Unreadables::new();
        after.keep_in(file.clone()).expect("a file");
        assert_eq!(after.reason("slow"), Some(Unreadable::TookTooLong { seconds: 60 }));
        assert_eq!(after.reason("damaged"), None);
        for number in 0..=MOST {
            after.note(number.to_string(), &Unreadable::Crashed);
        }
        assert_eq!(after.memory().entries.len(), MOST);
        fs::write(&file, "{").expect("written");
        after.keep_in(file).expect("a damaged file");
        assert_eq!(after.reason("slow"), None);
    }
}
