//! `/v1/users`: what is kept of one user, for those who run the server.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};

use super::conversations::lines_of_user;
use super::{ApiError, State};

/// Erase a user.
///
/// Every conversation to which the user belongs is deleted whole, with the activities of all who are in it, its files and its
/// feedback, and its streams are closed. A user belongs to a conversation that was started for them, in which they have sent an
/// activity, or in which they have rated an answer. A user of whom nothing is kept is erased already, so the call can be repeated.
#[utoipa::path(
    delete, path = "/v1/users/{id}", tag = "conversations", operation_id = "eraseUser",
    params(("id" = String, Path, description = "The id of the user's account, as `user.id` and `from.id` have it")),
    responses(
        (status = 204, description = "Nothing is kept of the user"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn erase(state: Data<State>, id: Path<String>) -> Result<HttpResponse, ApiError> {
    let conversations = state.store.erase(&id).await?;
    tracing::info!(conversations, "the conversations of a user were deleted");
    Ok(HttpResponse::NoContent().finish())
}

/// Export what is kept of a user.
///
/// Every conversation to which the user belongs, one after the other, whole: one JSON object a line, oldest first in each:
/// `conversation`, `watermark`, `activity`. No line where nothing is kept.
#[utoipa::path(
    get, path = "/v1/users/{id}/export", tag = "conversations", operation_id = "exportUser",
    params(("id" = String, Path, description = "The id of the user's account, as `user.id` and `from.id` have it")),
    responses(
        (status = 200, description = "The activities, one a line", body = String, content_type = "application/x-ndjson"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn export(state: Data<State>, id: Path<String>) -> Result<HttpResponse, ApiError> {
    let lines = lines_of_user(Arc::clone(&state.store), id.into_inner());
    Ok(HttpResponse::Ok().content_type("application/x-ndjson").streaming(lines))
}
