//! `POST /v1/conversations/{id}/answers`: an answer in, a message in the conversation.

use actix_web::web::{Data, Path, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;

use super::convert::{json, take};
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

pub(crate) async fn deliver_answer(
    state: Data<State>,
    id: Path<String>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, Fault> {
    let id: ConversationId = id.parse().map_err(|_| DeliveryError::UnknownConversation)?;
    // A conversation is begun by those who read it: an id that no token was ever made for is most likely a mistake.
    if !state.delivery.knows(&id).await? {
        return Err(DeliveryError::UnknownConversation.into());
    }
    let key = request.headers().get(IDEMPOTENCY_KEY).and_then(|key| key.to_str().ok()).map(str::to_owned);
    let converted = take(&state, &request, payload).await?;
    let delivered = state.delivery.deliver(&id, converted, key).await?;
    json(HttpResponse::Created(), &Answer { id: &delivered.id, report: &delivered.report })
}
