//! Searches a conversation for an activity that this client posted.

use reqwest::{Method, Request};

use super::client::Answered;
use super::wire::Piece;
use super::{CallError, ConversationName, DirectLineClient, Misunderstood};
use crate::activity::ActivityId;
use crate::egress::RetryBudget;
use crate::secret::Secret;

/// The most pieces of a conversation that are looked through.
const MOST_PIECES: usize = 100;

impl DirectLineClient {
    /// The id of the activity that we posted under this name, where it is in the conversation, and whether a citewire says
    /// so.
    pub(super) async fn find(
        &self,
        conversation: &ConversationName,
        send_id: &str,
        bearer: &Secret,
        patience: &RetryBudget<'_>,
    ) -> Result<Option<(ActivityId, bool)>, CallError> {
        let mut watermark: Option<String> = None;
        for piece in 1.. {
            let answered = self.read(conversation, watermark.as_deref(), bearer, patience).await?;
            let read = Piece::parse(&answered.fetched.body).map_err(|reason| answered.misunderstood(reason))?;
            if let Some(id) = read.echo(send_id) {
                return Ok(Some((id, answered.is_by_citewire())));
            }
            // The end is a piece without activities, or one after which no other can be asked for.
            if read.is_empty() || read.watermark.is_none() || read.watermark == watermark {
                return Ok(None);
            }
            if piece == MOST_PIECES {
                return Err(answered.misunderstood(Misunderstood::TooLong));
            }
            watermark = read.watermark;
        }
        Ok(None)
    }

    async fn read(
        &self,
        conversation: &ConversationName,
        watermark: Option<&str>,
        bearer: &Secret,
        patience: &RetryBudget<'_>,
    ) -> Result<Answered, CallError> {
        let mut url = self.address(&["conversations", conversation.as_str(), "activities"]);
        if let Some(watermark) = watermark {
            url.query_pairs_mut().append_pair("watermark", watermark);
        }
        self.call(Request::new(Method::GET, url), bearer, self.left(patience)).await
    }
}
