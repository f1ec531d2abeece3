//! Errors of the routes that change assistants and their documents.

use crate::assistant::ManageError;

/// The reason why an assistant or its documents cannot be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AssistantError {
    /// The assistant cannot be changed like this.
    #[error(transparent)]
    Manage(#[from] ManageError),
    /// The program that runs this server manages its assistants itself.
    #[error("the assistants of this server cannot be managed over HTTP")]
    NotManaged,
    /// There is no such assistant.
    #[error("the assistant does not exist")]
    Unknown,
    /// Another caller has changed it since.
    #[error("somebody changed the assistant since you read it: read it again, and repeat your change")]
    Changed,
    /// The body is not JSON.
    #[error("the body is not JSON: {0}")]
    NotJson(String),
    /// The body is not TOML.
    #[error("the body is not TOML: {0}")]
    NotToml(String),
    /// The body is JSON or TOML, but no object.
    #[error("an object with the settings is required")]
    NotAnObject,
    /// There is no key to delete.
    #[error("no key was entered for the back end of this assistant")]
    NoKey,
    /// The settings of the assistant have no documents.
    #[error("the assistant has no documents: add \"documents\": {{}} to its settings first")]
    NoDocuments,
    /// There is no such document.
    #[error("the assistant has no document of this name")]
    UnknownDocument,
    /// The name is no file name.
    #[error("a document has the name of a file: 1 to 200 bytes without / \\ or control characters")]
    DocumentName,
    /// Files like this cannot be read.
    #[error("files of this type cannot be read; supported are {supported}")]
    Unsupported {
        /// The endings of names that are.
        supported: String,
    },
    /// The assistant has too many documents.
    #[error("the assistant already has {limit} documents: delete one, or raise documents.max_documents")]
    TooManyDocuments {
        /// The limit.
        limit: usize,
    },
    /// The documents are too large together.
    #[error(
        "the documents of the assistant would have more than {limit} bytes: delete one, or raise documents.max_total_bytes"
    )]
    DocumentsTooLarge {
        /// The limit, in bytes.
        limit: u64,
    },
}
