//! The Bot Connector routes for a bot behind the embedded channel.

use std::sync::Arc;

use actix_web::web::{Data, Path, Payload, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use utoipa::ToSchema;

use super::body;
use super::convert::json;
use super::direct_line::ResourceResponse;
use super::{ApiError, State};
use crate::activity::{ActivityId, ChannelAccount, ConversationId};
use crate::channels::azure_bot::is_behind_azure;
use crate::channels::direct_line::bot::{BotCaller, BotChannel, ConnectorError, ConversationParameters};

/// A conversation that the bot created.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConversationResource<'a> {
    #[schema(value_type = String)]
    id: &'a ConversationId,
    /// The id of the first activity, if the request contained one.
    #[schema(value_type = Option<String>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    activity_id: Option<&'a ActivityId>,
}

/// The members of a conversation.
#[derive(Serialize, ToSchema)]
pub(crate) struct PagedMembers {
    members: Vec<ChannelAccount>,
}

/// Create a conversation with one user.
///
/// To let a client read the conversation, reconnect to it with the Direct Line secret: the response contains a token for it.
#[utoipa::path(
    post, path = "/v3/conversations", tag = "connector", operation_id = "createConversation",
    request_body(content = ConversationParameters),
    responses(
        (status = 201, description = "The conversation was created", body = ConversationResource),
        (status = 400, description = "The request body is invalid, or does not name exactly one user"),
        (status = 403, description = "The caller has a ticket; only the bot's secret can create conversations"),
        (status = 429, description = "The store is full"),
    ),
    security(("bot" = []))
)]
pub(crate) async fn create_conversation(
    state: Data<State>,
    caller: ReqData<BotCaller>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let bot = bot(&state)?;
    let body = read(&state, bot, &request, payload).await?;
    let begun = bot.begin(*caller, state.direct_line.fresh_conversation(), &body).await?;
    json(HttpResponse::Created(), &ConversationResource { id: &begun.id, activity_id: begun.activity_id.as_ref() })
}

/// Send an activity to a conversation.
#[utoipa::path(
    post, path = "/v3/conversations/{id}/activities", tag = "connector", operation_id = "sendToConversation",
    params(("id" = String, Path, description = "The id of the conversation")),
    request_body(content = Object, description = "A Bot Framework activity"),
    responses(
        (status = 200, description = "The activity was sent", body = ResourceResponse),
        (status = 400, description = "The request body is not an activity, or its `channelData.citewire` is invalid"),
        (status = 404, description = "The conversation does not exist"),
        (status = 413, description = "The request body is too large"),
        (status = 429, description = "The store is full"),
    ),
    security(("bot" = []))
)]
pub(crate) async fn send(
    state: Data<State>,
    id: Path<String>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    say(&state, &id, None, &request, payload).await
}

/// Reply to an activity.
#[utoipa::path(
    post, path = "/v3/conversations/{id}/activities/{activity}", tag = "connector", operation_id = "replyToActivity",
    params(
        ("id" = String, Path, description = "The id of the conversation"),
        ("activity" = String, Path, description = "The id of the activity to reply to; clients see `replyToId` only \
            if that activity was recorded"),
    ),
    request_body(content = Object, description = "A Bot Framework activity"),
    responses(
        (status = 200, description = "The activity was sent", body = ResourceResponse),
        (status = 400, description = "The request body is not an activity, or its `channelData.citewire` is invalid"),
        (status = 404, description = "The conversation does not exist"),
        (status = 413, description = "The request body is too large"),
        (status = 429, description = "The store is full"),
    ),
    security(("bot" = []))
)]
pub(crate) async fn reply(
    state: Data<State>,
    path: Path<(String, String)>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let (id, answered) = path.into_inner();
    say(&state, &id, Some(answered), &request, payload).await
}

/// Update an activity (not supported).
///
/// Direct Line has no updates of activities, so the route always answers 405.
#[utoipa::path(
    put, path = "/v3/conversations/{id}/activities/{activity}", tag = "connector", operation_id = "updateActivity",
    params(
        ("id" = String, Path, description = "The id of the conversation"),
        ("activity" = String, Path, description = "The id of the activity"),
    ),
    responses((status = 405, description = "Always; Direct Line does not support this operation")),
    security(("bot" = []))
)]
pub(crate) async fn update() -> Result<HttpResponse, ApiError> {
    Err(ConnectorError::Unsupported.into())
}

/// Delete an activity (not supported).
///
/// Direct Line has no deletions of activities, so the route always answers 405.
#[utoipa::path(
    delete, path = "/v3/conversations/{id}/activities/{activity}", tag = "connector", operation_id = "deleteActivity",
    params(
        ("id" = String, Path, description = "The id of the conversation"),
        ("activity" = String, Path, description = "The id of the activity"),
    ),
    responses((status = 405, description = "Always; Direct Line does not support this operation")),
    security(("bot" = []))
)]
pub(crate) async fn delete() -> Result<HttpResponse, ApiError> {
    Err(ConnectorError::Unsupported.into())
}

/// List the members of a conversation.
#[utoipa::path(
    get, path = "/v3/conversations/{id}/members", tag = "connector", operation_id = "getConversationMembers",
    params(("id" = String, Path, description = "The id of the conversation")),
    responses(
        (status = 200, description = "The bot, and the user if known", body = Vec<ChannelAccount>),
        (status = 404, description = "The conversation does not exist"),
    ),
    security(("bot" = []))
)]
pub(crate) async fn members(state: Data<State>, id: Path<String>) -> Result<HttpResponse, ApiError> {
    json(HttpResponse::Ok(), &bot(&state)?.members(&conversation(&id)?).await?)
}

/// List the members of a conversation in pages.
///
/// The server returns all members on one page.
#[utoipa::path(
    get, path = "/v3/conversations/{id}/pagedmembers", tag = "connector", operation_id = "getConversationPagedMembers",
    params(("id" = String, Path, description = "The id of the conversation")),
    responses(
        (status = 200, description = "The bot, and the user if known", body = PagedMembers),
        (status = 404, description = "The conversation does not exist"),
    ),
    security(("bot" = []))
)]
pub(crate) async fn paged_members(state: Data<State>, id: Path<String>) -> Result<HttpResponse, ApiError> {
    let members = bot(&state)?.members(&conversation(&id)?).await?;
    json(HttpResponse::Ok(), &PagedMembers { members })
}

/// Read one member of a conversation.
#[utoipa::path(
    get, path = "/v3/conversations/{id}/members/{member}", tag = "connector", operation_id = "getConversationMember",
    params(
        ("id" = String, Path, description = "The id of the conversation"),
        ("member" = String, Path, description = "The id of the user or of the bot"),
    ),
    responses(
        (status = 200, description = "The member", body = ChannelAccount),
        (status = 404, description = "The conversation does not exist, or has no such member"),
    ),
    security(("bot" = []))
)]
pub(crate) async fn member(state: Data<State>, path: Path<(String, String)>) -> Result<HttpResponse, ApiError> {
    let (id, member) = path.into_inner();
    json(HttpResponse::Ok(), &bot(&state)?.member(&conversation(&id)?, &member).await?)
}

/// List the members who see an activity.
///
/// All members of the conversation see each of its activities.
#[utoipa::path(
    get, path = "/v3/conversations/{id}/activities/{activity}/members", tag = "connector", operation_id = "getActivityMembers",
    params(
        ("id" = String, Path, description = "The id of the conversation"),
        ("activity" = String, Path, description = "The id of the activity"),
    ),
    responses(
        (status = 200, description = "The bot, and the user if known", body = Vec<ChannelAccount>),
        (status = 404, description = "The conversation does not exist"),
    ),
    security(("bot" = []))
)]
pub(crate) async fn activity_members(
    state: Data<State>,
    path: Path<(String, String)>,
) -> Result<HttpResponse, ApiError> {
    json(HttpResponse::Ok(), &bot(&state)?.members(&conversation(&path.0)?).await?)
}

async fn say(
    state: &State,
    id: &str,
    answered: Option<String>,
    request: &HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let bot = bot(state)?;
    let body = read(state, bot, request, payload).await?;
    let id = bot.send(&conversation(id)?, answered, &body).await?;
    json(HttpResponse::Ok(), &ResourceResponse { id: &id })
}

/// The bot. Without a bot no caller can authenticate, so this error is never returned.
pub(super) fn bot(state: &State) -> Result<&Arc<BotChannel>, ApiError> {
    state.bot.as_ref().ok_or(ApiError::UnknownRoute)
}

/// The conversation of a path. What cannot be an id is the id of no conversation, and neither is that of one behind Azure Bot
/// Service: the bot of the embedded channel is not the bot there.
pub(super) fn conversation(id: &str) -> Result<ConversationId, ConnectorError> {
    id.parse().ok().filter(|id| !is_behind_azure(id)).ok_or(ConnectorError::UnknownConversation)
}

async fn read(
    state: &State,
    bot: &BotChannel,
    request: &HttpRequest,
    payload: Payload,
) -> Result<actix_web::web::Bytes, ApiError> {
    let limit = bot.options().max_activity_bytes;
    Ok(body::read(request, payload, limit, state.options.body_timeout).await?)
}
