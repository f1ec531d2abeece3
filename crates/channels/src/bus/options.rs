//! The options of the bus.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::{BusAddress, BusRoots};

/// The options of the bus.
#[derive(Clone, Debug)]
pub struct BusOptions {
    /// The address of Redis; `None` for a server without a bus.
    pub address: Option<BusAddress>,
    /// Roots by which its certificate is judged; `None` for those that the system trusts.
    pub roots: Option<BusRoots>,
    /// Nodes with the same namespace hear each other.
    pub namespace: Namespace,
    /// The interval at which a node says which of its streams go on.
    pub alive_every: Duration,
    /// A stream that nothing was heard of for so long is withdrawn from its readers.
    pub silent_after: Duration,
}

impl Default for BusOptions {
    fn default() -> Self {
        Self {
            address: None,
            roots: None,
            namespace: Namespace("default".to_owned()),
            alive_every: Duration::from_secs(5),
            silent_after: Duration::from_secs(15),
        }
    }
}

/// Roots are given for a bus without a certificate, or for none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bus.root_certificate (CITEWIRE_BUS_ROOT_CERTIFICATE) needs rediss:// in bus.url (CITEWIRE_BUS_URL)")]
pub struct UnusedRoots;

impl BusOptions {
    /// Checks that the options fit each other.
    ///
    /// # Errors
    /// When roots are given and nothing has a certificate.
    pub fn check(&self) -> Result<(), UnusedRoots> {
        let is_encrypted = self.address.as_ref().is_some_and(BusAddress::is_encrypted);
        if self.roots.is_some() && !is_encrypted { Err(UnusedRoots) } else { Ok(()) }
    }
}

/// The part of all channels of a cluster in which they differ from those of another cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespace(String);

/// The text is no namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a namespace has 1 to 64 characters of A-Z a-z 0-9 - _ .")]
pub struct InvalidNamespace;

impl FromStr for Namespace {
    type Err = InvalidNamespace;

    fn from_str(text: &str) -> Result<Self, InvalidNamespace> {
        // No colon: it ends the namespace, and ids of conversations may have some.
        let is_legal = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let is_namespace = (1..=64).contains(&text.len()) && text.chars().all(is_legal);
        is_namespace.then(|| Self(text.to_owned())).ok_or(InvalidNamespace)
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
