//! Liveness and readiness of the server.

use actix_web::HttpResponse;
use actix_web::web::Data;
use serde::Serialize;
use utoipa::ToSchema;

use super::{ApiError, State};
use crate::assistant::Revision;

/// The state of the server.
#[derive(Serialize, ToSchema)]
struct Health {
    #[schema(example = "ok")]
    status: &'static str,
    /// What does not work, but keeps nobody from being served here.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'static [&'static str],
    /// A digest of the assistants, their settings and documents. When all nodes of a cluster show the same, a change has arrived
    /// everywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "8c1f0be2a94d")]
    revision: Option<String>,
    /// How many files of documents are still being read. Until then, assistants answer without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 3)]
    reading: Option<usize>,
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
    healthy(&[], None, 0)
}

/// Check that the server is ready.
///
/// The server is ready while its store works and it is not shutting down. A bus that is down is a warning. With assistants, the
/// answer has their `revision`, and how many files are still being read: the server is ready without them.
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
    let revision = state.assistants.revision();
    let reading = state.assistants.pending_documents();
    Ok(healthy(if is_down { BUS_IS_DOWN } else { &[] }, revision, reading))
}

fn healthy(warnings: &'static [&'static str], revision: Option<Revision>, reading: usize) -> HttpResponse {
    let revision = revision.map(|revision| revision.to_string());
    let reading = Some(reading).filter(|reading| *reading > 0);
    HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(Health {
        status: "ok",
        warnings,
        revision,
        reading,
    })
}
