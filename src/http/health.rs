//! Whether the server lives, and whether it can take work.

use actix_web::HttpResponse;
use actix_web::web::Data;
use serde::Serialize;
use utoipa::ToSchema;

use super::{ApiError, State};

/// The server is well.
#[derive(Serialize, ToSchema)]
struct Health {
    #[schema(example = "ok")]
    status: &'static str,
}

/// `GET /healthz`: the process answers.
#[utoipa::path(
    get, path = "/healthz", tag = "operations", operation_id = "liveness",
    responses(
        (status = 200, description = "Yes", body = Health),
    )
)]
pub(crate) async fn live() -> HttpResponse {
    status()
}

/// `GET /readyz`: the store takes work, and no shutdown has begun.
#[utoipa::path(
    get, path = "/readyz", tag = "operations", operation_id = "readiness",
    responses(
        (status = 200, description = "Yes", body = Health),
        (status = 503, description = "Shutting down"),
    )
)]
pub(crate) async fn ready(state: Data<State>) -> Result<HttpResponse, ApiError> {
    if state.tasks.is_ending() {
        return Err(ApiError::ShuttingDown);
    }
    state.store.ready().await?;
    Ok(status())
}

fn status() -> HttpResponse {
    HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(Health { status: "ok" })
}
