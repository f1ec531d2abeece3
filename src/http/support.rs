//! `POST /v1/support`: says whether the sources of an answer hold what it cites them for.

use actix_web::web::{self, Bytes, Data, Payload};
use actix_web::{HttpRequest, HttpResponse};

use super::convert::{LARGE_BYTES, json, read};
use super::envelope::AnswerRequest;
use super::query::Query;
use super::{ApiError, State};
use crate::calls::{CallError, Request};
use crate::channels::log_report;
use crate::claims::{Claims, claims};
use crate::ingest::ingest;
use crate::output::{Output, report};

/// Check the citations of an answer.
///
/// For each group of badges: the part of the text that it stands for, and whether the passages of its sources hold it. No model is
/// asked: `supported-words` says that nothing speaks against the part, not that it is true, and `unknown` that only a model could
/// decide.
#[utoipa::path(
    post, path = "/v1/support", tag = "answers", operation_id = "checkSupport",
    params(
        ("from" = Option<String>, Query, description = "The format of a raw body; detected when absent"),
    ),
    request_body(content = AnswerRequest, description = "An answer, complete or as a stream, wrapped or raw"),
    responses(
        (status = 200, description = "The claims of the answer", body = Claims),
        (status = 400, description = "The request body is invalid"),
        (status = 413, description = "The request body, or one event of the stream in it, is too large"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn check_support(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let body = read(&state, &request, payload).await?;
    let query = Query::of(&request);
    let answer =
        if body.len() < LARGE_BYTES { run(&body, &query)? } else { web::block(move || run(&body, &query)).await?? };
    json(HttpResponse::Ok(), &answer)
}

fn run(body: &Bytes, query: &Query) -> Result<Claims, ApiError> {
    let Request { answer: body, at, conversion, .. } = Request::parse(body, &query.named())?;
    let answer = ingest(&body, &conversion.from).map_err(|source| CallError::Convert { source: source.into(), at })?;
    if !answer.warnings.is_empty() {
        log_report(&report(&answer, Output::Records));
    }
    Ok(claims(&answer))
}
