//! Links to one upload of a document.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::{DownloadAddress, Library, PassageAddress, PublicLinks};
use crate::url::WebUrl;

/// Gives the uploaded documents of a library addresses that lead to these uploads alone: a document of another assistant that takes
/// the name of this one is none of them.
#[derive(Clone, Debug)]
pub struct UploadLinks {
    library: Arc<Library>,
    links: Arc<dyn PublicLinks>,
}

impl UploadLinks {
    /// Links to the documents of this library.
    #[must_use]
    pub fn new(library: Arc<Library>, links: Arc<dyn PublicLinks>) -> Self {
        Self { library, links }
    }
}

impl PublicLinks for UploadLinks {
    fn link(&self, document: &DownloadAddress, _: Option<u64>, now: DateTime<Utc>) -> Option<WebUrl> {
        self.links.link(document, self.library.document(&document.document)?.edition, now)
    }

    fn passage(&self, link: &WebUrl, document: &DownloadAddress, passage: &PassageAddress) -> Option<WebUrl> {
        self.links.passage(link, document, passage)
    }
}
