//! Opens the store that the configuration names.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::postgres::{Address, AddressError, PostgresError, PostgresOptions, PostgresStore};
use super::{AssistantStore, ConversationStore, SqliteError, SqliteStore, StoreLimits};
use crate::clock::Clock;

/// The name of the file where the URL names none.
const FILE_NAME: &str = "citewire.db";

/// Between two attempts to open a database that cannot be reached.
const RETRY: Duration = Duration::from_secs(1);

/// A store of conversations, assistants and documents.
pub trait Store: ConversationStore + AssistantStore {}

impl<S: ConversationStore + AssistantStore> Store for S {}

/// The URL of the store, and its limits.
#[derive(Clone, PartialEq, Eq)]
pub struct StoreOptions {
    /// `sqlite:` (a file in the data directory), `sqlite:PATH`, `memory:` or `postgres://…`.
    pub url: String,
    /// How a database is used.
    pub postgres: PostgresOptions,
    /// How many conversations there may be, where that is set.
    pub max_conversations: Option<usize>,
    /// How many activities a conversation may have, where that is set.
    pub max_activities: Option<usize>,
    /// How many bytes there may be, where that is set.
    pub max_bytes: Option<usize>,
    /// How many bytes one conversation may have, where that is set; 0 is no limit.
    pub max_conversation_bytes: Option<usize>,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            url: "sqlite:".to_owned(),
            postgres: PostgresOptions::default(),
            max_conversations: None,
            max_activities: None,
            max_bytes: None,
            max_conversation_bytes: None,
        }
    }
}

impl fmt::Debug for StoreOptions {
    /// Without the URL, which may contain a password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreOptions").field("location", &self.location(Path::new(""))).finish_non_exhaustive()
    }
}

/// The URL is not valid for a store of this version. The message does not contain the URL, because it may contain a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreUrlError {
    /// It names no database.
    #[error(transparent)]
    Postgres(#[from] AddressError),
    /// Nothing known stands before the colon.
    #[error("a store URL starts with memory:, sqlite: or postgres:")]
    UnknownScheme,
    /// Something stands behind `memory:`.
    #[error("the store URL memory: takes no path")]
    MemoryWithPath,
}

/// The store cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The URL names none.
    #[error(transparent)]
    Url(#[from] StoreUrlError),
    /// The file cannot be used.
    #[error(transparent)]
    Sqlite(#[from] SqliteError),
    /// The database cannot be used.
    #[error(transparent)]
    Postgres(#[from] PostgresError),
}

/// The place of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In the memory of the process.
    Memory,
    /// In this file.
    Sqlite(PathBuf),
    /// In this database.
    Postgres(Address),
}

impl StoreOptions {
    /// Says whether the URL names a store that can be opened, without opening it.
    ///
    /// # Errors
    /// When it does not.
    pub fn validate(&self) -> Result<(), StoreUrlError> {
        self.location(Path::new("")).map(drop)
    }

    /// Where the store is. A path that is not absolute starts at the data directory.
    ///
    /// # Errors
    /// When the URL names none.
    pub fn location(&self, data_dir: &Path) -> Result<Location, StoreUrlError> {
        match self.url.split_once(':') {
            Some(("memory", "")) => Ok(Location::Memory),
            Some(("memory", _)) => Err(StoreUrlError::MemoryWithPath),
            // Other programs write sqlite:///var/lib/x.db for /var/lib/x.db.
            Some(("sqlite", path)) => match path.strip_prefix("//").unwrap_or(path) {
                "" => Ok(Location::Sqlite(data_dir.join(FILE_NAME))),
                path => Ok(Location::Sqlite(data_dir.join(path))),
            },
            Some(("postgres" | "postgresql", _)) => Ok(Location::Postgres(Address::parse(&self.url)?)),
            Some(_) | None => Err(StoreUrlError::UnknownScheme),
        }
    }

    /// Whether several nodes may serve it.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        matches!(self.location(Path::new("")), Ok(Location::Postgres(_)))
    }

    /// The limits that the options set, and those of `default` for the rest.
    #[must_use]
    pub fn limits(&self, default: StoreLimits) -> StoreLimits {
        let max_bytes = self.max_bytes.unwrap_or(default.max_bytes);
        StoreLimits {
            max_conversations: self.max_conversations.unwrap_or(default.max_conversations),
            max_activities: self.max_activities.unwrap_or(default.max_activities),
            max_bytes,
            max_conversation_bytes: match self.max_conversation_bytes {
                Some(0) => usize::MAX,
                Some(bytes) => bytes,
                None => StoreLimits::share_of(max_bytes),
            },
        }
    }
}

/// Opens the store that the URL names.
///
/// # Errors
/// When the URL names none that this version has, or that cannot be opened.
pub async fn open(options: &StoreOptions, data_dir: &Path, clock: Arc<dyn Clock>) -> Result<Arc<dyn Store>, OpenError> {
    Ok(match options.location(data_dir)? {
        Location::Memory => Arc::new(SqliteStore::in_memory(options.limits(StoreLimits::in_memory()), clock).await?),
        Location::Sqlite(path) => {
            let store = SqliteStore::open(&path, options.limits(StoreLimits::on_disk()), clock).await?;
            Arc::new(store.patient(options.postgres.write_timeout))
        }
        Location::Postgres(address) => {
            let limits = options.limits(StoreLimits::in_database());
            Arc::new(open_database(address, options.postgres, limits, clock).await?)
        }
    })
}

/// Waits for a database that starts at the same time, as long as requests wait for it later.
async fn open_database(
    address: Address,
    options: PostgresOptions,
    limits: StoreLimits,
    clock: Arc<dyn Clock>,
) -> Result<PostgresStore, PostgresError> {
    let deadline = Instant::now() + options.write_timeout;
    loop {
        let opened = PostgresStore::open(address.clone(), options, limits, Arc::clone(&clock)).await;
        if !matches!(opened, Err(PostgresError::Unreachable { .. })) || Instant::now() + RETRY > deadline {
            return opened;
        }
        tracing::warn!(database = %address, "the database cannot be reached yet; trying again");
        tokio::time::sleep(RETRY).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(url: &str) -> Result<Location, StoreUrlError> {
        StoreOptions { url: url.to_owned(), ..StoreOptions::default() }.location(Path::new("/data"))
    }

    #[test]
    fn a_path_starts_at_the_data_directory_unless_it_is_absolute() {
        for (url, path) in [
            ("sqlite:", "/data/citewire.db"),
            ("sqlite:chats.db", "/data/chats.db"),
            ("sqlite:/var/lib/chats.db", "/var/lib/chats.db"),
            ("sqlite:///var/lib/chats.db", "/var/lib/chats.db"),
        ] {
            assert_eq!(location(url), Ok(Location::Sqlite(path.into())), "{url}");
        }
    }

    #[test]
    fn a_scheme_names_the_backend() {
        assert_eq!(location("memory:"), Ok(Location::Memory));
        assert_eq!(location("memory:somewhere"), Err(StoreUrlError::MemoryWithPath));
        for scheme in ["postgres", "postgresql"] {
            let found = location(&format!("{scheme}://me@db/chats"));
            assert!(
                matches!(found, Ok(Location::Postgres(address)) if address.to_string() == "postgres://me@db/chats")
            );
        }
        assert_eq!(location("mysql://db/x"), Err(StoreUrlError::UnknownScheme));
    }

    #[test]
    fn a_password_is_not_repeated() {
        for url in ["postgres://me:hunter2@db:x/x", "mysql://me:hunter2@db/x", "hunter2"] {
            let error = location(url).expect_err("no store").to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
        let options = StoreOptions { url: "postgres://me:hunter2@db/x".to_owned(), ..StoreOptions::default() };
        assert!(!format!("{options:?} {:?}", location(&options.url)).contains("hunter2"));
    }
}
