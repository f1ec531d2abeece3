//! `POST /v1/conversations/{id}/answers`: an answer in, a message in the conversation.

use actix_web::web::{Data, Path, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;

use super::convert::{Updates, convert_body, json, read};
use super::schema::{AnswerRequest, DeliveredAnswer, Problem};
use super::{Fault, State};
use crate::activity::{ActivityId, ConversationId};
use crate::channels::DeliveryError;
use crate::report::Report;

#[derive(Serialize)]
struct Answer<'a> {
    id: &'a ActivityId,
    report: &'a Report,
}

/// Repeating a request with the same `Idempotency-Key` delivers nothing twice.
const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Convert an answer and deliver it into a conversation.
///
/// The conversation must have been started by those who read it, or be bound to another Direct Line.
#[utoipa::path(
    post, path = "/v1/conversations/{id}/answers", tag = "answers", operation_id = "deliverAnswer",
    params(
        ("id" = String, Path, description = "The conversation"),
        ("from" = Option<String>, Query, description = "The format of a raw body"),
        ("channel" = Option<String>, Query, description = "The dialect or channel id, for a raw body"),
        ("Idempotency-Key" = Option<String>, Header, description = "A repeated request with the same key delivers nothing twice"),
    ),
    request_body(content = AnswerRequest, description = "An answer, whole or as a stream, wrapped or raw"),
    responses(
        (status = 201, description = "Delivered", body = DeliveredAnswer),
        (status = 400, description = "The body is unusable", body = Problem, content_type = "application/problem+json"),(status = 401, description = "The credential is missing or wrong", body = Problem, content_type = "application/problem+json"),
        (status = 413, description = "The body or one event of a stream is too long", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "Required grounding is missing", body = Problem, content_type = "application/problem+json"),
        (status = 404, description = "No such conversation", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "The store is full", body = Problem, content_type = "application/problem+json"),
        (status = 502, description = "Bound to another Direct Line, which refused or cannot be reached", body = Problem, content_type = "application/problem+json"),
        (status = 504, description = "Bound to another Direct Line, which did not answer in time", body = Problem, content_type = "application/problem+json"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn deliver_answer(
    state: Data<State>,
    id: Path<String>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Fault> {
    let id: ConversationId = id.parse().map_err(|_| DeliveryError::UnknownConversation)?;
    let body = read(&state, &request, payload).await?;
    // A conversation is begun by those who read it: an id that no token was ever made for is most likely a mistake.
    if !state.delivery.knows(&id).await? {
        return Err(DeliveryError::UnknownConversation.into());
    }
    let key = request.headers().get(IDEMPOTENCY_KEY).and_then(|key| key.to_str().ok()).map(str::to_owned);
    let converted = convert_body(&state, &request, body, Updates::Unwanted).await?;
    let delivered = state.delivery.deliver(&id, converted, key).await?;
    json(HttpResponse::Created(), &Answer { id: &delivered.id, report: &delivered.report })
}
