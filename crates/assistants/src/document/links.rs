//! Download links for documents without a URL of their own.

use std::sync::Arc;

use serde_json::{Value, json};
use url::Url;

use super::download_address::SIGNATURE;
use super::{DocumentId, DownloadAddress, PassageAddress, PublicLinks};
use crate::answer::Source;
use crate::clock::Clock;
use crate::url::WebUrl;

/// The member of a source's metadata that names its document.
pub const DOCUMENT_ID: &str = "document_id";
/// The member of a source's metadata that names the headings above its passage.
pub(super) const HEADING: &str = "heading";

/// Gives the documents of one assistant their ids and download links.
#[derive(Clone, Debug)]
pub struct DownloadLinks {
    assistant: String,
    /// The address by which readers find this server.
    server: WebUrl,
    access: DownloadAccess,
}

/// The readers who can download the documents of an assistant.
#[derive(Clone, Debug)]
enum DownloadAccess {
    /// No reader.
    None,
    /// Callers with a credential.
    Authenticated,
    /// Everybody who has the address, for a time.
    Public {
        /// Makes such addresses.
        links: Arc<dyn PublicLinks>,
        /// The clock from which the time counts.
        clock: Arc<dyn Clock>,
    },
}

impl DownloadLinks {
    /// Ids without addresses.
    #[must_use]
    pub fn none(assistant: impl Into<String>, server: WebUrl) -> Self {
        Self { assistant: assistant.into(), server, access: DownloadAccess::None }
    }

    /// Addresses of the route of this server that needs a credential.
    #[must_use]
    pub fn authenticated(assistant: impl Into<String>, server: WebUrl) -> Self {
        Self { access: DownloadAccess::Authenticated, ..Self::none(assistant, server) }
    }

    /// Addresses that are credentials themselves, for a time.
    #[must_use]
    pub fn public(
        assistant: impl Into<String>,
        server: WebUrl,
        links: Arc<dyn PublicLinks>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { access: DownloadAccess::Public { links, clock }, ..Self::none(assistant, server) }
    }

    /// Names the documents of sources as the download route does, `{assistant}.{document}`, and gives an address to those sources
    /// that have none: that of the page, in a PDF. Passages of one page get the same.
    pub fn fill_in(&self, sources: &mut [Source]) {
        let now = match &self.access {
            DownloadAccess::None | DownloadAccess::Authenticated => None,
            DownloadAccess::Public { clock, .. } => Some(clock.now()),
        };
        for source in sources {
            let Some(document) = document_of(source) else { continue };
            let document = DownloadAddress::new(self.assistant.clone(), document);
            source.metadata.insert(DOCUMENT_ID.to_owned(), json!(document.name()));
            if source.url.is_none() {
                source.url = match (&self.access, now) {
                    (DownloadAccess::None, _) | (DownloadAccess::Public { .. }, None) => None,
                    (DownloadAccess::Authenticated, _) => document.url(&self.server),
                    (DownloadAccess::Public { links, .. }, Some(now)) => links.link(&document, None, now),
                };
                // Behind the signature, of which a fragment is no part.
                source.url = source.page_url();
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

    /// The address of the reader page of a passage, for those who can open this public address of its document.
    pub(super) fn passage(
        &self,
        link: &WebUrl,
        document: &DownloadAddress,
        passage: &PassageAddress,
    ) -> Option<WebUrl> {
        let DownloadAccess::Public { links, .. } = &self.access else { return None };
        links.passage(link, document, passage)
    }

    /// The address by which readers find this server.
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
