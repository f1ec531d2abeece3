//! The path of a document's download route.

use url::Url;

use super::DocumentId;
use super::document::address;
use crate::url::WebUrl;

/// The parameter that makes an address a credential. It is masked in logs (`WebUrl`).
pub(super) const SIGNATURE: &str = "signature";

/// A document of an assistant, as addresses name it: `{assistant}.{document}`. An id alone says nothing: documents are reached
/// through the assistant that may cite them.
#[derive(Clone, Debug, PartialEq, Eq)]
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

    /// The address with these parameters.
    pub(super) fn url_with(&self, server: &WebUrl, parameters: &[(&str, &str)]) -> Option<WebUrl> {
        let mut url = Url::parse(self.url(server)?.as_str()).ok()?;
        url.query_pairs_mut().extend_pairs(parameters);
        url.as_str().parse().ok()
    }
}
