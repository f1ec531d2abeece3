//! `POST /v1/conversations/{id}/answers`: an answer in, a message in the conversation.

use std::sync::Arc;

use actix_web::http::header;
use actix_web::web::{Data, Path, Payload};
use actix_web::{HttpRequest, HttpResponse};
use futures_util::StreamExt as _;
use serde::Serialize;
use tokio::sync::oneshot;

use super::body::{self, BodyError};
use super::convert::{Updates, convert_body, json, read};
use super::envelope::Request;
use super::query::Query;
use super::schema::{AnswerRequest, DeliveredAnswer, Problem};
use super::{Fault, State};
use crate::activity::{ActivityId, ConversationId};
use crate::channels::live::{Followed, Incomplete, LiveError};
use crate::channels::{Delivered, DeliveryError};
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
/// The conversation must have been started by those who read it, or be bound to another Direct Line. A raw body with the media
/// type `text/event-stream` is shown while it arrives, unless the conversation is elsewhere. Where it breaks off or pauses for too
/// long, what has arrived is delivered, and readers are told that it is incomplete.
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
    let key = request.headers().get(IDEMPOTENCY_KEY).and_then(|key| key.to_str().ok()).map(str::to_owned);
    if is_event_stream(&request) && state.delivery.knows(&id).await? && !state.delivery.is_elsewhere(&id).await? {
        let delivered = follow(state, id, &request, payload, key).await?;
        return json(HttpResponse::Created(), &Answer { id: &delivered.id, report: &delivered.report });
    }
    let body = read(&state, &request, payload).await?;
    // A conversation is begun by those who read it: an id that no token was ever made for is most likely a mistake.
    if !state.delivery.knows(&id).await? {
        return Err(DeliveryError::UnknownConversation.into());
    }
    let converted = convert_body(&state, &request, body, Updates::Unwanted).await?;
    let delivered = state.delivery.deliver(&id, converted, key).await?;
    json(HttpResponse::Created(), &Answer { id: &delivered.id, report: &delivered.report })
}

/// Whether the body is a stream that the caller sends while it comes.
fn is_event_stream(request: &HttpRequest) -> bool {
    let content_type = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = content_type.and_then(|value| value.split(';').next()).map(str::trim);
    media_type.is_some_and(|media_type| media_type.eq_ignore_ascii_case("text/event-stream"))
}

/// Shows an answer while it arrives, and delivers it when it has.
async fn follow(
    state: Data<State>,
    id: ConversationId,
    request: &HttpRequest,
    payload: Payload,
    key: Option<String>,
) -> Result<Delivered, Fault> {
    let mut conversion = Request::of_raw(&Query::of(request))?;
    conversion.labels = Arc::clone(&state.options.labels);
    let pieces = body::follow(request, payload, state.options.max_body_bytes, state.options.body_timeout);
    // A server that ends does not wait for the end of an answer; readers keep what there is of it.
    let pieces = pieces.take_until(state.tasks.end_token().cancelled_owned());
    let answer = state.live.begin(id.clone());
    let (tell, told) = oneshot::channel();
    // A task of its own: when the caller's connection breaks, this handler may be gone at once, and readers still get what has
    // arrived.
    state.tasks.spawn_local(async move {
        let refused = |error: &BodyError| matches!(error, BodyError::TooLong { .. });
        let outcome = answer.follow_unless(conversion, pieces, key, refused).await;
        let outcome = match outcome {
            Ok(Followed { delivered, incomplete, .. }) => {
                if let Some(Incomplete::Body(error)) = incomplete {
                    tracing::info!(conversation.id = %id, %error, "an answer broke off, and was delivered as far as it came");
                }
                Ok(delivered)
            }
            // What was shown is withdrawn with the answer, which ends here.
            Err(unanswered) => Err(match unanswered.cause {
                LiveError::Convert(source) => Fault::Convert { source, at: "" },
                LiveError::Body(error) => error.into(),
                LiveError::Nothing(_) => DeliveryError::NoMessage.into(),
                LiveError::Delivery(error) => error.into(),
            }),
        };
        // Nobody is told when the caller has gone.
        tell.send(outcome).ok();
    });
    told.await.map_err(|_| Fault::ShuttingDown)?
}
