//! The roots that the certificate of the bus is judged by.

use std::fmt;
use std::io;

use reqwest::Certificate;

/// Certificates in PEM, trusted in place of those that the system trusts.
#[derive(Clone, PartialEq, Eq)]
pub struct BusRoots(Vec<u8>);

/// The file has no roots.
#[derive(Debug, thiserror::Error)]
pub enum InvalidRoots {
    /// It cannot be read.
    #[error("{path}: {source}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
    /// It has no certificate in it, or something that is none.
    #[error("{path}: a file with certificates in PEM is required (-----BEGIN CERTIFICATE-----)")]
    NoCertificate {
        /// The file.
        path: String,
    },
}

impl BusRoots {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or has no certificate in PEM in it.
    pub fn read(path: &str) -> Result<Self, InvalidRoots> {
        let pem = std::fs::read(path).map_err(|source| InvalidRoots::Unreadable { path: path.to_owned(), source })?;
        let found = Certificate::from_pem_bundle(&pem).unwrap_or_default();
        if found.is_empty() { Err(InvalidRoots::NoCertificate { path: path.to_owned() }) } else { Ok(Self(pem)) }
    }

    pub(super) fn pem(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for BusRoots {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BusRoots").finish_non_exhaustive()
    }
}
