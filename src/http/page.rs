//! The Web Chat page of this server, and its routes.

use actix_web::http::header::{self, CACHE_CONTROL};
use actix_web::web::{Data, Path, Payload, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use utoipa::ToSchema;

use super::auth::PageCaller;
use super::convert::{Readers, Updates, convert_body, json};
use super::envelope::AnswerRequest;
use super::query::Query;
use super::samples::{Offered, SAMPLES};
use super::{ApiError, State, address, playing, previews, visitor_answer};
use crate::activity::{Activity, ActivityId};
use crate::channels::{DeliveryError, Whereabouts};
use crate::report::Report;

const INDEX: &str = include_str!("../../web/index.html");

const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The files of the page and of the documentation: name, media type, text.
const FILES: &[(&str, &str, &str)] = &[
    ("page.css", STYLE, include_str!("../../web/page.css")),
    ("forms.css", STYLE, include_str!("../../web/forms.css")),
    ("help.css", STYLE, include_str!("../../web/help.css")),
    ("activities.js", SCRIPT, include_str!("../../web/activities.js")),
    ("chat.js", SCRIPT, include_str!("../../web/chat.js")),
    ("direction.js", SCRIPT, include_str!("../../web/direction.js")),
    ("explain.js", SCRIPT, include_str!("../../web/explain.js")),
    ("files.js", SCRIPT, include_str!("../../web/files.js")),
    ("forms.js", SCRIPT, include_str!("../../web/forms.js")),
    ("json.js", SCRIPT, include_str!("../../web/json.js")),
    ("likeness.js", SCRIPT, include_str!("../../web/likeness.js")),
    ("page.js", SCRIPT, include_str!("../../web/page.js")),
    ("parts.js", SCRIPT, include_str!("../../web/parts.js")),
    ("report.js", SCRIPT, include_str!("../../web/report.js")),
    ("slack.js", SCRIPT, include_str!("../../web/slack.js")),
    ("state.js", SCRIPT, include_str!("../../web/state.js")),
    ("tabs.js", SCRIPT, include_str!("../../web/tabs.js")),
    ("verdicts.js", SCRIPT, include_str!("../../web/verdicts.js")),
];

/// An answer that the page sent and the server delivered.
#[derive(Serialize, ToSchema)]
pub(crate) struct PageAnswer<'a> {
    /// The id of the message in the conversation.
    #[schema(value_type = String)]
    id: &'a ActivityId,
    /// The message, as readers see it.
    #[schema(value_type = Object)]
    activity: &'a Activity,
    report: &'a Report,
}

pub(crate) async fn index(state: Data<State>, request: HttpRequest) -> HttpResponse {
    let admin = state.options.admin_schema.is_some();
    let limit = state.direct_line.options().max_activity_bytes;
    html(&state, &request, |nonce| {
        INDEX
            .replace("{{nonce}}", nonce)
            .replace("{{answers}}", if state.options.page_answers { "" } else { "hidden" })
            .replace("{{admin}}", if admin { "" } else { "hidden" })
            .replace("{{limit}}", &limit.to_string())
            .replace("{{forms}}", &previews::names().join(" "))
    })
}

/// A page with a nonce of its own, which `fill` writes into it.
pub(super) fn html(state: &State, request: &HttpRequest, fill: impl FnOnce(&str) -> String) -> HttpResponse {
    html_with_forms(state, request, "'none'", fill)
}

/// Such a page with a form that this server answers.
pub(super) fn html_with_search(
    state: &State,
    request: &HttpRequest,
    fill: impl FnOnce(&str) -> String,
) -> HttpResponse {
    html_with_forms(state, request, "'self'", fill)
}

fn html_with_forms(
    state: &State,
    request: &HttpRequest,
    forms: &str,
    fill: impl FnOnce(&str) -> String,
) -> HttpResponse {
    let nonce = state.ids.fresh().simple().to_string();
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((
            header::CONTENT_SECURITY_POLICY,
            policy(&nonce, address::client_host(&state.options, request), forms),
        ))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(fill(&nonce))
}

/// The content security policy of the page. Only scripts and styles with the nonce run; images come from nowhere but
/// the page itself and this server, where uploaded files are, so that an answer cannot make a reader's browser call
/// anyone else. `forms` says where forms may lead.
fn policy(nonce: &str, host: Option<&str>, forms: &str) -> String {
    let sockets = host.map(|host| format!(" ws://{host} wss://{host}")).unwrap_or_default();
    format!(
        "default-src 'none'; base-uri 'none'; form-action {forms}; frame-ancestors 'none'; \
         connect-src 'self'{sockets} blob:; img-src 'self' blob: data:; script-src 'nonce-{nonce}' 'strict-dynamic'; \
         style-src 'nonce-{nonce}'"
    )
}

pub(crate) async fn file(name: Path<String>) -> Result<HttpResponse, ApiError> {
    let found = FILES.iter().find(|(known, _, _)| *known == *name).ok_or(ApiError::UnknownRoute)?;
    Ok(asset(found.1, found.2))
}

pub(super) fn asset(media_type: &'static str, text: &'static str) -> HttpResponse {
    HttpResponse::Ok()
        .content_type(media_type)
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((CACHE_CONTROL, "no-cache"))
        .body(text)
}

/// List the sample answers of the page.
#[utoipa::path(
    get, path = "/page/samples", tag = "page", operation_id = "listSamples",
    responses((status = 200, description = "The samples, in the order of the page", body = Vec<Offered>))
)]
pub(crate) async fn samples() -> Result<HttpResponse, ApiError> {
    let samples: Result<Vec<_>, _> = SAMPLES.iter().map(super::samples::Sample::read).collect();
    let body = samples.and_then(|samples| serde_json::to_vec(&samples));
    let body = body.map_err(|error| ApiError::Unwritable(error.into()))?;
    Ok(HttpResponse::Ok().content_type("application/json").body(body))
}

/// Whether the caller wants to see a stream while it is written, and there is one.
fn is_played(request: &HttpRequest, body: &[u8]) -> bool {
    let query = Query::of(request);
    query.get("play") == Some("true") && playing::is_stream(body, &query)
}

/// Convert an answer and deliver it into the page's conversation.
#[utoipa::path(
    post, path = "/page/answers", tag = "page", operation_id = "sendPageAnswer",
    params(("play" = Option<bool>, Query, description = "`true` shows a stream slowly while it is written")),
    request_body(content = AnswerRequest, description = "An answer, complete or as a stream, wrapped or raw"),
    responses(
        (status = 201, description = "The answer was delivered", body = PageAnswer),
        (status = 400, description = "The request body is invalid"),
        (status = 413, description = "The request body, or one event of the stream in it, is too large"),
        (status = 422, description = "The answer lacks the grounding or the support that the options ask for"),
        (status = 403, description = "The token has expired or is not from `POST /page/session`, or the setting \
            `page_answers` is off"),
        (status = 429, description = "Too many posts with this token; retry after `Retry-After`"),
    ),
    security(("page" = []))
)]
pub(crate) async fn send_answer(
    state: Data<State>,
    caller: ReqData<PageCaller>,
    request: HttpRequest,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
    let body = visitor_answer::read(&state, &caller, &request, payload).await?;
    let id = &caller.0.conv;
    // Conversations of the page are in the embedded channel, or nowhere any more.
    let Some(Whereabouts::Here(id)) = state.delivery.locate(id.as_str()).await? else {
        return Err(DeliveryError::UnknownConversation.into());
    };
    let delivered = if is_played(&request, &body) {
        playing::play(&state, id, &request, &body).await?
    } else {
        let addresses = state.downloads().for_conversation(&id).await;
        let readers = Readers { addresses, earlier: state.delivery.earlier(&id).await, written: None };
        let converted = convert_body(&state, &request, body, Updates::Unwanted, readers).await?;
        state.delivery.record(&id, converted, None).await?
    };
    let answer = PageAnswer { id: &delivered.id, activity: &delivered.activity, report: &delivered.report };
    json(HttpResponse::Created(), &answer)
}
