//! A snapshot of a library: all documents as read at one time, with their index.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use citewire_documents::Unreadable;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::file::{self, FileContent, FileRead};
use super::folder::{self, FolderListing, ListedFile};
use super::index::{Index, IndexRow};
use super::question::Term;
use super::{Document, DocumentId, LibraryError, LibraryOptions, Passage};
use crate::digest::of_parts;

/// The number of passages from which on a word that most of them have says nothing by itself.
const COMMON_FROM: usize = 8;

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
    /// The index, shared with the snapshots before and behind this one.
    pub(super) index: Arc<Index>,
    /// The place of the first passage of each document, by its label in the index.
    firsts: BTreeMap<i64, usize>,
    /// The digest of the documents and their texts, as they are found and quoted.
    pub(super) digest: [u8; 32],
    /// The bytes of all texts.
    pub(super) text_bytes: u64,
    /// The files whose text has to be extracted yet.
    pub(super) pending: BTreeSet<ListedFile>,
    /// Whether anything was read at all.
    pub(super) is_begun: bool,
}

/// A term with its weight.
pub(super) struct Weighed {
    pub(super) term: Term,
    /// The number of passages that have it.
    pub(super) count: usize,
    pub(super) weight: f64,
    /// Whether not nearly all passages have it.
    pub(super) is_telling: bool,
}

impl IndexSnapshot {
    /// A term that stands nowhere is looked for without umlauts, and by its beginning. What is found nowhere even so is part of the
    /// question.
    pub(super) async fn weigh(&self, terms: Vec<Term>) -> Result<Vec<Weighed>, LibraryError> {
        let mut known: Vec<(Term, usize)> = Vec::with_capacity(terms.len());
        for term in terms {
            let (term, count) = self.known_form(term).await?;
            if known.iter().all(|(other, _)| *other != term) {
                known.push((term, count));
            }
        }
        let all = self.passages.len();
        let weighed = known.into_iter().map(|(term, count)| {
            // A pair of letters that stands nowhere is hardly a word.
            let part = if count == 0 && term.is_unspaced { 0.5 } else { 1.0 };
            let is_telling = all < COMMON_FROM || count * 10 <= all * 6;
            Weighed { weight: part * rarity(count.max(1), all), is_telling, term, count }
        });
        Ok(weighed.collect())
    }

    /// The first form of a term that stands anywhere, and in how many passages; the term itself where none does.
    async fn known_form(&self, term: Term) -> Result<(Term, usize), LibraryError> {
        let plain = term.without_umlauts();
        let beginnings = [term.beginning(), plain.as_ref().and_then(Term::beginning)];
        let forms: Vec<Term> = [Some(term.clone()), plain].into_iter().chain(beginnings).flatten().collect();
        let counts = self.index.count(&forms).await?;
        let found = forms.into_iter().zip(counts).find(|(_, count)| *count > 0);
        Ok(found.unwrap_or((term, 0)))
    }
}

/// The rarity of a word that `count` of `all` passages have, as BM25 weighs it. Always above 0.
fn rarity(count: usize, all: usize) -> f64 {
    let (count, all) = (count as f64, all as f64);
    (1.0 + (all - count + 0.5).max(0.0) / (count + 0.5)).ln()
}

impl IndexSnapshot {
    /// The snapshot before anything was read.
    pub(super) async fn empty() -> Result<Self, LibraryError> {
        Ok(Self {
            listing: FolderListing::default(),
            files: BTreeMap::new(),
            documents: BTreeMap::new(),
            passages: Vec::new(),
            index: Arc::new(Index::new().await?),
            firsts: BTreeMap::new(),
            digest: of_parts::<[u8; 32]>([]),
            text_bytes: 0,
            pending: BTreeSet::new(),
            is_begun: false,
        })
    }

    /// Whether everything was read.
    pub(super) fn is_read(&self) -> bool {
        self.is_begun && self.pending.is_empty()
    }

    /// The document and the passage of a row, if they are part of this snapshot.
    pub(super) fn at(&self, row: IndexRow) -> Option<&(Arc<Document>, Arc<Passage>)> {
        self.passages.get(self.firsts.get(&row.label)? + row.passage)
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
        let contents: Vec<&FileContent> = files.values().filter_map(|read| read.as_ref().ok()).collect();
        let labels = self.index.become_these(&contents).await?;
        let mut firsts = BTreeMap::new();
        let mut passages = Vec::with_capacity(contents.iter().map(|content| content.passages.len()).sum());
        for (content, label) in contents.iter().zip(labels) {
            firsts.insert(label, passages.len());
            passages
                .extend(content.passages.iter().map(|passage| (Arc::clone(&content.document), Arc::clone(passage))));
        }
        let documents = contents.iter().map(|content| (content.document.id.clone(), Arc::clone(&content.document)));
        Ok(Self {
            documents: documents.collect(),
            passages,
            index: Arc::clone(&self.index),
            firsts,
            digest: of_parts(contents.iter().map(|content| content.digest)),
            text_bytes: contents.iter().map(|content| content.text_bytes).sum(),
            listing,
            files,
            pending,
            is_begun: true,
        })
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
pub(super) async fn of_texts(files: &BTreeMap<&'static str, &'static str>) -> Result<IndexSnapshot, LibraryError> {
    let contents = files.iter().filter_map(|(path, text)| file::built_in(path, text));
    IndexSnapshot::empty().await?.with_documents(contents.collect()).await
}

/// Lists the folder, of which nothing is read.
pub(super) async fn list(options: &LibraryOptions) -> Result<FolderListing, LibraryError> {
    let options = options.clone();
    tokio::task::spawn_blocking(move || folder::list(&options)).await?
}
