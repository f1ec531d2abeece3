//! The configuration of an assistant.

use super::AssistantOptions;
use crate::document::LibraryOptions;
use crate::secret::Secret;
use crate::upstream::UpstreamOptions;

/// The configuration of an assistant, before its back end and its documents are opened.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AssistantPlan {
    /// Its name.
    pub name: String,
    /// Its options.
    pub options: AssistantOptions,
    /// The Direct Line secret on whose conversations it answers.
    pub secret: Option<Secret>,
    /// Who writes its answers.
    pub back_end: BackEnd,
    /// The documents that are searched for it.
    pub documents: Option<DocumentsPlan>,
    /// What is odd about its settings and does no harm; told when it is opened.
    pub warnings: Vec<String>,
}

/// The back end of an assistant.
#[derive(Clone, Debug, PartialEq)]
pub enum BackEnd {
    /// Nobody: they are sentences of its documents.
    Local,
    /// A back end that is called.
    Called(UpstreamOptions),
}

/// The source of an assistant's documents.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DocumentsPlan {
    /// The folder, and how much of it is taken in.
    pub library: LibraryOptions,
    /// So many passages are put into a question.
    pub passages: usize,
}

impl AssistantPlan {
    /// An assistant of this name with the usual options.
    #[must_use]
    pub fn new(name: impl Into<String>, back_end: BackEnd) -> Self {
        Self {
            name: name.into(),
            options: AssistantOptions::default(),
            secret: None,
            back_end,
            documents: None,
            warnings: Vec::new(),
        }
    }
}

impl DocumentsPlan {
    /// The documents of a folder.
    #[must_use]
    pub fn new(library: LibraryOptions) -> Self {
        Self { library, passages: 6 }
    }
}
