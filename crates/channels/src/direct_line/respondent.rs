//! Activities that have to be answered in conversations of the channel.

use std::fmt::Debug;
use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::activity::{Activity, ChannelAccount, ConversationId};
use crate::store::{NewTurn, Queued};

/// Answers what users do in conversations of the channel: says which of it is a turn. The turns are recorded with their
/// reasons and answered in the order of the history, by whoever serves their lines.
#[async_trait]
pub trait Respondent: Debug + Send + Sync {
    /// The turn of a user who becomes known; `None` where that needs no answer.
    fn joined(&self, id: &ConversationId, user: &ChannelAccount, locale: Option<String>) -> Option<NewTurn>;

    /// The turn of something that a user says. It is recorded with it, unless it is ephemeral.
    fn said(&self, id: &ConversationId, activity: &Activity) -> Option<NewTurn>;

    /// A recorded activity has got no turn, because too many wait: tells its user.
    async fn no_room(&self, id: &ConversationId, activity: Arc<Activity>, full: Queued);
}

/// A turn that is about no recorded activity, as a store keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Unrecorded {
    /// A user has come.
    Joined {
        /// The user.
        user: ChannelAccount,
        /// The language tag of the user.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        locale: Option<String>,
    },
    /// A user has done something that has no place in the history.
    Ephemeral(Box<Activity>),
}

impl Unrecorded {
    /// As a store keeps it; `None` for what cannot be written as JSON.
    #[must_use]
    pub fn to_body(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    /// Reads the kept form.
    ///
    /// # Errors
    /// When it was written by a version that this one does not understand.
    pub fn from_body(body: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(body)
    }
}
