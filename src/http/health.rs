//! Liveness and readiness of the server.

use actix_web::HttpResponse;
use actix_web::web::Data;
use serde::Serialize;
use utoipa::ToSchema;

use super::{ApiError, State};

/// The state of the server.
#[derive(Serialize, ToSchema)]
struct Health {
    #[schema(example = "ok")]
    status: &'static str,
}

/// Check that the process is alive.
#[utoipa::path(
    get, path = "/healthz", tag = "operations", operation_id = "liveness",
    responses(
        (status = 200, description = "The server is up", body = Health),
    )
)]
pub(crate) async fn live() -> HttpResponse {
    status()
}

/// Check that the server is ready.
///
/// The server is ready while its store works and it is not shutting down.
#[utoipa::path(
    get, path = "/readyz", tag = "operations", operation_id = "readiness",
    responses(
        (status = 200, description = "The server is up", body = Health),
        (status = 503, description = "The server is shutting down, or its store fails"),
    )
)]
pub(crate) async fn ready(state: Data<State>) -> Result<HttpResponse, ApiError> {
    if state.tasks.is_draining() {
        return Err(ApiError::ShuttingDown);
    }
    state.store.ready().await?;
    Ok(status())
}

fn status() -> HttpResponse {
    HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(Health { status: "ok" })
}
