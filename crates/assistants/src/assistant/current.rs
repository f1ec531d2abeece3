//! The assistants that are at work.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::configured::{Configured, NamedAssistant};
use super::manage_error::{ConfigureError, ManageError};
use super::open::DOCS;
use super::{Assistant, AssistantRegistry};
use crate::secret::Secret;
use crate::store::{StoredAssistant, StoredKey};

/// The assistants that are at work, and what they were made from.
#[derive(Debug)]
pub(super) struct Current {
    pub(super) configured: Configured,
    pub(super) of_file: AssistantRegistry,
    /// The revision of the store that is at work.
    pub(super) revision: u64,
    /// The revision at which uploaded documents were read last.
    pub(super) documents_revision: u64,
    pub(super) stored: BTreeMap<String, Stored>,
    /// The keys that were entered for back ends, by assistant.
    pub(super) keys: BTreeMap<String, StoredKey>,
    /// The assistant that was chosen for the channel itself.
    pub(super) chosen: Option<String>,
    /// Assistants whose changed documents cannot be read, and why: logged once.
    pub(super) unreadable: BTreeMap<String, String>,
}

/// An assistant of the store.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) assistant: StoredAssistant,
    /// The key that was entered for its back end when it was opened.
    pub(super) key: Option<StoredKey>,
    /// The Direct Line secret that is its own.
    pub(super) secret: Option<Secret>,
    /// Why it does not answer, if it does not.
    pub(super) opened: Result<Arc<Assistant>, String>,
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

impl Current {
    /// All assistants that answer. One of the configuration comes before one of the store with the same name.
    pub(super) fn registry(&self) -> AssistantRegistry {
        let stored = self.stored.values().filter_map(|stored| stored.opened.as_ref().ok());
        let on_channel = self.on_channel().map(str::to_owned);
        self.of_file.clone().or(stored.cloned()).on_channel(on_channel)
    }

    /// Reads what the store has of assistants that were opened meanwhile.
    pub(super) async fn read_new_uploads(&mut self) {
        let opened = self.stored.values().filter_map(|stored| stored.opened.as_ref().ok());
        let new = opened.filter_map(|assistant| Some((assistant.name().to_owned(), Arc::clone(assistant.library()?))));
        let new: Vec<_> = new.filter(|(_, library)| library.is_uploaded() && library.pending() > 0).collect();
        for (name, library) in new {
            let read = library.refresh().await;
            self.note_reading(&name, read.map(drop).map_err(|error| error.to_string()));
        }
    }

    /// Whose secret this is, if it is not that of the assistant with this name.
    pub(super) fn owner_of(&self, secret: &Secret, name: &str) -> Option<String> {
        let owned = self.configured.owned.iter().find(|(_, owned)| owned.matches(secret.expose()));
        let has_it = |other: &Secret| other.matches(secret.expose());
        let stored = || {
            let others = self.stored.iter().filter(|(other, _)| *other != name);
            let mut others = others.filter(|(_, stored)| stored.secret.as_ref().is_some_and(has_it));
            others.next().map(|(other, _)| format!("the assistant {other}"))
        };
        owned.map(|(owner, _)| owner.clone()).or_else(stored)
    }

    pub(super) fn check_names(&self) -> Result<(), ConfigureError> {
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

    pub(super) fn list(&self) -> Vec<AssistantInfo> {
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
    pub(super) fn note_reading(&mut self, name: &str, outcome: Result<(), String>) {
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
