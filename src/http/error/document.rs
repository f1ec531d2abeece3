//! Errors of document downloads.

use crate::document::DownloadError;

/// The reason why a document cannot be downloaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// There is no such document, or none that this assistant gives to readers.
    #[error("the document does not exist")]
    Unknown,
    /// The assistant does not give its documents to everybody, or not any more (rule AH-08).
    #[error("this document needs a credential: the citation_link_mode of its assistant is not public")]
    NotPublic,
    /// The part that was asked for lies behind the end.
    #[error("the document has {bytes} bytes, none of them in the range of the request")]
    OutOfRange {
        /// The size of the document.
        bytes: u64,
    },
    /// The address is not good.
    #[error(transparent)]
    Address(#[from] DownloadError),
}
