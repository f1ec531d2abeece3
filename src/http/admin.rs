//! `/admin`: the settings page, whose data come from `/v1` with a key that its visitor types in.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse};

use super::page::{asset, html};
use super::{ApiError, State};

const INDEX: &str = include_str!("../../web/admin/index.html");

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The files of the page: name, media type, text.
const FILES: &[(&str, &str, &str)] = &[
    ("admin.css", "text/css; charset=utf-8", include_str!("../../web/admin/admin.css")),
    ("admin.js", SCRIPT, include_str!("../../web/admin/admin.js")),
    ("api.js", SCRIPT, include_str!("../../web/admin/api.js")),
    ("assistant.js", SCRIPT, include_str!("../../web/admin/assistant.js")),
    ("assistants.js", SCRIPT, include_str!("../../web/admin/assistants.js")),
    ("back-end.js", SCRIPT, include_str!("../../web/admin/back-end.js")),
    ("chat.js", SCRIPT, include_str!("../../web/admin/chat.js")),
    ("conversations.js", SCRIPT, include_str!("../../web/admin/conversations.js")),
    ("documents.js", SCRIPT, include_str!("../../web/admin/documents.js")),
    ("feedback.js", SCRIPT, include_str!("../../web/admin/feedback.js")),
    ("fields.js", SCRIPT, include_str!("../../web/admin/fields.js")),
    ("form.js", SCRIPT, include_str!("../../web/admin/form.js")),
    ("merge.js", SCRIPT, include_str!("../../web/admin/merge.js")),
    ("screen.js", SCRIPT, include_str!("../../web/admin/screen.js")),
    ("share.js", SCRIPT, include_str!("../../web/admin/share.js")),
    ("verdicts.js", SCRIPT, include_str!("../../web/admin/verdicts.js")),
];

pub(crate) async fn index(state: Data<State>, request: HttpRequest) -> HttpResponse {
    html(&state, &request, |nonce| INDEX.replace("{{nonce}}", nonce))
}

pub(crate) async fn file(name: Path<String>) -> Result<HttpResponse, ApiError> {
    let found = FILES.iter().find(|(known, _, _)| *known == *name).ok_or(ApiError::UnknownRoute)?;
    Ok(asset(found.1, found.2))
}

/// The form for assistants, as a JSON schema.
pub(crate) async fn schema(state: Data<State>) -> Result<HttpResponse, ApiError> {
    let schema = state.options.admin_schema.as_ref().ok_or(ApiError::UnknownRoute)?;
    Ok(HttpResponse::Ok()
        .content_type("application/json")
        .insert_header((CACHE_CONTROL, "no-cache"))
        .body(schema.to_string()))
}
