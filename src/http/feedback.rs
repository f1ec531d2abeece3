//! `GET /v1/conversations/{id}/feedback`: what readers think of answers.

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

/// What one reader thinks. Every member is there, and null where nothing is known.
#[derive(Serialize, ToSchema)]
pub(crate) struct GivenFeedback<'a> {
    /// The id of the answer in the conversation.
    #[schema(value_type = Option<String>)]
    answer: Option<ActivityId>,
    /// What the channel calls that answer.
    reply_to_id: Option<&'a str>,
    /// Who thinks so.
    #[schema(value_type = Option<Object>)]
    from: Option<&'a ChannelAccount>,
    /// `like` or `dislike`, or what else the channel has.
    #[schema(example = "like")]
    reaction: Option<&'a str>,
    /// What the reader wrote.
    text: Option<&'a str>,
    /// What the form of the channel gave besides.
    #[schema(value_type = Option<Object>)]
    details: Option<&'a Value>,
    /// When it came.
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

/// A page of what readers think.
#[derive(Serialize, ToSchema)]
pub(crate) struct FeedbackList<'a> {
    /// The conversation.
    #[schema(value_type = String)]
    id: &'a ConversationId,
    /// The oldest first.
    feedback: Vec<GivenFeedback<'a>>,
    /// Give it as `after` for the next page; null where there is none.
    next: Option<String>,
}

/// List what readers think of answers.
///
/// The oldest comes first. A reader who changes their mind is in the list twice. Channels that tell nobody what their readers
/// think, such as Microsoft 365 Copilot, have nothing here.
#[utoipa::path(
    get, path = "/v1/conversations/{id}/feedback", tag = "conversations", operation_id = "listFeedback",
    params(
        ("id" = String, Path, description = "The conversation: its id, or its name with percent signs"),
        ("limit" = Option<usize>, Query, description = "The most that are wanted: 1 to 1000, 50 when absent"),
        ("after" = Option<String>, Query, description = "`next` of the page before"),
    ),
    responses(
        (status = 200, description = "A page of the list", body = FeedbackList),
        (status = 400, description = "A parameter is unusable"),
        (status = 404, description = "No such conversation"),
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
