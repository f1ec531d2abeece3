//! Errors in the options of a back end.

use super::InvalidAddress;
use crate::egress::EgressError;

/// An error in the options of a back end. A `key` has its name from the section, with dots; values are not repeated, because
/// they may be secrets.
#[derive(Debug, thiserror::Error)]
pub enum UpstreamFault {
    /// There is no such kind.
    #[error("kind: unknown kind of back end {given:?}; known kinds: {known}")]
    UnknownKind {
        /// The given value.
        given: String,
        /// The kinds there are.
        known: String,
    },
    /// A key is unknown or missing, or its value has the wrong type.
    #[error("{}{reason}", at(key))]
    Section {
        /// Where; may be empty where a key is missing, which the reason names.
        key: String,
        /// The reason.
        reason: String,
    },
    /// A key names a secret or a variable of the environment that is not there.
    #[error("{key}: {reason}")]
    NoSecret {
        /// The key.
        key: String,
        /// Why. It repeats the name only if that looks like the name of a variable; it could be the key itself.
        reason: String,
    },
    /// The file that is to hold a key cannot be read.
    #[error("{key}: {reason}")]
    NoKeyFile {
        /// The key.
        key: String,
        /// Why.
        reason: String,
    },
    /// A secret holds what cannot stand in a header.
    #[error("{key}: {place} is not a valid key: it may have only visible ASCII characters")]
    UnusableKey {
        /// The key.
        key: String,
        /// The secret or the variable.
        place: String,
    },
    /// A value is impossible.
    #[error("{key}: {reason}")]
    Impossible {
        /// The key.
        key: String,
        /// Why.
        reason: &'static str,
    },
    /// The parts of an address do not make one.
    #[error("{key}: {reason}")]
    Address {
        /// The key.
        key: String,
        /// Why.
        reason: InvalidAddress,
    },
    /// There can be no connections.
    #[error(transparent)]
    Egress(#[from] EgressError),
}

fn at(key: &str) -> String {
    if key.is_empty() || key == "." { String::new() } else { format!("{key}: ") }
}
