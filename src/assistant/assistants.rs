//! All assistants.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::Assistant;

/// The assistants by their names. They may be replaced while they answer; what has begun goes on as it began.
#[derive(Debug, Default)]
pub struct Assistants(RwLock<BTreeMap<String, Arc<Assistant>>>);

impl Assistants {
    /// These assistants.
    #[must_use]
    pub fn new(assistants: impl IntoIterator<Item = Assistant>) -> Self {
        let all = Self::default();
        all.replace(assistants);
        all
    }

    /// The assistant of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<Assistant>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    /// All of them, by name.
    #[must_use]
    pub fn all(&self) -> Vec<Arc<Assistant>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Puts others in their place.
    pub fn replace(&self, assistants: impl IntoIterator<Item = Assistant>) {
        let assistants = assistants.into_iter().map(|assistant| (assistant.name().to_owned(), Arc::new(assistant)));
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = assistants.collect();
    }
}
