//! The routes of Direct Line 3.0, except the stream.

use actix_web::web::{Data, Path, Payload, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use utoipa::ToSchema;

use super::convert::json;
use super::query::Query;
use super::token_parameters::TokenParameters;
use super::{ApiError, State, address, body, token_parameters};
use crate::activity::{ActivityId, ActivitySet, ConversationId};
use crate::channels::azure_bot::is_behind_azure;
use crate::channels::direct_line::{Caller, ClientActivity, DirectLineError, Grant, Resume, Started};

/// A token for one conversation; with the address of its stream after a start or a reconnect.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Conversation)]
pub(crate) struct ConversationGrant<'a> {
    #[schema(value_type = String)]
    conversation_id: &'a ConversationId,
    token: &'a str,
    /// The lifetime of the token, in seconds.
    #[serde(rename = "expires_in")]
    expires_in: u32,
    /// The address of the stream. Open it as a WebSocket within 60 s.
    #[serde(skip_serializing_if = "Option::is_none")]
    stream_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reference_grammar_id: Option<String>,
}

impl<'a> From<&'a Grant> for ConversationGrant<'a> {
    fn from(grant: &'a Grant) -> Self {
        Self {
            conversation_id: &grant.conversation_id,
            token: &grant.token,
            expires_in: grant.expires_in,
            stream_url: None,
            reference_grammar_id: None,
        }
    }
}

/// The id of the new activity.
#[derive(Serialize, ToSchema)]
pub(crate) struct ResourceResponse<'a> {
    #[schema(value_type = String)]
    pub(crate) id: &'a ActivityId,
}

/// A session id for OAuth cards.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OAuthSession {
    session_id: String,
}

/// Generate a token with the Direct Line secret.
///
/// The call does not start the conversation.
#[utoipa::path(
    post, path = "/v3/directline/tokens/generate", tag = "direct line", operation_id = "generateToken",
    request_body(content = Option<TokenParameters>),
    responses(
        (status = 200, description = "A token for a new conversation", body = ConversationGrant),
        (status = 400, description = "The request body or a query parameter is invalid"),
    ),
    security(("direct_line" = []))
)]
pub(crate) async fn generate_token(
    state: Data<State>,
    caller: ReqData<Caller>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let body = read(&state, &request, payload).await?;
    let grant = state.direct_line.generate(&caller, token_parameters::read(&body)?)?;
    json(HttpResponse::Ok(), &ConversationGrant::from(&grant))
}

/// Renew a token.
#[utoipa::path(
    post, path = "/v3/directline/tokens/refresh", tag = "direct line", operation_id = "refreshToken",
    responses(
        (status = 200, description = "A new token for the same conversation", body = ConversationGrant),
    ),
    security(("direct_line" = []))
)]
pub(crate) async fn refresh_token(state: Data<State>, caller: ReqData<Caller>) -> Result<HttpResponse, ApiError> {
    let grant = state.direct_line.refresh(&caller)?;
    json(HttpResponse::Ok(), &ConversationGrant::from(&grant))
}

/// Start a conversation.
#[utoipa::path(
    post, path = "/v3/directline/conversations", tag = "direct line", operation_id = "startConversation",
    request_body(content = Option<TokenParameters>),
    responses(
        (status = 200, description = "The conversation of this token had already started", body = ConversationGrant),
        (status = 201, description = "The conversation was started", body = ConversationGrant),
        (status = 400, description = "The request body or a query parameter is invalid"),
        (status = 429, description = "The store is full"),
    ),
    security(("direct_line" = []))
)]
pub(crate) async fn start_conversation(
    state: Data<State>,
    caller: ReqData<Caller>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let body = read(&state, &request, payload).await?;
    let started = state.direct_line.start(&caller, token_parameters::read(&body)?).await?;
    let builder = if started.created { HttpResponse::Created() } else { HttpResponse::Ok() };
    let mut answer = with_stream(&state, &request, &started);
    answer.reference_grammar_id = Some(state.ids.fresh().to_string());
    json(builder, &answer)
}

/// Reconnect to a conversation: get a new token and a new stream.
#[utoipa::path(
    get, path = "/v3/directline/conversations/{id}", tag = "direct line", operation_id = "reconnect",
    params(
        ("id" = String, Path, description = "The id of the conversation"),
        ("watermark" = Option<String>, Query, description = "The watermark of the last activity that you have"),
    ),
    responses(
        (status = 200, description = "A new token, and a stream that starts after the watermark", body = ConversationGrant),
        (status = 400, description = "The request body or a query parameter is invalid"),
        (status = 404, description = "The conversation does not exist"),
    ),
    security(("direct_line" = []))
)]
pub(crate) async fn reconnect(
    state: Data<State>,
    caller: ReqData<Caller>,
    id: Path<String>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let query = Query::of(&request);
    // Present but empty is what a client sends whose first socket failed: it has seen nothing yet. Only the absence
    // of the parameter asks for what is new from now on.
    let resume = match (query.get("watermark"), query.watermark()?) {
        (_, Some(seen)) => Resume::After(seen),
        (Some(_), None) => Resume::Beginning,
        (None, None) => Resume::Live,
    };
    let started = state.direct_line.reconnect(&caller, &conversation(&id)?, resume).await?;
    json(HttpResponse::Ok(), &with_stream(&state, &request, &started))
}

/// Read the activities after a watermark.
#[utoipa::path(
    get, path = "/v3/directline/conversations/{id}/activities", tag = "direct line", operation_id = "getActivities",
    params(
        ("id" = String, Path, description = "The id of the conversation"),
        ("watermark" = Option<String>, Query, description = "The watermark of the last activity that you have"),
    ),
    responses(
        (status = 200, description = "One page of activities", body = ActivitySet),
        (status = 400, description = "The request body or a query parameter is invalid"),
        (status = 404, description = "The conversation does not exist"),
    ),
    security(("direct_line" = []))
)]
pub(crate) async fn read_activities(
    state: Data<State>,
    caller: ReqData<Caller>,
    id: Path<String>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let after = Query::of(&request).watermark()?;
    let set = state.direct_line.read(&caller, &conversation(&id)?, after).await?;
    json(HttpResponse::Ok(), &set)
}

/// Post an activity.
#[utoipa::path(
    post, path = "/v3/directline/conversations/{id}/activities", tag = "direct line", operation_id = "postActivity",
    params(("id" = String, Path, description = "The id of the conversation")),
    request_body(content = Object, description = "A Bot Framework activity"),
    responses(
        (status = 200, description = "The activity was recorded; clients see it with this id", body = ResourceResponse),
        (status = 400, description = "The request body or a query parameter is invalid"),
        (status = 404, description = "The conversation does not exist"),
        (status = 413, description = "The request body is too large"),
        (status = 429, description = "The store is full, or there are too many posts with this token; retry after \
            `Retry-After`"),
    ),
    security(("direct_line" = []))
)]
pub(crate) async fn post_activity(
    state: Data<State>,
    caller: ReqData<Caller>,
    id: Path<String>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    state.limit_post(&caller)?;
    let body = read(&state, &request, payload).await?;
    let id = conversation(&id)?;
    let activity = ClientActivity::parse(&body).map_err(DirectLineError::from)?;
    let id = state.direct_line.post(&caller, &id, activity).await?;
    json(HttpResponse::Ok(), &ResourceResponse { id: &id })
}

/// Get a session id for OAuth cards.
#[utoipa::path(
    get, path = "/v3/directline/session/getsessionid", tag = "direct line", operation_id = "getSessionId",
    responses((status = 200, description = "A random session id", body = OAuthSession))
)]
pub(crate) async fn oauth_session(state: Data<State>) -> Result<HttpResponse, ApiError> {
    json(HttpResponse::Ok(), &OAuthSession { session_id: state.ids.fresh().simple().to_string() })
}

/// Another protocol (Streaming Extensions), which citewire does not speak.
pub(crate) async fn streaming_extensions() -> Result<HttpResponse, ApiError> {
    Err(ApiError::UnknownRoute)
}

/// The conversation of a path. What cannot be an id is the id of no conversation, and neither is that of one behind Azure Bot
/// Service, whoever asks.
pub(crate) fn conversation(id: &str) -> Result<ConversationId, DirectLineError> {
    id.parse().ok().filter(|id| !is_behind_azure(id)).ok_or(DirectLineError::UnknownConversation)
}

async fn read(state: &State, request: &HttpRequest, payload: Payload) -> Result<actix_web::web::Bytes, ApiError> {
    let limit = state.direct_line.options().max_activity_bytes;
    Ok(body::read(request, payload, limit, state.options.body_timeout).await?)
}

fn with_stream<'a>(state: &State, request: &HttpRequest, started: &'a Started) -> ConversationGrant<'a> {
    let base = address::web_socket_base(&state.options, request);
    let id = &started.grant.conversation_id;
    let watermark = started.after.map_or_else(|| "-".to_owned(), |after| after.to_string());
    // Nothing in the path and the credential needs escaping.
    let url = format!("{base}/v3/directline/conversations/{id}/stream?watermark={watermark}&t={}", started.stream);
    ConversationGrant { stream_url: Some(url), ..ConversationGrant::from(&started.grant) }
}
