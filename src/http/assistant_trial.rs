//! `/v1/assistants/{name}/try` and `/models`: what a back end says, before readers ask it.

use actix_web::web::{Data, Path, Payload};
use actix_web::{HttpMessage as _, HttpRequest, HttpResponse};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::assistants::manager;
use super::audit::Told;
use super::convert::json;
use super::error::AssistantError;
use super::{ApiError, State, body};
use crate::assistant::{ManageError, Trying};
use crate::secret::Secret;
use crate::upstream::{Address, FailedCall};

/// The settings and the key with which a back end is tried.
#[derive(Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TrialRequest {
    /// The members of the section `[assistants.NAME]`; the stored ones when absent.
    #[schema(value_type = Option<Object>)]
    settings: Option<Map<String, Value>>,
    /// A key that is not stored yet; the stored one when absent, if it was entered for the same address.
    key: Option<String>,
}

/// The outcome of a trial.
#[derive(Serialize, ToSchema)]
pub(crate) struct TrialState {
    /// Whether the back end has answered.
    works: bool,
    /// The time that it took, in milliseconds.
    milliseconds: u64,
    /// The beginning of the answer. Null if there is none.
    answer: Option<String>,
    /// The kind of the problem: `not_allowed`, `unreachable`, `tls`, `key`, `model`, `busy`, `slow` or `unusable`. Null if it works.
    problem: Option<&'static str>,
    /// The problem in words. Null if it works.
    reason: Option<String>,
}

/// The address of a service.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelsRequest {
    /// The URL of the service, as in `upstream.url`.
    #[schema(example = "http://127.0.0.1:11434/v1")]
    url: String,
}

/// The models of a service.
#[derive(Serialize, ToSchema)]
pub(crate) struct ModelsState {
    /// The names of the models, sorted.
    models: Vec<String>,
    /// The kind of the problem, as of a trial. Null if the service has answered.
    problem: Option<&'static str>,
    /// The problem in words. Null if the service has answered.
    reason: Option<String>,
}

/// Try the back end of an assistant.
///
/// Asks it one short question, once, and says in words why it does not answer. The settings need not be stored yet.
#[utoipa::path(
    post, path = "/v1/assistants/{name}/try", tag = "assistants", operation_id = "tryAssistant",
    params(("name" = String, Path, description = "The name of the assistant")),
    request_body(content = Option<TrialRequest>),
    responses(
        (status = 200, description = "The outcome, also if the back end does not answer", body = TrialState),
        (status = 400, description = "The request body is not JSON"),
        (status = 404, description = "The assistant does not exist"),
        (status = 409, description = "The assistant calls no back end, or a key was sent and the settings name one"),
        (status = 413, description = "The request body is too large"),
        (status = 422, description = "A setting is unknown, missing or invalid; `detail` lists all of them"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn attempt(
    state: Data<State>,
    name: Path<String>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let manager = manager(&state)?;
    let body = body::read(&request, payload, state.options.max_body_bytes, state.options.body_timeout).await?;
    let given = if body.trim_ascii().is_empty() { TrialRequest::default() } else { parsed(&body)? };
    let mut trying = Trying { settings: given.settings, ..Trying::default() };
    if let Some(key) = given.key.filter(|key| !key.trim().is_empty()) {
        trying.key = Some(Secret::issued(key.trim()).map_err(|_| AssistantError::from(ManageError::NoKey))?);
    }
    let trial = manager.try_back_end(&name, trying).await.map_err(AssistantError::from)?;
    let trial = trial.ok_or(AssistantError::Unknown)?;
    request.extensions_mut().insert(Told("tried"));
    let milliseconds = u64::try_from(trial.took.as_millis()).unwrap_or(u64::MAX);
    let (answer, failed) = match trial.outcome {
        Ok(answer) => (Some(answer), None),
        Err(failed) => (None, Some(failed)),
    };
    let (problem, reason) = told(failed);
    json(HttpResponse::Ok(), &TrialState { works: answer.is_some(), milliseconds, answer, problem, reason })
}

/// List the models of a service with chat completions.
///
/// For services such as Ollama, LM Studio and llama.cpp, whose models differ from machine to machine. The key of the assistant goes
/// along if it was entered for this address.
#[utoipa::path(
    post, path = "/v1/assistants/{name}/models", tag = "assistants", operation_id = "listBackEndModels",
    params(("name" = String, Path, description = "The name of the assistant")),
    request_body(content = ModelsRequest),
    responses(
        (status = 200, description = "The models, or why there are none", body = ModelsState),
        (status = 400, description = "The request body is not JSON"),
        (status = 404, description = "The assistant does not exist"),
        (status = 409, description = "The configuration file has the assistant"),
        (status = 413, description = "The request body is too large"),
        (status = 422, description = "The URL is invalid"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn models(
    state: Data<State>,
    name: Path<String>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let manager = manager(&state)?;
    let body = body::read(&request, payload, state.options.max_body_bytes, state.options.body_timeout).await?;
    let ModelsRequest { url } = parsed(&body)?;
    let address = Address::parse(&url)
        .map_err(|error| AssistantError::from(ManageError::Invalid(vec![("url".to_owned(), error.to_string())])))?;
    let listed = manager.list_models(&name, &address).await.map_err(AssistantError::from)?;
    let (models, failed) = match listed.ok_or(AssistantError::Unknown)? {
        Ok(models) => (models, None),
        Err(failed) => (Vec::new(), Some(failed)),
    };
    let (problem, reason) = told(failed);
    json(HttpResponse::Ok(), &ModelsState { models, problem, reason })
}

fn told(failed: Option<FailedCall>) -> (Option<&'static str>, Option<String>) {
    failed.map(|FailedCall { problem, words }| (problem.word(), words)).unzip()
}

/// The body as JSON. The words of the parser may repeat a part of a key, so only the place is told.
fn parsed<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, AssistantError> {
    serde_json::from_slice(body)
        .map_err(|error| AssistantError::NotJson(format!("see line {}, column {}", error.line(), error.column())))
}
