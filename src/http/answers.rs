//! `POST /v1/conversations/{id}/answers`: converts an answer and delivers it into a conversation.

use std::sync::Arc;

use actix_web::web::{Bytes, Data, Path, Payload};
use actix_web::{HttpRequest, HttpResponse};
use futures_util::{Stream, StreamExt as _};
use serde::Serialize;
use tokio::sync::oneshot;
use utoipa::ToSchema;

use super::body::{self, BodyError};
use super::convert::{Readers, Updates, convert_body, json, read};
use super::envelope::AnswerRequest;
use super::query::Query;
use super::{ApiError, State};
use crate::activity::{ActivityId, ConversationId};
use crate::answer_events::{AnswerEvents, AnswerPart, of_bytes};
use crate::calls::{CallError, Request};
use crate::channels::azure_bot::{FollowedProactive, ProactiveConversation, ProactiveError, ProactiveFailed};
use crate::channels::direct_line::streaming::{Followed, StreamingError};
use crate::channels::{Delivered, DeliveryError, Incomplete, NoAnswer, Whereabouts};
use crate::convert::{Conversion, Converted};
use crate::report::Report;

/// A delivered answer.
#[derive(Serialize, ToSchema)]
pub(crate) struct DeliveredAnswer<'a> {
    /// The id of the message in the conversation.
    #[schema(value_type = String)]
    id: &'a ActivityId,
    report: &'a Report,
}

/// Repeating a request with the same `Idempotency-Key` delivers nothing twice.
const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Convert an answer and deliver it into a conversation.
///
/// The conversation must exist: a client started it on the embedded channel, it is bound to another Direct Line, or a user
/// wrote to the bot in it behind Azure Bot Service. Behind Azure Bot Service, citewire writes the answer for the channel of
/// the conversation and ignores `channel`.
///
/// A raw body with the media type `text/event-stream` is shown to readers while it arrives, unless the conversation is bound to
/// another Direct Line or its channel does not support streaming. If the stream breaks off or pauses for too long, citewire
/// delivers the text so far and marks it as incomplete.
#[utoipa::path(
    post, path = "/v1/conversations/{id}/answers", tag = "answers", operation_id = "deliverAnswer",
    params(
        ("id" = String, Path, description = "The id of the conversation, or its name, percent-encoded"),
        ("from" = Option<String>, Query, description = "The format of a raw body; detected when absent"),
        ("channel" = Option<String>, Query, description = "The dialect or channel id for a raw body; else web-chat"),
        ("to" = Option<String>, Query, description = "Another name of `channel`, as on the command line"),
        ("Idempotency-Key" = Option<String>, Header, description = "A key of your choice; a repeated request with the \
            same key does not deliver the answer again"),
    ),
    request_body(content = AnswerRequest, description = "An answer, complete or as a stream, wrapped or raw"),
    responses(
        (status = 201, description = "The answer was delivered", body = DeliveredAnswer),
        (status = 400, description = "The request body is invalid"),
        (status = 413, description = "The request body, or one event of the stream in it, is too large"),
        (status = 409, description = "The conversation is behind Azure Bot Service, and citewire cannot send to it: \
            no Azure bot is configured, or the service URL is missing or not trusted"),
        (status = 422, description = "The answer lacks the required grounding, is empty, or is too large for its \
            channel"),
        (status = 404, description = "The conversation does not exist"),
        (status = 429, description = "The store is full, or the Bot Connector throttles requests"),
        (status = 502, description = "The other Direct Line, or the Bot Connector, refused the message or cannot be \
            reached"),
        (status = 504, description = "The other Direct Line, or the Bot Connector, did not answer in time"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn deliver_answer(
    state: Data<State>,
    id: Path<String>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let key = request.headers().get(IDEMPOTENCY_KEY).and_then(|key| key.to_str().ok()).map(str::to_owned);
    // A stream that the caller sends while it comes.
    if body::is_of_type(&request, "text/event-stream") {
        match state.delivery.locate(&id).await? {
            Some(Whereabouts::Here(id)) => return created(&follow(state, id, &request, payload, key).await?),
            Some(Whereabouts::BehindAzure(to)) => {
                return created(&follow_later(state, &to, &request, payload, key).await?);
            }
            Some(Whereabouts::Elsewhere(_)) | None => {}
        }
    }
    let body = read(&state, &request, payload).await?;
    // A conversation is begun by those who read it: an id that no token was ever made for is most likely a mistake.
    let found = state.delivery.locate(&id).await?.ok_or(DeliveryError::UnknownConversation)?;
    let delivered = match &found {
        Whereabouts::Here(id) => {
            let addresses = state.downloads().for_conversation(id).await;
            let readers = Readers { addresses, earlier: state.delivery.earlier(id).await, written: None };
            let converted = convert_body(&state, &request, body, Updates::Unwanted, readers).await?;
            state.delivery.record(id, converted, key).await?
        }
        Whereabouts::Elsewhere(id) => {
            let addresses = state.assistants.addresses_for_anybody();
            let readers = Readers { addresses, ..Readers::default() };
            let converted = convert_body(&state, &request, body, Updates::Unwanted, readers).await?;
            state.delivery.post(id, converted, key).await?
        }
        Whereabouts::BehindAzure(to) => {
            let written = state.delivery.later().map_err(DeliveryError::from)?.written_for(to);
            let addresses = state.assistants.addresses_for_anybody();
            let readers = Readers { addresses, earlier: state.delivery.earlier(&to.id).await, written: Some(written) };
            let converted = convert_body(&state, &request, body, Updates::Unwanted, readers).await?;
            deliver_later(&state, to, converted, key).await?
        }
    };
    created(&delivered)
}

fn created(delivered: &Delivered) -> Result<HttpResponse, ApiError> {
    json(HttpResponse::Created(), &DeliveredAnswer { id: &delivered.id, report: &delivered.report })
}

/// Shows an answer while it arrives, and delivers it when it has.
async fn follow(
    state: Data<State>,
    id: ConversationId,
    request: &HttpRequest,
    payload: Payload,
    key: Option<String>,
) -> Result<Delivered, ApiError> {
    let mut conversion = Request::of_raw(&Query::of(request).named())?;
    conversion.labels = Arc::clone(&state.options.labels);
    conversion.addresses = state.downloads().for_conversation(&id).await;
    conversion.earlier = state.delivery.earlier(&id).await;
    let pieces = body::follow(request, payload, state.options.max_body_bytes, state.options.body_timeout);
    let events = arriving(&state, &conversion, pieces);
    let answer = state.streaming.begin(id.clone());
    apart(&state, async move {
        let refused = |error: &BodyError| matches!(error, BodyError::TooLong { .. });
        match answer.follow_unless(conversion, events, key, refused).await {
            Ok(Followed { delivered, incomplete, .. }) => {
                note(&id, incomplete);
                Ok(delivered)
            }
            // What was shown is withdrawn with the answer, which ends here.
            Err(unanswered) => Err(match unanswered.cause {
                StreamingError::NoAnswer(cause) => no_answer(cause),
                StreamingError::Delivery(error) => error.into(),
            }),
        }
    })
    .await
}

/// Sends an answer behind Azure Bot Service.
async fn deliver_later(
    state: &Data<State>,
    to: &ProactiveConversation,
    converted: Converted,
    key: Option<String>,
) -> Result<Delivered, ApiError> {
    let later = state.delivery.later().map_err(DeliveryError::from)?;
    let turn = later.turn(to).await.map_err(DeliveryError::from)?;
    // From here on it is sent and recorded, or neither.
    let send = async move { turn.deliver(converted, key.as_deref()).await };
    apart(state, async move { Ok(send.await.map_err(DeliveryError::from)?) }).await
}

/// Shows an answer behind Azure Bot Service while it arrives, where its channel has streams.
async fn follow_later(
    state: Data<State>,
    to: &ProactiveConversation,
    request: &HttpRequest,
    payload: Payload,
    key: Option<String>,
) -> Result<Delivered, ApiError> {
    let later = state.delivery.later().map_err(DeliveryError::from)?;
    let mut conversion = Request::of_raw(&Query::of(request).named())?;
    conversion.labels = Arc::clone(&state.options.labels);
    conversion.addresses = state.assistants.addresses_for_anybody();
    conversion.earlier = state.delivery.earlier(&to.id).await;
    later.written_for(to).apply(&mut conversion);
    let turn = later.turn(to).await.map_err(DeliveryError::from)?;
    let pieces = body::follow(request, payload, state.options.max_body_bytes, state.options.body_timeout);
    let events = arriving(&state, &conversion, pieces);
    let id = to.id.clone();
    apart(&state, async move {
        match turn.follow(conversion, events, key.as_deref()).await {
            Ok(FollowedProactive { delivered, incomplete, .. }) => {
                note(&id, incomplete);
                Ok(delivered)
            }
            Err(ProactiveFailed::NoAnswer(cause)) => Err(no_answer(cause)),
            Err(ProactiveFailed::Later(error)) => Err(DeliveryError::from(error).into()),
        }
    })
    .await
}

/// The events of a body, up to its end or that of the server: then readers keep what there is of the answer.
fn arriving(
    state: &State,
    conversion: &Conversion,
    pieces: impl Stream<Item = Result<Bytes, BodyError>> + 'static,
) -> AnswerEvents<impl Stream<Item = Result<AnswerPart, BodyError>> + Unpin + 'static> {
    of_bytes(conversion.from.clone(), pieces.take_until(state.tasks.end_token().cancelled_owned()))
}

/// Does something in a task of its own: when the caller's connection breaks, its handler may be gone at once, and readers
/// still get what has arrived.
pub(super) async fn apart(
    state: &Data<State>,
    does: impl Future<Output = Result<Delivered, ApiError>> + 'static,
) -> Result<Delivered, ApiError> {
    let (tell, told) = oneshot::channel();
    state.tasks.spawn_local(async move {
        // Nobody is told when the caller has gone.
        tell.send(does.await).ok();
    });
    told.await.map_err(|_| ApiError::ShuttingDown)?
}

pub(super) fn no_answer(cause: NoAnswer<BodyError>) -> ApiError {
    match cause {
        NoAnswer::Convert(source) => CallError::Convert { source, at: "" }.into(),
        NoAnswer::Body(error) => error.into(),
        NoAnswer::Nothing(_) => DeliveryError::from(ProactiveError::Nothing).into(),
    }
}

fn note(id: &ConversationId, incomplete: Option<Incomplete<BodyError>>) {
    if let Some(Incomplete::Body(error)) = incomplete {
        tracing::info!(conversation.id = %id, %error, "an answer broke off; its text so far was delivered");
    }
}
