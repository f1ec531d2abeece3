//! `GET /metrics`: metrics for Prometheus.

use actix_web::HttpResponse;
use actix_web::dev::ServiceRequest;
use actix_web::web::Data;

use super::State;
use super::admission::host::{is_alone, is_local};
use crate::document::waiting_documents;
use crate::metrics::{DocumentCounts, Metrics};
use crate::store::{TurnKind, WaitingTurns};

/// Read the metrics of the server in the Prometheus text format.
///
/// Requests need an API key with the scope `metrics`, unless the server listens on a loopback address, has no `public_url`, and
/// the request comes from the same machine.
#[utoipa::path(
    get, path = "/metrics", tag = "operations", operation_id = "metrics",
    responses(
        (status = 200, description = "The metrics", body = String, content_type = "text/plain"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn metrics(state: Data<State>) -> HttpResponse {
    if let Some(azure) = &state.azure_bot {
        match azure.waiting().await {
            Ok((waiting, oldest)) => state.metrics.queue("azure_bot", waiting, oldest),
            Err(error) => tracing::error!(%error, "waiting turns could not be read from the store"),
        }
    }
    for (kind, queue) in [(TurnKind::Assistant, "assistant"), (TurnKind::Bot, "bot")] {
        match state.store.waiting_turns(kind).await {
            Ok(WaitingTurns { count, oldest }) => {
                let age = oldest.map(|oldest| (state.clock.now() - oldest).to_std().unwrap_or_default());
                state.metrics.queue(queue, count, age.unwrap_or_default());
            }
            Err(error) => tracing::error!(%error, "waiting turns could not be read from the store"),
        }
    }
    let team = state.assistants.all();
    let counts = team.iter().filter_map(|assistant| {
        let library = assistant.library()?;
        let counts = DocumentCounts { unreadable: library.unreadable_count(), partial: library.partial().len() };
        Some((assistant.name(), counts))
    });
    state.metrics.documents(waiting_documents(), counts);
    state.metrics.revision(state.assistants.revision().map(|revision| revision.to_string()).as_deref());
    HttpResponse::Ok()
        .content_type(Metrics::MEDIA_TYPE)
        .insert_header(("cache-control", "no-store"))
        .body(state.metrics.text())
}

/// Whether the metrics are given without a key: to a program on this machine, by a server that no other machine reaches. With a
/// public address there is a proxy, which may be on this machine and say nothing of those for whom it calls.
pub(super) fn is_open_to(state: &State, request: &ServiceRequest) -> bool {
    state.options.public_url.is_none() && is_alone(&state.options) && is_local(request.request())
}
