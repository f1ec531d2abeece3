//! The conversations of this server that are bound to another Direct Line.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Binding, BoundConversations, Coverage, DirectLineClient, PostError, Posted};
use crate::activity::{Activity, ConversationId};
use crate::clock::{Clock, IdSource};
use crate::egress::{Client, EgressError, EgressOptions};
use crate::metrics::ChannelFigures;

/// Another Direct Line, and the conversations that are bound to it.
#[derive(Debug)]
pub struct BoundDirectLine {
    client: DirectLineClient,
    conversations: BoundConversations,
    /// It was said already that the bot there reads along.
    said: AtomicBool,
}

impl BoundDirectLine {
    /// Makes the client of a binding.
    ///
    /// An address that is written out in the URL, and `localhost`, are meant as they stand, so they may be connected to. A
    /// name is judged by where it leads, as everywhere.
    ///
    /// # Errors
    /// When no connections can be made from this system at all.
    pub fn new(
        binding: Binding,
        mut egress: EgressOptions,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
    ) -> Result<Self, EgressError> {
        egress.allow.add_written(binding.url.as_url());
        let http = Client::new(egress)?;
        let client = DirectLineClient::new(http, binding.url, binding.credential, binding.user, clock, ids);
        Ok(Self { client, conversations: binding.conversations, said: AtomicBool::new(false) })
    }

    /// Which posts did not succeed.
    #[must_use]
    pub fn figures(&self) -> &ChannelFigures {
        self.client.figures()
    }

    /// How a conversation is covered.
    #[must_use]
    pub fn coverage(&self, id: &ConversationId) -> Coverage {
        self.conversations.coverage(id)
    }

    /// Posts an activity there.
    ///
    /// # Errors
    /// When it is not taken.
    pub async fn post(&self, id: &ConversationId, activity: Activity, key: Option<&str>) -> Result<Posted, PostError> {
        let posted = self.client.post(&id.try_into()?, activity, key).await?;
        if !posted.by_citewire && !self.said.swap(true, Ordering::Relaxed) {
            tracing::warn!(url = %self.client.url(), user = self.client.user(), "{}", NOTICE);
        }
        Ok(posted)
    }

    /// Renews what expires. To be called from time to time.
    pub async fn keep_fresh(&self) {
        if let Err(error) = self.client.keep_fresh().await {
            tracing::warn!(%error, "the token of the other Direct Line could not be renewed");
        }
    }
}

/// The notice about a Direct Line that is not a citewire server.
pub const NOTICE: &str = "the other Direct Line is not a citewire server: answers appear there as messages of \
                                 the configured user, and its bot receives them too";
