//! `POST /v1/chat/completions`: asks an assistant and returns its answer with citations.

use std::sync::Arc;

use actix_web::http::header::{CACHE_CONTROL, HeaderName};
use actix_web::web::{self, Data, Payload};
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder};
use serde_json::{Value, json};

use super::CompletionError;
use super::attached::unwrap;
use super::chunks::{Telling, chunks};
use super::request::ChatRequest;
use super::task::answer_without_model;
use super::writing::{Writing, Written, log};
use crate::assistant::Assistant;
use crate::http::convert::{LARGE_BYTES, json as json_response, read};
use crate::http::{ApiError, State};
use crate::output::{ChatCompletion, ChatForm, Completion, FinishReason};
use crate::upstream::{Ask, Reply, Retrieval, UpstreamError};

/// The header that names the citation form, for clients that can set headers but not body members.
const CITATIONS: &str = "x-citewire-citations";

/// Has a proxy pass on what comes when it comes.
const NO_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Ask an assistant with an OpenAI chat completion request.
///
/// The response is a chat completion with the sources of its citations in `citations`; for Open WebUI also in `sources`, or,
/// in a stream, in chunks with an `event`. The server ignores unknown members of the request.
#[utoipa::path(
    post, path = "/v1/chat/completions", tag = "chat completions", operation_id = "createChatCompletion",
    params(
        ("X-Citewire-Citations" = Option<String>, Header, description = "The citation form: `open-webui`, \
            `open-webui-links`, `assistanthub`, `list` or `none`; `citewire.citations` in the body takes precedence, and \
            without both the setting `chat_citations` holds"),
    ),
    request_body(content = ChatRequest, description = "A chat completion request; `model` names the assistant"),
    responses(
        (status = 200, description = "The answer; with `stream`, events that end with `[DONE]`", body = ChatCompletion),
        (status = 400, description = "The request body is invalid"),
        (status = 404, description = "The model does not exist"),
        (status = 413, description = "The request body is too large"),
        (status = 429, description = "The assistant or its back end is busy; retry after `Retry-After`"),
        (status = 502, description = "The back end failed, refused the request or cannot be reached"),
        (status = 504, description = "The back end did not answer in time"),
    ),
    security(("api_key" = []))
)]
pub(crate) async fn create_completion(
    state: Data<State>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let body = read(&state, &request, payload).await?;
    let header = request.headers().get(CITATIONS).and_then(|form| form.to_str().ok()).map(str::to_owned);
    let prepared = if body.len() < LARGE_BYTES {
        prepare(&state, &body, header.as_deref())?
    } else {
        let state = state.clone();
        web::block(move || prepare(&state, &body, header.as_deref())).await??
    };
    let Prepared { asked, form, assistant, ask, asked_tokens, task } = prepared;
    let mut telling = telling(&state, &asked, form, &assistant, asked_tokens);
    if let Some(task) = task.filter(|_| !assistant.has_model()) {
        return whole(&telling, Written::of_text(&answer_without_model(&task), FinishReason::Stop));
    }
    if state.tasks.is_ending() {
        return Err(CompletionError::ShuttingDown.into());
    }
    let Begun { writing, asked_tokens, retrieval } = begin(&state, assistant, ask, form).await?;
    telling.asked_tokens = asked_tokens.unwrap_or(telling.asked_tokens);
    telling.retrieval = retrieval.map(|found| retrieval_member(&asked.model, &found));
    if asked.is_stream() {
        let events = chunks(telling, writing, state.tasks.clone());
        return Ok(event_stream().streaming(events));
    }
    tokio::select! {
        biased;
        () = state.tasks.ending() => Err(CompletionError::ShuttingDown.into()),
        written = all(writing) => whole(&telling, written?),
    }
}

fn telling(state: &State, asked: &ChatRequest, form: ChatForm, assistant: &Assistant, asked_tokens: usize) -> Telling {
    Telling {
        completion: Completion {
            id: format!("chatcmpl-{}", state.ids.fresh().simple()),
            created: u64::try_from(state.clock.now().timestamp()).unwrap_or_default(),
            model: asked.model.clone(),
        },
        form,
        asked_tokens,
        context_window: assistant.options().context_window,
        retrieval: None,
        tells_usage: asked.wants_usage(),
        comment_every: state.options.comment_every,
    }
}

/// The whole completion for a request, as JSON, for callers that speak another protocol.
pub(in crate::http) async fn complete(state: &State, body: &[u8]) -> Result<Value, ApiError> {
    let Prepared { asked, form, assistant, ask, asked_tokens, .. } = prepare(state, body, None)?;
    let telling = telling(state, &asked, form, &assistant, asked_tokens);
    if state.tasks.is_ending() {
        return Err(CompletionError::ShuttingDown.into());
    }
    let Begun { writing, .. } = begin(state, assistant, ask, form).await?;
    let written = tokio::select! {
        biased;
        () = state.tasks.ending() => return Err(CompletionError::ShuttingDown.into()),
        written = all(writing) => written?,
    };
    serde_json::to_value(completed(&telling, &mut { written })).map_err(|error| ApiError::Unwritable(error.into()))
}

/// A request that was read.
struct Prepared {
    asked: ChatRequest,
    form: ChatForm,
    assistant: Arc<Assistant>,
    ask: Ask,
    asked_tokens: usize,
    task: Option<String>,
}

/// Reads and judges the body of a request.
fn prepare(state: &State, body: &[u8], header: Option<&str>) -> Result<Prepared, CompletionError> {
    let asked = ChatRequest::parse(body)?;
    let form = asked.form(header, state.options.chat_citations)?;
    let assistant = state.assistants.get(&asked.model);
    let assistant = assistant.ok_or_else(|| CompletionError::UnknownModel { model: asked.model.clone() })?;
    asked.check_sizes(state.direct_line.options().max_question_bytes)?;
    let mut ask = asked.ask(form)?;
    if !assistant.searches_itself() {
        unwrap(&mut ask);
    }
    if !ask.sources.is_empty() && assistant.searches_itself() {
        let reason = format!("the model {} searches by itself and accepts no sources", asked.model);
        return Err(CompletionError::Member { param: "citewire.sources".to_owned(), reason });
    }
    let task = asked.task();
    ask.plain = task.is_some();
    ask.at_once = !asked.is_stream();
    Ok(Prepared { asked_tokens: asked.prompt_tokens(), asked, form, assistant, ask, task })
}

/// An answer that has begun to arrive.
struct Begun {
    writing: Writing,
    asked_tokens: Option<usize>,
    retrieval: Option<Retrieval>,
}

/// Asks, and waits for the beginning of the answer: as long as there are none, an error can have a status.
async fn begin(state: &State, assistant: Arc<Assistant>, ask: Ask, form: ChatForm) -> Result<Begun, CompletionError> {
    let form = if ask.plain { ChatForm::Uncited } else { form };
    let question = ask.question().to_owned();
    let replied = async {
        let mut reply = state.assistants.ask(&assistant, ask).await?;
        reply.events.begin().await?;
        Ok::<_, UpstreamError>(reply)
    };
    let replied = replied.await.map_err(CompletionError::from);
    let reply = replied.inspect_err(|error| log(&assistant, &question, error))?;
    let Reply { events, asked_tokens, retrieval } = reply;
    let writing = Writing::new(assistant, question, events, form, state.metrics.clone());
    Ok(Begun { writing, asked_tokens, retrieval })
}

/// `retrieval` as AssistantHub writes it (rule AH-06): what was found for the question, cited or not.
fn retrieval_member(assistant: &str, found: &Retrieval) -> Value {
    let chunks: Vec<Value> = found
        .chunks
        .iter()
        .map(|chunk| {
            let id = chunk.metadata.get("document_id").cloned().or_else(|| chunk.id.clone().map(Value::from));
            json!({"document_id": id, "document_name": chunk.title, "score": chunk.score, "content": chunk.content})
        })
        .collect();
    json!({
        "collection_id": assistant,
        "duration_ms": found.took.as_secs_f64() * 1_000.0,
        "chunks_returned": chunks.len(),
        "chunks": chunks,
    })
}

/// Takes all of an answer in.
async fn all(mut writing: Writing) -> Result<Written, CompletionError> {
    while let Some(taken) = writing.next().await {
        if let Err(error) = taken {
            writing.log(&error);
            return Err(error);
        }
    }
    let written = writing.end(None)?;
    match written.failure {
        // A whole completion cannot say both what there is and that it failed.
        Some(CompletionError::BrokenOff) | None => Ok(written),
        Some(failure) => Err(failure),
    }
}

/// One completion.
fn whole(telling: &Telling, mut written: Written) -> Result<HttpResponse, ApiError> {
    json_response(HttpResponse::Ok(), &completed(telling, &mut written))
}

fn completed<'a>(telling: &'a Telling, written: &'a mut Written) -> ChatCompletion<'a> {
    let Written { chat, failure, token_counts, extras, .. } = written;
    if failure.is_some() && telling.form != ChatForm::Places {
        chat.finish_reason = Some(FinishReason::Length);
    }
    let mut whole = chat.whole(&telling.completion, telling.usage(chat, *token_counts));
    whole.retrieval = telling.retrieval.clone().filter(|_| telling.form == ChatForm::Places);
    whole.citewire = extras.take();
    whole
}

fn event_stream() -> HttpResponseBuilder {
    let mut response = HttpResponse::Ok();
    response
        .content_type("text/event-stream; charset=utf-8")
        .insert_header((CACHE_CONTROL, "no-cache"))
        .insert_header((NO_BUFFERING, "no"));
    response
}
