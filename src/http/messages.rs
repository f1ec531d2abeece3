//! `POST /api/messages`: the messaging endpoint for Azure Bot Service and other agents.

use std::convert::Infallible;

use actix_web::http::header::{AUTHORIZATION, CACHE_CONTROL, HeaderName};
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use futures_util::StreamExt as _;
use serde::Serialize;
use serde_json::{Map, Value};

use super::convert::json;
use super::error::MessagesError;
use super::{ApiError, State, admission, body};
use crate::channels::azure_bot::auth::Bearer;
use crate::channels::azure_bot::{AzureBot, Inbound, Received};

/// Tells a proxy to pass on each part of the body when it comes.
const NO_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

#[derive(Serialize)]
struct Replies<'a> {
    activities: &'a [Map<String, Value>],
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a Value>,
}

/// Receive an activity from Azure Bot Service or another agent.
///
/// Azure Bot Service calls this route for Teams, Web Chat and its other channels; other agents call it for their users. The
/// request needs a token of Azure Bot Service, or of an agent that `azure_bot.allowed_callers` lists.
#[utoipa::path(
    post, path = "/api/messages", tag = "azure bot", operation_id = "receiveActivity",
    request_body(content = Object, description = "A Bot Framework activity"),
    responses(
        (status = 200, description = "The result of an invoke; with the delivery mode `expectReplies`, the answers in \
            `activities`; with `stream`, server-sent events"),
        (status = 202, description = "The activity was accepted; citewire sends the answer to `serviceUrl`"),
        (status = 400, description = "The request body is not an activity, or its `serviceUrl` is not trusted"),
        (status = 401, description = "The token is missing or wrong"),
        (status = 403, description = "The token is valid, but its sender is not allowed to call this bot"),
        (status = 404, description = "No Azure bot is configured"),
        (status = 405, description = "The method is not POST"),
        (status = 413, description = "The request body is too large"),
        (status = 415, description = "The Content-Type is not `application/json`"),
        (status = 501, description = "The bot handles no invoke of this name"),
        (status = 503, description = "The queue for incoming activities is full, or the keys that sign tokens cannot \
            be fetched; retry after `Retry-After`"),
    )
)]
pub(crate) async fn receive(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let is_local = admission::host::is_local(&request);
    let (azure, bearer) = match admit(&state, &request, is_local).await {
        Ok(admitted) => admitted,
        Err(error) => {
            body::discard(payload.into_inner()).await;
            return Err(error.into());
        }
    };
    let limit = azure.options().max_activity_bytes;
    let body = body::read(&request, payload, limit, state.options.body_timeout).await?;
    let inbound = Inbound::parse(&body).map_err(MessagesError::Inbound)?;
    let responder = state.behind_azure(azure);
    let received = azure.receive(inbound, bearer, is_local, &responder).await;
    respond(received.map_err(MessagesError::Receive)?)
}

/// Judges the call before its body is read.
async fn admit<'s>(
    state: &'s State,
    request: &HttpRequest,
    is_local: bool,
) -> Result<(&'s AzureBot, Bearer), MessagesError> {
    let azure = state.azure_bot.as_deref().ok_or(MessagesError::NotSet)?;
    // A browser asks before it sends a body of this type elsewhere, and is told no: so no web page can speak for a user here,
    // even where no credential is asked for.
    if !body::is_of_type(request, "application/json") {
        return Err(MessagesError::MediaType);
    }
    let bearer = azure.judge(authorization(request), is_local).await.map_err(MessagesError::Receive)?;
    Ok((azure, bearer))
}

/// The whole header: the verifier judges its form.
fn authorization(request: &HttpRequest) -> Option<&str> {
    request.headers().get(AUTHORIZATION).map(|value| value.to_str().unwrap_or_default())
}

fn respond(received: Received) -> Result<HttpResponse, ApiError> {
    match received {
        Received::Accepted => Ok(HttpResponse::Accepted().finish()),
        Received::Replies { activities, body } => {
            json(HttpResponse::Ok(), &Replies { activities: &activities, body: body.as_ref() })
        }
        Received::Outcome(body) => json(HttpResponse::Ok(), &body),
        Received::Events(events) => Ok(HttpResponse::Ok()
            .content_type("text/event-stream")
            .insert_header((CACHE_CONTROL, "no-cache"))
            .insert_header((NO_BUFFERING, "no"))
            .streaming(events.map(Ok::<_, Infallible>))),
    }
}
