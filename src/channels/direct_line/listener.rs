//! The listener for the activities of users.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;

use crate::activity::{Activity, ChannelAccount, ConversationId};

/// Hears what users do in conversations of the channel: the bot behind it. Calls for one conversation come one after
/// the other, in the order of its history, and return without waiting for what becomes of them.
#[async_trait]
pub trait Listener: Debug + Send + Sync {
    /// The conversation has a user now, and had none before.
    async fn joined(&self, id: &ConversationId, user: &ChannelAccount, locale: Option<String>);

    /// A user has said something. It is in the history already, unless it is ephemeral.
    async fn said(&self, id: &ConversationId, activity: Arc<Activity>);
}
