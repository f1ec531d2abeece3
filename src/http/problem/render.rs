//! Writes error responses in the format of the route: problem details, Bot Framework or OpenAI.

use std::borrow::Cow;
use std::time::Instant;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::http::{ConnectionType, Method, StatusCode};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, HttpRequest, web};
use serde::Serialize;
use utoipa::ToSchema;

use super::error_response::{ErrorResponse, error_response};
use super::table::{self, ProblemType};
use crate::calls::bounded;
use crate::channels::direct_line_client::SERVER_NAME;
use crate::http::admission::connections::ConnectionSlot;
use crate::http::body::{self, Held};
use crate::http::paths::{BOT_FRAMEWORK, DIRECT_LINE, MESSAGES, OPENAI, Reached, is_reader_page};
use crate::http::{ApiError, HttpOptions, State, admission, audit, passages, ticket};
use crate::text::echo;

/// The id of the request: in the log, in this header, and in the detail of a 500.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// An error as problem details (RFC 9457).
#[derive(Serialize, ToSchema)]
pub(crate) struct Problem<'a> {
    title: &'a str,
    status: u16,
    /// A stable code for programs.
    code: &'a str,
    detail: &'a str,
    /// A JSON pointer to the invalid part of the request body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'a str>,
    /// The number of the invalid event in a stream, counted from 1. Pointers in `detail` are relative to that event.
    #[schema(value_type = Option<u64>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<usize>,
    /// The line on which that event begins, counted from 1.
    #[schema(value_type = Option<u64>)]
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
}

/// An error in the format of the Bot Framework: Direct Line, the Bot Connector routes and `/api/messages`.
#[derive(Serialize, ToSchema)]
pub(crate) struct BotError<'a> {
    error: BotErrorBody<'a>,
}

/// The code and the message of the error.
#[derive(Serialize, ToSchema)]
pub(crate) struct BotErrorBody<'a> {
    /// A stable code for programs.
    #[schema(example = "TokenExpired")]
    code: &'a str,
    message: &'a str,
}

/// An error in the format of OpenAI.
#[derive(Serialize, ToSchema)]
pub(crate) struct CompletionProblem<'a> {
    error: CompletionProblemBody<'a>,
}

/// The message, the type and the code of the error.
#[derive(Serialize, ToSchema)]
pub(crate) struct CompletionProblemBody<'a> {
    message: &'a str,
    /// `invalid_request_error`, `rate_limit_error` or `server_error`.
    #[schema(example = "invalid_request_error")]
    #[serde(rename = "type")]
    kind: &'a str,
    /// A stable code for programs.
    #[schema(example = "model_not_found")]
    code: &'a str,
    /// The invalid member of the request.
    #[schema(example = "model")]
    param: Option<&'a str>,
}

/// The error format of a route.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ErrorFormat {
    Citewire,
    BotFramework,
    OpenAi,
    /// A page for people.
    Page,
}

impl ErrorFormat {
    pub(crate) fn of(path: &str) -> Self {
        if path.starts_with(BOT_FRAMEWORK) || path == MESSAGES {
            Self::BotFramework
        } else if OPENAI.iter().any(|prefix| path.starts_with(prefix)) {
            Self::OpenAi
        } else if is_reader_page(path) {
            Self::Page
        } else {
            Self::Citewire
        }
    }

    /// A page is for browsers that follow a link. Programs, which send a credential, are told why.
    fn for_request(request: &HttpRequest) -> Self {
        let format = Self::of(request.path());
        let is_program = format == Self::Page && request.headers().contains_key(header::AUTHORIZATION);
        if is_program { Self::Citewire } else { format }
    }

    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Citewire => "application/problem+json",
            Self::BotFramework | Self::OpenAi => "application/json",
            Self::Page => "text/html; charset=utf-8",
        }
    }
}

/// Gives every request a name, and every fault its body. All that is done for every route is done here: a layer of its own
/// would cost each request more than what it does.
pub(crate) async fn render(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let begun = Instant::now();
    ticket::take(&mut request);
    let held = Held::of(&mut request);
    let state = request.app_data::<web::Data<State>>().expect("the server registers its state");
    let id = state.ids.fresh().simple().to_string();
    let direct_line = request.path().starts_with(DIRECT_LINE);
    let format = ErrorFormat::for_request(request.request());
    let is_browser = is_browser(request.request());
    let slot =
        |request: &HttpRequest| request.conn_data::<ConnectionSlot>().is_none_or(|slot| slot.serves(request.path()));
    let mut response = match admission::host::guard(&state.options, request.request()) {
        Ok(()) if !slot(request.request()) => request.error_response(ApiError::NoPlace),
        Ok(()) => next.call(request).await?.map_into_boxed_body(),
        Err(error) => request.error_response(ApiError::from(error)),
    };
    let state = response.request().app_data::<web::Data<State>>().expect("the server registers its state").clone();
    let rendered = response.response().error().map(|error| {
        let is_failed = error.as_error::<ApiError>().is_some_and(ApiError::is_failed_credential);
        let client = || state.options.trusted_proxies.client(response.request());
        let limited = if is_failed { state.limits.failure(client()).err() } else { None };
        let limited = limited.map(|limit| Error::from(ApiError::from(limit)));
        let error = limited.as_ref().unwrap_or(error);
        if let Some(ApiError::Limit(error)) = error.as_error::<ApiError>() {
            state.metrics.limited(error.limit);
        }
        let (error_response, detail) = judge(error, &id);
        let param = error.as_error::<ApiError>().and_then(param);
        let body = write(&error_response, &detail, param.as_deref(), format);
        let leads_nowhere = matches!(error.as_error::<ApiError>(), Some(ApiError::UnknownRoute));
        (error_response, body, leads_nowhere && is_browser && format == ErrorFormat::Citewire)
    });
    match &rendered {
        Some((error_response, ..)) => {
            audit::refused(&state, response.request(), &id, error_response.problem.status, error_response.problem.code);
        }
        None => audit::done(&state, response.request(), &id, response.status()),
    }
    let status = rendered.as_ref().map_or(response.status(), |(error_response, ..)| error_response.problem.status);
    let route = response.request().extensions().get::<Reached>().map(|Reached(pattern)| *pattern);
    state.metrics.request(response.request().method().as_str(), route, status.as_u16(), begun.elapsed());
    if let Some((error_response, body, is_lost)) = rendered {
        *response.response_mut().status_mut() = error_response.problem.status;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(format.media_type()));
        let body = if format == ErrorFormat::Page {
            passages::fault(headers, error_response.problem.status)
        } else if is_lost {
            passages::not_found(headers, &places(&state.options))
        } else {
            body
        };
        if let Some(seconds) = error_response.problem.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if let Some(challenge) = error_response.problem.challenge() {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
        response = response.map_body(|_, _| BoxBody::new(body));
    }
    if response.request().conn_data::<ConnectionSlot>().is_some_and(ConnectionSlot::is_passing) {
        response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
    }
    if direct_line {
        // This header tells a client that the bearer of the secret may speak as a bot here.
        response.headers_mut().insert(header::SERVER, HeaderValue::from_static(SERVER_NAME));
    }
    protect(&state.options, response.headers_mut());
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    let response = body::drain(response, state.options.body_timeout);
    Ok(match held {
        Some(body) => body.until_sent(response),
        None => response,
    })
}

/// Whether a person reads the answer: a browser that follows a link asks for HTML, and sends no credential.
fn is_browser(request: &HttpRequest) -> bool {
    let accepts = request.headers().get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    is_read
        && accepts.is_some_and(|accept| accept.contains("text/html"))
        && !request.headers().contains_key(header::AUTHORIZATION)
}

/// The pages of this server, for people who look for one of them.
fn places(options: &HttpOptions) -> Vec<(&'static str, &'static str)> {
    if !options.page {
        return Vec::new();
    }
    let settings = options.admin_schema.is_some().then_some(("/admin", "The settings"));
    [("/", "The chat"), ("/help/README.md", "The documentation")].into_iter().chain(settings).collect()
}

/// Headers that every answer has unless it has said otherwise: browsers do not guess what it is; JSON, which may carry a token
/// or what people said, is kept nowhere; and whoever was here by `https` comes by `https` again.
fn protect(options: &HttpOptions, headers: &mut HeaderMap) {
    let is_json = |value: &HeaderValue| value.to_str().is_ok_and(|text| text.starts_with("application/json"));
    let is_json = headers.get(header::CONTENT_TYPE).is_some_and(is_json);
    let mut set = |name, value| {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    };
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    if is_json {
        set(header::CACHE_CONTROL, "no-store");
    }
    if options.public_url.as_ref().is_some_and(|url| url.as_str().starts_with("https:")) {
        set(header::STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
}

fn judge(error: &Error, id: &str) -> (ErrorResponse, String) {
    let (error_response, detail) = match error.as_error::<ApiError>() {
        Some(fault) => (error_response(fault), fault.to_string()),
        None => foreign(error),
    };
    if error_response.problem.status == StatusCode::INTERNAL_SERVER_ERROR {
        tracing::error!(request.id = id, error = %detail, "a request failed with an internal error");
        return (error_response, format!("The log of the server has the cause under the request id {id}."));
    }
    tracing::debug!(
        request.id = id,
        status = error_response.problem.status.as_u16(),
        code = error_response.problem.code,
        "a request was refused"
    );
    (error_response, bounded(detail))
}

/// A fault in words, for an answer whose status does not say that there is one.
pub(in crate::http) fn in_words(fault: &ApiError) -> String {
    if error_response(fault).problem.status == StatusCode::INTERNAL_SERVER_ERROR {
        tracing::error!(error = %fault, "a tool failed with an internal error");
        return "The log of the server has the cause.".to_owned();
    }
    bounded(fault.to_string())
}

/// The longest JSON pointer, in bytes.
const LONGEST_POINTER: usize = 500;

/// The response for an error of the web framework itself, before a handler of ours sees the request.
fn foreign(error: &Error) -> (ErrorResponse, String) {
    let status = error.as_response_error().status_code();
    let problem = if status.is_client_error() { ProblemType::foreign(status) } else { table::INTERNAL };
    (problem.into(), error.to_string())
}

/// The member of a question that is at fault, as clients of OpenAI name it.
fn param(fault: &ApiError) -> Option<Cow<'_, str>> {
    if let ApiError::Completion(error) = fault { error.param().map(echo) } else { None }
}

/// The type that clients of OpenAI know for an error of this status.
fn kind(status: StatusCode) -> &'static str {
    match status {
        StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
        status if status.is_client_error() => "invalid_request_error",
        _ => "server_error",
    }
}

fn write(error_response: &ErrorResponse, detail: &str, param: Option<&str>, format: ErrorFormat) -> Vec<u8> {
    let ErrorResponse { problem, pointer, place } = error_response;
    // A longer pointer has the name of a member that a caller made up, and leads to no place in the answer.
    let shown_pointer =
        pointer.as_deref().map(|text| if text.len() > LONGEST_POINTER { echo(text) } else { text.into() });
    let ProblemType { status, code, title, .. } = *problem;
    let written = match format {
        ErrorFormat::BotFramework => serde_json::to_vec(&BotError {
            error: BotErrorBody { code: problem.code_of_bot_framework(), message: detail },
        }),
        ErrorFormat::OpenAi => serde_json::to_vec(&CompletionProblem {
            error: CompletionProblemBody { message: detail, kind: kind(status), code, param },
        }),
        // A page is written with its headers, and says less.
        ErrorFormat::Citewire | ErrorFormat::Page => serde_json::to_vec(&Problem {
            title,
            status: status.as_u16(),
            code,
            detail,
            pointer: shown_pointer.as_deref(),
            event: place.map(|place| place.event),
            line: place.map(|place| place.line),
        }),
    };
    written.expect("text and numbers can be written as JSON")
}
