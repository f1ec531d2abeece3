//! Options of a PostgreSQL store.

use std::time::Duration;

/// How a database is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostgresOptions {
    /// The connections of this node at most; at least 8 are used.
    pub connections: usize,
    /// How long posts and reads wait while the database cannot be reached.
    pub write_timeout: Duration,
    /// How often this node says that it is alive.
    pub heartbeat: Duration,
    /// A node that has not said so for this time is dead: others answer what it has left.
    pub dead_after: Duration,
    /// Whether an older schema is brought to the version of this program.
    pub migrate: bool,
    /// Digests of this node's secrets, which other nodes compare with theirs; `None` where it is not to be compared.
    pub secrets: Option<SecretDigests>,
}

/// The digests by which nodes see that they have the same secrets. They are short, so that nobody can find a secret by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretDigests {
    /// Of the Direct Line secret with which this node signs.
    pub in_use: [u8; 4],
    /// Of the other one that it accepts, while the secret is exchanged.
    pub accepted: Option<[u8; 4]>,
    /// Of all API keys.
    pub keys: [u8; 4],
}

impl SecretDigests {
    /// These digests.
    #[must_use]
    pub fn new(in_use: [u8; 4], accepted: Option<[u8; 4]>, keys: [u8; 4]) -> Self {
        Self { in_use, accepted, keys }
    }

    /// As they stand in the database.
    pub(super) fn words(self) -> Vec<String> {
        let digests = std::iter::once(self.in_use).chain(self.accepted).chain([self.keys]);
        digests.map(|digest| format!("{:08x}", u32::from_be_bytes(digest))).collect()
    }
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            connections: 12,
            write_timeout: Duration::from_secs(10),
            heartbeat: Duration::from_secs(3),
            dead_after: Duration::from_secs(12),
            migrate: true,
            secrets: None,
        }
    }
}
