//! Liveness and readiness of the server.

use actix_web::HttpResponse;
use actix_web::web::Data;
use serde::Serialize;
use utoipa::ToSchema;

use super::{ApiError, State};
use crate::assistant::Revision;

/// The state of the server.
#[derive(Serialize, ToSchema)]
#[schema(as = Health)]
struct HealthReport {
    #[schema(example = "ok")]
    status: &'static str,
    /// Faults that do not keep this server from serving requests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
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
const BUS_IS_DOWN: &str = "bus: not connected; readers on other nodes see answers when they are whole";

/// Each node alone serves its readers correctly; readers who go from one to the other are refused.
const OTHER_SECRETS: &str = "secrets: other nodes of the database have other secrets, and refuse the tokens of this one; \
                             the log names them";

/// Check that the process is alive.
#[utoipa::path(
    get, path = "/healthz", tag = "operations", operation_id = "liveness",
    responses(
        (status = 200, description = "The server is up", body = HealthReport),
    )
)]
pub(crate) async fn live() -> HttpResponse {
    healthy(Vec::new(), None, 0)
}

/// Check that the server is ready.
///
/// The server is ready while its store works and it is not shutting down. A bus that is down, and nodes with other secrets, are
/// warnings. With assistants, the answer has their `revision`, and how many files are still being read: the server is ready
/// without them.
#[utoipa::path(
    get, path = "/readyz", tag = "operations", operation_id = "readiness",
    responses(
        (status = 200, description = "The server is up", body = HealthReport),
        (status = 503, description = "The server is shutting down, or its store fails"),
    )
)]
pub(crate) async fn ready(state: Data<State>) -> Result<HttpResponse, ApiError> {
    if state.tasks.is_draining() {
        return Err(ApiError::ShuttingDown);
    }
    state.store.ready().await?;
    let is_down = state.bus.as_ref().is_some_and(|bus| !bus.is_up());
    // Asked for first: a revision without files that are being read is then that of all of them.
    let reading = state.assistants.pending_documents();
    let revision = state.assistants.revision();
    let has_strangers = !state.store.strangers().is_empty();
    let warnings = [(is_down, BUS_IS_DOWN), (has_strangers, OTHER_SECRETS)];
    let warnings = warnings.into_iter().filter(|(holds, _)| *holds).map(|(_, warning)| warning.to_owned());
    Ok(healthy(warnings.collect(), revision, reading))
}

fn healthy(warnings: Vec<String>, revision: Option<Revision>, reading: usize) -> HttpResponse {
    let revision = revision.map(|revision| revision.to_string());
    let reading = Some(reading).filter(|reading| *reading > 0);
    HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(HealthReport {
        status: "ok",
        warnings,
        revision,
        reading,
    })
}
