//! The assistants of a server: those of the configuration, which an operator edits, and those of the store, which callers of the
//! API change.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use serde_json::{Map, Value};
use tokio::sync::{Mutex, Notify, watch};

use super::configured::Configured;
use super::current::{AssistantInfo, Current, Stored};
use super::manage_error::{ConfigureError, ManageError, lines, taken};
use super::open::{open, open_one};
use super::{Assistant, AssistantPlan, Assistants, Faults};
use crate::document::{DocumentReader, Library};
use crate::secret::Secret;
use crate::secret_source::{EnteredKey, SecretSource};
use crate::store::{AssistantStore, DeleteAssistant, Expected, PutAssistant, StoreError, StoredAssistant};

/// The words for a panic, whose message has gone to stderr.
const BUG: &str = "this failed because of a bug in citewire; its log has more";

/// Reads the settings of an assistant that came over HTTP: the plan, or keys in the settings with what is wrong.
pub type ReadSettings = fn(&str, &Map<String, Value>, &SecretSource) -> Result<AssistantPlan, Faults>;

/// Makes the assistants of a server, and changes those of the store.
#[derive(Debug)]
pub struct AssistantManager {
    pub(super) assistants: Arc<Assistants>,
    pub(super) store: Arc<dyn AssistantStore>,
    pub(super) read_settings: ReadSettings,
    /// The reader of uploaded documents that are not text.
    pub(super) reader: Option<DocumentReader>,
    pub(super) current: Mutex<Option<Current>>,
    /// Rung when a document was uploaded.
    pub(super) uploaded: Notify,
    /// Rung when assistants were opened, whose buckets may not have been read.
    pub(super) opened: Notify,
    /// Rung when folders were read, of which files may wait until their texts are extracted.
    pub(super) refreshed: Notify,
    /// Held while the text of an upload is stored, so that two together do not pass the limit of one.
    pub(super) storing: Mutex<()>,
    /// Counts the documents that were read.
    pub(super) reads: watch::Sender<u64>,
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

    pub(super) async fn refresh_library(&self, name: &str, library: &Library) {
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

    /// The documents of an assistant as its answers can quote them; `None` if it has none yet.
    #[must_use]
    pub fn library(&self, assistant: &str) -> Option<Arc<Library>> {
        self.assistants.get(assistant)?.library().cloned()
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
