//! `POST /v1/records`: returns the sources of an answer in one schema for all providers.

use std::sync::Arc;

use actix_web::http::header::HeaderValue;
use actix_web::web::{Bytes, Data, Payload};
use actix_web::{HttpRequest, HttpResponse, web};
use serde_json::value::RawValue;

use super::convert::{LARGE_BYTES, read};
use super::empty_search::tell;
use super::envelope::{EnvelopeError, RecordsRequest, Request};
use super::query::Query;
use super::{ApiError, State};
use crate::channels::{count_support, log_report, stopwatch};
use crate::convert::{grounded, judged, refuse_conflicts};
use crate::ingest::{EmptySearch, empty_search, ingest, source_objects};
use crate::metrics::Metrics;
use crate::output::{Output, Records, Redirectors, records_behind, report_judged};
use crate::report::Report;

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

/// The records of an answer, and the words about it for the log.
pub(super) struct ReadRecords {
    pub(super) records: Records,
    vain: Option<EmptySearch>,
    pub(super) report: Report,
}

pub(super) fn run(
    metrics: &Metrics,
    body: &Bytes,
    query: &Query,
    redirectors: &Redirectors,
) -> Result<ReadRecords, ApiError> {
    let Request { answer: body, at, mut conversion, reshaped } = Request::parse_steps(body, query)?;
    let reshaped = reshaped.map(second_step).transpose()?;
    let mut answer =
        ingest(&body, &conversion.from).map_err(|source| ApiError::Convert { source: source.into(), at })?;
    if conversion.options.ref_is_tracking {
        answer.merge_pages(conversion.options.tracking());
    }
    answer.rescore(&conversion.options.scoring());
    let vain = empty_search(&body, &answer);
    if let Err(source) = grounded(&answer, conversion.options.require_grounding) {
        if let Some(vain) = vain {
            tell(&vain);
        }
        return Err(ApiError::Convert { source, at });
    }
    conversion.stopwatch = Some(stopwatch(metrics));
    let judged = judged(&answer, &conversion);
    if let Some(judged) = &judged {
        refuse_conflicts(judged, conversion.options.require_support)
            .map_err(|source| ApiError::Convert { source, at })?;
    }
    let report = report_judged(&answer, Output::Records, judged.as_ref());
    let objects = source_objects(&body, &answer.sources);
    let claims = judged.map(|judged| judged.claims).unwrap_or_default();
    let records = records_behind(redirectors, &answer, &objects, claims);
    let records = if conversion.options.links_sentences() { records.with_sentences(&answer) } else { records };
    let records = match reshaped {
        Some((text, complete)) => records.reshaped(text, complete),
        None => records,
    };
    Ok(ReadRecords { records, vain, report })
}

/// The text of a second step, and whether it is whole: given as text, or in what its provider sent (rule RC-06).
fn second_step(reshaped: &RawValue) -> Result<(String, bool), ApiError> {
    if let Ok(text) = serde_json::from_str(reshaped.get()) {
        return Ok((text, true));
    }
    if !reshaped.get().starts_with('{') {
        let reason = "the text of the second model, or its response as the provider sent it, is required".to_owned();
        return Err(EnvelopeError::Member { pointer: "/reshaped".to_owned(), reason }.into());
    }
    let answer = ingest(reshaped.get().as_bytes(), None)
        .map_err(|source| ApiError::Convert { source: source.into(), at: "/reshaped" })?;
    Ok((answer.text, answer.complete))
}
