//! Why a document cannot be downloaded.

use crate::document::DownloadError;

/// Why a document cannot be downloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// There is no such document, or none that this assistant gives to readers.
    #[error("there is no such document")]
    Unknown,
    /// The assistant does not give its documents to everybody, or not any more (rule AH-08).
    #[error("this document needs a credential: its assistant has no public links")]
    NotPublic,
    /// The address is not good.
    #[error(transparent)]
    Address(#[from] DownloadError),
}
