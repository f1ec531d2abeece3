//! Addresses for documents that have none of their own (rule S1-40).

use std::sync::Arc;

use serde_json::{Value, json};
use url::Url;

use super::document::address;
use super::download::SIGNATURE;
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

    /// The same address with these parameters.
    pub(super) fn url_with(&self, server: &WebUrl, parameters: &[(&str, &str)]) -> Option<WebUrl> {
        let mut url = Url::parse(self.url(server)?.as_str()).ok()?;
        url.query_pairs_mut().extend_pairs(parameters);
        url.as_str().parse().ok()
    }
}

/// What gives the documents of one assistant their ids and addresses.
#[derive(Clone, Debug)]
pub struct DownloadLinks {
    assistant: String,
    /// Where readers find this server.
    server: WebUrl,
    access: Access,
}

/// Who can download the documents of an assistant.
#[derive(Clone, Debug)]
enum Access {
    /// Nobody.
    None,
    /// Callers with a credential.
    Authenticated,
    /// For a time, everybody who has the address.
    Public {
        /// What makes such addresses.
        links: Arc<dyn PublicLinks>,
        /// From when on the time counts.
        clock: Arc<dyn Clock>,
    },
}

impl DownloadLinks {
    /// Ids without addresses.
    #[must_use]
    pub fn none(assistant: impl Into<String>, server: WebUrl) -> Self {
        Self { assistant: assistant.into(), server, access: Access::None }
    }

    /// Addresses of the route of this server that needs a credential.
    #[must_use]
    pub fn authenticated(assistant: impl Into<String>, server: WebUrl) -> Self {
        Self { access: Access::Authenticated, ..Self::none(assistant, server) }
    }

    /// Addresses that are credentials themselves, for a time.
    #[must_use]
    pub fn public(
        assistant: impl Into<String>,
        server: WebUrl,
        links: Arc<dyn PublicLinks>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { access: Access::Public { links, clock }, ..Self::none(assistant, server) }
    }

    /// Names the documents of sources as the download route does, `{assistant}.{document}`, and gives an address to those sources
    /// that have none. Passages of one document get the same.
    pub fn fill_in(&self, sources: &mut [Source]) {
        let now = match &self.access {
            Access::None | Access::Authenticated => None,
            Access::Public { clock, .. } => Some(clock.now()),
        };
        for source in sources {
            let Some(document) = document_of(source) else { continue };
            let document = DownloadAddress::new(self.assistant.clone(), document);
            source.metadata.insert(DOCUMENT_ID.to_owned(), json!(document.name()));
            if source.url.is_none() {
                source.url = match (&self.access, now) {
                    (Access::None, _) | (Access::Public { .. }, None) => None,
                    (Access::Authenticated, _) => document.url(&self.server),
                    (Access::Public { links, .. }, Some(now)) => links.link(&document, now),
                };
            }
        }
    }

    /// The document of this assistant to which an address leads, where a browser would need a credential to open it: one that has
    /// no signature.
    pub(super) fn locked(&self, given: &WebUrl) -> Option<DownloadAddress> {
        let mut url = Url::parse(given.as_str()).ok()?;
        if url.query_pairs().any(|(name, _)| name == SIGNATURE) {
            return None;
        }
        url.set_query(None);
        url.set_fragment(None);
        let document = url.path().strip_suffix("/download")?.rsplit_once('.')?.1.parse().ok()?;
        let document = DownloadAddress::new(self.assistant.clone(), document);
        (document.url(&self.server)?.as_str() == url.as_str()).then_some(document)
    }

    /// Where readers find this server.
    pub(super) fn server(&self) -> &WebUrl {
        &self.server
    }

    /// The assistant whose documents these are.
    #[must_use]
    pub fn assistant(&self) -> &str {
        &self.assistant
    }
}

/// The document that the metadata of a source names.
fn document_of(source: &Source) -> Option<DocumentId> {
    source.metadata.get(DOCUMENT_ID).and_then(Value::as_str)?.parse().ok()
}
