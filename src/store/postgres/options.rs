//! What can be set of a PostgreSQL store.

use std::time::Duration;

/// How a database is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self {
            connections: 12,
            write_timeout: Duration::from_secs(10),
            heartbeat: Duration::from_secs(3),
            dead_after: Duration::from_secs(12),
            migrate: true,
        }
    }
}
