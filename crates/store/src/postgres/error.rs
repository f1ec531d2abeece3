//! Errors when a database is opened as a store.

use super::address::Address;
use super::failure::{Failure, is_about_tls};

/// The database cannot be used as a store. It is as it was.
#[derive(Debug, thiserror::Error)]
pub enum PostgresError {
    /// The system gives no thread for the heartbeat.
    #[error("no thread can be started for the heartbeat of this node")]
    Thread(#[source] std::io::Error),
    /// No host answers, or none takes writes.
    #[error("{address} cannot be reached, or takes no writes: see that PostgreSQL runs there and is no standby")]
    Unreachable {
        /// The database.
        address: Address,
        /// The error of the library.
        #[source]
        source: sqlx::Error,
    },
    /// There can be no TLS connection, or none that can be trusted.
    #[error(
        "{address} cannot be reached by TLS: see that PostgreSQL has it (ssl = on), with a valid certificate for the host in \
         store.url, from a root that sslrootcert names there or that this system trusts"
    )]
    Tls {
        /// The database.
        address: Address,
        /// The error of the library.
        #[source]
        source: sqlx::Error,
    },
    /// A file of certificates or keys cannot be read.
    #[error("{path}, which {parameter} in store.url names, cannot be read")]
    File {
        /// The parameter of the URL.
        parameter: String,
        /// The file.
        path: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A pooler gives each transaction another session of the server.
    #[error(
        "{address} is a pooler that gives each transaction another connection: let it pool sessions (PgBouncer: pool_mode = \
         session), or name PostgreSQL itself in store.url"
    )]
    Pooled {
        /// The database.
        address: Address,
    },
    /// The user is refused, or may not do what is needed.
    #[error("{address} refuses the user: check user and password in store.url, and that the user owns the database")]
    Denied {
        /// The database.
        address: Address,
        /// The error of the server.
        #[source]
        source: sqlx::Error,
    },
    /// The server is too old.
    #[error("{address} is PostgreSQL {found}, and citewire needs PostgreSQL 14 or later")]
    OldServer {
        /// The database.
        address: Address,
        /// The version of the server.
        found: String,
    },
    /// Texts would not be kept as they are.
    #[error("{address} has the encoding {found}: create the database with ENCODING 'UTF8' TEMPLATE template0")]
    Encoding {
        /// The database.
        address: Address,
        /// The encoding of the database.
        found: String,
    },
    /// The database takes no writes.
    #[error("{address} is read-only: unset default_transaction_read_only for this database and user")]
    ReadOnly {
        /// The database.
        address: Address,
    },
    /// A later version of citewire has changed the schema.
    #[error(
        "{address} has schema version {found}, and this citewire knows versions up to {known}: use a newer citewire"
    )]
    Newer {
        /// The database.
        address: Address,
        /// The version of the database.
        found: i32,
        /// The newest version that is known here.
        known: i32,
    },
    /// The schema is older than this version needs.
    #[error(
        "{address} has schema version {found}, and this citewire needs version {needed}: run `citewire store migrate`"
    )]
    Older {
        /// The database.
        address: Address,
        /// The version of the database; 0 is an empty one.
        found: i32,
        /// The version that is needed.
        needed: i32,
    },
    /// PostgreSQL refuses for another reason.
    #[error("{address} cannot be used")]
    Failed {
        /// The database.
        address: Address,
        /// The error of the server.
        #[source]
        source: sqlx::Error,
    },
}

impl PostgresError {
    /// Why the database cannot be used, in an operator's words.
    pub(super) fn explain(source: sqlx::Error, address: &Address) -> Self {
        if let Some((parameter, path, source)) = address.unreadable_file() {
            return Self::File { parameter, path, source };
        }
        let address = address.clone();
        match Failure::of(&source) {
            Failure::Gone if is_about_tls(&source) => Self::Tls { address, source },
            Failure::Gone => Self::Unreachable { address, source },
            Failure::ReadOnly => Self::ReadOnly { address },
            Failure::Denied => Self::Denied { address, source },
            Failure::Pooled => Self::Pooled { address },
            Failure::Conflict | Failure::Full | Failure::Damaged | Failure::Other => Self::Failed { address, source },
        }
    }
}
