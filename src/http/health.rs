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
    /// What does not work, but keeps nobody from being served here.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'static [&'static str],
}

/// Answers are right without the bus, so that is no reason to send users elsewhere.
const BUS_IS_DOWN: &[&str] = &["bus: not connected; readers on other nodes see answers when they are whole"];

/// Check that the process is alive.
#[utoipa::path(
    get, path = "/healthz", tag = "operations", operation_id = "liveness",
    responses(
        (status = 200, description = "The server is up", body = Health),
    )
)]
pub(crate) async fn live() -> HttpResponse {
    healthy(&[])
}

/// Check that the server is ready.
///
/// The server is ready while its store works and it is not shutting down. A bus that is down is a warning.
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
    let is_down = state.bus.as_ref().is_some_and(|bus| !bus.is_up());
    Ok(healthy(if is_down { BUS_IS_DOWN } else { &[] }))
}

fn healthy(warnings: &'static [&'static str]) -> HttpResponse {
    HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(Health { status: "ok", warnings })
}
