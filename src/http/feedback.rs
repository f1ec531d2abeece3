//! `GET /v1/conversations/{id}/feedback`: what readers think of answers.

use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;

use super::conversations::{known, limit};
use super::convert::json;
use super::query::{ParameterError, Query};
use super::schema::FeedbackList;
use super::{Fault, State};
use crate::activity::{ActivityId, ChannelAccount, ConversationId};
use crate::channels::DeliveryError;
use crate::channels::azure_bot::find_said;
use crate::store::{NotedFeedback, StoreError};

#[derive(Serialize)]
struct Given<'a> {
    answer: Option<ActivityId>,
    reply_to_id: Option<&'a str>,
    from: Option<&'a ChannelAccount>,
    reaction: Option<&'a str>,
    text: Option<&'a str>,
    details: Option<&'a Value>,
    received: DateTime<Utc>,
}

impl<'a> Given<'a> {
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

#[derive(Serialize)]
struct List<'a> {
    id: &'a ConversationId,
    feedback: Vec<Given<'a>>,
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
pub(crate) async fn list(state: Data<State>, id: Path<String>, request: HttpRequest) -> Result<HttpResponse, Fault> {
    let query = Query::of(&request);
    let after = query.get("after").filter(|after| !after.is_empty());
    let after = after.map(|after| after.parse::<u64>().map_err(|_| ParameterError::Cursor)).transpose()?;
    let limit = limit(&query)?;
    let id = known(&state, &id).await?.id;
    let page = state.store.feedback(&id, after, limit).await?.ok_or(DeliveryError::UnknownConversation)?;
    let mut feedback = Vec::with_capacity(page.feedback.len());
    for noted in &page.feedback {
        feedback.push(Given::of(&state, &id, noted).await?);
    }
    json(HttpResponse::Ok(), &List { id: &id, feedback, next: page.next.map(|next| next.to_string()) })
}
