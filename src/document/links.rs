//! Addresses for documents that have none of their own (rule S1-40).

use std::sync::Arc;

use serde_json::Value;

use super::document::address;
use super::{DocumentId, PublicLinks};
use crate::answer::Source;
use crate::clock::Clock;
use crate::url::WebUrl;

/// Where the metadata of a source names its document.
pub const DOCUMENT_ID: &str = "document_id";
/// Where the metadata of a source names the headings above its passage.
pub(super) const HEADING: &str = "heading";

/// A document of an assistant, as addresses name it: `{assistant}.{document}`. An id alone says nothing: documents are reached
/// through the assistant that may cite them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DownloadAddress {
    /// The name of the assistant.
    pub assistant: String,
    /// The document.
    pub document: DocumentId,
}

impl DownloadAddress {
    /// A document of an assistant.
    #[must_use]
    pub fn new(assistant: impl Into<String>, document: DocumentId) -> Self {
        Self { assistant: assistant.into(), document }
    }

    /// Reads the part of a path that [`name`](Self::name) gives.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        // An id of a document has no dot, the name of an assistant may.
        let (assistant, document) = name.rsplit_once('.')?;
        Some(Self::new(assistant, document.parse().ok()?))
    }

    /// Assistant and document as one part of a path.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}.{}", self.assistant, self.document)
    }

    /// The address behind that of the server.
    #[must_use]
    pub fn url(&self, server: &WebUrl) -> Option<WebUrl> {
        address(server, ["v1", "documents", &self.name(), "download"])
    }
}

/// What gives the documents of one assistant their addresses.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum DownloadLinks {
    /// The route of this server that needs a credential.
    Authenticated {
        /// The assistant.
        assistant: String,
        /// The address of the server.
        server: WebUrl,
    },
    /// Addresses that are credentials themselves, for a time.
    Public {
        /// The assistant.
        assistant: String,
        /// Who makes them.
        links: Arc<dyn PublicLinks>,
        /// From when on the time counts.
        clock: Arc<dyn Clock>,
    },
}

impl DownloadLinks {
    /// Gives an address to the sources that have none, but name a document in their metadata. Passages of one document get the
    /// same one.
    pub fn fill_in(&self, sources: &mut [Source]) {
        let at = match self {
            Self::Authenticated { .. } => None,
            Self::Public { clock, .. } => Some(clock.now()),
        };
        for source in sources.iter_mut().filter(|source| source.url.is_none()) {
            let Some(document) = document_of(source) else { continue };
            source.url = match (self, at) {
                (Self::Public { assistant, links, .. }, Some(now)) => {
                    links.link(&DownloadAddress::new(assistant, document), now)
                }
                (Self::Authenticated { assistant, server }, _) => DownloadAddress::new(assistant, document).url(server),
                (Self::Public { .. }, None) => None,
            };
        }
    }
}

/// The document that the metadata of a source names.
fn document_of(source: &Source) -> Option<DocumentId> {
    source.metadata.get(DOCUMENT_ID).and_then(Value::as_str)?.parse().ok()
}
