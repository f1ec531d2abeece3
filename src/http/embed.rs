//! The chat embedded in other sites: its script, and sessions for anonymous visitors.

use actix_web::http::header::{CACHE_CONTROL, HeaderName};
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::convert::json;
use super::error::{Asking, EmbedError};
use super::token_parameters::ParametersError;
use super::{ApiError, State, address, body, web_chat};
use crate::activity::ConversationId;
use crate::channels::direct_line::Owner;
use crate::text::echo;

const SCRIPT: &str = include_str!("../../web/embed.js");

/// Lets pages load the file that have switched cross-origin isolation on (`Cross-Origin-Embedder-Policy`).
const RESOURCE_POLICY: (HeaderName, &str) = (HeaderName::from_static("cross-origin-resource-policy"), "cross-origin");

/// A request for a chat session on another site.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only the shape: the member is read by hand, to name what is wrong with it")]
struct EmbedSessionRequest {
    /// The name of the assistant that answers; the assistant of the channel when absent.
    assistant: Option<String>,
}

/// A chat session for a visitor of another site.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EmbedSession<'a> {
    /// A Direct Line token, valid on pages of the calling site only.
    token: &'a str,
    #[schema(value_type = String)]
    conversation_id: &'a ConversationId,
    user_id: &'a str,
    /// The lifetime of the token, in seconds.
    #[serde(rename = "expires_in")]
    expires_in: u32,
    /// The name of the assistant for readers. Null if its settings have none.
    title: Option<String>,
    /// Whether a bot or an assistant answers messages.
    answered: bool,
    /// Whether visitors can send files: true if a bot is connected.
    takes_files: bool,
}

/// Serves the script that other sites embed.
pub(crate) async fn script(state: Data<State>) -> Result<HttpResponse, ApiError> {
    if !state.options.embed.is_on() {
        return Err(EmbedError::Off.into());
    }
    let mut response = HttpResponse::Ok();
    response.content_type("text/javascript; charset=utf-8").insert_header((CACHE_CONTROL, "no-cache"));
    Ok(response.insert_header(RESOURCE_POLICY).body(SCRIPT))
}

/// Serves Web Chat for embedding sites, even if the page of this server is off.
pub(crate) async fn embedded_web_chat(state: Data<State>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    if !state.options.embed.is_on() {
        return Err(EmbedError::Off.into());
    }
    let mut response = web_chat::web_chat(state, request).await?;
    let (name, value) = RESOURCE_POLICY;
    response.headers_mut().insert(name, actix_web::http::header::HeaderValue::from_static(value));
    Ok(response)
}

/// Start a conversation for a visitor of another site.
#[utoipa::path(
    post, path = "/embed/session", tag = "embed", operation_id = "startEmbedSession",
    request_body(content = Option<EmbedSessionRequest>),
    responses(
        (status = 200, description = "The token of a new conversation, for pages of this site", body = EmbedSession),
        (status = 400, description = "The request body is invalid"),
        (status = 403, description = "`embed.origins` does not list the site, the assistant is not `shared` and not listed in \
            `embed.assistants`, or `embed.anonymous` is off"),
        (status = 404, description = "Embedding is off: `embed.origins` is empty"),
        (status = 413, description = "The request body is too large"),
        (status = 429, description = "Too many sessions from this IP address; retry after `Retry-After`"),
    )
)]
pub(crate) async fn start_session(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let embed = &state.options.embed;
    if !embed.is_on() {
        return Err(EmbedError::Off.into());
    }
    let asking = address::origin(&request);
    let Some(origin) = embed.origins.iter().find(|origin| Some(*origin) == asking) else {
        return Err(EmbedError::ForeignOrigin(Asking(asking.map(|asking| echo(asking).into_owned()))).into());
    };
    if !embed.anonymous {
        return Err(EmbedError::NotAnonymous.into());
    }
    state.limits.session(state.options.trusted_proxies.client(&request))?;
    let limit = state.direct_line.options().max_activity_bytes;
    let body = body::read(&request, payload, limit, state.options.body_timeout).await?;
    let owner = owner(&state, wished_assistant(&body)?)?;
    let (grant, user) = state.direct_line.start_embedded(&owner, origin).await?;
    // The bot hears the conversations of the channel; in others their assistants answer.
    let has_bot = state.bot.is_some() && owner == Owner::CHANNEL;
    let session = EmbedSession {
        token: &grant.token,
        conversation_id: &grant.conversation_id,
        user_id: &user,
        expires_in: grant.expires_in,
        title: title(&state, &owner),
        answered: has_bot || state.assistants.answering(&owner).is_some(),
        takes_files: has_bot,
    };
    json(HttpResponse::Ok(), &session)
}

/// The assistant that the request body names.
pub(super) fn wished_assistant(body: &[u8]) -> Result<Option<String>, ParametersError> {
    if body.trim_ascii().is_empty() {
        return Ok(None);
    }
    let body: Value = serde_json::from_slice(body).map_err(ParametersError::NotJson)?;
    let Value::Object(members) = body else {
        return Err(ParametersError::Member { pointer: "", wanted: "an object" });
    };
    match members.get("assistant") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(name)) => Ok(Some(name.clone()).filter(|name| !name.is_empty())),
        Some(_) => Err(ParametersError::Member { pointer: "/assistant", wanted: "the name of an assistant" }),
    }
}

/// The name of the assistant that answers in conversations of this owner, if one is set for readers.
pub(super) fn title(state: &State, owner: &Owner) -> Option<String> {
    let is_of_bot = state.bot.is_some() && *owner == Owner::CHANNEL;
    let assistant = state.assistants.answering(owner).filter(|_| !is_of_bot)?;
    assistant.options().display_name.clone()
}

/// The owner of the conversation. The assistant that answers on the channel need not be listed: it answers whoever
/// chooses none, unless there is a bot, which then does.
fn owner(state: &State, wished: Option<String>) -> Result<Owner, EmbedError> {
    let Some(name) = wished else { return Ok(Owner::CHANNEL) };
    let of_channel = state.assistants.answering(&Owner::CHANNEL).filter(|_| state.bot.is_none());
    if of_channel.is_some_and(|assistant| assistant.name() == name) {
        return Ok(Owner::CHANNEL);
    }
    let is_listed = state.options.embed.assistants.contains(&name) && state.assistants.get(&name).is_some();
    let listed = name.parse().ok().filter(|_| is_listed);
    let owner = state.assistants.shared(&name).or(listed);
    owner.ok_or_else(|| EmbedError::NotOffered(echo(&name).into_owned()))
}
