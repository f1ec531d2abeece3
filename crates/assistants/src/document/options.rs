//! The options of a document library.

use std::path::PathBuf;

use super::DocumentReader;
use crate::url::WebUrl;

/// The text of all documents of an assistant, in bytes.
const MAX_TEXT_BYTES: u64 = 256 * 1024 * 1024;

/// The folder of documents, and its limits. citewire holds the text of all documents in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct LibraryOptions {
    /// The folder; the files in its folders count as well.
    pub folder: PathBuf,
    /// The address of the same folder on the web, if it is there: a document's address is this with its path behind it.
    pub base_url: Option<WebUrl>,
    /// The reader of documents that are not text; without it they are skipped.
    pub reader: Option<DocumentReader>,
    /// The size of one document, in bytes.
    pub max_document_bytes: u64,
    /// The size of all documents, in bytes.
    pub max_total_bytes: u64,
    /// The text of all documents, in bytes: a small file may have much.
    pub max_text_bytes: u64,
    /// The number of documents.
    pub max_documents: usize,
    /// The number of folders that may stand above a document, the first one not counted.
    pub max_depth: usize,
}

impl LibraryOptions {
    /// The documents of a folder, with limits that a handbook does not reach.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            base_url: None,
            reader: None,
            max_document_bytes: 32 * 1024 * 1024,
            max_total_bytes: 1024 * 1024 * 1024,
            max_text_bytes: MAX_TEXT_BYTES,
            max_documents: 10_000,
            max_depth: 16,
        }
    }
}

/// The limits of documents that are uploaded to one assistant.
#[derive(Clone, Debug, PartialEq)]
pub struct UploadOptions {
    /// The address of the same documents on the web, if they are there: a document's address is this with its name
    /// behind it.
    pub base_url: Option<WebUrl>,
    /// The reader of documents that are not text; without it they have no text.
    pub reader: Option<DocumentReader>,
    /// The size of one document, in bytes.
    pub max_document_bytes: u64,
    /// The size of all documents, in bytes.
    pub max_total_bytes: u64,
    /// The text of all documents, in bytes: a small file may have much.
    pub max_text_bytes: u64,
    /// The number of documents.
    pub max_documents: usize,
}

impl Default for UploadOptions {
    /// 64 MiB a document, and 256 MiB and 10,000 documents together.
    fn default() -> Self {
        Self {
            base_url: None,
            reader: None,
            max_document_bytes: 64 * 1024 * 1024,
            max_total_bytes: 256 * 1024 * 1024,
            max_text_bytes: MAX_TEXT_BYTES,
            max_documents: 10_000,
        }
    }
}
