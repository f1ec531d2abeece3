//! Keys of back ends that callers of the API enter, in place of names of secrets. They are written and never read back.

use chrono::{DateTime, Utc};

use super::AssistantManager;
use super::AssistantPlan;
use super::current::Current;
use super::manage_error::{LONGEST_KEY, ManageError};
use crate::secret::Secret;
use crate::secret_source::EnteredKey;

/// The last characters of a key that are shown, so that its owner recognises it.
const SHOWN: usize = 4;

/// A shorter key is not shown in part: a few characters would be much of it.
const SHORTEST_SHOWN: usize = 16;

/// The words where the server cannot read a key any more.
const UNREADABLE: &str = "the key that was entered for the back end cannot be read, because the secret of the server (direct_line_secret) is \
                          another one than it was then: enter the key again";

/// The key of an assistant's back end, as far as it is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyInfo {
    /// Whether there is a key that is used.
    pub is_set: bool,
    /// Its last characters, if it is long.
    pub ends_in: Option<String>,
    /// When it was entered, or dropped.
    pub since: Option<DateTime<Utc>>,
    /// The origin of the addresses to which it may go.
    pub origin: Option<String>,
    /// The secret of the configuration that the settings name in its place.
    pub named: Option<String>,
    /// Why a key that was entered is not used.
    pub fault: Option<String>,
}

impl AssistantManager {
    /// The key of an assistant's back end; `None` without such an assistant in the store.
    ///
    /// # Errors
    /// When the assistant is part of the configuration.
    pub async fn key(&self, name: &str) -> Result<Option<KeyInfo>, ManageError> {
        let current = self.current.lock().await;
        let current = current.as_ref().ok_or(ManageError::Starting)?;
        current.check_is_stored(name)?;
        let Some(plan) = self.plan_of(name, current) else { return Ok(None) };
        Ok(Some(current.key_info(&plan?)))
    }

    /// Stores the key of an assistant's back end, which holds from the next question; `None` without such an assistant in the store.
    ///
    /// # Errors
    /// When the assistant is part of the configuration or calls nobody, its settings name a key, or this is none.
    pub async fn put_key(&self, name: &str, key: &str) -> Result<Option<KeyInfo>, ManageError> {
        let mut current = self.current.lock().await;
        let current = current.as_mut().ok_or(ManageError::Starting)?;
        current.check_is_stored(name)?;
        let Some(plan) = self.plan_of(name, current) else { return Ok(None) };
        let plan = plan?;
        let key = Secret::issued(key.trim()).ok().filter(|key| key.expose().len() <= LONGEST_KEY);
        let key = key.ok_or(ManageError::NoKey)?;
        if plan.named_key().is_some() {
            return Err(ManageError::KeyNamed);
        }
        let origin = plan.key_origin().ok_or(ManageError::NoBackEnd)?;
        let sealer = current.configured.sealer.as_ref().ok_or(ManageError::Starting)?;
        let sealed = sealer.seal(name, &origin, &key).ok_or(ManageError::Starting)?;
        if !self.store.put_assistant_key(name, Some(sealed), &origin).await? {
            return Ok(None);
        }
        self.reload(current).await?;
        Ok(Some(current.key_info(&plan)))
    }

    /// Deletes the key of an assistant's back end; says whether there was one.
    ///
    /// # Errors
    /// When the assistant is part of the configuration.
    pub async fn delete_key(&self, name: &str) -> Result<bool, ManageError> {
        let mut current = self.current.lock().await;
        let current = current.as_mut().ok_or(ManageError::Starting)?;
        current.check_is_stored(name)?;
        let deleted = self.store.delete_assistant_key(name).await?;
        self.reload(current).await?;
        Ok(deleted)
    }

    /// A key goes to the host alone for which it was entered: settings that name another one drop it.
    pub(super) async fn drop_key_of_another_host(&self, plan: &AssistantPlan) -> Result<(), ManageError> {
        let name = plan.name.as_str();
        // Another node may have stored it a moment ago.
        let keys = self.store.assistant_keys().await?;
        let Some(key) = keys.into_iter().find(|key| key.assistant == name && key.sealed.is_some()) else {
            return Ok(());
        };
        let origin = key.origin;
        if plan.key_origin().as_ref() == Some(&origin) {
            return Ok(());
        }
        self.store.put_assistant_key(name, None, &origin).await?;
        tracing::info!(
            assistant = name,
            origin,
            "the key of the back end was dropped, because the assistant calls another host"
        );
        Ok(())
    }

    /// The plan of an assistant of the store.
    pub(super) fn plan_of(&self, name: &str, current: &Current) -> Option<Result<AssistantPlan, ManageError>> {
        let settings = &current.stored.get(name)?.assistant.settings;
        let secrets = current.configured.secrets.named_only();
        Some((self.read_settings)(name, settings, &secrets).map_err(ManageError::Invalid))
    }
}

impl Current {
    /// The key that was entered for the back end of an assistant, if it is used.
    ///
    /// # Errors
    /// When it cannot be used: with the words for whoever looks after the assistant.
    pub(super) fn entered_key(&self, plan: &AssistantPlan) -> Result<Option<EnteredKey>, String> {
        let Some(key) = self.keys.get(&plan.name) else { return Ok(None) };
        let (Some(sealed), Some(origin)) = (&key.sealed, plan.key_origin()) else { return Ok(None) };
        if origin != key.origin {
            return Err(for_another(&key.origin));
        }
        let opened = self.configured.sealer.as_ref().and_then(|sealer| sealer.open(&plan.name, &origin, sealed).ok());
        opened.map(|secret| Some(EnteredKey::new(secret, origin))).ok_or_else(|| UNREADABLE.to_owned())
    }

    fn key_info(&self, plan: &AssistantPlan) -> KeyInfo {
        let key = self.keys.get(&plan.name);
        let (entered, fault) = match self.entered_key(plan) {
            Ok(entered) => (entered, None),
            Err(fault) => (None, Some(fault)),
        };
        let dropped = key.filter(|key| key.sealed.is_none()).map(|key| for_another(&key.origin));
        let text = entered.as_ref().map(|entered| entered.secret.expose());
        KeyInfo {
            is_set: entered.is_some(),
            ends_in: text.filter(|text| text.len() >= SHORTEST_SHOWN).map(|text| text[text.len() - SHOWN..].to_owned()),
            since: key.map(|key| key.changed),
            origin: plan.key_origin(),
            named: plan.named_key().map(str::to_owned),
            fault: fault.or(dropped.filter(|_| plan.key_origin().is_some())),
        }
    }
}

fn for_another(origin: &str) -> String {
    format!(
        "the key that was entered for {origin} was dropped, because the address of the back end changed: enter the key again"
    )
}
