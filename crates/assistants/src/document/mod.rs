//! Document libraries: documents that can be searched, quoted and downloaded.
//!
//! A [`Library`] has the documents of a folder, of the store, of a bucket or of the program. They are split into passages, and these are searched by their words; a
//! [`HybridSearch`] also compares vectors that an [`Embedder`] computes. Which address a document has for readers is decided by
//! [`DownloadLinks`], where it has none of its own.

mod best;
mod document;
mod download;
mod download_address;
mod embedder;
mod embedding;
mod error;
mod extracting;
mod extraction;
mod file;
mod file_outcome;
mod folder;
mod found;
mod fusion;
mod hybrid;
mod index;
mod index_segment;
mod index_snapshot;
mod irregular;
mod known_vectors;
mod language;
mod library;
#[cfg(test)]
mod library_tests;
mod links;
mod occurrences;
mod options;
mod original;
mod passage;
mod passage_address;
mod passage_links;
mod plain_headings;
mod plain_lines;
mod postings;
mod prose;
mod question;
mod ranking;
mod readers;
mod readership;
mod reading_queue;
mod remote;
mod remote_documents;
mod remote_links;
mod search;
mod sentence;
mod shown_passage;
mod split;
mod stored_passages;
mod stored_vectors;
mod unreadables;
mod upload_links;
mod uploads;
mod vectors;
mod words;

pub use document::{Document, DocumentId};
pub use download::{DownloadError, DownloadKey, PublicLinks, SignedLinks};
pub use download_address::DownloadAddress;
pub use embedder::{Embedder, EmbeddingError, VectorModel};
pub use error::{LibraryError, RemoteDocumentsError};
pub use extraction::{DocumentReader, remember_unreadable_documents_in, waiting_documents};
pub use file_outcome::FileOutcome;
pub use folder::{SkipReason, Skipped};
pub use found::{Found, MatchedWord, Measure};
pub use hybrid::HybridSearch;
pub use known_vectors::KnownVectors;
pub use library::Library;
pub use links::{DOCUMENT_ID, DownloadLinks};
pub use options::{LibraryOptions, UploadOptions};
pub use original::OriginalFile;
pub use passage::Passage;
pub use passage_address::PassageAddress;
pub use passage_links::SignedReaders;
pub use question::{SearchQuestion, searched};
pub use readers::ReaderLinks;
pub use readership::Readership;
pub use remote_documents::{RemoteDocument, RemoteDocuments};
pub use remote_links::RemoteLinks;
pub use search::Search;
pub use sentence::{Sentence, plain_text};
pub use shown_passage::ShownPassage;
pub use upload_links::UploadLinks;
pub use uploads::{ReadUpload, is_supported, is_text, read_upload, supported_endings};
