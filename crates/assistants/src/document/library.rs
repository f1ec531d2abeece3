//! A searchable set of documents: of a folder, uploaded, in a bucket, or part of the program.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use citewire_documents::Unreadable;
use futures_util::FutureExt as _;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, timeout_at};

use super::file::{self, FileContent, FileRead};
use super::folder::{self, ListedFile, Skipped};
use super::index_snapshot::{IndexSnapshot, list, of_texts};
use super::original::{FileLocation, OriginalFile};
use super::ranking::ranked;
use super::remote::RemoteLibrary;
use super::remote_documents::RemoteDocuments;
use super::uploads::UploadLibrary;
use super::{Document, DocumentId, Found, LibraryError, LibraryOptions, UploadOptions};
use crate::answer::Source;
use crate::store::{AssistantStore, DocumentLoss};
use crate::url::WebUrl;

/// A searchable set of documents: those of a folder, in memory as last read, or fixed ones.
#[derive(Debug)]
pub struct Library {
    from: DocumentOrigin,
    snapshot: watch::Sender<Arc<IndexSnapshot>>,
    /// Held while another snapshot is made. Documents that were read stay here until they are published: the caller may go away before.
    refreshing: Mutex<Option<Vec<FileContent>>>,
    /// The time until which questions wait for documents that are still being read.
    patient_until: Instant,
}

/// The time from the start for which questions wait for documents that are still being read; they are answered from
/// those that are read by then.
const PATIENCE: Duration = Duration::from_secs(10);

/// The outcome of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileOutcome {
    /// The document can be found and quoted.
    Ready {
        /// The number of pages or slides, where it has any.
        pages: Option<u32>,
        /// The number of passages.
        passages: usize,
        /// The parts of it that could not be read, where some are known.
        loss: Option<Arc<DocumentLoss>>,
        /// The number of its lines that are no text.
        left_out: usize,
    },
    /// The document cannot be read.
    Unreadable(Unreadable),
    /// The file is no document by its name.
    Skipped,
}

impl FileOutcome {
    fn of(read: &FileRead) -> Self {
        match read {
            Ok(content) => Self::Ready {
                pages: content.document.pages,
                passages: content.passages.len(),
                loss: content.document.loss.clone(),
                left_out: content.document.left_out,
            },
            Err(reason) => Self::Unreadable(reason.clone()),
        }
    }
}

/// The place that documents come from.
#[derive(Debug)]
enum DocumentOrigin {
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
        let files: BTreeMap<&'static str, &'static str> = files.into_iter().collect();
        let snapshot = of_texts(&files).await?;
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
        let contents = match &self.from {
            DocumentOrigin::Folder(options) => {
                let Some(snapshot) = before.refreshed(options).await? else { return Ok(false) };
                self.publish(snapshot);
                return Ok(true);
            }
            DocumentOrigin::Uploads(uploads) => uploads.changed().await?,
            DocumentOrigin::Remote(remote) => remote.changed().await?,
            DocumentOrigin::Program(_) => None,
        };
        // A folder that is empty from the beginning was read as well.
        let contents = contents.or_else(|| unpublished.clone()).or_else(|| (!before.is_begun).then(Vec::new));
        let Some(contents) = contents else { return Ok(false) };
        *unpublished = Some(contents.clone());
        self.publish(before.with_documents(contents).await?);
        *unpublished = None;
        Ok(true)
    }

    /// Extracts the texts of the files of the folder that wait for it. Each is found as soon as it is read.
    ///
    /// # Errors
    /// When a file cannot be opened, or what reads it cannot be started; it waits on.
    pub async fn extract(&self) -> Result<(), LibraryError> {
        let DocumentOrigin::Folder(options) = &self.from else { return Ok(()) };
        let mut begun: BTreeSet<ListedFile> = BTreeSet::new();
        let mut running = FuturesUnordered::new();
        let mut changes = self.changes();
        let mut failure = None;
        loop {
            let snapshot = Arc::clone(&changes.borrow_and_update());
            for listed in &snapshot.pending {
                if begun.insert(listed.clone()) {
                    let (options, listed) = (options.clone(), listed.clone());
                    running.push(async move { (listed.clone(), file::read(options, listed).await) });
                }
            }
            let first = tokio::select! {
                // Files that were read are shown before more are begun.
                biased;
                first = running.next() => first,
                _ = changes.changed() => continue,
            };
            let Some(first) = first else { return failure.map_or(Ok(()), Err) };
            let mut extracted = Vec::new();
            let mut next = Some(first);
            while let Some((listed, read)) = next {
                match read {
                    Ok(read) => {
                        begun.remove(&listed);
                        extracted.push((listed, read));
                    }
                    // The others are read all the same.
                    Err(error) => failure = Some(error),
                }
                next = running.next().now_or_never().flatten();
            }
            let _alone = self.refreshing.lock().await;
            self.publish(self.snapshot().with_extracted(options, extracted).await?);
        }
    }

    fn publish(&self, snapshot: IndexSnapshot) {
        if let DocumentOrigin::Folder(options) = &self.from
            && snapshot.is_read()
            && !snapshot.files.values().any(Result::is_ok)
            && (!snapshot.files.is_empty() || !snapshot.listing.other.is_empty())
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

    /// The numbers of the uploads that a search finds now.
    #[must_use]
    pub fn searched_uploads(&self) -> BTreeSet<u64> {
        self.snapshot().documents.values().filter_map(|document| document.edition).collect()
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
        let own = snapshot.files.get(path).and_then(|read| read.as_ref().ok()).map_or(0, |content| content.text_bytes);
        snapshot.text_bytes.saturating_sub(own)
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
        self.snapshot().documents.len()
    }

    /// Whether there are no documents.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.snapshot().documents.is_empty()
    }

    /// The files in the folder that are no documents.
    #[must_use]
    pub fn skipped(&self) -> Skipped {
        self.snapshot().listing.skipped.clone()
    }

    /// The documents that cannot be read, by their paths, and why.
    #[must_use]
    pub fn unreadable(&self) -> Vec<(String, Unreadable)> {
        let snapshot = self.snapshot();
        let files = snapshot.files.iter();
        files.filter_map(|(path, read)| Some((path.clone(), read.as_ref().err()?.clone()))).collect()
    }

    /// The number of documents that cannot be read, uploads included.
    #[must_use]
    pub fn unreadable_count(&self) -> usize {
        let files = self.snapshot().files.values().filter(|read| read.is_err()).count();
        files + self.uploads().map_or(0, UploadLibrary::unreadable)
    }

    /// The documents of which a part could not be read, in the order of their paths.
    #[must_use]
    pub fn partial(&self) -> Vec<Arc<Document>> {
        let mut partial: Vec<Arc<Document>> =
            self.snapshot().documents.values().filter(|document| document.loss.is_some()).map(Arc::clone).collect();
        partial.sort_by(|one, other| one.path.cmp(&other.path));
        partial
    }

    /// The outcome of each file of the folder, by its path.
    #[must_use]
    pub fn files(&self) -> BTreeMap<String, FileOutcome> {
        let snapshot = self.snapshot();
        let other = snapshot.listing.other.iter().map(|path| (path.clone(), FileOutcome::Skipped));
        let read = snapshot.files.iter().map(|(path, read)| (path.clone(), FileOutcome::of(read)));
        read.chain(other).collect()
    }

    /// The document with this id.
    #[must_use]
    pub fn document(&self, id: &DocumentId) -> Option<Arc<Document>> {
        self.snapshot().documents.get(id).cloned()
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
        let rank = move || ranked(&snapshot.index, &snapshot.passages, &question, limit);
        Ok(tokio::task::spawn_blocking(rank).await?)
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
        self.snapshot().digest
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::document::DOCUMENT_ID;
    use crate::document::links::HEADING;

    fn write(folder: &Path, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
            fs::write(path, text).expect("written");
        }
    }

    async fn library(files: &[(&str, &str)]) -> (tempfile::TempDir, Library) {
        let folder = tempfile::tempdir().expect("a folder");
        write(folder.path(), files);
        let library = Library::open(LibraryOptions::new(folder.path())).await.expect("a library");
        (folder, library)
    }

    async fn paths(library: &Library, question: &str) -> Vec<String> {
        let found = library.search(question, 10).await.expect("a search");
        found.into_iter().map(|found| found.document.path.clone()).collect()
    }

    const HANDBOOK: &[(&str, &str)] = &[
        (
            "hr/leave.md",
            "# Leave policy\n\n## Annual leave\n\nEmployees of Contoso get 30 days of leave.\n\n## Parental leave\n\nParents at Contoso take 16 weeks.",
        ),
        ("it/vpn.md", "# VPN\n\nContoso staff connect with the client. The certificate expires after a year."),
        ("de/kuendigung.md", "# Kündigung\n\nDie Kündigungsfrist bei Contoso beträgt drei Monate zum Quartalsende."),
        ("zh/nianjia.md", "# 年假\n\n员工每年享有十天带薪年假。未休的年假可以顺延到下一年。"),
        ("notes.txt", "The canteen of Contoso opens at noon."),
    ];

    #[tokio::test]
    async fn the_passage_that_is_about_the_question_comes_first() {
        let (_folder, library) = library(HANDBOOK).await;
        for (question, path) in [
            ("How many days of annual leave do employees get?", "hr/leave.md"),
            ("When does my certificate expire?", "it/vpn.md"),
            ("Wie lang ist die Kundigungsfrist?", "de/kuendigung.md"),
            ("Welche Kündigungsfristen gelten?", "de/kuendigung.md"),
            ("年假有多少天？", "zh/nianjia.md"),
            ("canteen", "notes.txt"),
        ] {
            assert_eq!(paths(&library, question).await.first().map(String::as_str), Some(path), "{question}");
        }
        let found = library.search("parental leave", 10).await.expect("a search");
        assert_eq!(found[0].passage.headings, ["Leave policy", "Parental leave"]);
        assert!(found.iter().all(|found| (0.0..=1.0).contains(&found.score)), "{found:?}");
        assert_eq!(library.search("leave", 1).await.expect("a search").len(), 1);
    }

    #[tokio::test]
    async fn what_no_document_is_about_finds_nothing() {
        let (_folder, library) = library(HANDBOOK).await;
        for question in [
            "",
            "?",
            "What is this?",
            "How many moons does Mars have?",
            "火星有几个月亮？",
            "xyzzy",
            "\"\" OR ()",
            "AND",
        ] {
            assert_eq!(paths(&library, question).await, [""; 0], "{question}");
        }
    }

    #[tokio::test]
    async fn a_word_that_nearly_all_passages_have_does_not_count() {
        let files: Vec<(String, String)> =
            (0..20).map(|number| (format!("{number}.md"), format!("Contoso has product{number} on sale."))).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let (_folder, library) = library(&files).await;
        for question in ["Contoso", "Does Contoso sell boats?", "Which boats are on sale?"] {
            assert_eq!(paths(&library, question).await, [""; 0], "{question}");
        }
        assert_eq!(paths(&library, "What about product7 of Contoso?").await, ["7.md"]);
    }

    #[tokio::test]
    async fn stop_words_alone_are_found_as_they_stand() {
        let (_folder, library) = library(&[("a.md", "To be, or not to be."), ("b.md", "Not to be, or to be.")]).await;
        assert_eq!(paths(&library, "to be or not to be?").await, ["a.md"]);
    }

    #[tokio::test]
    async fn a_passage_becomes_a_source() {
        let (folder, library) = library(HANDBOOK).await;
        let source = library.passages("annual leave", 1).await.expect("a search").remove(0);
        let id = DocumentId::of_path("hr/leave.md");
        assert_eq!(source.title.as_deref(), Some("Leave policy"));
        assert_eq!(source.filepath.as_deref(), Some("hr/leave.md"));
        assert_eq!(source.content.as_deref(), Some("Employees of Contoso get 30 days of leave."));
        assert_eq!(source.media_type.as_deref(), Some("text/markdown"));
        assert_eq!(source.metadata[DOCUMENT_ID], id.as_str());
        assert_eq!(source.metadata[HEADING], "Leave policy > Annual leave");
        let file = library.open_file(&id).await.expect("opened").expect("a file");
        assert_eq!((file.bytes(), file.edition()), (HANDBOOK[0].1.len() as u64, None));
        assert_eq!(file.part(2).await.expect("read"), &HANDBOOK[0].1.as_bytes()[2..]);
        assert_eq!(file.part(file.bytes()).await.expect("read"), "");
        fs::remove_file(folder.path().join("hr/leave.md")).expect("removed");
        assert!(library.open_file(&id).await.expect("opened").is_none());
        let mut options = LibraryOptions::new(folder.path());
        options.base_url = "https://x.example/docs".parse().ok();
        let public = Library::open(options).await.expect("a library");
        let source = public.passages("canteen", 1).await.expect("a search").remove(0);
        assert_eq!(source.url.as_ref().map(crate::url::WebUrl::as_str), Some("https://x.example/docs/notes.txt"));
        assert_eq!(source.filepath, None);
    }

    #[tokio::test]
    async fn a_refresh_reads_what_has_changed_and_nothing_else() {
        let (folder, library) = library(HANDBOOK).await;
        assert!(!library.refresh().await.expect("refreshed"));
        write(folder.path(), &[("new.md", "The garage is closed."), ("latin.txt", "")]);
        fs::write(folder.path().join("latin.txt"), b"Gr\xfc\xdfe aus der Garage").expect("written");
        assert!(library.refresh().await.expect("refreshed"));
        assert_eq!((paths(&library, "garage").await, library.len()), (vec!["new.md".to_owned()], 6));
        assert_eq!(library.unreadable(), [("latin.txt".to_owned(), Unreadable::NotUtf8)]);
        fs::remove_file(folder.path().join("new.md")).expect("removed");
        assert!(library.refresh().await.expect("refreshed"));
        assert_eq!(paths(&library, "garage").await, [""; 0]);
        // The documents stay when the folder has become unusable.
        fs::rename(folder.path().join("hr"), folder.path().with_extension("moved")).expect("renamed");
        fs::remove_dir_all(folder.path()).expect("removed");
        assert!(library.refresh().await.is_err());
        assert_eq!(paths(&library, "canteen").await, ["notes.txt"]);
        fs::remove_dir_all(folder.path().with_extension("moved")).expect("removed");
    }

    #[tokio::test]
    async fn a_thousand_documents_are_searched() {
        let files: Vec<(String, String)> = (0..1000)
            .map(|number| {
                let text = format!("# Part {number}\n\nPart number {number} is kept in room {}.\n\n", number % 50);
                (format!("{}/{number}.md", number % 10), text + &"More words about parts of all kinds. ".repeat(40))
            })
            .collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let (_folder, library) = library(&files).await;
        assert_eq!(library.len(), 1000);
        assert_eq!(
            paths(&library, "Where is part number 777 kept?").await.first().map(String::as_str),
            Some("7/777.md")
        );
    }

    /// The passages that a search finds, with their scores.
    async fn found(library: &Library, question: &str) -> Vec<(String, usize, f64)> {
        let found = library.search(question, 20).await.expect("a search");
        found.into_iter().map(|found| (found.document.path.clone(), found.passage.place, found.score)).collect()
    }

    const QUESTIONS: [&str; 5] = ["leave", "staff of Contoso", "room red", "item four", "annual leave days"];

    /// The library that was changed step by step finds what one does that reads everything at once.
    async fn is_as_new(library: &Library, folder: &Path) {
        let new = Library::open(LibraryOptions::new(folder)).await.expect("a library");
        assert_eq!((library.digest(), library.len()), (new.digest(), new.len()));
        for question in QUESTIONS {
            assert_eq!(found(library, question).await, found(&new, question).await, "{question}");
        }
    }

    #[tokio::test]
    async fn a_library_that_changes_step_by_step_finds_what_a_new_one_does() {
        let (folder, library) = library(HANDBOOK).await;
        // Equal texts are ranked by their paths, so that their order in the index shows.
        let words = ["leave", "room", "red", "item", "four", "staff", "days"];
        let text = |seed: usize| {
            let words: Vec<&str> =
                (0..9).map(|at| words[(seed * 7 + at * at * (seed % 5 + 1)) % words.len()]).collect();
            format!("# Part {}\n\nContoso {}.", seed % 4, words.join(" "))
        };
        for step in 0..60_usize {
            let path = folder.path().join(format!("{}.md", step * 37 % 41));
            if step % 5 == 4 && path.exists() {
                fs::remove_file(&path).expect("removed");
            } else {
                fs::write(&path, text(step / 2) + &" ".repeat(step)).expect("written");
            }
            library.refresh().await.expect("refreshed");
            if step % 6 == 5 {
                is_as_new(&library, folder.path()).await;
            }
        }
        // Many small changes, one behind the other: the parts of the index are joined.
        for step in 0..40 {
            fs::write(folder.path().join(format!("{}a.md", "5".repeat(41 - step))), text(3)).expect("written");
            library.refresh().await.expect("refreshed");
        }
        is_as_new(&library, folder.path()).await;
    }

    #[tokio::test]
    async fn the_text_of_all_documents_has_a_limit_and_what_did_not_fit_may_fit_later() {
        let (folder, _) = library(&[("a.md", "four"), ("b.md", "more words"), ("c.md", "five!")]).await;
        let mut options = LibraryOptions::new(folder.path());
        options.max_text_bytes = 12;
        let library = Library::open(options).await.expect("a library");
        let reason = Unreadable::TooMuchTextTogether { limit: 12 };
        assert_eq!((library.unreadable(), library.len()), (vec![("b.md".to_owned(), reason.clone())], 2));
        assert!(reason.to_string().contains("max_text_bytes"));
        fs::remove_file(folder.path().join("a.md")).expect("removed");
        fs::remove_file(folder.path().join("c.md")).expect("removed");
        assert!(library.refresh().await.expect("refreshed"));
        assert_eq!((library.unreadable().len(), library.len()), (0, 1));
    }
}
