//! `GET /v1/models`: the assistants, as clients of OpenAI list models.

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use serde::Serialize;

use super::CompletionError;
use crate::assistant::Assistant;
use crate::http::convert::json;
use crate::http::schema::{ModelEntry, ModelList};
use crate::http::{Fault, State};

/// One model. When it was made is known to nobody.
#[derive(Serialize)]
struct Model<'a> {
    id: &'a str,
    object: &'static str,
    created: u64,
    owned_by: &'static str,
    name: &'a str,
}

#[derive(Serialize)]
struct List<'a> {
    object: &'static str,
    data: Vec<Model<'a>>,
}

impl<'a> Model<'a> {
    fn of(assistant: &'a Assistant) -> Self {
        let name = assistant.name();
        Self { id: name, object: "model", created: 0, owned_by: "citewire", name }
    }
}

/// List the assistants as models.
#[utoipa::path(
    get, path = "/v1/models", tag = "chat completions", operation_id = "listModels",
    responses(
        (status = 200, description = "The assistants, by name", body = ModelList),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn list_models(state: Data<State>) -> Result<HttpResponse, Fault> {
    let assistants = state.assistants.all();
    let data = assistants.iter().map(|assistant| Model::of(assistant)).collect();
    json(HttpResponse::Ok(), &List { object: "list", data })
}

/// One assistant as a model.
#[utoipa::path(
    get, path = "/v1/models/{id}", tag = "chat completions", operation_id = "readModel",
    params(("id" = String, Path, description = "The name of the assistant")),
    responses(
        (status = 200, description = "The assistant", body = ModelEntry),
        (status = 404, description = "No such model"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn read_model(state: Data<State>, id: Path<String>) -> Result<HttpResponse, Fault> {
    let id = id.into_inner();
    let assistant = state.assistants.get(&id).ok_or(CompletionError::UnknownModel { model: id })?;
    json(HttpResponse::Ok(), &Model::of(&assistant))
}
