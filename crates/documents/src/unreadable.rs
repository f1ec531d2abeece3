//! Why a document cannot be read.

use serde::{Deserialize, Serialize};

/// Why a document cannot be read, in words for the user who put it there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unreadable {
    /// A password is needed.
    #[error("it is encrypted: save it without a password")]
    Encrypted,
    /// The file is broken.
    #[error("it is damaged: open it, and save it again (details: {0})")]
    Damaged(String),
    /// Pages without text.
    #[error("it has no text: its pages are pictures; run OCR first")]
    OnlyPictures,
    /// Letters without a text.
    #[error("it shows letters and does not say which: print it to PDF again, or run OCR")]
    Undecodable,
    /// A larger file than is read.
    #[error(
        "it has {bytes} bytes, and a document has at most {limit}: split it, or raise documents.max_document_bytes"
    )]
    TooLarge {
        /// Its bytes.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Nothing in it.
    #[error("it has no text")]
    Empty,
    /// Too many pages.
    #[error("it has {pages} pages, and a document has at most {limit}: split it")]
    TooManyPages {
        /// How many it has.
        pages: usize,
        /// How many are taken.
        limit: usize,
    },
    /// Too much text.
    #[error("it has more than {limit} bytes of text: split it")]
    TooMuchText {
        /// The limit of text in bytes.
        limit: usize,
    },
    /// Too much text together with others.
    #[error(
        "with it the documents have more than {limit} bytes of text: delete some, or raise documents.max_text_bytes"
    )]
    TooMuchTextTogether {
        /// The limit of the text of all documents in bytes.
        limit: u64,
    },
    /// More text than a file of its size has.
    #[error(
        "it has more than {limit} times as much text as the file has bytes, as no honest file does: save it in another format"
    )]
    TooDense {
        /// The limit of text in multiples of the size of the file.
        limit: usize,
    },
    /// Too much in an archive.
    #[error("unpacked it has more than {limit} bytes, or too many parts: split it")]
    TooMuchUnpacked {
        /// The limit of unpacked bytes.
        limit: u64,
    },
    /// Another format than its name says.
    #[error("it is no {0} file, as its name says: give it the right ending")]
    NotWhatItsNameSays(String),
    /// Text in an unknown encoding.
    #[error("it is not UTF-8: save it as UTF-8")]
    NotUtf8,
    /// The time limit passed.
    #[error("reading it took more than {seconds} seconds: split it")]
    TookTooLong {
        /// The limit of time in seconds.
        seconds: u64,
    },
    /// The memory limit was reached.
    #[error("reading it took too much memory: split it")]
    TookTooMuchMemory,
    /// The reading process ended by itself.
    #[error("reading it crashed: open it, and save it again")]
    Crashed,
}

impl Unreadable {
    pub(crate) fn damaged(why: impl std::fmt::Display) -> Self {
        // An error of a library may quote the file: it is to be one short line.
        let why: String =
            crate::extracted::one_line(&why.to_string()).chars().filter(|c| !c.is_control()).take(120).collect();
        Self::Damaged(why)
    }
}
