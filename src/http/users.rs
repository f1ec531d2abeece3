//! `/v1/users`: erases and exports the data of one user, for operators.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};

use super::conversations::lines_of_user;
use super::{ApiError, State};

/// Erase a user.
///
/// The server deletes every conversation of the user, with the activities of all members, its files and its feedback, and
/// closes its streams. A conversation belongs to the user if it was started for them, or if they sent an activity or rated an
/// answer in it. You can repeat the call: it also succeeds if the server stores nothing about the user.
#[utoipa::path(
    delete, path = "/v1/users/{id}", tag = "conversations", operation_id = "eraseUser",
    params(("id" = String, Path, description = "The user id, as in `user.id` and `from.id`")),
    responses(
        (status = 204, description = "The server stores nothing about the user"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn erase(state: Data<State>, id: Path<String>) -> Result<HttpResponse, ApiError> {
    let conversations = state.store.erase(&id).await?;
    tracing::info!(conversations, "the conversations of a user were deleted");
    Ok(HttpResponse::NoContent().finish())
}

/// Export the data of a user.
///
/// The response contains all conversations of the user, one after the other: one JSON object per activity and line, oldest
/// first, with `conversation`, `watermark` and `activity`. The response is empty if the server stores nothing about the user.
#[utoipa::path(
    get, path = "/v1/users/{id}/export", tag = "conversations", operation_id = "exportUser",
    params(("id" = String, Path, description = "The user id, as in `user.id` and `from.id`")),
    responses(
        (status = 200, description = "One activity per line", body = String, content_type = "application/x-ndjson"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn export(state: Data<State>, id: Path<String>) -> Result<HttpResponse, ApiError> {
    let lines = lines_of_user(Arc::clone(&state.store), id.into_inner());
    Ok(HttpResponse::Ok().content_type("application/x-ndjson").streaming(lines))
}
