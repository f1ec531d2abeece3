//! `POST /v1/records`: returns the sources of an answer in one schema for all providers.

use std::sync::Arc;

use actix_web::http::header::HeaderValue;
use actix_web::web::{Bytes, Data, Payload};
use actix_web::{HttpRequest, HttpResponse, web};

use super::convert::{LARGE_BYTES, read};
use super::empty_search::{log_empty_search, tell};
use super::envelope::RecordsRequest;
use super::query::Query;
use super::{ApiError, State};
use crate::calls::{self, CallError, ReadRecords, Request};
use crate::channels::{count_support, log_report, stopwatch};
use crate::metrics::Metrics;
use crate::output::{Records, Redirectors};

/// Read the sources of an answer.
///
/// The schema is the same for all providers. Every key is present; unknown values are null. The route uses the options
/// `require_grounding`, `require_support`, `ref_is_tracking`, `sentence_links`, `rerank_max`, `bm25_max` and `prefer_rerank`,
/// and ignores `channel` and all other options.
///
/// If a second model rewrites the grounded answer, send the grounded answer as `answer` and the result of the second model as
/// `reshaped`: its text, or its response as the provider sent it. The response then contains the sources of `answer` and the
/// text of `reshaped`, which citewire does not scan for markers.
#[utoipa::path(
    post, path = "/v1/records", tag = "answers", operation_id = "readRecords",
    params(
        ("from" = Option<String>, Query, description = "The format of a raw body; detected when absent"),
    ),
    request_body(content = RecordsRequest, description = "An answer, complete or as a stream, wrapped or raw"),
    responses(
        (status = 200, description = "The answer and its sources", body = Records),
        (status = 400, description = "The request body is invalid"),
        (status = 413, description = "The request body, or one event of the stream in it, is too large"),
        (status = 422, description = "The answer lacks the grounding or the support that the options ask for"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn read_records(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let body = read(&state, &request, payload).await?;
    let query = Query::of(&request);
    let redirectors = Arc::clone(&state.options.redirectors);
    let ReadRecords { mut records, vain, report } = if body.len() < LARGE_BYTES {
        run(&state.metrics, &body, &query, &redirectors)?
    } else {
        let metrics = state.metrics.clone();
        web::block(move || run(&metrics, &body, &query, &redirectors)).await??
    };
    log_report(&report);
    state.metrics.sources(report.sources.by_outcome());
    count_support(&state.metrics, &report.support);
    if let Some(vain) = vain {
        tell(&vain);
    }
    if let Some(redirects) = &state.redirects {
        redirects.settle(&mut records).await;
    }
    // Records hold objects of the provider as `RawValue`s, which only this writer knows.
    let body = serde_json::to_vec(&records).map_err(|error| ApiError::Unwritable(error.into()))?;
    Ok(HttpResponse::Ok().content_type(HeaderValue::from_static("application/json")).body(body))
}

pub(super) fn run(
    metrics: &Metrics,
    body: &Bytes,
    query: &Query,
    redirectors: &Redirectors,
) -> Result<ReadRecords, ApiError> {
    let mut request = Request::parse_steps(body, &query.named())?;
    request.conversion.stopwatch = Some(stopwatch(metrics));
    let read = calls::records(&request, redirectors);
    if let Err(CallError::Convert { source, .. }) = &read
        && source.is_refusal()
    {
        log_empty_search(&request.answer, &request.conversion.from);
    }
    Ok(read?)
}
