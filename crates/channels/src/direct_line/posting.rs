//! Records activities that clients post, with and without files.

use std::sync::Arc;

use super::caller::{is_said_by_caller, sender};
use super::post_name::post_name;
use super::publisher::Published;
use super::upload::{UNKNOWN_MEDIA_TYPE, Upload, fill, places};
use super::{CHANNEL_ID, Caller, ClientActivity, DirectLine, DirectLineError};
use crate::activity::{Activity, ActivityId, ChannelAccount, ConversationId, Role};
use crate::store::{Attachment, Queued};

/// Where the files of a conversation can be fetched, below the address of a server.
pub(crate) fn attachments_path(id: &ConversationId) -> String {
    format!("/v3/directline/conversations/{id}/attachments/")
}

impl DirectLine {
    /// Records what a client says, and returns the id under which everyone will see it. A post that comes again with its
    /// `channelData.clientActivityID`, because its client got no answer, is recorded once: the id is that of the first.
    ///
    /// # Errors
    /// When the conversation is not the caller's, or gone, or nobody is named as the sender.
    pub async fn post(
        &self,
        caller: &Caller,
        id: &ConversationId,
        activity: ClientActivity,
    ) -> Result<ActivityId, DirectLineError> {
        self.admit(caller, id)?;
        let mut activity = activity.into_inner();
        activity.from = Some(self.sender(caller, id, activity.from.take()).await?);
        self.take(id, activity).await
    }

    /// Keeps files, and records the activity that they belong to. They can be fetched below `base`, the address under
    /// which clients reach this server.
    ///
    /// # Errors
    /// As for [`post`](Self::post).
    pub async fn upload(
        &self,
        caller: &Caller,
        id: &ConversationId,
        upload: Upload,
        base: &str,
    ) -> Result<ActivityId, DirectLineError> {
        self.admit(caller, id)?;
        let (mut activity, files) = upload.into_parts();
        // Nothing is kept of what nobody sends.
        activity.from = Some(self.sender(caller, id, activity.from.take()).await?);
        // Its files were kept the first time.
        if let Some(name) = post_name(&activity)
            && let Some(before) = self.store.recall(id, &name).await?
            && let Some(posted) = before.recorded.first().and_then(|recorded| recorded.activity.id.clone())
        {
            return Ok(posted);
        }
        let mut attachments = activity.attachments.take().unwrap_or_default();
        for (place, file) in places(&attachments, &files).into_iter().zip(files) {
            let place = place.unwrap_or(attachments.len());
            if place == attachments.len() {
                attachments.push(Default::default());
            }
            let Some(attachment) = attachments.get_mut(place) else { continue };
            let name = self.ids.fresh().simple().to_string();
            fill(attachment, &file, &format!("{base}{}{name}", attachments_path(id)));
            let media_type = attachment.content_type.clone().unwrap_or_else(|| UNKNOWN_MEDIA_TYPE.to_owned());
            let kept = Attachment::new(media_type, file.name, file.bytes);
            if !self.store.keep_attachment(id, &name, kept).await? {
                return Err(DirectLineError::UnknownConversation);
            }
        }
        activity.attachments = Some(attachments);
        self.take(id, activity).await
    }

    /// The sender of a client's activity. The store is asked for the user of the conversation only where that matters.
    async fn sender(
        &self,
        caller: &Caller,
        id: &ConversationId,
        claimed: Option<ChannelAccount>,
    ) -> Result<ChannelAccount, DirectLineError> {
        let started_for = if is_said_by_caller(caller, claimed.as_ref()) {
            None
        } else {
            let conversation = self.store.find(id).await?.ok_or(DirectLineError::UnknownConversation)?;
            conversation.user.and_then(|user| user.id)
        };
        let sender = sender(caller, claimed, started_for)?;
        if matches!(caller, Caller::Token(_)) {
            self.check_user(sender.id.as_deref())?;
        }
        Ok(sender)
    }

    /// Records what a client says in a conversation that it may speak in, with the turn that it is.
    async fn take(&self, id: &ConversationId, mut activity: Activity) -> Result<ActivityId, DirectLineError> {
        activity.channel_id = Some(CHANNEL_ID.to_owned());
        let respondent = self.respondent.as_ref().filter(|_| is_to_be_answered(&activity));
        let turn = respondent.and_then(|respondent| respondent.said(id, &activity));
        let name = post_name(&activity);
        let published = self.publisher.publish_asking(id, activity, name, turn).await?;
        let Published { activity, queued } = published.ok_or(DirectLineError::UnknownConversation)?;
        if let (Some(respondent), Some(full @ (Queued::QueueFull | Queued::Full))) = (respondent, queued) {
            respondent.no_room(id, Arc::clone(&activity), full).await;
        }
        activity.id.clone().ok_or(DirectLineError::UnknownConversation)
    }
}

/// An activity of a user may be answered, but for a conversationUpdate, which only a channel can make. What bots say, by way of
/// the secret, is not: it is an answer.
fn is_to_be_answered(activity: &Activity) -> bool {
    let is_by_user = activity.from.as_ref().is_some_and(|from| from.role == Some(Role::User));
    is_by_user && activity.kind != "conversationUpdate"
}
