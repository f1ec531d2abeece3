//! `POST /v1/open-webui`, `POST /v1/assistanthub` and `POST /v1/prompt`: output for other programs.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::web::{Bytes, Data, Payload};
use actix_web::{HttpRequest, HttpResponse, web};
use futures_util::{Stream, StreamExt as _, stream};
use serde_json::json;

use super::body::{self, BodyError};
use super::convert::{LARGE_BYTES, read};
use super::empty_search::log_empty_search;
use super::envelope::AnswerRequest;
use super::query::Query;
use super::tasks::Tasks;
use super::{ApiError, State};
use crate::answer::Answer;
use crate::calls::{self, CallError, EnvelopeError, PromptRequest, Request};
use crate::channels::{count_support, log_report, stopwatch};
use crate::convert::{Conversion, Ended, Outgoing, OutgoingForm, grounded, slack_calls, supported};
use crate::ingest::ingest;
use crate::metrics::Metrics;
use crate::output::{
    AssistantHubOptions, Completion, OpenWebUiOptions, Output, assistanthub, open_webui, report_judged,
};
use crate::report::Report;
use crate::sse;

/// The media types of streams: server-sent events, and JSON lines under the names that are in use.
const STREAMS: [&str; 4] =
    ["text/event-stream", "application/x-ndjson", "application/jsonl", "application/x-json-stream"];

/// Convert an answer for Open WebUI.
///
/// If the media type of a raw body is a stream (`text/event-stream`, `application/x-ndjson`, `application/jsonl`), the server
/// responds with server-sent events while the body arrives. The route uses the options `require_grounding`, `require_support`, `ref_is_tracking`,
/// `withhold_encrypted`, `rerank_max`, `bm25_max` and `prefer_rerank`, and ignores `channel` and all other options.
#[utoipa::path(
    post, path = "/v1/open-webui", tag = "answers", operation_id = "writeOpenWebUi",
    params(
        ("from" = Option<String>, Query, description = "The format of a raw body; detected when absent"),
        ("events" = Option<String>, Query, description = "The output form: chunks (default), events, completion, or slack"),
    ),
    request_body(content = AnswerRequest, description = "An answer, complete or as a stream, wrapped or raw"),
    responses(
        (status = 200, description = "The text and its events; for a stream, server-sent events", body = Object),
        (status = 400, description = "The request body is invalid"),
        (status = 413, description = "The request body, or one event of the stream in it, is too large"),
        (status = 422, description = "The answer lacks the grounding or the support that the options ask for"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn write_open_webui(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let form = Query::of(&request).get("events").map(str::parse).transpose();
    let form: OutgoingForm = form.map_err(EnvelopeError::from)?.unwrap_or_default();
    write(state, request, payload, form).await
}

/// Convert an answer for AssistantHub clients.
///
/// If the media type of a raw body is a stream (`text/event-stream`, `application/x-ndjson`, `application/jsonl`), the server
/// responds with server-sent events while the body arrives. The route uses the options `require_grounding`, `require_support`, `ref_is_tracking`,
/// `withhold_encrypted`, `rerank_max`, `bm25_max` and `prefer_rerank`, and ignores `channel` and all other options.
#[utoipa::path(
    post, path = "/v1/assistanthub", tag = "answers", operation_id = "writeAssistantHub",
    params(
        ("from" = Option<String>, Query, description = "The format of a raw body; detected when absent"),
    ),
    request_body(content = AnswerRequest, description = "An answer, complete or as a stream, wrapped or raw"),
    responses(
        (status = 200, description = "A chat completion with `citations`; for a stream, its chunks as server-sent \
            events", body = Object),
        (status = 400, description = "The request body is invalid"),
        (status = 413, description = "The request body, or one event of the stream in it, is too large"),
        (status = 422, description = "The answer lacks the grounding or the support that the options ask for"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn write_assistanthub(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    write(state, request, payload, OutgoingForm::AssistantHub).await
}

/// Write a prompt with numbered sources for a model.
///
/// The body is a manifest (its text may be missing) or a list of sources. To set `options`, wrap the body as `answer`: `style`,
/// `max_bytes`, `max_tokens`, `system`, `sources_only`.
#[utoipa::path(
    post, path = "/v1/prompt", tag = "answers", operation_id = "writePrompt",
    request_body(content = Object, description = "A manifest, or a list of sources, wrapped or raw"),
    responses(
        (status = 200, description = "The prompt text in `text`, your `messages` with that text in them, and the \
            number of each source", body = Object),
        (status = 400, description = "The request body is invalid"),
        (status = 413, description = "The request body is too large"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn write_prompt(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let body = read(&state, &request, payload).await?;
    let written = if body.len() < LARGE_BYTES { prompt(&body)? } else { web::block(move || prompt(&body)).await?? };
    Ok(json_bytes(written))
}

fn prompt(body: &[u8]) -> Result<Vec<u8>, ApiError> {
    Ok(calls::prompt(&PromptRequest::parse(body)?)?)
}

async fn write(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
    form: OutgoingForm,
) -> Result<HttpResponse, ApiError> {
    if STREAMS.iter().any(|media_type| body::is_of_type(&request, media_type)) {
        return follow(&state, &request, payload, form).await;
    }
    let body = read(&state, &request, payload).await?;
    let query = Query::of(&request);
    let (written, report) = if body.len() < LARGE_BYTES {
        whole(&state, &body, &query, form)?
    } else {
        let state = state.clone();
        web::block(move || whole(&state, &body, &query, form)).await??
    };
    account_for(&state.metrics, &report);
    let mut response = json_bytes(written);
    if let Ok(account) = HeaderValue::from_str(&account(&report)) {
        response.headers_mut().insert(HeaderName::from_static("citewire-sources"), account);
    }
    Ok(response)
}

fn json_bytes(body: Vec<u8>) -> HttpResponse {
    HttpResponse::Ok().content_type(HeaderValue::from_static("application/json")).body(body)
}

/// An answer that has come whole, with its report.
pub(super) fn whole(
    state: &State,
    body: &[u8],
    query: &Query,
    form: OutgoingForm,
) -> Result<(Vec<u8>, Report), ApiError> {
    let Request { answer: body, at, mut conversion, .. } = Request::parse(body, &query.named())?;
    let mut answer =
        ingest(&body, &conversion.from).map_err(|source| CallError::Convert { source: source.into(), at })?;
    if conversion.options.ref_is_tracking {
        answer.merge_pages(conversion.options.tracking());
    }
    answer.rescore(&conversion.options.scoring());
    if answer.sources.is_empty() {
        log_empty_search(&body, &conversion.from);
    }
    let convert = |source| CallError::Convert { source, at };
    grounded(&answer, conversion.options.require_grounding).map_err(convert)?;
    conversion.stopwatch = Some(stopwatch(&state.metrics));
    let judged = supported(&answer, &conversion).map_err(convert)?;
    state.options.labels.complete(&mut answer);
    if form == OutgoingForm::Slack {
        let (calls, report) = slack_calls(answer, &conversion).map_err(convert)?;
        let written = serde_json::to_vec(&json!({ "calls": calls }));
        return Ok((written.map_err(|error| ApiError::Unwritable(error.into()))?, report));
    }
    let output = if form == OutgoingForm::AssistantHub { Output::AssistantHub } else { Output::OpenWebUi };
    let report = report_judged(&answer, output, judged.as_ref());
    let written = written(&answer, &conversion, form).map_err(|error| ApiError::Unwritable(error.into()))?;
    Ok((written, report))
}

fn written(answer: &Answer, conversion: &Conversion, form: OutgoingForm) -> serde_json::Result<Vec<u8>> {
    let withhold_encrypted = conversion.options.withhold_encrypted;
    if form == OutgoingForm::AssistantHub {
        let options = AssistantHubOptions { withhold_encrypted, ..AssistantHubOptions::default() };
        return serde_json::to_vec(&assistanthub(answer, &options));
    }
    let output = open_webui(answer, &OpenWebUiOptions { withhold_encrypted, ..OpenWebUiOptions::default() });
    match form {
        OutgoingForm::Completion => serde_json::to_vec(&output.whole_event()),
        OutgoingForm::Chunks | OutgoingForm::Events | OutgoingForm::Slack | OutgoingForm::AssistantHub => {
            serde_json::to_vec(&output)
        }
    }
}

type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, BodyError>>>>;

/// Logs and counts the sources of an answer.
fn account_for(metrics: &Metrics, report: &Report) {
    log_report(report);
    count_support(metrics, &report.support);
    metrics.sources(report.sources.by_outcome());
}

/// The account of the sources, for people and programs that read no report: `cited=1, listed=0, …`.
fn account(report: &Report) -> String {
    report.sources.by_outcome().map(|(outcome, count)| format!("{outcome}={count}")).join(", ")
}

/// The end of a stream: the rest of the text, then the account of the sources as a comment, which every client skips.
fn last(ended: &Ended) -> impl Iterator<Item = Bytes> {
    let comment = Bytes::from(format!(": citewire-sources: {}\n\n", account(&ended.report)));
    ended.values.iter().map(sse::event).chain([comment])
}

/// An answer on its way from one connection to the other. A piece of the body is read when everything before it was taken by
/// the client, so that nothing piles up; when the client goes, this is dropped, and the body with it.
struct ConvertedStream {
    /// `None` when the body has ended.
    coming: Option<(Outgoing, Pieces)>,
    out: VecDeque<Bytes>,
    tasks: Tasks,
    metrics: Metrics,
}

/// Answers a stream while it arrives. Until something of the answer was read, an error has a status of its own.
async fn follow(
    state: &State,
    request: &HttpRequest,
    payload: Payload,
    form: OutgoingForm,
) -> Result<HttpResponse, ApiError> {
    let mut conversion = Request::of_raw(&Query::of(request).named())?;
    conversion.labels = Arc::clone(&state.options.labels);
    conversion.stopwatch = Some(stopwatch(&state.metrics));
    let completion = Completion {
        id: format!("chatcmpl-{}", state.ids.fresh().simple()),
        created: u64::try_from(state.clock.now().timestamp()).unwrap_or_default(),
        model: "citewire".to_owned(),
    };
    let mut outgoing = Outgoing::new(form, completion, &conversion);
    let mut pieces: Pieces =
        Box::pin(body::follow(request, payload, state.options.max_body_bytes, state.options.body_timeout));
    let convert = |source| CallError::Convert { source, at: "" };
    let mut out = VecDeque::new();
    let coming = loop {
        let piece = tokio::select! {
            biased;
            () = state.tasks.ending() => return Err(ApiError::ShuttingDown),
            piece = pieces.next() => piece.transpose()?,
        };
        let Some(piece) = piece else {
            let ended = outgoing.end().map_err(convert)?;
            account_for(&state.metrics, &ended.report);
            out.extend(last(&ended));
            out.push_back(sse::done());
            break None;
        };
        out.extend(outgoing.push(&piece).map_err(convert)?.iter().map(sse::event));
        if outgoing.has_begun() {
            break Some((outgoing, pieces));
        }
    };
    let following = ConvertedStream { coming, out, tasks: state.tasks.clone(), metrics: state.metrics.clone() };
    Ok(HttpResponse::Ok()
        .content_type(HeaderValue::from_static("text/event-stream"))
        .insert_header(("cache-control", "no-cache"))
        .insert_header(("x-accel-buffering", "no"))
        .streaming(stream::unfold(following, ConvertedStream::next)))
}

impl ConvertedStream {
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        loop {
            if let Some(bytes) = self.out.pop_front() {
                return Some((Ok(bytes), self));
            }
            let (outgoing, pieces) = self.coming.as_mut()?;
            tokio::select! {
                biased;
                () = self.tasks.ending() => self.end(Some("the server is shutting down")),
                piece = pieces.next() => match piece {
                    Some(Ok(bytes)) => match outgoing.push(&bytes) {
                        Ok(values) => self.out.extend(values.iter().map(sse::event)),
                        Err(error) => self.end(Some(&error.to_string())),
                    },
                    Some(Err(error)) => self.end(Some(&error.to_string())),
                    None => self.end(None),
                },
            }
        }
    }

    /// Says what there is to say at the end.
    fn end(&mut self, failure: Option<&str>) {
        let Some((outgoing, _)) = self.coming.take() else { return };
        let ended = match failure {
            None => outgoing.end().map_err(|error| error.to_string()),
            Some(reason) => outgoing.failed(reason).map_err(|_| reason.to_owned()),
        };
        match ended {
            Ok(ended) => {
                account_for(&self.metrics, &ended.report);
                self.out.extend(last(&ended));
            }
            Err(reason) => self.out.push_back(sse::event(&Outgoing::error(&reason))),
        }
        self.out.push_back(sse::done());
    }
}
