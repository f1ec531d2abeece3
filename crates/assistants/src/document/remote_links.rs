//! Links that the service signs which holds the documents.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::{DownloadAddress, Library, PublicLinks};
use crate::url::WebUrl;

/// Gives the documents of a library the addresses that their service signs.
#[derive(Clone, Debug)]
pub struct RemoteLinks(Arc<Library>);

impl RemoteLinks {
    /// The documents of this library.
    #[must_use]
    pub fn new(library: Arc<Library>) -> Self {
        Self(library)
    }
}

impl PublicLinks for RemoteLinks {
    fn link(&self, document: &DownloadAddress, _: Option<u64>, now: DateTime<Utc>) -> Option<WebUrl> {
        self.0.signed(&document.document, now)
    }
}
