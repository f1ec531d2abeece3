//! The key of a back end that was entered for an assistant, as stored.

use chrono::{DateTime, Utc};

/// The key of an assistant's back end. Whoever reads the database cannot read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredKey {
    /// The assistant.
    pub assistant: String,
    /// The encrypted key; `None` if it was dropped because the assistant calls another host.
    pub sealed: Option<Vec<u8>>,
    /// The origin of the addresses to which it may go: `https://api.openai.com`.
    pub origin: String,
    /// When it was entered or dropped.
    pub changed: DateTime<Utc>,
}

impl StoredKey {
    /// A key from its parts.
    #[must_use]
    pub fn new(assistant: String, sealed: Option<Vec<u8>>, origin: String, changed: DateTime<Utc>) -> Self {
        Self { assistant, sealed, origin, changed }
    }
}
