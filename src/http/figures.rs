//! `GET /metrics`: figures for Prometheus.

use actix_web::HttpResponse;
use actix_web::dev::ServiceRequest;
use actix_web::web::Data;

use super::State;
use super::door::host::{is_alone, is_local};
use crate::metrics::Metrics;

/// The figures of the server, in the text format of Prometheus.
///
/// A server that only this machine reaches tells them without a key. Elsewhere they need a key with the scope `metrics`.
#[utoipa::path(
    get, path = "/metrics", tag = "operations", operation_id = "metrics",
    responses(
        (status = 200, description = "The figures", body = String, content_type = "text/plain"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn metrics(state: Data<State>) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(Metrics::MEDIA_TYPE)
        .insert_header(("cache-control", "no-store"))
        .body(state.metrics.text())
}

/// Whether the figures are told without a key: to a program on this machine, by a server that no other machine reaches.
pub(super) fn is_open_to(state: &State, request: &ServiceRequest) -> bool {
    is_alone(&state.options) && is_local(request.request())
}
