//! The routes of the Bot Connector, which a bot behind the embedded channel calls.

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

/// A conversation that a bot has begun.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConversationResource<'a> {
    #[schema(value_type = String)]
    id: &'a ConversationId,
    /// What the bot said first.
    #[schema(value_type = Option<String>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    activity_id: Option<&'a ActivityId>,
}

/// Everyone who takes part in a conversation.
#[derive(Serialize, ToSchema)]
pub(crate) struct PagedMembers {
    members: Vec<ChannelAccount>,
}

/// Begin a conversation with one user.
///
/// Nobody reads it yet: whoever holds the Direct Line secret makes a token for it by reconnecting to it.
#[utoipa::path(
    post, path = "/v3/conversations", tag = "connector", operation_id = "createConversation",
    request_body(content = ConversationParameters),
    responses(
        (status = 201, description = "Begun", body = ConversationResource),
        (status = 400, description = "The body is unusable, or names more than one user"),
        (status = 403, description = "A ticket opens one conversation and creates none"),
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

/// Say something in a conversation.
#[utoipa::path(
    post, path = "/v3/conversations/{id}/activities", tag = "connector", operation_id = "sendToConversation",
    params(("id" = String, Path, description = "The conversation")),
    request_body(content = Object, description = "An activity"),
    responses(
        (status = 200, description = "Said", body = ResourceResponse),
        (status = 400, description = "The body is no activity, or its manifest is unusable"),
        (status = 404, description = "No such conversation"),
        (status = 413, description = "The body is too long"),
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

/// Answer an activity.
#[utoipa::path(
    post, path = "/v3/conversations/{id}/activities/{activity}", tag = "connector", operation_id = "replyToActivity",
    params(
        ("id" = String, Path, description = "The conversation"),
        ("activity" = String, Path, description = "What is answered; an activity that is in no history is not named to clients"),
    ),
    request_body(content = Object, description = "An activity"),
    responses(
        (status = 200, description = "Said", body = ResourceResponse),
        (status = 400, description = "The body is no activity, or its manifest is unusable"),
        (status = 404, description = "No such conversation"),
        (status = 413, description = "The body is too long"),
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

/// Direct Line has no updates.
#[utoipa::path(
    put, path = "/v3/conversations/{id}/activities/{activity}", tag = "connector", operation_id = "updateActivity",
    params(("id" = String, Path, description = "The conversation"), ("activity" = String, Path, description = "The activity")),
    responses((status = 405, description = "Always")),
    security(("bot" = []))
)]
pub(crate) async fn update() -> Result<HttpResponse, ApiError> {
    Err(ConnectorError::Unsupported.into())
}

/// Direct Line has no deletions.
#[utoipa::path(
    delete, path = "/v3/conversations/{id}/activities/{activity}", tag = "connector", operation_id = "deleteActivity",
    params(("id" = String, Path, description = "The conversation"), ("activity" = String, Path, description = "The activity")),
    responses((status = 405, description = "Always")),
    security(("bot" = []))
)]
pub(crate) async fn delete() -> Result<HttpResponse, ApiError> {
    Err(ConnectorError::Unsupported.into())
}

/// Who takes part in a conversation.
#[utoipa::path(
    get, path = "/v3/conversations/{id}/members", tag = "connector", operation_id = "getConversationMembers",
    params(("id" = String, Path, description = "The conversation")),
    responses(
        (status = 200, description = "The user, when one is known, and the bot", body = Vec<ChannelAccount>),
        (status = 404, description = "No such conversation"),
    ),
    security(("bot" = []))
)]
pub(crate) async fn members(state: Data<State>, id: Path<String>) -> Result<HttpResponse, ApiError> {
    json(HttpResponse::Ok(), &bot(&state)?.members(&conversation(&id)?).await?)
}

/// Who takes part in a conversation, on pages, of which there is one.
#[utoipa::path(
    get, path = "/v3/conversations/{id}/pagedmembers", tag = "connector", operation_id = "getConversationPagedMembers",
    params(("id" = String, Path, description = "The conversation")),
    responses(
        (status = 200, description = "The user, when one is known, and the bot", body = PagedMembers),
        (status = 404, description = "No such conversation"),
    ),
    security(("bot" = []))
)]
pub(crate) async fn paged_members(state: Data<State>, id: Path<String>) -> Result<HttpResponse, ApiError> {
    let members = bot(&state)?.members(&conversation(&id)?).await?;
    json(HttpResponse::Ok(), &PagedMembers { members })
}

/// One who takes part in a conversation.
#[utoipa::path(
    get, path = "/v3/conversations/{id}/members/{member}", tag = "connector", operation_id = "getConversationMember",
    params(("id" = String, Path, description = "The conversation"), ("member" = String, Path, description = "The user or the bot")),
    responses(
        (status = 200, description = "Takes part", body = ChannelAccount),
        (status = 404, description = "No such conversation, or nobody of this id in it"),
    ),
    security(("bot" = []))
)]
pub(crate) async fn member(state: Data<State>, path: Path<(String, String)>) -> Result<HttpResponse, ApiError> {
    let (id, member) = path.into_inner();
    json(HttpResponse::Ok(), &bot(&state)?.member(&conversation(&id)?, &member).await?)
}

/// Who sees an activity: everyone who takes part in the conversation.
#[utoipa::path(
    get, path = "/v3/conversations/{id}/activities/{activity}/members", tag = "connector", operation_id = "getActivityMembers",
    params(("id" = String, Path, description = "The conversation"), ("activity" = String, Path, description = "The activity")),
    responses(
        (status = 200, description = "The user, when one is known, and the bot", body = Vec<ChannelAccount>),
        (status = 404, description = "No such conversation"),
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

/// The bot. Without one nobody has its credential, so this is never reached.
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
