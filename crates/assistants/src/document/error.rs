//! Errors when documents are read or searched.

use std::io;
use std::path::PathBuf;

use crate::store::StoreError;

/// An error when documents are read or searched. Each names the file and the remedy.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// The folder is not there, or may not be read.
    #[error("the folder of documents {} cannot be read: {source}; name a folder that exists and may be read", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file in the folder cannot be read.
    #[error("{} cannot be read: {source}; let this user read it, or move it out of the folder of documents", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A document is too big.
    #[error(
        "{} has {bytes} bytes, and a document has at most {limit}: split it, move it out of the folder of documents, or raise \
         max_document_bytes",
        path.display()
    )]
    DocumentTooBig {
        /// The file.
        path: PathBuf,
        /// The size, in bytes.
        bytes: u64,
        /// The limit, in bytes.
        limit: u64,
    },
    /// All documents together are too big.
    #[error(
        "with {} the documents have more than {limit} bytes: move some out of the folder of documents, or raise max_total_bytes",
        path.display()
    )]
    TooMuch {
        /// The file with which the limit is passed.
        path: PathBuf,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The folder has too many documents.
    #[error(
        "with {} there are more than {limit} documents: move some out of the folder of documents, or raise max_documents",
        path.display()
    )]
    TooMany {
        /// The file with which the limit is passed.
        path: PathBuf,
        /// The limit.
        limit: usize,
    },
    /// A folder lies too deep.
    #[error(
        "{} lies more than {limit} folders below the folder of documents: move it up or out, or raise max_depth",
        path.display()
    )]
    TooDeep {
        /// The folder.
        path: PathBuf,
        /// The limit.
        limit: usize,
    },
    /// A part of a file cannot be read.
    #[error("a part of a document cannot be read: {0}")]
    Part(#[source] io::Error),
    /// The store of uploaded documents failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Another service that holds the documents cannot be read.
    #[error(transparent)]
    Remote(#[from] RemoteDocumentsError),
    /// The program that reads documents cannot be started.
    #[error("{} cannot be started to read documents: {source}; restart the server", program.display())]
    Reader {
        /// The program.
        program: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The server ended while the folder was read.
    #[error("the folder of documents was not read to its end: {0}")]
    Interrupted(#[from] tokio::task::JoinError),
}

/// The place of documents cannot be read. The words name the place and the remedy, and no secret.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RemoteDocumentsError(pub String);
