//! `GET /v1/conversations/{id}/feedback`: the feedback of readers on answers.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::conversations::{known, limit};
use super::convert::json;
use super::query::{ParameterError, Query};
use super::{ApiError, State};
use crate::activity::{ActivityId, ChannelAccount, ConversationId};
use crate::channels::DeliveryError;
use crate::channels::azure_bot::find_said;
use crate::store::{NotedFeedback, StoreError};

/// The feedback of one reader. Members without a value are null.
#[derive(Serialize, ToSchema)]
pub(crate) struct GivenFeedback<'a> {
    /// The id of the rated answer in the conversation.
    #[schema(value_type = Option<String>)]
    answer: Option<ActivityId>,
    /// The id of that answer in the channel.
    reply_to_id: Option<&'a str>,
    /// The reader.
    #[schema(value_type = Option<Object>)]
    from: Option<&'a ChannelAccount>,
    /// `like`, `dislike`, or another value of the channel.
    #[schema(example = "like")]
    reaction: Option<&'a str>,
    /// The comment of the reader.
    text: Option<&'a str>,
    /// Further values from the feedback form of the channel.
    #[schema(value_type = Option<Object>)]
    details: Option<&'a Value>,
    /// When the feedback arrived.
    #[schema(value_type = String, format = DateTime)]
    received: DateTime<Utc>,
}

impl<'a> GivenFeedback<'a> {
    /// Feedback may have come before its answer was recorded, and be without it.
    async fn of(state: &State, id: &ConversationId, noted: &'a NotedFeedback) -> Result<Self, StoreError> {
        let NotedFeedback { received, feedback, .. } = noted;
        let about = match (feedback.about, &feedback.reply_to_id) {
            (None, Some(reply_to_id)) => find_said(&*state.store, id, reply_to_id).await?,
            (about, _) => about,
        };
        Ok(Self {
            answer: about.map(|place| ActivityId::at(id, place)),
            reply_to_id: feedback.reply_to_id.as_deref(),
            from: feedback.from.as_ref(),
            reaction: feedback.reaction.as_deref(),
            text: feedback.text.as_deref(),
            details: feedback.details.as_ref(),
            received: *received,
        })
    }
}

/// One page of feedback.
#[derive(Serialize, ToSchema)]
pub(crate) struct FeedbackList<'a> {
    /// The id of the conversation.
    #[schema(value_type = String)]
    id: &'a ConversationId,
    /// The feedback, oldest first.
    feedback: Vec<GivenFeedback<'a>>,
    /// The cursor of the next page: send it as `after`. Null on the last page.
    next: Option<String>,
}

/// List the feedback on answers.
///
/// The list begins with the oldest feedback. A reader who changes a rating appears twice. The list stays empty for channels
/// that do not pass feedback to bots, such as Microsoft 365 Copilot.
#[utoipa::path(
    get, path = "/v1/conversations/{id}/feedback", tag = "conversations", operation_id = "listFeedback",
    params(
        ("id" = String, Path, description = "The id of the conversation, or its name, percent-encoded"),
        ("limit" = Option<usize>, Query, description = "The page size: 1 to 1000, 50 when absent"),
        ("after" = Option<String>, Query, description = "The value of `next` in the previous page"),
    ),
    responses(
        (status = 200, description = "One page of the list", body = FeedbackList),
        (status = 400, description = "A query parameter is invalid"),
        (status = 404, description = "The conversation does not exist"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn list(state: Data<State>, id: Path<String>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let query = Query::of(&request);
    let after = query.get("after").filter(|after| !after.is_empty());
    let after = after.map(|after| after.parse::<u64>().map_err(|_| ParameterError::Cursor)).transpose()?;
    let limit = limit(&query)?;
    let id = known(&state, &id).await?.id;
    let page = state.store.feedback(&id, after, limit).await?.ok_or(DeliveryError::UnknownConversation)?;
    let mut feedback = Vec::with_capacity(page.feedback.len());
    for noted in &page.feedback {
        feedback.push(GivenFeedback::of(&state, &id, noted).await?);
    }
    json(HttpResponse::Ok(), &FeedbackList { id: &id, feedback, next: page.next.map(|next| next.to_string()) })
}
