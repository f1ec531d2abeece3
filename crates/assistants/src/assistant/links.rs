//! Download links of an assistant's documents (rule AH-07).

use std::sync::Arc;

use super::LinkMode;
use crate::clock::Clock;
use crate::document::{DownloadLinks, PublicLinks};
use crate::url::WebUrl;

impl LinkMode {
    /// The ids of this assistant's documents, and their addresses where they have some. `server` is where readers find
    /// this server; `public` makes the addresses that need no credential.
    #[must_use]
    pub fn links(
        self,
        assistant: &str,
        server: &WebUrl,
        public: &Arc<dyn PublicLinks>,
        clock: &Arc<dyn Clock>,
    ) -> DownloadLinks {
        let server = server.clone();
        match self {
            Self::None => DownloadLinks::none(assistant, server),
            Self::Authenticated => DownloadLinks::authenticated(assistant, server),
            Self::Public => DownloadLinks::public(assistant, server, Arc::clone(public), Arc::clone(clock)),
        }
    }
}
