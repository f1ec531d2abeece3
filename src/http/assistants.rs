//! `/v1/assistants`: the assistants of this server and their settings.

use actix_web::http::StatusCode;
use actix_web::http::header::{self, ETag, EntityTag, Header as _, HeaderValue, IfMatch, IfNoneMatch};
use actix_web::web::{Data, Path, Payload};
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse};
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::audit::{StoredVersion, Told};
use super::convert::json;
use super::direct_line::ConversationGrant;
use super::error::AssistantError;
use super::{ApiError, State, body, token_parameters};
use crate::assistant::{AssistantInfo, AssistantManager, ChannelChoice, Origin};
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
    /// The name that readers see.
    #[schema(example = "Human Resources")]
    display_name: &'a str,
    /// Whether the assistant answers on the page of this server.
    answers_page: bool,
    /// Whether visitors of the page and of embedding sites may choose the assistant.
    shared: bool,
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
    page: PageAssistant<'a>,
    embed: EmbedState<'a>,
}

/// The assistant that answers on the page of this server.
#[derive(Serialize, ToSchema)]
pub(crate) struct PageAssistant<'a> {
    /// Whether the page is served at all.
    served: bool,
    /// The name of the assistant. Null if none answers, or a bot does.
    assistant: Option<&'a str>,
    /// The assistant of the configuration, which answers if no other one is chosen.
    configured: Option<&'a str>,
    /// Whether the assistant was chosen over HTTP.
    chosen: bool,
    /// The setting of the configuration by which a bot answers, so that no assistant can be chosen.
    taken_by: Option<&'static str>,
}

/// The settings of the chat in pages of other sites.
#[derive(Serialize, ToSchema)]
pub(crate) struct EmbedState<'a> {
    /// The sites: `embed.origins`.
    origins: Vec<&'a str>,
    /// Whether visitors of these sites need no token: `embed.anonymous`.
    anonymous: bool,
}

impl<'a> PageAssistant<'a> {
    fn of(state: &State, choice: &'a ChannelChoice) -> Self {
        Self {
            served: state.options.page,
            assistant: choice.assistant.as_deref(),
            configured: choice.configured.as_deref(),
            chosen: choice.is_chosen,
            taken_by: choice.taken_by,
        }
    }
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
    let manager = manager(&state)?;
    let (all, choice) = (manager.list().await, manager.channel().await);
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
        let AssistantInfo { name, version, changed, fault, settings, .. } = info;
        ListedAssistant {
            name,
            display_name: settings.get("display_name").and_then(Value::as_str).unwrap_or(name),
            answers_page: choice.assistant.as_ref() == Some(name),
            shared: settings.get("shared") == Some(&Value::Bool(true)),
            origin,
            version: *version,
            changed: *changed,
            fault: fault.as_deref(),
            takes_documents,
        }
    });
    let options = &state.options.embed;
    let embed = EmbedState { origins: options.origins.iter().collect(), anonymous: options.anonymous };
    let page = PageAssistant::of(&state, &choice);
    json(HttpResponse::Ok(), &AssistantList { assistants: assistants.collect(), page, embed })
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

/// Let an assistant answer on the page of this server.
///
/// The assistant answers in new conversations of the page, and in those of the channel itself, from the next question on. The setting
/// `assistant` of the configuration is the default.
#[utoipa::path(
    put, path = "/v1/assistants/{name}/page", tag = "assistants", operation_id = "showAssistantOnPage",
    params(("name" = String, Path, description = "The name of the assistant")),
    responses(
        (status = 204, description = "The assistant answers on the page"),
        (status = 404, description = "The assistant does not exist"),
        (status = 409, description = "A bot of the configuration answers on the page"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn show_on_page(
    state: Data<State>,
    name: Path<String>,
    request: HttpRequest,
) -> Result<HttpResponse, ApiError> {
    choose(&state, &name, true).await?;
    request.extensions_mut().insert(Told("stored"));
    Ok(HttpResponse::NoContent().finish())
}

/// Leave the page of this server to the assistant of the configuration.
///
/// Nothing changes if another assistant answers on the page.
#[utoipa::path(
    delete, path = "/v1/assistants/{name}/page", tag = "assistants", operation_id = "takeAssistantFromPage",
    params(("name" = String, Path, description = "The name of the assistant")),
    responses(
        (status = 204, description = "The assistant is not the chosen one"),
        (status = 404, description = "The assistant does not exist"),
        (status = 409, description = "A bot of the configuration answers on the page"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn take_from_page(state: Data<State>, name: Path<String>) -> Result<HttpResponse, ApiError> {
    choose(&state, &name, false).await?;
    Ok(HttpResponse::NoContent().finish())
}

async fn choose(state: &State, name: &str, is_wanted: bool) -> Result<(), AssistantError> {
    let is_known = manager(state)?.choose_for_channel(name, is_wanted).await?;
    if is_known { Ok(()) } else { Err(AssistantError::Unknown) }
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
