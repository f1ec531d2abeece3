//! A snapshot of a library: all documents as read at one time, with their index.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use citewire_documents::Unreadable;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::file::{self, FileContent, FileRead};
use super::folder::{self, FolderListing, ListedFile};
use super::index::Index;
use super::{Document, DocumentId, LibraryError, LibraryOptions, Passage};
use crate::digest::of_parts;
use crate::url::WebUrl;

/// The number of files that are read at one time.
const AT_ONCE: usize = 4;

/// All documents that were read at one time, with their index.
#[derive(Debug)]
pub(super) struct IndexSnapshot {
    pub(super) listing: FolderListing,
    /// The result of reading each file, by its path.
    pub(super) files: BTreeMap<String, FileRead>,
    pub(super) documents: BTreeMap<DocumentId, Arc<Document>>,
    /// The passages, in the order of the index.
    pub(super) passages: Vec<(Arc<Document>, Arc<Passage>)>,
    /// The index, which shares its parts with the snapshots before and behind this one.
    pub(super) index: Arc<Index>,
    /// The digest of the documents and their texts, as they are found and quoted.
    pub(super) digest: [u8; 32],
    /// The bytes of all texts.
    pub(super) text_bytes: u64,
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
            files: BTreeMap::new(),
            documents: BTreeMap::new(),
            passages: Vec::new(),
            index: Arc::default(),
            digest: of_parts::<[u8; 32]>([]),
            text_bytes: 0,
            pending: BTreeSet::new(),
            is_begun: false,
        }
    }

    /// Whether everything was read.
    pub(super) fn is_read(&self) -> bool {
        self.is_begun && self.pending.is_empty()
    }

    /// The snapshot that follows this one, with these documents that are in no folder.
    pub(super) async fn with_documents(&self, contents: Vec<FileContent>) -> Result<Self, LibraryError> {
        let files = contents.into_iter().map(|content| (content.document.path.clone(), Ok(content)));
        self.with_files(FolderListing::default(), files.collect(), BTreeSet::new()).await
    }

    /// The snapshot that follows this one, with these files. Only what differs is indexed.
    pub(super) async fn with_files(
        &self,
        listing: FolderListing,
        files: BTreeMap<String, FileRead>,
        pending: BTreeSet<ListedFile>,
    ) -> Result<Self, LibraryError> {
        let before = Arc::clone(&self.index);
        let follow = move || {
            let contents: Vec<&FileContent> = files.values().filter_map(|read| read.as_ref().ok()).collect();
            let index = Arc::new(before.with(&contents));
            let of_content = |content: &&FileContent| {
                let document = Arc::clone(&content.document);
                let passages = content.passages.iter().map(Arc::clone).collect::<Vec<_>>();
                passages.into_iter().map(move |passage| (Arc::clone(&document), passage))
            };
            let documents = contents.iter().map(|content| (content.document.id.clone(), Arc::clone(&content.document)));
            Self {
                documents: documents.collect(),
                passages: contents.iter().flat_map(of_content).collect(),
                index,
                digest: of_parts(contents.iter().map(|content| content.digest)),
                text_bytes: contents.iter().map(|content| content.text_bytes).sum(),
                listing,
                pending,
                is_begun: true,
                files,
            }
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
        let (mut files, mut pending, mut texts) = (BTreeMap::new(), BTreeSet::new(), Vec::new());
        for listed in &listing.files {
            let read = self.files.get(&listed.path);
            // A text that did not fit may fit now.
            let did_not_fit = matches!(read, Some(Err(Unreadable::TooMuchTextTogether { .. })));
            match read {
                Some(read) if before.contains(listed) && !did_not_fit => {
                    files.insert(listed.path.clone(), read.clone());
                }
                _ if listed.format.is_text() || options.reader.is_none() => texts.push(listed.clone()),
                read => {
                    pending.insert(listed.clone());
                    if let Some(Ok(content)) = read {
                        files.insert(listed.path.clone(), Ok(content.clone()));
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
        let (mut files, mut pending) = (self.files.clone(), self.pending.clone());
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
    IndexSnapshot::empty().with_documents(contents.collect()).await
}

/// Lists the folder, of which nothing is read.
pub(super) async fn list(options: &LibraryOptions) -> Result<FolderListing, LibraryError> {
    let options = options.clone();
    tokio::task::spawn_blocking(move || folder::list(&options)).await?
}
