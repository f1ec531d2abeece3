//! Documents in a folder: answers that quote them, and downloads.

// Only Unix holds a reader to its memory.
#[cfg(unix)]
mod attacks;
mod downloads;
mod formats;
mod passages;
mod quoting;
pub(crate) mod readers;

use std::path::Path;
use std::sync::Arc;

use citewire::answer::LabelCatalog;
use citewire::assistant::{Assistant, AssistantOptions, LinkMode};
use citewire::clock::ManualClock;
use citewire::document::{Library, LibraryOptions};
use citewire::upstream::{Local, LocalOptions};
use tempfile::TempDir;

/// A folder with these files.
pub(crate) fn folder<N: AsRef<Path>, T: AsRef<[u8]>>(files: &[(N, T)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(path, text).expect("written");
    }
    folder
}

pub(crate) async fn library(folder: &TempDir) -> Arc<Library> {
    Arc::new(Library::open(LibraryOptions::new(folder.path())).await.expect("a library"))
}

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at("2026-01-01T00:00:00Z".parse().expect("a time")))
}

/// An assistant that quotes these documents.
fn assistant(name: &str, link_mode: LinkMode, library: &Arc<Library>) -> Assistant {
    let options = AssistantOptions { link_mode, ..AssistantOptions::default() };
    let upstream = Arc::new(Local::new(Arc::clone(library), LocalOptions::default(), clock()));
    Assistant::new(name, options, upstream, Arc::new(LabelCatalog::default())).with_library(Arc::clone(library))
}
