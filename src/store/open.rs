//! The choice of a backend.

use std::sync::Arc;

use super::{ConversationStore, MemoryLimits, MemoryStore};
use crate::clock::Clock;

/// Which store to use, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// `memory:`; later versions also take `sqlite:PATH` and `postgres://…`.
    pub url: String,
    /// The bounds of `memory:`.
    pub memory: MemoryLimits,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self { url: "memory:".to_owned(), memory: MemoryLimits::default() }
    }
}

/// There is no store to open. The URL itself is not part of the message, because it may hold a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The scheme is known, the backend is not part of this version.
    #[error("stores of the kind {scheme}: are not in this version; use memory:")]
    NotInThisVersion {
        /// What stands before the colon.
        scheme: String,
    },
    /// Nothing known stands before the colon.
    #[error("a store URL starts with memory:, sqlite: or postgres:")]
    UnknownScheme,
}

impl StoreOptions {
    /// Says whether the URL names a store that can be opened, without opening it.
    ///
    /// # Errors
    /// When it does not.
    pub fn validate(&self) -> Result<(), OpenError> {
        match self.url.split_once(':').map(|(scheme, _)| scheme) {
            Some("memory") => Ok(()),
            Some(scheme @ ("sqlite" | "postgres" | "postgresql")) => {
                Err(OpenError::NotInThisVersion { scheme: scheme.to_owned() })
            }
            Some(_) | None => Err(OpenError::UnknownScheme),
        }
    }
}

/// Opens the store that the URL names.
///
/// # Errors
/// When the URL names none that this version has.
pub fn open(options: &StoreOptions, clock: Arc<dyn Clock>) -> Result<Arc<dyn ConversationStore>, OpenError> {
    options.validate()?;
    Ok(Arc::new(MemoryStore::new(options.memory, clock)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn validate(url: &str) -> Result<(), OpenError> {
        StoreOptions { url: url.to_owned(), ..StoreOptions::default() }.validate()
    }

    #[test]
    fn backends_of_later_versions_are_named_as_such() {
        assert_eq!(validate("memory:"), Ok(()));
        assert_eq!(
            validate("sqlite:/var/lib/citewire/db"),
            Err(OpenError::NotInThisVersion { scheme: "sqlite".to_owned() })
        );
    }

    #[test]
    fn a_password_in_a_refused_url_is_not_repeated() {
        for url in ["postgres://me:hunter2@db/x", "mysql://me:hunter2@db/x", "hunter2"] {
            let error = validate(url).expect_err("not in this version").to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
