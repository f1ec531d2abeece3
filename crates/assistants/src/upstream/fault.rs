//! Errors in the options of a back end.

use url::Url;

use super::InvalidAddress;
use crate::egress::{AddressKind, EgressError};

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
    /// The address is private, and nobody has allowed it.
    #[error(
        "{key}: {host} is a {kind} address, which this server calls only if its operator allows it: \
         allow_hosts = \"{host}\" in the section [egress] of the configuration file, or CITEWIRE_EGRESS_ALLOW_HOSTS={host} \
         in the environment at the next start"
    )]
    Private {
        /// The key.
        key: String,
        /// The host with its port.
        host: String,
        /// The purpose of its address.
        kind: AddressKind,
    },
    /// The host is allowed at other ports.
    #[error(
        "{key}: this server calls {host} only if its operator allows this port: allow_hosts = \"{host}\" in the section [egress] of \
         the configuration file, or CITEWIRE_EGRESS_ALLOW_HOSTS={host} in the environment at the next start"
    )]
    Port {
        /// The key.
        key: String,
        /// The host with its port.
        host: String,
    },
    /// There can be no connections.
    #[error(transparent)]
    Egress(#[from] EgressError),
}

impl UpstreamFault {
    /// The host of an address with its port, as `egress.allow_hosts` takes it.
    #[must_use]
    pub fn host(url: &Url) -> String {
        let host = url.host_str().unwrap_or_default();
        url.port_or_known_default().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// The fault of an address that is not called.
    #[must_use]
    pub fn of_egress(key: &str, url: &Url, error: EgressError) -> Self {
        let host = Self::host(url);
        #[expect(clippy::wildcard_enum_match_arm, reason = "all others are told as they are")]
        match error {
            EgressError::Refused { kind, .. } => Self::Private { key: key.to_owned(), host, kind },
            EgressError::Port { .. } => Self::Port { key: key.to_owned(), host },
            error => Self::Egress(error),
        }
    }
}

fn at(key: &str) -> String {
    if key.is_empty() || key == "." { String::new() } else { format!("{key}: ") }
}
