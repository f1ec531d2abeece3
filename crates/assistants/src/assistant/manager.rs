//! The assistants of a server: those of the configuration, which an operator edits, and those of the store, which callers of the
//! API change.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use serde_json::{Map, Value};
use tokio::sync::{Mutex, Notify, watch};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tokio_util::task::{AbortOnDropHandle, TaskTracker};

use super::open::{DOCS, OpenError, Opening, open, open_one};
use super::{Assistant, AssistantPlan, AssistantRegistry, Assistants, DocumentsSource, Faults};
use crate::answer::LabelCatalog;
use crate::clock::{Clock, IdSource};
use crate::document::{DocumentReader, Library, LibraryError, PublicLinks, UploadOptions, is_text, read_upload};
use crate::egress::EgressOptions;
use crate::ingest::Mappings;
use crate::sealing::Sealer;
use crate::secret::Secret;
use crate::secret_source::{EnteredKey, SecretSource};
use crate::store::{
    AssistantStore, DeleteAssistant, DocumentKey, Expected, PutAssistant, StoreError, StoredAssistant, StoredDocument,
    StoredKey,
};
use crate::supervision::supervise;
use crate::upstream::Surroundings;
use crate::url::WebUrl;

/// How often buckets are listed.
const LOOK_INTO_BUCKETS_EVERY: Duration = Duration::from_secs(60);

/// How long documents that could not be read wait for the next attempt.
const READ_AGAIN_AFTER: Duration = Duration::from_secs(30);

/// The maximum number of documents to look at whose text has to be extracted: more than a few assistants have together, so that the others
/// come to their turns.
const UNREAD: usize = 20_000;

/// The maximum number of documents of one assistant to begin at one time. Those that have to be parsed then wait for their turns.
const BEGUN_EACH: usize = 4;

/// The words for a panic, whose message has gone to stderr.
const BUG: &str = "this failed because of a bug in citewire; its log has more";

/// The longest key of a back end that can be entered, in bytes.
pub(super) const LONGEST_KEY: usize = 4_096;

/// Reads the settings of an assistant that came over HTTP: the plan, or keys in the settings with what is wrong.
pub type ReadSettings = fn(&str, &Map<String, Value>, &SecretSource) -> Result<AssistantPlan, Faults>;

/// The assistants of the configuration, and the parts that every assistant needs.
#[derive(Debug)]
pub struct Configured {
    /// The assistants of the configuration.
    pub plans: Vec<AssistantPlan>,
    /// The assistant that answers on the channel itself.
    pub of_channel: Option<String>,
    /// The assistant that answers behind Azure Bot Service.
    pub behind_azure: Option<String>,
    /// The settings that name an assistant.
    pub named: Vec<NamedAssistant>,
    /// The setting by which somebody else answers on the channel, if it names one: a bot.
    pub channel_taken_by: Option<&'static str>,
    /// The secrets that sections can name.
    pub secrets: SecretSource,
    /// The sealer of keys that are entered for back ends. Without it none can be.
    pub sealer: Option<Sealer>,
    /// The secrets with which callers come, and whose they are: `the key reports`, `the assistant hr`. Assistants of the store
    /// cannot take them.
    pub owned: Vec<(String, Secret)>,
    /// How connections are made.
    pub egress: EgressOptions,
    /// The labels that the configuration knows.
    pub labels: Arc<LabelCatalog>,
    /// The formats that the configuration describes.
    pub formats: Mappings,
    /// Where readers find this server.
    pub server: WebUrl,
    /// Where this server shows citewire's own documentation, if it does.
    pub help: Option<WebUrl>,
    /// The maker of addresses of documents that need no credential.
    pub public: Arc<dyn PublicLinks>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub ids: Arc<dyn IdSource>,
}

impl Configured {
    /// Assistants of a server at this address.
    #[must_use]
    pub fn new(server: WebUrl, public: Arc<dyn PublicLinks>, clock: Arc<dyn Clock>, ids: Arc<dyn IdSource>) -> Self {
        Self {
            plans: Vec::new(),
            of_channel: None,
            behind_azure: None,
            named: Vec::new(),
            channel_taken_by: None,
            secrets: SecretSource::default(),
            sealer: None,
            owned: Vec::new(),
            egress: EgressOptions::default(),
            labels: Arc::default(),
            formats: Mappings::default(),
            server,
            help: None,
            public,
            clock,
            ids,
        }
    }

    pub(super) fn opening<'a>(
        &self,
        secrets: &'a SecretSource,
        egress: &'a EgressOptions,
        is_trusted: bool,
    ) -> Opening<'a> {
        let surroundings = Surroundings {
            secrets,
            formats: self.formats.clone(),
            may_call_private_hosts: is_trusted,
            egress,
            clock: Arc::clone(&self.clock),
            ids: Arc::clone(&self.ids),
        };
        Opening::new(surroundings, Arc::clone(&self.labels), self.server.clone(), Arc::clone(&self.public))
            .with_help(self.help.clone())
    }
}

/// A setting that names an assistant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedAssistant {
    /// The setting.
    pub setting: &'static str,
    /// The name of the assistant.
    pub name: String,
}

/// Makes the assistants of a server, and changes those of the store.
#[derive(Debug)]
pub struct AssistantManager {
    assistants: Arc<Assistants>,
    pub(super) store: Arc<dyn AssistantStore>,
    pub(super) read_settings: ReadSettings,
    /// The reader of uploaded documents that are not text.
    reader: Option<DocumentReader>,
    pub(super) current: Mutex<Option<Current>>,
    /// Rung when a document was uploaded.
    uploaded: Notify,
    /// Rung when assistants were opened, whose buckets may not have been read.
    opened: Notify,
    /// Rung when folders were read, of which files may wait until their texts are extracted.
    refreshed: Notify,
    /// Held while the text of an upload is stored, so that two together do not pass the limit of one.
    storing: Mutex<()>,
    /// Counts the documents that were read.
    reads: watch::Sender<u64>,
}

/// The assistants that are at work, and what they were made from.
#[derive(Debug)]
pub(super) struct Current {
    pub(super) configured: Configured,
    pub(super) of_file: AssistantRegistry,
    /// The revision of the store that is at work.
    revision: u64,
    /// The revision at which uploaded documents were read last.
    documents_revision: u64,
    pub(super) stored: BTreeMap<String, Stored>,
    /// The keys that were entered for back ends, by assistant.
    pub(super) keys: BTreeMap<String, StoredKey>,
    /// The assistant that was chosen for the channel itself.
    pub(super) chosen: Option<String>,
    /// Assistants whose changed documents cannot be read, and why: logged once.
    unreadable: BTreeMap<String, String>,
}

/// An assistant of the store.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) assistant: StoredAssistant,
    /// The key that was entered for its back end when it was opened.
    key: Option<StoredKey>,
    /// The Direct Line secret that is its own.
    secret: Option<Secret>,
    /// Why it does not answer, if it does not.
    opened: Result<Arc<Assistant>, String>,
}

/// The uploads whose text has to be extracted.
#[derive(Debug, Default)]
struct Unread {
    /// With their assistants, the oldest first.
    documents: Vec<(String, StoredDocument)>,
    /// Those that are being read.
    begun: BTreeMap<String, BTreeMap<DocumentKey, Kind>>,
}

/// How an upload is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// As it is: it waits behind nothing that has to be parsed.
    Text,
    Parsed,
}

impl Unread {
    /// Takes out those that may begin.
    fn admit(&mut self) -> Vec<(String, StoredDocument)> {
        let begun = &mut self.begun;
        let may_begin = |(assistant, document): &mut (String, StoredDocument)| {
            let own = begun.entry(assistant.clone()).or_default();
            let kind = if is_text(&document.name) { Kind::Text } else { Kind::Parsed };
            let others = own.values().filter(|other| **other == kind).count();
            let may = others < BEGUN_EACH && !own.contains_key(&document.key);
            if may {
                own.insert(document.key, kind);
            }
            may
        };
        self.documents.extract_if(.., may_begin).collect()
    }

    /// A document was read, or is to be asked for again.
    fn end(&mut self, assistant: &str, key: DocumentKey) {
        self.documents.retain(|(_, document)| document.key != key);
        if let Some(own) = self.begun.get_mut(assistant) {
            own.remove(&key);
            if own.is_empty() {
                self.begun.remove(assistant);
            }
        }
    }
}

/// A bucket that is looked into over and over, until this is dropped.
struct Bucket {
    library: Arc<Library>,
    _watching: AbortOnDropHandle<()>,
}

/// Where the settings of an assistant are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In the configuration of the server: they cannot be changed over HTTP.
    Configuration,
    /// In the store.
    Store,
    /// In the program.
    BuiltIn,
}

/// An assistant with its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct AssistantInfo {
    /// Its name.
    pub name: String,
    /// Where its settings are.
    pub origin: Origin,
    /// Its settings.
    pub settings: Map<String, Value>,
    /// The version of the settings, if they are in the store.
    pub version: Option<u64>,
    /// When they were stored, if they are in the store.
    pub changed: Option<DateTime<Utc>>,
    /// Why it does not answer, if it does not.
    pub fault: Option<String>,
}

/// An assistant cannot be changed.
#[derive(Debug, thiserror::Error)]
pub enum ManageError {
    /// It is not in the store.
    #[error("the assistant {0} is part of the configuration of the server: change it there")]
    Configured(String),
    /// A setting names it.
    #[error("the setting {0} of the server names this assistant: change it before you delete the assistant")]
    Named(&'static str),
    /// The settings are invalid.
    #[error("{}", lines(.0))]
    Invalid(Faults),
    /// Its secret is that of somebody else.
    #[error("secret_env: {}", taken(.0))]
    SecretTaken(String),
    /// A key can be entered for assistants with a back end alone.
    #[error(
        "the assistant calls no back end that needs a key, so that none can be entered: choose the back end and save first"
    )]
    NoBackEnd,
    /// The settings name a key.
    #[error("the settings name the key of the back end in key_env: leave that out and save first")]
    KeyNamed,
    /// The text cannot be a key.
    #[error("a key has 1 to {} visible ASCII characters and no blanks", LONGEST_KEY)]
    NoKey,
    /// Somebody else answers on the channel.
    #[error("{0} of the configuration says who answers on the page: change it there")]
    ChannelTaken(&'static str),
    /// The server does not have its address yet.
    #[error("the server is starting")]
    Starting,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn taken(owner: &str) -> String {
    format!("this is the secret of {owner}: name another one, which nothing else uses")
}

fn lines(faults: &Faults) -> String {
    let line = |(key, reason): &(String, String)| match key.as_str() {
        "" => reason.clone(),
        key => format!("{key}: {reason}"),
    };
    faults.iter().map(line).collect::<Vec<_>>().join("\n")
}

impl AssistantManager {
    /// Manages these assistants, which are none before [`configure`](Self::configure).
    #[must_use]
    pub fn new(assistants: Arc<Assistants>, store: Arc<dyn AssistantStore>, read_settings: ReadSettings) -> Self {
        Self {
            reader: None,
            assistants,
            store,
            read_settings,
            current: Mutex::new(None),
            uploaded: Notify::new(),
            opened: Notify::new(),
            refreshed: Notify::new(),
            storing: Mutex::new(()),
            reads: watch::Sender::new(0),
        }
    }

    /// Adds the reader of uploaded documents that are not text.
    #[must_use]
    pub fn with_reader(self, reader: Option<DocumentReader>) -> Self {
        Self { reader, ..self }
    }

    /// The store of the assistants.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn AssistantStore> {
        &self.store
    }

    /// Puts the assistants of a configuration, and those of the store, to work. An assistant of the store that cannot be opened
    /// does not keep the others from answering: the log and [`list`](Self::list) say why.
    ///
    /// # Errors
    /// When an assistant of the configuration cannot be opened: with everything that is wrong; what was at work stays.
    pub async fn configure(&self, configured: Configured) -> Result<(), ConfigureError> {
        let mut current = self.current.lock().await;
        let (secrets, egress) = (configured.secrets.clone(), configured.egress.clone());
        let opening = configured.opening(&secrets, &egress, true).in_place_of(Arc::clone(&self.assistants));
        let (of_channel, behind_azure) = (configured.of_channel.as_deref(), configured.behind_azure.as_deref());
        let of_file = open(&configured.plans, of_channel, behind_azure, &opening).await?;
        let unreadable = current.as_ref().map(|before| before.unreadable.clone()).unwrap_or_default();
        let mut new = Current {
            configured,
            of_file,
            revision: 0,
            documents_revision: 0,
            stored: BTreeMap::new(),
            keys: BTreeMap::new(),
            chosen: None,
            unreadable,
        };
        self.load(&mut new).await?;
        new.check_names()?;
        self.assistants.replace(new.registry());
        self.opened.notify_one();
        *current = Some(new);
        Ok(())
    }

    /// Takes over what has changed in the store and in folders of documents. Texts that have to be extracted come later.
    pub async fn refresh(&self) {
        let mut current = self.current.lock().await;
        let Some(state) = current.as_mut() else { return };
        if let Err(error) = self.reload(state).await {
            tracing::error!(%error, "changed assistants could not be read from the store; the earlier versions stay");
        }
        // The store is asked for documents only after a change, or when the last attempt failed.
        let revision = state.revision;
        let has_changed = state.documents_revision != revision;
        let unreadable = state.unreadable.clone();
        drop(current);
        self.refresh_libraries(|name, library| {
            let is_due = has_changed || !library.is_uploaded() || unreadable.contains_key(name);
            is_due && !library.is_remote()
        })
        .await;
        // Noted last: the caller may go away before, and the documents of before would stay until the next change.
        if let Some(state) = self.current.lock().await.as_mut() {
            state.documents_revision = revision;
        }
        self.refreshed.notify_one();
    }

    /// Takes over what changes in buckets. Each has a task of its own, so that none keeps another waiting. Never ends by itself.
    pub async fn watch_buckets(self: Arc<Self>) {
        let (tasks, mut watched) = (TaskTracker::new(), BTreeMap::<String, Bucket>::new());
        loop {
            // No assistant is kept alive while this waits: its vectors would be computed on.
            {
                let all = self.assistants.all();
                let with_library = all.iter().filter_map(|assistant| Some((assistant.name(), assistant.library()?)));
                let open: BTreeMap<&str, &Arc<Library>> =
                    with_library.filter(|(_, library)| library.is_remote()).collect();
                watched.retain(|name, bucket| {
                    open.get(name.as_str()).is_some_and(|open| Arc::ptr_eq(open, &bucket.library))
                });
                for (name, library) in open {
                    watched.entry(name.to_owned()).or_insert_with(|| {
                        let (library, never) = (Arc::clone(library), CancellationToken::new());
                        let state = (Arc::clone(&self), name.to_owned(), Arc::clone(&library));
                        let watching = supervise("bucket", never, state, |(manager, name, library)| {
                            manager.watch_bucket(name, library).boxed()
                        });
                        Bucket { library, _watching: AbortOnDropHandle::new(tasks.spawn(watching)) }
                    });
                }
            }
            self.opened.notified().await;
        }
    }

    async fn watch_bucket(&self, name: &str, library: &Library) {
        loop {
            self.refresh_library(name, library).await;
            sleep(LOOK_INTO_BUCKETS_EVERY).await;
        }
    }

    async fn refresh_libraries(&self, is_meant: impl Fn(&str, &Library) -> bool) {
        let all = self.assistants.all();
        let mut refreshing = Vec::new();
        for assistant in &all {
            if let Some(library) = assistant.library().filter(|library| is_meant(assistant.name(), library)) {
                refreshing.push(self.refresh_library(assistant.name(), library));
            }
        }
        join_all(refreshing).await;
    }

    async fn refresh_library(&self, name: &str, library: &Library) {
        let outcome = AssertUnwindSafe(library.refresh()).catch_unwind().await;
        let outcome = outcome.map_or_else(|_| Err(BUG.to_owned()), |read| read.map(drop).map_err(|e| e.to_string()));
        if let Some(current) = self.current.lock().await.as_mut() {
            current.note_reading(name, outcome);
        }
    }

    /// All assistants, by name.
    pub async fn list(&self) -> Vec<AssistantInfo> {
        self.current.lock().await.as_ref().map(Current::list).unwrap_or_default()
    }

    /// Stores the settings of an assistant, which hold from the next question.
    ///
    /// # Errors
    /// When the configuration has an assistant of this name, or the settings are invalid; nothing is stored then.
    pub async fn put(
        &self,
        name: &str,
        settings: Map<String, Value>,
        expected: Expected,
    ) -> Result<PutAssistant, ManageError> {
        self.check_where_it_leads(name, &settings).await?;
        let mut current = self.current.lock().await;
        let current = current.as_mut().ok_or(ManageError::Starting)?;
        current.check_is_stored(name)?;
        let plan = self.check(name, &settings, &current.configured)?;
        if let Some(owner) = plan.secret.as_ref().and_then(|secret| current.owner_of(secret, name)) {
            return Err(ManageError::SecretTaken(owner));
        }
        let put = self.store.put_assistant(name, settings, expected).await?;
        if put != PutAssistant::Conflict {
            self.drop_key_of_another_host(&plan).await?;
            self.reload(current).await?;
        }
        Ok(put)
    }

    /// Deletes an assistant of the store with its documents.
    ///
    /// # Errors
    /// When the assistant is part of the configuration.
    pub async fn delete(&self, name: &str, expected: Expected) -> Result<DeleteAssistant, ManageError> {
        let mut current = self.current.lock().await;
        let current = current.as_mut().ok_or(ManageError::Starting)?;
        current.check_is_stored(name)?;
        if let Some(named) = current.configured.named.iter().find(|named| named.name == name) {
            return Err(ManageError::Named(named.setting));
        }
        let deleted = self.store.delete_assistant(name, expected).await?;
        self.reload(current).await?;
        Ok(deleted)
    }

    /// The plan of an assistant of the store, if there is one of this name.
    ///
    /// # Errors
    /// When the assistant is part of the configuration.
    pub async fn stored_plan(&self, name: &str) -> Result<Option<AssistantPlan>, ManageError> {
        let current = self.current.lock().await;
        let current = current.as_ref().ok_or(ManageError::Starting)?;
        current.check_is_stored(name)?;
        let Some(stored) = current.stored.get(name) else { return Ok(None) };
        let secrets = current.configured.secrets.named_only();
        (self.read_settings)(name, &stored.assistant.settings, &secrets).map(Some).map_err(ManageError::Invalid)
    }

    /// Tells that a document was uploaded, which has to be read.
    pub fn uploaded(&self) {
        self.uploaded.notify_one();
    }

    /// The documents of an assistant as its answers can quote them; `None` if it has none yet.
    #[must_use]
    pub fn library(&self, assistant: &str) -> Option<Arc<Library>> {
        self.assistants.get(assistant)?.library().cloned()
    }

    /// Changes each time an uploaded document was read.
    #[must_use]
    pub fn watch_reads(&self) -> watch::Receiver<u64> {
        self.reads.subscribe()
    }

    /// Reads uploaded documents, and puts each to work. Never ends by itself.
    pub async fn read_uploads(&self) {
        let (mut waiting, mut running) = (Unread::default(), FuturesUnordered::new());
        loop {
            match self.store.unread_documents(UNREAD).await {
                Ok(unread) => waiting.documents = unread,
                Err(error) => tracing::error!(%error, "uploaded documents could not be read; they are tried again"),
            }
            // A document may have been uploaded to another node.
            let next_look = tokio::time::sleep(READ_AGAIN_AFTER);
            let mut next_look = std::pin::pin!(next_look);
            loop {
                for (assistant, document) in waiting.admit() {
                    running.push(async move {
                        let read = self.read_one(&assistant, &document).await;
                        if let Err(error) = &read {
                            let name = &document.name;
                            tracing::error!(%error, assistant, document = name, "a document could not be read; it is tried again");
                            sleep(READ_AGAIN_AFTER).await;
                        }
                        (assistant, document.key)
                    });
                }
                tokio::select! {
                    Some((assistant, key)) = running.next() => waiting.end(&assistant, key),
                    () = &mut next_look => break,
                    () = self.uploaded.notified() => break,
                }
            }
        }
    }

    async fn read_one(&self, assistant: &str, document: &StoredDocument) -> Result<(), LibraryError> {
        let reader = self.reader.clone().map(|reader| reader.of(assistant));
        let read = read_upload(&*self.store, document, reader.as_ref()).await?;
        {
            let _alone = self.storing.lock().await;
            let library = self.library(assistant);
            if let Some(library) = library.as_ref().filter(|library| library.pending() > 0) {
                library.refresh().await?;
            }
            let others = library.as_ref().map_or(0, |library| library.text_bytes_besides(&document.name));
            let limit = self.max_text_bytes(assistant).await;
            read.store(&*self.store, document, others, limit).await?;
            tracing::debug!(assistant, document = document.name, "an uploaded document was read");
            self.refresh().await;
            // Another refresh may have taken the change over, and be still at it.
            if let Some(library) = library.filter(|library| !library.is_searched(document)) {
                self.refresh_library(assistant, &library).await;
            }
        }
        self.reads.send_modify(|count| *count += 1);
        Ok(())
    }

    /// The text that the uploads of an assistant may have.
    async fn max_text_bytes(&self, assistant: &str) -> u64 {
        let plan = self.stored_plan(assistant).await.ok().flatten();
        match plan.and_then(|plan| plan.documents).map(|documents| documents.source) {
            Some(DocumentsSource::Uploads(options)) => options.max_text_bytes,
            // Its settings have changed since the upload.
            Some(DocumentsSource::Folder(_) | DocumentsSource::Bucket(..)) | None => {
                UploadOptions::default().max_text_bytes
            }
        }
    }

    /// Extracts the texts of files in folders, and puts each to work. Never ends by itself.
    pub async fn read_folders(&self) {
        let (mut busy, mut running) = (BTreeSet::new(), FuturesUnordered::new());
        loop {
            for assistant in self.assistants.all() {
                let Some(library) = assistant.library().filter(|library| library.has_waiting_files()).cloned() else {
                    continue;
                };
                // One library is kept alive by its reading, so that no other has its address.
                let place = Arc::as_ptr(&library).addr();
                if busy.insert(place) {
                    running.push(async move {
                        let read = library.extract().await;
                        let has_failed = read.is_err();
                        if let Some(current) = self.current.lock().await.as_mut() {
                            current.note_reading(assistant.name(), read.map_err(|error| error.to_string()));
                        }
                        if has_failed {
                            tokio::time::sleep(READ_AGAIN_AFTER).await;
                        }
                        (place, library)
                    });
                }
            }
            tokio::select! {
                Some((place, _)) = running.next() => {
                    busy.remove(&place);
                }
                () = self.refreshed.notified() => {}
            }
        }
    }

    /// Everything that is wrong with settings, secrets and addresses included. Nothing is called.
    fn check(
        &self,
        name: &str,
        settings: &Map<String, Value>,
        configured: &Configured,
    ) -> Result<AssistantPlan, ManageError> {
        let secrets = configured.secrets.named_only();
        let plan = (self.read_settings)(name, settings, &secrets).map_err(ManageError::Invalid)?;
        let opening = configured.opening(&secrets, &configured.egress, false);
        plan.check(&opening.surroundings).map_err(ManageError::Invalid)?;
        Ok(plan)
    }

    /// Reads the store again if it has changed, and puts the result to work.
    pub(super) async fn reload(&self, current: &mut Current) -> Result<(), StoreError> {
        if self.store.revision().await? != current.revision {
            self.load(current).await?;
            self.assistants.replace(current.registry());
            self.opened.notify_one();
            current.read_new_uploads().await;
        }
        Ok(())
    }

    /// Reads the assistants of the store. Those whose version is at work already stay as they are.
    async fn load(&self, current: &mut Current) -> Result<(), StoreError> {
        // Read first: a change between the two is seen the next time.
        let revision = self.store.revision().await?;
        let keys = self.store.assistant_keys().await?;
        current.keys = keys.into_iter().map(|key| (key.assistant.clone(), key)).collect();
        current.chosen = self.store.channel_assistant().await?;
        let mut all = self.store.assistants().await?;
        // Of two with one secret, the one that has had it longer keeps it.
        all.sort_by_key(|assistant| assistant.version);
        let mut before = std::mem::take(&mut current.stored);
        for assistant in all {
            let name = assistant.name.clone();
            let key = current.keys.get(&name).cloned();
            let is_same = |before: &Stored| before.assistant.version == assistant.version && before.key == key;
            let stored = match before.remove(&name) {
                Some(same) if is_same(&same) && same.opened.is_ok() => same,
                known => {
                    let (secret, opened) = self.open_stored(&assistant, current).await;
                    if let Err(reason) = &opened
                        && known.is_none_or(|known| known.opened.err().as_ref() != Some(reason))
                    {
                        tracing::error!(assistant = name, reason, "an assistant of the store does not answer");
                    }
                    Stored { assistant, key, secret, opened: opened.map(Arc::new) }
                }
            };
            current.stored.insert(name, stored);
        }
        current.revision = revision;
        Ok(())
    }

    /// Opens an assistant of the store, or says why it cannot be: whatever a row holds, the others are opened.
    /// Its secret comes with it, where it has one that is nobody else's.
    async fn open_stored(
        &self,
        assistant: &StoredAssistant,
        current: &Current,
    ) -> (Option<Secret>, Result<Assistant, String>) {
        if let Some(reason) = &assistant.fault {
            let remedy = "store them again, or delete the assistant";
            return (None, Err(format!("its settings in the store cannot be read: {reason}; {remedy}")));
        }
        let secrets = current.configured.secrets.named_only();
        let read = AssertUnwindSafe(async { (self.read_settings)(&assistant.name, &assistant.settings, &secrets) });
        let plan = match read.catch_unwind().await {
            Ok(Ok(plan)) => plan,
            Ok(Err(faults)) => return (None, Err(lines(&faults))),
            Err(_) => return (None, Err(BUG.to_owned())),
        };
        if let Some(owner) = plan.secret.as_ref().and_then(|secret| current.owner_of(secret, &assistant.name)) {
            return (None, Err(format!("secret_env: {}", taken(&owner))));
        }
        let entered = match current.entered_key(&plan) {
            Ok(entered) => entered,
            Err(reason) => return (None, Err(reason)),
        };
        let opening = AssertUnwindSafe(self.open_plan(&plan, &current.configured, entered)).catch_unwind();
        let opened = opening.await.unwrap_or_else(|_| Err(BUG.to_owned()));
        (plan.secret, opened)
    }

    async fn open_plan(
        &self,
        plan: &AssistantPlan,
        configured: &Configured,
        entered: Option<EnteredKey>,
    ) -> Result<Assistant, String> {
        let secrets = configured.secrets.named_only().with_entered(entered);
        let opening = configured.opening(&secrets, &configured.egress, false).with_store(Arc::clone(&self.store));
        let opening = opening.in_place_of(Arc::clone(&self.assistants));
        open_one(plan, &opening)
            .await
            .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    }
}

/// The assistants cannot be put to work.
#[derive(Debug, thiserror::Error)]
pub enum ConfigureError {
    /// Those of the configuration cannot be opened.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Open(Vec<OpenError>),
    /// A setting names an assistant that does not exist.
    #[error("{setting}: {name}: this assistant does not exist; known: {known}")]
    Unknown {
        /// The setting.
        setting: &'static str,
        /// The name.
        name: String,
        /// The names of all assistants.
        known: String,
    },
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<Vec<OpenError>> for ConfigureError {
    fn from(errors: Vec<OpenError>) -> Self {
        Self::Open(errors)
    }
}

impl Current {
    /// All assistants that answer. One of the configuration comes before one of the store with the same name.
    fn registry(&self) -> AssistantRegistry {
        let stored = self.stored.values().filter_map(|stored| stored.opened.as_ref().ok());
        let on_channel = self.on_channel().map(str::to_owned);
        self.of_file.clone().or(stored.cloned()).on_channel(on_channel)
    }

    /// Reads what the store has of assistants that were opened meanwhile.
    async fn read_new_uploads(&mut self) {
        let opened = self.stored.values().filter_map(|stored| stored.opened.as_ref().ok());
        let new = opened.filter_map(|assistant| Some((assistant.name().to_owned(), Arc::clone(assistant.library()?))));
        let new: Vec<_> = new.filter(|(_, library)| library.is_uploaded() && library.pending() > 0).collect();
        for (name, library) in new {
            let read = library.refresh().await;
            self.note_reading(&name, read.map(drop).map_err(|error| error.to_string()));
        }
    }

    /// Whose secret this is, if it is not that of the assistant with this name.
    fn owner_of(&self, secret: &Secret, name: &str) -> Option<String> {
        let owned = self.configured.owned.iter().find(|(_, owned)| owned.matches(secret.expose()));
        let has_it = |other: &Secret| other.matches(secret.expose());
        let stored = || {
            let others = self.stored.iter().filter(|(other, _)| *other != name);
            let mut others = others.filter(|(_, stored)| stored.secret.as_ref().is_some_and(has_it));
            others.next().map(|(other, _)| format!("the assistant {other}"))
        };
        owned.map(|(owner, _)| owner.clone()).or_else(stored)
    }

    fn check_names(&self) -> Result<(), ConfigureError> {
        let mut known: Vec<&str> = self.configured.plans.iter().map(|plan| plan.name.as_str()).collect();
        known.extend(self.stored.keys().map(String::as_str));
        known.push(DOCS);
        match self.configured.named.iter().find(|named| !known.contains(&named.name.as_str())) {
            None => Ok(()),
            Some(NamedAssistant { setting, name }) => {
                known.sort_unstable();
                known.dedup();
                Err(ConfigureError::Unknown { setting, name: name.clone(), known: known.join(", ") })
            }
        }
    }

    pub(super) fn check_is_stored(&self, name: &str) -> Result<(), ManageError> {
        if name == DOCS || self.configured.plans.iter().any(|plan| plan.name == name) {
            return Err(ManageError::Configured(name.to_owned()));
        }
        Ok(())
    }

    fn list(&self) -> Vec<AssistantInfo> {
        let mut all = BTreeMap::new();
        for Stored { assistant, opened, .. } in self.stored.values() {
            let info = AssistantInfo {
                name: assistant.name.clone(),
                origin: Origin::Store,
                settings: assistant.settings.clone(),
                version: Some(assistant.version),
                changed: Some(assistant.changed),
                fault: opened.as_ref().err().or_else(|| self.unreadable.get(&assistant.name)).cloned(),
            };
            all.insert(info.name.clone(), info);
        }
        for name in self.of_file.names() {
            let section = self.configured.plans.iter().find(|plan| plan.name == name).map(|plan| &plan.section);
            let settings = section.and_then(|section| serde_json::to_value(section).ok());
            let info = AssistantInfo {
                name: name.to_owned(),
                origin: if section.is_some() { Origin::Configuration } else { Origin::BuiltIn },
                settings: settings.and_then(|settings| settings.as_object().cloned()).unwrap_or_default(),
                version: None,
                changed: None,
                fault: self.unreadable.get(name).cloned(),
            };
            all.insert(info.name.clone(), info);
        }
        all.into_values().collect()
    }

    /// Notes how reading the documents of an assistant went. A failure is logged once.
    fn note_reading(&mut self, name: &str, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => {
                if self.unreadable.remove(name).is_some() {
                    tracing::info!(assistant = name, "documents can be read again");
                }
            }
            Err(error) => {
                if self.unreadable.get(name) != Some(&error) {
                    tracing::error!(
                        assistant = name,
                        error,
                        "changed documents could not be read; the earlier versions stay"
                    );
                    self.unreadable.insert(name.to_owned(), error);
                }
            }
        }
    }
}
