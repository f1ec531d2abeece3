//! A snapshot of a library: all documents as read at one time, with their index.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use citewire_documents::Unreadable;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::contents::{ContentChanges, Contents};
use super::file::{self, FileRead};
use super::folder::{self, FolderListing, ListedFile};
use super::index::Index;
use super::{LibraryError, LibraryOptions};
use crate::url::WebUrl;

/// The number of files that are read at one time.
const AT_ONCE: usize = 4;

/// All documents that were read at one time, with their index.
#[derive(Debug)]
pub(super) struct IndexSnapshot {
    pub(super) listing: FolderListing,
    /// The index of the documents that were read, which shares its parts with the snapshots before and behind this one.
    pub(super) index: Arc<Index>,
    /// The files that could not be read, by their paths.
    pub(super) unreadable: BTreeMap<String, Unreadable>,
    /// The files whose text has to be extracted yet.
    pub(super) pending: BTreeSet<ListedFile>,
    /// Whether anything was read at all.
    pub(super) is_begun: bool,
}

impl IndexSnapshot {
    /// The snapshot before anything was read.
    pub(super) fn empty() -> Self {
        Self {
            listing: FolderListing::default(),
            index: Arc::default(),
            unreadable: BTreeMap::new(),
            pending: BTreeSet::new(),
            is_begun: false,
        }
    }

    /// Whether everything was read.
    pub(super) fn is_read(&self) -> bool {
        self.is_begun && self.pending.is_empty()
    }

    /// The documents that were read.
    pub(super) fn contents(&self) -> &Contents {
        self.index.contents()
    }

    /// The outcome of reading each file, by its path.
    pub(super) fn files(&self) -> BTreeMap<String, FileRead> {
        let read = self.contents().iter().map(|content| (content.path().to_owned(), Ok(content.clone())));
        read.chain(self.unreadable.iter().map(|(path, reason)| (path.clone(), Err(reason.clone())))).collect()
    }

    /// The snapshot that follows this one when these documents, which are in no folder, have changed.
    pub(super) async fn with_changes(&self, changes: ContentChanges) -> Result<Self, LibraryError> {
        let (before, mut unreadable) = (Arc::clone(&self.index), self.unreadable.clone());
        let follow = move || {
            for (path, change) in &changes {
                match change {
                    Some(Err(reason)) => drop(unreadable.insert(path.clone(), reason.clone())),
                    Some(Ok(_)) | None => drop(unreadable.remove(path)),
                }
            }
            let index = Arc::new(before.with(Arc::new(before.contents().with(changes))));
            Self { index, unreadable, is_begun: true, ..Self::empty() }
        };
        Ok(tokio::task::spawn_blocking(follow).await?)
    }

    /// The snapshot that follows this one, with these files. Only what differs is indexed.
    async fn with_files(
        &self,
        listing: FolderListing,
        files: BTreeMap<String, FileRead>,
        pending: BTreeSet<ListedFile>,
    ) -> Result<Self, LibraryError> {
        let before = Arc::clone(&self.index);
        let follow = move || {
            let (mut contents, mut unreadable) = (Vec::with_capacity(files.len()), BTreeMap::new());
            for (path, read) in files {
                match read {
                    Ok(content) => contents.push(content),
                    Err(reason) => drop(unreadable.insert(path, reason)),
                }
            }
            let index = Arc::new(before.with(Arc::new(Contents::of_sorted(contents))));
            Self { listing, index, unreadable, pending, is_begun: true }
        };
        Ok(tokio::task::spawn_blocking(follow).await?)
    }

    /// Reads the text files of a folder again, and finds out which others have to be read; `None` when it is as it was before. Only
    /// files are read that are not as they were. Where the text of a document has to be extracted again, the old one stays until then.
    pub(super) async fn refreshed(&self, options: &LibraryOptions) -> Result<Option<Self>, LibraryError> {
        let listing = list(options).await?;
        if self.is_begun && self.listing == listing {
            return Ok(None);
        }
        listing.tell();
        let before: BTreeSet<&ListedFile> =
            self.listing.files.iter().filter(|file| !self.pending.contains(file)).collect();
        let (mut known, mut files, mut pending, mut texts) =
            (self.files(), BTreeMap::new(), BTreeSet::new(), Vec::new());
        for listed in &listing.files {
            let read = known.remove(&listed.path);
            // A text that did not fit may fit now.
            let did_not_fit = matches!(read, Some(Err(Unreadable::TooMuchTextTogether { .. })));
            match read {
                Some(read) if before.contains(listed) && !did_not_fit => {
                    files.insert(listed.path.clone(), read);
                }
                _ if listed.format.is_text() || options.reader.is_none() => texts.push(listed.clone()),
                read => {
                    pending.insert(listed.clone());
                    if let Some(Ok(content)) = read {
                        files.insert(listed.path.clone(), Ok(content));
                    }
                }
            }
        }
        let reading = |listed: ListedFile| {
            let (path, options) = (listed.path.clone(), options.clone());
            async move { file::read(options, listed).await.map(|read| (path, read)) }
        };
        let readings: Vec<_> = texts.into_iter().map(reading).collect();
        let read: Vec<(String, Option<FileRead>)> = stream::iter(readings).buffered(AT_ONCE).try_collect().await?;
        for (path, read) in read {
            add(&mut files, path, read, options);
        }
        self.with_files(listing, files, pending).await.map(Some)
    }

    /// The snapshot that follows this one when the texts of these files were extracted. Files that have changed meanwhile wait on.
    pub(super) async fn with_extracted(
        &self,
        options: &LibraryOptions,
        extracted: Vec<(ListedFile, Option<FileRead>)>,
    ) -> Result<Self, LibraryError> {
        let (mut files, mut pending) = (self.files(), self.pending.clone());
        for (listed, read) in extracted {
            if pending.remove(&listed) {
                files.remove(&listed.path);
                add(&mut files, listed.path, read, options);
            }
        }
        self.with_files(self.listing.clone(), files, pending).await
    }
}

/// Adds what came of reading a file, if it fits beside the others.
fn add(files: &mut BTreeMap<String, FileRead>, path: String, read: Option<FileRead>, options: &LibraryOptions) {
    let Some(read) = read else { return };
    let limit = options.max_text_bytes;
    let others: u64 = files.values().flatten().map(|content| content.text_bytes).sum();
    let read = read.and_then(|content| {
        let fits = others.saturating_add(content.text_bytes) <= limit;
        if fits { Ok(content) } else { Err(Unreadable::TooMuchTextTogether { limit }) }
    });
    if let Err(reason) = &read {
        tracing::warn!(path, %reason, "a document cannot be read");
    }
    files.insert(path, read);
}

/// Texts that are in no folder, by their paths.
pub(super) async fn of_texts(
    files: &BTreeMap<&'static str, &'static str>,
    base: Option<&WebUrl>,
) -> Result<IndexSnapshot, LibraryError> {
    let contents = files.iter().filter_map(|(path, text)| file::built_in(path, text, base));
    let changes = contents.map(|content| (content.path().to_owned(), Some(Ok(content)))).collect();
    IndexSnapshot::empty().with_changes(changes).await
}

/// Lists the folder, of which nothing is read.
pub(super) async fn list(options: &LibraryOptions) -> Result<FolderListing, LibraryError> {
    let options = options.clone();
    tokio::task::spawn_blocking(move || folder::list(&options)).await?
}
