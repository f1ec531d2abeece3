//! The Web Chat page of this server, and its routes.

use actix_web::http::header::{self, CACHE_CONTROL};
use actix_web::web::{Data, Payload, ReqData};
use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use utoipa::ToSchema;

use super::auth::PageCaller;
use super::convert::{Readers, Updates, convert_body, json};
use super::envelope::AnswerRequest;
use super::samples::{Offered, SAMPLES};
use super::{ApiError, State, address, body};
use crate::activity::{Activity, ActivityId};
use crate::channels::{DeliveryError, Whereabouts};
use crate::report::Report;

const INDEX: &str = include_str!("../../web/index.html");
const STYLE: &str = include_str!("../../web/page.css");
const SCRIPT: &str = include_str!("../../web/page.js");
const CHAT: &str = include_str!("../../web/chat.js");
const JSON: &str = include_str!("../../web/json.js");
const PARTS: &str = include_str!("../../web/parts.js");
const VERDICTS: &str = include_str!("../../web/verdicts.js");

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
    html(&state, &request, |nonce| {
        INDEX
            .replace("{{nonce}}", nonce)
            .replace("{{answers}}", if state.options.page_answers { "" } else { "hidden" })
            .replace("{{admin}}", if admin { "" } else { "hidden" })
    })
}

/// A page with a nonce of its own, which `fill` writes into it.
pub(super) fn html(state: &State, request: &HttpRequest, fill: impl FnOnce(&str) -> String) -> HttpResponse {
    let nonce = state.ids.fresh().simple().to_string();
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((header::CONTENT_SECURITY_POLICY, policy(&nonce, address::client_host(&state.options, request))))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .insert_header((CACHE_CONTROL, "no-store"))
        .body(fill(&nonce))
}

/// The content security policy of the page. Only scripts and styles with the nonce run; images come from nowhere but
/// the page itself and this server, where uploaded files are, so that an answer cannot make a reader's browser call
/// anyone else.
fn policy(nonce: &str, host: Option<&str>) -> String {
    let sockets = host.map(|host| format!(" ws://{host} wss://{host}")).unwrap_or_default();
    format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
         connect-src 'self'{sockets} blob:; img-src 'self' blob: data:; script-src 'nonce-{nonce}' 'strict-dynamic'; \
         style-src 'nonce-{nonce}'"
    )
}

pub(crate) async fn style() -> HttpResponse {
    asset("text/css; charset=utf-8", STYLE)
}

pub(crate) async fn script() -> HttpResponse {
    asset("text/javascript; charset=utf-8", SCRIPT)
}

pub(crate) async fn chat_script() -> HttpResponse {
    asset("text/javascript; charset=utf-8", CHAT)
}

pub(crate) async fn json_script() -> HttpResponse {
    asset("text/javascript; charset=utf-8", JSON)
}

pub(crate) async fn parts_script() -> HttpResponse {
    asset("text/javascript; charset=utf-8", PARTS)
}

pub(crate) async fn verdicts_script() -> HttpResponse {
    asset("text/javascript; charset=utf-8", VERDICTS)
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

/// Convert an answer and deliver it into the page's conversation.
#[utoipa::path(
    post, path = "/page/answers", tag = "page", operation_id = "sendPageAnswer",
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
    if !state.options.page_answers {
        return Err(ApiError::NoPageAnswers);
    }
    state.limits.post(&caller.0)?;
    let id = &caller.0.conv;
    // Anybody may start a session, so an answer takes no more room than what a visitor types.
    let limit = state.direct_line.options().max_activity_bytes;
    let body = body::read(&request, payload, limit, state.options.body_timeout).await?;
    // Conversations of the page are in the embedded channel, or nowhere any more.
    let Some(Whereabouts::Here(id)) = state.delivery.locate(id.as_str()).await? else {
        return Err(DeliveryError::UnknownConversation.into());
    };
    let addresses = state.downloads().for_conversation(&id).await;
    let readers = Readers { addresses, earlier: state.delivery.earlier(&id).await, written: None };
    let converted = convert_body(&state, &request, body, Updates::Unwanted, readers).await?;
    let delivered = state.delivery.record(&id, converted, None).await?;
    let answer = PageAnswer { id: &delivered.id, activity: &delivered.activity, report: &delivered.report };
    json(HttpResponse::Created(), &answer)
}
