//! A searchable set of documents: of a folder, uploaded, in a bucket, or part of the program.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use citewire_documents::Unreadable;
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, timeout_at};

use super::contents::ContentChanges;
use super::coverage::{Coverage, MOST_NAMED};
use super::file_outcome::FileOutcome;
use super::folder::{self, Skipped};
use super::index_snapshot::{IndexSnapshot, list, of_texts};
use super::original::{FileLocation, OriginalFile};
use super::ranking::ranked;
use super::remote::RemoteLibrary;
use super::remote_documents::RemoteDocuments;
use super::uploads::UploadLibrary;
use super::{Document, DocumentId, Found, LibraryError, LibraryOptions, SearchQuestion, UploadOptions};
use crate::answer::Source;
use crate::store::{AssistantStore, StoredDocument};
use crate::url::WebUrl;

/// A searchable set of documents: those of a folder, in memory as last read, or fixed ones.
#[derive(Debug)]
pub struct Library {
    pub(super) from: DocumentOrigin,
    snapshot: watch::Sender<Arc<IndexSnapshot>>,
    /// Held while another snapshot is made. Changes stay here until they are published: the caller may go away before.
    pub(super) refreshing: Mutex<ContentChanges>,
    /// The time until which questions wait for documents that are still being read.
    patient_until: Instant,
}

/// The time from the start for which questions wait for documents that are still being read; they are answered from
/// those that are read by then.
const PATIENCE: Duration = Duration::from_secs(10);

/// The place that documents come from.
#[derive(Debug)]
pub(super) enum DocumentOrigin {
    Folder(LibraryOptions),
    /// Uploads in the store.
    Uploads(UploadLibrary),
    /// Objects at another service.
    Remote(RemoteLibrary),
    /// Texts by their paths.
    Program(BTreeMap<&'static str, &'static str>),
}

impl Library {
    /// Reads a folder as a whole.
    ///
    /// # Errors
    /// When it cannot be read, or has more in it than the options allow.
    pub async fn open(options: LibraryOptions) -> Result<Self, LibraryError> {
        let library = Self::folder(options).await?;
        library.refresh().await?;
        library.extract().await?;
        Ok(library)
    }

    /// The documents of a folder, of which none is read yet: [`refresh`](Self::refresh) and [`extract`](Self::extract) read them.
    ///
    /// # Errors
    /// When it cannot be listed, or has more in it than the options allow.
    pub async fn folder(options: LibraryOptions) -> Result<Self, LibraryError> {
        list(&options).await?;
        Self::new(DocumentOrigin::Folder(options)).await
    }

    /// The uploaded documents of an assistant, of which none is read yet: [`refresh`](Self::refresh) reads them.
    ///
    /// # Errors
    /// When no index can be built, which nothing makes it do.
    pub async fn uploaded(
        store: Arc<dyn AssistantStore>,
        assistant: impl Into<String>,
        options: UploadOptions,
    ) -> Result<Self, LibraryError> {
        Self::new(DocumentOrigin::Uploads(UploadLibrary::new(store, assistant.into(), options))).await
    }

    /// The documents of another service, of which none is read yet: [`refresh`](Self::refresh) reads them.
    ///
    /// # Errors
    /// When no index can be built, which nothing makes it do.
    pub async fn remote(place: Arc<dyn RemoteDocuments>, options: UploadOptions) -> Result<Self, LibraryError> {
        let library = Self::new(DocumentOrigin::Remote(RemoteLibrary::new(place, options))).await?;
        // A service that does not answer keeps no question waiting.
        Ok(Self { patient_until: Instant::now(), ..library })
    }

    async fn new(from: DocumentOrigin) -> Result<Self, LibraryError> {
        let snapshot = watch::Sender::new(Arc::new(IndexSnapshot::empty()));
        Ok(Self { from, snapshot, refreshing: Mutex::default(), patient_until: Instant::now() + PATIENCE })
    }

    /// Whether these are the documents of this folder, read in this way.
    #[must_use]
    pub fn is_of_folder(&self, wanted: &LibraryOptions) -> bool {
        matches!(&self.from, DocumentOrigin::Folder(options) if options == wanted)
    }

    /// Whether these are the uploads of an assistant of these options.
    #[must_use]
    pub fn is_of_uploads(&self, wanted: &UploadOptions) -> bool {
        self.uploads().is_some_and(|uploads| uploads.options() == wanted)
    }

    /// Whether its documents are at another service, which is asked less often than a folder.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        matches!(self.from, DocumentOrigin::Remote(_))
    }

    /// Whether its documents are uploads in the store.
    #[must_use]
    pub fn is_uploaded(&self) -> bool {
        self.uploads().is_some()
    }

    /// The address of a document that the service which holds it has signed.
    pub(super) fn signed(&self, id: &DocumentId, now: DateTime<Utc>) -> Option<WebUrl> {
        let DocumentOrigin::Remote(remote) = &self.from else { return None };
        remote.signed(&self.document(id)?.path, now)
    }

    /// Documents that are part of the program: paths, as in a folder, and texts. What is no document by its name is left out.
    ///
    /// # Errors
    /// When they cannot be indexed.
    pub async fn built_in(files: impl IntoIterator<Item = (&'static str, &'static str)>) -> Result<Self, LibraryError> {
        Self::built_in_at(files, None).await
    }

    /// Documents that are part of the program, which shows them below an address, each heading at its own place.
    ///
    /// # Errors
    /// When they cannot be indexed.
    pub async fn built_in_at(
        files: impl IntoIterator<Item = (&'static str, &'static str)>,
        base: Option<WebUrl>,
    ) -> Result<Self, LibraryError> {
        let files: BTreeMap<&'static str, &'static str> = files.into_iter().collect();
        let snapshot = of_texts(&files, base.as_ref()).await?;
        Ok(Self {
            from: DocumentOrigin::Program(files),
            snapshot: watch::Sender::new(Arc::new(snapshot)),
            refreshing: Mutex::default(),
            patient_until: Instant::now(),
        })
    }

    /// Reads the text files of the folder again if names, sizes or times of its files are others than before; says
    /// whether. Other files wait for [`extract`](Self::extract). A search meanwhile finds the documents of before.
    ///
    /// # Errors
    /// When it cannot be read, or has more in it than the options allow; the documents of before stay.
    pub async fn refresh(&self) -> Result<bool, LibraryError> {
        let mut unpublished = self.refreshing.lock().await;
        let before = self.snapshot();
        let changes = match &self.from {
            DocumentOrigin::Folder(options) => {
                let Some(snapshot) = before.refreshed(options).await? else { return Ok(false) };
                self.publish(snapshot);
                return Ok(true);
            }
            DocumentOrigin::Uploads(uploads) => uploads.changed().await?,
            DocumentOrigin::Remote(remote) => remote.changed().await?,
            DocumentOrigin::Program(_) => ContentChanges::new(),
        };
        unpublished.extend(changes);
        // Documents of which there are none from the beginning were read as well.
        if unpublished.is_empty() && before.is_begun {
            return Ok(false);
        }
        self.publish(before.with_changes(unpublished.clone()).await?);
        unpublished.clear();
        Ok(true)
    }

    pub(super) fn publish(&self, snapshot: IndexSnapshot) {
        if let DocumentOrigin::Folder(options) = &self.from
            && snapshot.is_read()
            && snapshot.contents().len() == 0
            && (!snapshot.unreadable.is_empty() || !snapshot.listing.other.is_empty())
        {
            tracing::warn!(folder = %options.folder.display(), "no file in the folder of documents can be read");
        }
        self.snapshot.send_replace(Arc::new(snapshot));
    }

    /// The number of files that wait until their texts are extracted; at least one before anything was read.
    #[must_use]
    pub fn pending(&self) -> usize {
        let snapshot = self.snapshot();
        snapshot.pending.len() + usize::from(!snapshot.is_begun)
    }

    /// Whether a search finds this upload now.
    #[must_use]
    pub fn is_searched(&self, upload: &StoredDocument) -> bool {
        let snapshot = self.snapshot();
        snapshot.contents().of_path(&upload.name).is_some_and(|found| found.document.edition == Some(upload.key.0))
    }

    /// Whether files of a folder wait until their texts are extracted.
    #[must_use]
    pub fn has_waiting_files(&self) -> bool {
        !self.snapshot().pending.is_empty()
    }

    /// The bytes of the text of all documents but this one.
    #[must_use]
    pub fn text_bytes_besides(&self, path: &str) -> u64 {
        let snapshot = self.snapshot();
        let contents = snapshot.contents();
        let own = contents.of_path(path).map_or(0, |content| content.text_bytes);
        contents.text_bytes().saturating_sub(own)
    }

    /// Waits until everything is read, and after the start no longer than a few seconds.
    async fn read_at_first(&self) {
        if !self.snapshot().is_read() {
            let mut changes = self.changes();
            let read = changes.wait_for(|snapshot| snapshot.is_read());
            // Documents that are not read by then are not found.
            drop(timeout_at(self.patient_until, read).await);
        }
    }

    /// The number of documents.
    #[must_use]
    pub fn len(&self) -> usize {
        self.snapshot().contents().len()
    }

    /// Documents in the order of their paths, at most `limit` behind the first `skip`.
    #[must_use]
    pub fn documents(&self, skip: usize, limit: usize) -> Vec<Arc<Document>> {
        let snapshot = self.snapshot();
        let behind = snapshot.contents().iter().skip(skip);
        behind.take(limit).map(|content| Arc::clone(&content.document)).collect()
    }

    /// Whether there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The files in the folder that are no documents.
    #[must_use]
    pub fn skipped(&self) -> Skipped {
        self.snapshot().listing.skipped.clone()
    }

    /// The documents that cannot be read, by their paths, and why.
    #[must_use]
    pub fn unreadable(&self) -> Vec<(String, Unreadable)> {
        self.snapshot().unreadable.iter().map(|(path, reason)| (path.clone(), reason.clone())).collect()
    }

    /// The number of documents that cannot be read, uploads included.
    #[must_use]
    pub fn unreadable_count(&self) -> usize {
        self.snapshot().unreadable.len() + self.uploads().map_or(0, UploadLibrary::unreadable_count)
    }

    /// Counts the documents that are searched and those that are not, as they are at one moment, and names the first few that cannot be
    /// read.
    #[must_use]
    pub fn coverage(&self) -> Coverage {
        let snapshot = self.snapshot();
        let files = snapshot.unreadable.iter().map(|(path, reason)| (path.clone(), reason.to_string()));
        let mut coverage = Coverage {
            searched: snapshot.contents().len(),
            unreadable: snapshot.unreadable.len(),
            named: files.take(MOST_NAMED).collect(),
            reading: snapshot.pending.len(),
            is_listed: snapshot.is_begun,
        };
        if let Some(uploads) = self.uploads() {
            uploads.add_unsearched(&mut coverage, MOST_NAMED);
        }
        coverage
    }

    /// The documents of which a part could not be read, in the order of their paths.
    #[must_use]
    pub fn partial(&self) -> Vec<Arc<Document>> {
        let snapshot = self.snapshot();
        let documents = snapshot.contents().iter().map(|content| &content.document);
        documents.filter(|document| document.loss.is_some()).map(Arc::clone).collect()
    }

    /// The outcome of each file of the folder, by its path.
    #[must_use]
    pub fn files(&self) -> BTreeMap<String, FileOutcome> {
        let snapshot = self.snapshot();
        let other = snapshot.listing.other.iter().map(|path| (path.clone(), FileOutcome::Skipped));
        let read = snapshot.contents().iter().map(|content| (content.path().to_owned(), FileOutcome::of(content)));
        let unreadable =
            snapshot.unreadable.iter().map(|(path, reason)| (path.clone(), FileOutcome::Unreadable(reason.clone())));
        read.chain(unreadable).chain(other).collect()
    }

    /// The document with this id.
    #[must_use]
    pub fn document(&self, id: &DocumentId) -> Option<Arc<Document>> {
        self.snapshot().contents().of_id(id).map(|content| Arc::clone(&content.document))
    }

    /// The file of a document as it is now; `None` when it is gone, or empty (rule AH-08).
    ///
    /// # Errors
    /// When it is there and cannot be read, or has grown too big.
    pub async fn open_file(&self, id: &DocumentId) -> Result<Option<OriginalFile>, LibraryError> {
        let Some(document) = self.document(id) else { return Ok(None) };
        let file = match &self.from {
            DocumentOrigin::Folder(options) => {
                let options = options.clone();
                tokio::task::spawn_blocking(move || folder::open(&options, &document.path)).await??
            }
            DocumentOrigin::Uploads(uploads) => uploads.file(&document.path).await?,
            DocumentOrigin::Remote(remote) => {
                remote.find(&document.path).await?.map(|found| OriginalFile::of_remote(remote.place(), found))
            }
            DocumentOrigin::Program(files) => files.get(document.path.as_str()).map(|text| {
                OriginalFile::new(
                    text.len() as u64,
                    Some(DocumentId::of_path(text).to_string()),
                    FileLocation::Program(text),
                )
            }),
        };
        Ok(file.filter(|file| file.bytes() > 0))
    }

    /// The passages that fit a question, the best first; none when nothing in the documents is about it. Words that nearly all
    /// passages have do not count.
    ///
    /// # Errors
    /// When the search fails, which no question makes it do.
    pub async fn search(&self, question: &str, limit: usize) -> Result<Vec<Found>, LibraryError> {
        self.read_at_first().await;
        let snapshot = self.snapshot();
        let question = question.to_owned();
        let rank = move || ranked(&snapshot.index, &question, limit);
        Ok(tokio::task::spawn_blocking(rank).await?)
    }

    /// The number of words of a question that are no stop words of a language that it may be in, beside these documents.
    #[must_use]
    pub fn telling_words(&self, question: &str) -> usize {
        SearchQuestion::parse_for(self.snapshot().index.languages(), question).telling_words()
    }

    /// Searches, and gives the passages as sources for a model that is to cite them.
    ///
    /// # Errors
    ///
    /// When the search fails, which no question makes it do.
    pub async fn passages(&self, question: &str, limit: usize) -> Result<Vec<Source>, LibraryError> {
        Ok(self.search(question, limit).await?.iter().map(Found::source).collect())
    }

    /// A digest (SHA-256) of the documents and their texts.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.snapshot().contents().digest()
    }

    pub(super) fn snapshot(&self) -> Arc<IndexSnapshot> {
        Arc::clone(&self.snapshot.borrow())
    }

    /// Changes when other documents are there.
    pub(super) fn changes(&self) -> watch::Receiver<Arc<IndexSnapshot>> {
        self.snapshot.subscribe()
    }

    /// The uploaded documents, if these are such.
    pub(super) fn uploads(&self) -> Option<&UploadLibrary> {
        match &self.from {
            DocumentOrigin::Uploads(uploads) => Some(uploads),
            DocumentOrigin::Folder(_) | DocumentOrigin::Remote(_) | DocumentOrigin::Program(_) => None,
        }
    }
}
