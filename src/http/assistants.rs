//! `/v1/assistants`: the assistants of this server and their settings.

use actix_web::http::StatusCode;
use actix_web::http::header::{self, ETag, EntityTag, Header as _, HeaderValue, IfMatch, IfNoneMatch};
use actix_web::web::{Data, Path, Payload};
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::audit::StoredVersion;
use super::convert::json;
use super::direct_line::ConversationGrant;
use super::error::AssistantError;
use super::{ApiError, State, body, token_parameters};
use crate::assistant::{AssistantInfo, AssistantManager, Origin};
use crate::channels::direct_line::Caller;
use crate::store::{DeleteAssistant, Expected, PutAssistant};

/// The media type of settings as a section of the configuration file.
const TOML: &str = "application/toml";

/// An assistant in the list.
#[derive(Serialize, ToSchema)]
pub(crate) struct ListedAssistant<'a> {
    /// The name.
    #[schema(example = "hr")]
    name: &'a str,
    /// Where the settings are: `store`, `configuration` (read-only over HTTP) or `built-in`.
    origin: &'static str,
    /// The version of the settings, as in the `ETag`. Null if the assistant is read-only.
    version: Option<u64>,
    /// When the settings were stored. Null if the assistant is read-only.
    #[schema(value_type = Option<String>, format = DateTime)]
    changed: Option<DateTime<Utc>>,
    /// Why the assistant does not answer. Null if it does.
    fault: Option<&'a str>,
    /// Whether documents can be uploaded to the assistant.
    takes_documents: bool,
}

/// The assistants of this server.
#[derive(Serialize, ToSchema)]
pub(crate) struct AssistantList<'a> {
    /// The assistants, by name.
    assistants: Vec<ListedAssistant<'a>>,
}

/// The members of a section `[assistants.NAME]`, as JSON.
#[derive(ToSchema)]
#[schema(value_type = Object)]
#[expect(dead_code, reason = "only the shape: the JSON schema of the configuration file has the members")]
pub(crate) struct AssistantSettings(Map<String, Value>);

/// List the assistants.
///
/// With `Accept: application/toml`, the response contains the assistants of the store as sections of a configuration file.
#[utoipa::path(
    get, path = "/v1/assistants", tag = "assistants", operation_id = "listAssistants",
    responses((status = 200, description = "All assistants", body = AssistantList)),
    security(("api_key" = []))
)]
pub(crate) async fn list(state: Data<State>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let all = manager(&state)?.list().await;
    if wants_toml(&request) {
        let stored = all.iter().filter(|info| info.origin == Origin::Store);
        return toml(stored.map(|info| (info.name.as_str(), &info.settings)));
    }
    let listed = |info: &'_ AssistantInfo| -> (&'static str, bool) {
        let origin = match info.origin {
            Origin::Configuration => "configuration",
            Origin::Store => "store",
            Origin::BuiltIn => "built-in",
        };
        (origin, info.origin == Origin::Store && info.settings.contains_key("documents"))
    };
    let assistants = all.iter().map(|info| {
        let (origin, takes_documents) = listed(info);
        let AssistantInfo { name, version, changed, fault, .. } = info;
        ListedAssistant { name, origin, version: *version, changed: *changed, fault: fault.as_deref(), takes_documents }
    });
    json(HttpResponse::Ok(), &AssistantList { assistants: assistants.collect() })
}

/// Read the settings of an assistant.
///
/// The response contains the members of the section `[assistants.NAME]`. The `ETag` is the version; an assistant of the
/// configuration file has none. With `Accept: application/toml`, the response is the section itself.
#[utoipa::path(
    get, path = "/v1/assistants/{name}", tag = "assistants", operation_id = "readAssistant",
    params(("name" = String, Path, description = "The name of the assistant")),
    responses(
        (status = 200, description = "The settings", body = AssistantSettings, headers(("ETag" = String))),
        (status = 404, description = "The assistant does not exist"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn read(
    state: Data<State>,
    name: Path<String>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let all = manager(&state)?.list().await;
    let info = all.iter().find(|info| info.name == *name).ok_or(AssistantError::Unknown)?;
    if wants_toml(&request) {
        return toml([(info.name.as_str(), &info.settings)]);
    }
    settings(StatusCode::OK, &info.settings, info.version)
}

/// Store an assistant.
///
/// The body contains the members of the section `[assistants.NAME]`, as JSON or, with `Content-Type: application/toml`, as TOML.
/// It replaces all settings; they apply from the next question on. `documents: {}` stands for uploaded documents; without
/// `upstream`, the assistant answers with sentences of its documents. Keys are named by their names in the section `[secrets]`
/// of the configuration file. Send `If-Match` with the `ETag` that you have read, so that you do not overwrite the change of
/// somebody else, or `If-None-Match: *` to create an assistant only if there is none.
#[utoipa::path(
    put, path = "/v1/assistants/{name}", tag = "assistants", operation_id = "storeAssistant",
    params(("name" = String, Path, description = "The name: 1 to 40 characters of a-z 0-9 - _, beginning with a letter")),
    request_body(content = AssistantSettings),
    responses(
        (status = 200, description = "The settings were replaced", body = AssistantSettings, headers(("ETag" = String))),
        (status = 201, description = "The assistant was created", body = AssistantSettings, headers(("ETag" = String))),
        (status = 400, description = "The request body is neither JSON nor TOML"),
        (status = 409, description = "The configuration file has an assistant of this name: change it there; or \
            `secret_env` names the secret of something else"),
        (status = 412, description = "The stored version differs from `If-Match`, or `If-None-Match: *` was sent and the \
            assistant exists"),
        (status = 413, description = "The request body is too large"),
        (status = 422, description = "A setting is unknown, missing or invalid; `detail` lists all of them"),
        (status = 429, description = "The store is full"),
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
    let given = if body::is_of_type(&request, TOML) { of_toml(&name, &body) } else { of_json(&body) }?;
    let put = manager.put(&name, given.clone(), expected(&request)?).await.map_err(AssistantError::from)?;
    match put {
        PutAssistant::Created(version) => stored(&request, StatusCode::CREATED, &given, version),
        PutAssistant::Replaced(version) => stored(&request, StatusCode::OK, &given, version),
        PutAssistant::Conflict => Err(AssistantError::Changed.into()),
    }
}

/// Delete an assistant.
///
/// Its documents are deleted with it. Conversations stay.
#[utoipa::path(
    delete, path = "/v1/assistants/{name}", tag = "assistants", operation_id = "deleteAssistant",
    params(("name" = String, Path, description = "The name of the assistant")),
    responses(
        (status = 204, description = "The assistant was deleted"),
        (status = 404, description = "The assistant does not exist"),
        (status = 409, description = "The assistant is part of the configuration file, or a setting of it names the \
            assistant: change that first"),
        (status = 412, description = "The stored version differs from `If-Match`"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn delete(
    state: Data<State>,
    name: Path<String>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    let deleted = manager(&state)?.delete(&name, expected(&request)?).await.map_err(AssistantError::from)?;
    match deleted {
        DeleteAssistant::Deleted => Ok(HttpResponse::NoContent().finish()),
        DeleteAssistant::Unknown => Err(AssistantError::Unknown.into()),
        DeleteAssistant::Conflict => Err(AssistantError::Changed.into()),
    }
}

/// Generate a token for a conversation with an assistant.
///
/// The response is that of `POST /v3/directline/tokens/generate`. Give the token to a Web Chat: the assistant answers in its
/// conversation.
#[utoipa::path(
    post, path = "/v1/assistants/{name}/tokens", tag = "assistants", operation_id = "generateAssistantToken",
    params(("name" = String, Path, description = "The name of the assistant")),
    request_body(content = Option<token_parameters::TokenParameters>),
    responses(
        (status = 200, description = "A token for a new conversation", body = ConversationGrant),
        (status = 400, description = "The request body is invalid"),
        (status = 404, description = "The assistant does not exist"),
        (status = 413, description = "The request body is too large"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn generate_token(
    state: Data<State>,
    name: Path<String>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let options = state.direct_line.options();
    let body = body::read(&request, payload, options.max_activity_bytes, state.options.body_timeout).await?;
    let assistant = state.assistants.get(&name).ok_or(AssistantError::Unknown)?;
    let owner = assistant.name().parse().map_err(|_| AssistantError::Unknown)?;
    let grant = state.direct_line.generate(&Caller::Secret(owner), token_parameters::read(&body)?)?;
    json(HttpResponse::Ok(), &ConversationGrant::from(&grant))
}

/// The manager through which assistants of this server change.
pub(super) fn manager(state: &State) -> Result<&AssistantManager, AssistantError> {
    state.manager.as_deref().ok_or(AssistantError::NotManaged)
}

fn wants_toml(request: &HttpRequest) -> bool {
    let accept = request.headers().get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|accept| accept.trim_start().starts_with(TOML))
}

/// The version that a change expects: `If-Match` and `If-None-Match` (RFC 9110, section 13.1). Versions are compared strongly.
fn expected(request: &HttpRequest) -> Result<Expected, ApiError> {
    let malformed = |_| AssistantError::Changed;
    if request.headers().contains_key(header::IF_MATCH) {
        return Ok(match IfMatch::parse(request).map_err(malformed)? {
            IfMatch::Any => Expected::Something,
            IfMatch::Items(tags) => {
                let version = tags.iter().filter(|tag| !tag.weak).find_map(|tag| tag.tag().parse().ok());
                // No version has this number, so that a foreign tag matches none.
                Expected::Version(version.unwrap_or(u64::MAX))
            }
        });
    }
    if request.headers().contains_key(header::IF_NONE_MATCH) {
        let given = IfNoneMatch::parse(request).map_err(malformed)?;
        return Ok(if given == IfNoneMatch::Any { Expected::Nothing } else { Expected::Anything });
    }
    Ok(Expected::Anything)
}

fn of_json(body: &[u8]) -> Result<Map<String, Value>, AssistantError> {
    match serde_json::from_slice(body).map_err(|error| AssistantError::NotJson(error.to_string()))? {
        Value::Object(settings) => Ok(settings),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(AssistantError::NotAnObject)
        }
    }
}

/// The members of a section, or a file with the section itself.
fn of_toml(name: &str, body: &[u8]) -> Result<Map<String, Value>, AssistantError> {
    let text = std::str::from_utf8(body).map_err(|error| AssistantError::NotToml(error.to_string()))?;
    let table: toml::Table = text
        .trim_start_matches('\u{feff}')
        .parse()
        .map_err(|error: toml::de::Error| AssistantError::NotToml(error.message().to_owned()))?;
    let settings = serde_json::to_value(table).map_err(|error| AssistantError::NotToml(error.to_string()))?;
    let section = settings.pointer(&format!("/assistants/{name}")).unwrap_or(&settings);
    section.as_object().cloned().ok_or(AssistantError::NotAnObject)
}

fn stored(
    request: &HttpRequest,
    status: StatusCode,
    given: &Map<String, Value>,
    version: u64,
) -> Result<HttpResponse, ApiError> {
    request.extensions_mut().insert(StoredVersion(version));
    settings(status, given, Some(version))
}

fn settings(status: StatusCode, settings: &Map<String, Value>, version: Option<u64>) -> Result<HttpResponse, ApiError> {
    let mut builder = HttpResponse::build(status);
    if let Some(version) = version {
        builder.insert_header(ETag(EntityTag::new_strong(version.to_string())));
    }
    json(builder, settings)
}

/// Settings as sections of a configuration file.
fn toml<'a>(assistants: impl IntoIterator<Item = (&'a str, &'a Map<String, Value>)>) -> Result<HttpResponse, ApiError> {
    let sections: Map<String, Value> =
        assistants.into_iter().map(|(name, settings)| (name.to_owned(), Value::Object(settings.clone()))).collect();
    let file = serde_json::json!({ "assistants": sections });
    let text = toml::to_string_pretty(&file).map_err(|error| ApiError::Unwritable(error.into()))?;
    Ok(HttpResponse::Ok().content_type(HeaderValue::from_static("application/toml; charset=utf-8")).body(text))
}
