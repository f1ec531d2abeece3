//! `/v1/assistants/{name}/key`: the key of an assistant's back end, which is written and never read back.

use actix_web::web::{Data, Path, Payload};
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::assistants::manager;
use super::audit::Told;
use super::convert::json;
use super::error::AssistantError;
use super::{ApiError, State, body};
use crate::assistant::KeyInfo;

/// The key of an assistant's back end.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only the shape: no error may repeat what is wrong with a key, so it is read by hand")]
pub(crate) struct NewKey {
    /// The key, as the service has issued it.
    #[schema(example = "sk-…")]
    key: String,
}

/// The key of an assistant's back end, as far as it is told.
#[derive(Serialize, ToSchema)]
pub(crate) struct KeyState {
    /// Whether a key was entered, and is used.
    set: bool,
    /// The last characters of the key. Null if it is short.
    ends_in: Option<String>,
    /// When the key was entered or dropped.
    #[schema(value_type = Option<String>, format = DateTime)]
    since: Option<DateTime<Utc>>,
    /// The origin of the only addresses to which the key goes. Null if no key can be entered: the assistant calls no back end, or its
    /// settings name a key.
    #[schema(example = "https://api.openai.com")]
    origin: Option<String>,
    /// The secret of the configuration file that the settings name in `key_env`.
    named: Option<String>,
    /// Why a key that was entered is not used: it was dropped because the address changed, or the secret of the server is another one.
    fault: Option<String>,
}

impl From<KeyInfo> for KeyState {
    fn from(info: KeyInfo) -> Self {
        let KeyInfo { is_set, ends_in, since, origin, named, fault } = info;
        Self { set: is_set, ends_in, since, origin, named, fault }
    }
}

/// Say whether a key is stored for an assistant's back end.
///
/// The key itself is never in a response, in exported settings or in the log.
#[utoipa::path(
    get, path = "/v1/assistants/{name}/key", tag = "assistants", operation_id = "readAssistantKey",
    params(("name" = String, Path, description = "The name of the assistant")),
    responses(
        (status = 200, description = "The state of the key", body = KeyState),
        (status = 404, description = "The assistant does not exist"),
        (status = 409, description = "The configuration file has the assistant: its key is there"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn read(state: Data<State>, name: Path<String>) -> Result<HttpResponse, ApiError> {
    let key = manager(&state)?.key(&name).await.map_err(AssistantError::from)?;
    json(HttpResponse::Ok(), &KeyState::from(key.ok_or(AssistantError::Unknown)?))
}

/// Store the key of an assistant's back end.
///
/// The key is encrypted with a key that follows from `direct_line_secret`, and is used from the next question on. It goes to the
/// address alone that the back end has now: settings with another address drop it.
#[utoipa::path(
    put, path = "/v1/assistants/{name}/key", tag = "assistants", operation_id = "storeAssistantKey",
    params(("name" = String, Path, description = "The name of the assistant")),
    request_body(content = NewKey),
    responses(
        (status = 200, description = "The key was stored", body = KeyState),
        (status = 400, description = "The request body is not JSON"),
        (status = 404, description = "The assistant does not exist"),
        (status = 409, description = "The configuration file has the assistant, it calls no back end, or its settings name a key"),
        (status = 413, description = "The request body is too large"),
        (status = 422, description = "The text cannot be a key"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn store(
    state: Data<State>,
    name: Path<String>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let manager = manager(&state)?;
    let body = body::read(&request, payload, state.options.max_body_bytes, state.options.body_timeout).await?;
    // The words of a parser may repeat a part of the key.
    let given: Value =
        serde_json::from_slice(&body).map_err(|_| AssistantError::NotJson("a key is required".to_owned()))?;
    let key = given.get("key").and_then(Value::as_str).unwrap_or_default();
    let stored = manager.put_key(&name, key).await.map_err(AssistantError::from)?.ok_or(AssistantError::Unknown)?;
    request.extensions_mut().insert(Told("key stored"));
    json(HttpResponse::Ok(), &KeyState::from(stored))
}

/// Delete the key of an assistant's back end.
#[utoipa::path(
    delete, path = "/v1/assistants/{name}/key", tag = "assistants", operation_id = "deleteAssistantKey",
    params(("name" = String, Path, description = "The name of the assistant")),
    responses(
        (status = 204, description = "The assistant has no key of its own any more"),
        (status = 404, description = "There was no key"),
        (status = 409, description = "The configuration file has the assistant: its key is there"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn delete(state: Data<State>, name: Path<String>) -> Result<HttpResponse, ApiError> {
    let was_there = manager(&state)?.delete_key(&name).await.map_err(AssistantError::from)?;
    if was_there { Ok(HttpResponse::NoContent().finish()) } else { Err(AssistantError::NoKey.into()) }
}
