//! The addresses of an assistant's documents (rule S1-40).

use std::sync::Arc;

use super::LinkMode;
use crate::clock::Clock;
use crate::document::{DownloadLinks, PublicLinks};
use crate::url::WebUrl;

impl LinkMode {
    /// What gives the documents of this assistant their addresses; `None` where they have none. `server` is where readers find
    /// this server; `public` makes the addresses that need no credential.
    #[must_use]
    pub fn links(
        self,
        assistant: &str,
        server: &WebUrl,
        public: &Arc<dyn PublicLinks>,
        clock: &Arc<dyn Clock>,
    ) -> Option<DownloadLinks> {
        let assistant = assistant.to_owned();
        match self {
            Self::None => None,
            Self::Authenticated => Some(DownloadLinks::Authenticated { assistant, server: server.clone() }),
            Self::Public => {
                Some(DownloadLinks::Public { assistant, links: Arc::clone(public), clock: Arc::clone(clock) })
            }
        }
    }
}
