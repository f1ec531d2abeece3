//! `GET /v1/models`: lists the assistants as OpenAI models.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Serialize;
use utoipa::ToSchema;

use super::CompletionError;
use crate::assistant::Assistant;
use crate::http::convert::json;
use crate::http::{ApiError, State};

/// An assistant as a model.
#[derive(Serialize, ToSchema)]
pub(crate) struct ModelEntry<'a> {
    /// The name of the assistant: send it as `model`.
    #[schema(example = "handbook")]
    id: &'a str,
    #[schema(example = "model")]
    object: &'static str,
    /// Always 0.
    created: u64,
    #[schema(example = "citewire")]
    owned_by: &'static str,
    /// The name that clients display.
    name: &'a str,
}

/// The list of assistants.
#[derive(Serialize, ToSchema)]
pub(crate) struct ModelList<'a> {
    #[schema(example = "list")]
    object: &'static str,
    data: Vec<ModelEntry<'a>>,
}

impl<'a> ModelEntry<'a> {
    fn of(assistant: &'a Assistant) -> Self {
        let name = assistant.display_name();
        Self { id: assistant.name(), object: "model", created: 0, owned_by: "citewire", name }
    }
}

/// List the assistants as models.
#[utoipa::path(
    get, path = "/v1/models", tag = "chat completions", operation_id = "listModels",
    responses(
        (status = 200, description = "The assistants, sorted by name", body = ModelList),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn list_models(state: Data<State>) -> Result<HttpResponse, ApiError> {
    let assistants = state.assistants.all();
    let data = assistants.iter().map(|assistant| ModelEntry::of(assistant)).collect();
    json(HttpResponse::Ok(), &ModelList { object: "list", data })
}

/// Read one assistant as a model.
#[utoipa::path(
    get, path = "/v1/models/{id}", tag = "chat completions", operation_id = "readModel",
    params(("id" = String, Path, description = "The name of the assistant")),
    responses(
        (status = 200, description = "The assistant", body = ModelEntry),
        (status = 404, description = "The model does not exist"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn read_model(state: Data<State>, id: Path<String>) -> Result<HttpResponse, ApiError> {
    let id = id.into_inner();
    let assistant = state.assistants.get(&id).ok_or(CompletionError::UnknownModel { model: id })?;
    json(HttpResponse::Ok(), &ModelEntry::of(&assistant))
}
